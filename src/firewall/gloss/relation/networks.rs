//! Networks that an action lets in, and whether the intent names them.

use super::words::IntentWords;
use crate::firewall::gloss::coded::Coded;
use crate::firewall::gloss::view::head;
use crate::firewall::text::Action;

/// Bytes of a text whose networks are looked at.
const TEXT: usize = 16 << 10;

/// Networks that are compared with the intent.
const MOST: usize = 64;

/// Whether a firewall is told to let in a network, `198.51.100.0/24`, that the intent does not name.
/// `tool` says whether that is what the tool is for.
pub(super) fn networks(
    action: &Action<'_>,
    tool: bool,
    intent: &IntentWords,
    found: &mut impl FnMut(Coded),
) {
    let tells = |command: &String| command.contains("authorize-security-group-ingress");
    if !tool && !action.facets.commands.iter().any(tells) {
        return;
    }
    let is_named = |network: &str| ranges(&intent.text).any(|named| named == network);
    if !ranges(head(action.text, TEXT)).take(MOST).all(is_named) {
        found(Coded::NetworkLetIn);
    }
}

/// The networks of a text: an address, `/`, and how many of its bits are theirs.
fn ranges(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_ascii_hexdigit() || matches!(c, '.' | ':' | '/');
    let runs = text.split(move |c| !is_part(c));
    runs.map(|run| run.trim_matches(['.', ':', '/']))
        .filter(|run| {
            run.split_once('/').is_some_and(|(address, bits)| {
                address.contains(['.', ':']) && bits.parse::<u8>().is_ok()
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_are_found_whole() {
        let text = "let 198.51.100.0/24, 2001:db8::/32 in; not a/b, 1/2 or https://h.example/24.";
        assert!(ranges(text).eq(["198.51.100.0/24", "2001:db8::/32"]));
    }
}
