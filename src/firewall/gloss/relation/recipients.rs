//! Recipients of an action, and whether the intent names some of them and not others.

use super::domains::registered;
use super::hosts::{Whose, address, whose};
use super::persons::is_nobody;
use super::words::{IntentWords, words};
use crate::firewall::gloss::coded::Coded;
use crate::firewall::gloss::view::head;

/// Whether an argument under a key, of which this is the last word, holds recipients.
fn is_key(last: &str) -> bool {
    matches!(
        last,
        "attendees"
            | "bcc"
            | "beneficiary"
            | "cc"
            | "invitees"
            | "payee"
            | "recipient"
            | "recipients"
            | "to"
    )
}

/// Recipients that are looked at.
const MOST: usize = 64;

/// Bytes of an argument that are looked at.
const VALUE: usize = 4096;

/// What was met of recipients.
#[derive(Default)]
pub(super) struct Recipients<'v> {
    met: usize,
    /// Whether the intent names one.
    named: bool,
    /// The domains of the mail addresses that it names.
    domains: Vec<&'v str>,
    /// What it does not name: domains of mail addresses, and other words.
    unnamed: Vec<(&'v str, bool)>,
}

impl<'v> Recipients<'v> {
    /// Looks at an argument.
    pub(super) fn see(&mut self, key: &str, value: &'v str, intent: &IntentWords) {
        let last = key.rsplit('_').next().unwrap_or(key);
        if !is_key(last) {
            return;
        }
        for one in head(value, VALUE).split([',', ';', '\n']) {
            let one = one.trim();
            // What begins with a mark is another line of the view.
            if self.met == MOST || one.starts_with(|c: char| c.is_ascii_control()) {
                return;
            }
            self.met += 1;
            let at = one
                .split_once('@')
                .and_then(|(name, domain)| address(name, domain));
            let Some((name, domain)) = at else {
                self.see_words(one, intent);
                continue;
            };
            match whose(name, domain, intent) {
                Whose::Named => {
                    self.named = true;
                    self.domains.push(registered(domain));
                }
                Whose::Other => {}
                Whose::Unnamed => self.unnamed.push((registered(domain), true)),
            }
        }
    }

    /// Looks at one that is no mail address; numbers and channels tell nothing.
    fn see_words(&mut self, one: &'v str, intent: &IntentWords) {
        let tells = |word: &&str| word.len() > 1 && word.bytes().all(|b| b.is_ascii_alphabetic());
        let mut parts = words(one).filter(tells);
        let Some(first) = parts.next() else { return };
        if intent.names(first) || parts.any(|part| intent.names(part)) {
            self.named = true;
        } else if !one.starts_with(['#', '@']) && !is_nobody(first) {
            self.unnamed.push((one, false));
        }
    }

    /// Tells what was found. Who has the domain of somebody who is named is no stranger.
    pub(super) fn tell(&self, found: &mut impl FnMut(Coded)) {
        let is_other = |(one, is_domain): &(&str, bool)| !is_domain || !self.domains.contains(one);
        if self.named && self.unnamed.iter().any(is_other) {
            found(Coded::RecipientBeside);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recipient_beside_one_who_is_named_is_told() {
        let intent = IntentWords::new("Send the offer to ann@fernhill.com and pay Tom 50 euros");
        for (arguments, beside) in [
            (&[("to", "ann@fernhill.com")][..], false),
            (&[("to", "ann@fernhill.com, bo@fernhill.com")], false),
            (&[("to", "ann@fernhill.com"), ("cc", "me")], false),
            (
                &[("to", "ann@fernhill.com"), ("cc", "lea@corp.example")],
                false,
            ),
            (
                &[("to", "ann@fernhill.com"), ("bcc", "x@far.example")],
                true,
            ),
            (&[("to", "ann@fernhill.com; x@far.example")], true),
            (&[("to", "x@far.example")], false),
            (&[("to", "tom"), ("to", "eve")], true),
            (&[("to", "tom"), ("amount_to", "50")], false),
            (&[("to", "tom"), ("note", "eve")], false),
        ] {
            let mut recipients = Recipients::default();
            for (key, value) in arguments {
                recipients.see(key, value, &intent);
            }
            let mut told = false;
            recipients.tell(&mut |_| told = true);
            assert_eq!(told, beside, "{arguments:?}");
        }
    }
}
