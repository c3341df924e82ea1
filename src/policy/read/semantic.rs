//! `[semantic]`: the semantic firewall.

use super::descriptions::{Kind, descriptions};
use super::reader::{Bound, Reader};
use super::table::{Item, Table};
use crate::embed::{Definition, EMBEDDERS};
use crate::firewall::{Bands, Exemplars, Firewall, Thresholds, bands};
use crate::policy::semantic::{Computed, Given, Pair, Scores, Semantic};
use std::sync::Arc;

/// Where scores come from that the live system recorded: no embedder, but named in place of one.
pub const RECORDED: &str = "recorded";
/// Recorded score from which a call is escalated where the policy does not say.
pub const ESCALATE: f64 = 0.5;
/// Recorded score from which a call is blocked where the policy does not say.
pub const BLOCK: f64 = 0.8;

/// Keys that say how scores are worked out here.
const OWN: &[&str] = &[
    "benign",
    "extend_benign",
    "extend_exemplars",
    "benign_weight",
    "harm_floor",
    "without_intent",
];

/// Reads the firewall; absent where the policy has none, and where it is wrong.
pub fn semantic<'t>(r: &mut Reader<'t>, item: Option<Item<'t>>) -> Option<Semantic> {
    let item = item?;
    r.table(Some(item), "semantic", |r, t| {
        let named = t.get("embedder");
        let at = named.as_ref().map_or(t.at, |item| item.span().start);
        let ids: Vec<&str> = EMBEDDERS.iter().map(|e| e.id).chain([RECORDED]).collect();
        let chosen = match named {
            None => Some(0),
            named => r.word(named, &ids),
        };
        let Some(chosen) = chosen else {
            // Which keys it may have depends on what is not known.
            t.rest();
            return None;
        };
        match EMBEDDERS.get(chosen) {
            Some(embedder) => computed(r, t, embedder, at),
            None => Some(recorded(r, t)),
        }
    })
}

fn recorded<'t>(r: &mut Reader<'t>, t: &mut Table<'t>) -> Semantic {
    // A recorded score was made with the live system's own exemplars and weight.
    r.text(t.get("exemplars"));
    r.number(t.get("intent_weight"), Bound::NotNegative);
    for &key in OWN {
        if let Some(item) = t.get(key) {
            let message = format!("`{}` says nothing of recorded scores", item.path);
            let help =
                "the live system made them; take the line away, or choose another `embedder`";
            r.error(item.at, message, Some(help.to_owned()));
        }
    }
    let defaults = Thresholds {
        escalate: ESCALATE,
        block: BLOCK,
    };
    let (own, Thresholds { escalate, block }) = thresholds(r, t, "semantic", defaults);
    Semantic {
        scores: Scores::Recorded,
        escalate,
        block,
        given: Given {
            own,
            ..Given::default()
        },
    }
}

fn computed<'t>(
    r: &mut Reader<'t>,
    t: &mut Table<'t>,
    embedder: &'static Definition,
    at: usize,
) -> Option<Semantic> {
    let defaults = bands(embedder.id);
    let mut number = |key, default| r.number(t.get(key), Bound::NotNegative).unwrap_or(default);
    let intent_weight = number("intent_weight", defaults.intent_weight);
    let benign_weight = number("benign_weight", defaults.benign_weight);
    let harm_floor = number("harm_floor", defaults.harm_floor);
    let given = both(r, t, &defaults);
    let (Thresholds { escalate, block }, without_intent) = given.thresholds(&defaults);
    let built_in = Exemplars::built_in();
    let harm = descriptions(r, t, Kind::Harm, built_in.harm);
    let benign = descriptions(r, t, Kind::Benign, built_in.benign);
    // Opened last, and asked for nothing where the policy cannot be used anyway.
    let embedder = r.embedder(embedder, at)?;
    let ((harm, harm_lines), (benign, benign_lines)) = (harm?, benign?);
    if !r.errors.is_empty() {
        return None;
    }
    if harm_lines.iter().all(|line| embedder.embed(line).is_zero()) {
        let id = embedder.id();
        let message = format!("no description of harm says anything that `{id}` knows");
        let help = "nothing would ever be close to harm: describe it in English, or choose another `embedder`";
        r.error(at, message, Some(help.to_owned()));
        return None;
    }
    let bands = Bands {
        intent_weight,
        benign_weight,
        harm_floor,
        escalate,
        block,
        without_intent,
    };
    let exemplars = Exemplars {
        harm: harm_lines,
        benign: benign_lines,
    };
    let computed = Computed {
        firewall: Firewall::new(Arc::clone(&embedder), &exemplars, bands),
        embedder,
        bands,
        exemplars,
        harm,
        benign,
    };
    Some(Semantic {
        scores: Scores::Computed(Arc::new(computed)),
        escalate,
        block,
        given,
    })
}

/// Reads the thresholds, and those of calls without a usable intent.
fn both<'t>(r: &mut Reader<'t>, t: &mut Table<'t>, defaults: &Bands) -> Given {
    let (own, _) = thresholds(r, t, "semantic", defaults.thresholds(true));
    let path = "semantic.without_intent";
    let item = t.get("without_intent");
    let others = own.carried(defaults.without_intent);
    let (without_intent, _) = r.table(item, path, |r, t| thresholds(r, t, path, others));
    Given {
        own,
        without_intent,
    }
}

/// Reads `escalate` and `block`, which have to stand in that order: those that are given, and what holds.
fn thresholds<'t>(
    r: &mut Reader<'t>,
    t: &mut Table<'t>,
    path: &str,
    defaults: Thresholds,
) -> (Pair, Thresholds) {
    let (escalate, block) = (t.get("escalate"), t.get("block"));
    let at = escalate
        .as_ref()
        .or(block.as_ref())
        .map(|item| item.span().start);
    let given = Pair {
        escalate: r.number(escalate, Bound::NotNegative),
        block: r.number(block, Bound::NotNegative),
    };
    let holds = given.over(defaults);
    let Thresholds { escalate, block } = holds;
    if let Some(at) = at.filter(|_| escalate > block) {
        let message =
            format!("`{path}.escalate` is {escalate}, which is more than `{path}.block`, {block}");
        r.error(at, message, None);
    }
    (given, holds)
}
