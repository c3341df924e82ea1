//! `[semantic]`: the semantic firewall.

use super::reader::{Bound, Reader};
use super::table::Item;
use crate::policy::{Embedder, Semantic};

/// Score from which a call is escalated where the policy does not say.
pub const ESCALATE: f64 = 0.5;
/// Score from which a call is blocked where the policy does not say.
pub const BLOCK: f64 = 0.8;

/// Reads the firewall.
pub fn semantic<'t>(r: &mut Reader<'t>, item: Option<Item<'t>>) -> Option<Semantic> {
    let item = item?;
    let at = item.at;
    let semantic = r.table(Some(item), "semantic", |r, t| {
        if !t.has("embedder") {
            let help = "write `embedder = \"recorded\"`".to_owned();
            r.error(at, "`[semantic]` needs `embedder`", Some(help));
        }
        r.word(t.get("embedder"), &["recorded"]);
        // A recorded score was made with the live system's own exemplars and weight.
        r.text(t.get("exemplars"));
        r.number(t.get("intent_weight"), Bound::NotNegative);
        let (escalate, block) = (t.get("escalate"), t.get("block"));
        let at = escalate
            .as_ref()
            .or(block.as_ref())
            .map(|item| item.span().start);
        let semantic = Semantic {
            embedder: Embedder::Recorded,
            escalate: r.number(escalate, Bound::NotNegative).unwrap_or(ESCALATE),
            block: r.number(block, Bound::NotNegative).unwrap_or(BLOCK),
        };
        if let Some(at) = at.filter(|_| semantic.escalate > semantic.block) {
            let message = format!(
                "`semantic.escalate` is {}, which is more than `semantic.block`, {}",
                semantic.escalate, semantic.block
            );
            r.error(at, message, None);
        }
        semantic
    });
    Some(semantic)
}
