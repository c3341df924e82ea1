//! A `[semantic]` table with the suggested thresholds, and what they rest on.

use super::Asked;
use super::found::{Calibrated, Calls, Flagged};
use super::scorer::{Scorer, Thresholds};
use crate::embed;
use crate::number::{count, rounded};
use std::fmt::{Result, Write};

/// The table; absent where there is no ordinary call to go by, and where no threshold keeps to a rate:
/// a default in its place would promise what it does not hold. Of calls without a usable intent, or
/// with one, that the corpus has none of, it repeats the thresholds in force, so that those of the
/// others do not hold for them.
pub(super) fn toml(found: &Calibrated, scorer: &Scorer, asked: &Asked) -> Option<String> {
    let without = match found.calls {
        Calls::WithoutIntent => Some(found),
        _ => found.without_intent.as_deref(),
    };
    let with = Some(found).filter(|found| found.calls != Calls::WithoutIntent);
    let [with, without] = [with, without].map(|part| part.filter(|part| part.ordinary > 0));
    with.or(without)?;
    let is_whole = |part: &Calibrated| part.suggested.escalate.and(part.suggested.block).is_some();
    if ![with, without].into_iter().flatten().all(is_whole) {
        return None;
    }
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = rests(with, asked, &mut out);
    let _ = needs(found, &mut out);
    let _ = head(found, &mut out);
    let _ = thresholds(with, &scorer.thresholds, asked, &mut out);
    if let Some(in_force) = &scorer.without_intent {
        let _ = writeln!(out, "\n# calls of runs without a usable intent");
        let _ = rests(without, asked, &mut out);
        let _ = writeln!(out, "[semantic.without_intent]");
        let _ = thresholds(without, in_force, asked, &mut out);
    }
    Some(out)
}

/// What thresholds rest on.
fn rests(part: Option<&Calibrated>, asked: &Asked, out: &mut String) -> Result {
    let Some(part) = part else {
        return writeln!(out, "# rests on no ordinary call: as they are in force");
    };
    let calls = count(part.ordinary, "ordinary call", "ordinary calls");
    let attacks = count(part.attacks, "attack", "attacks");
    writeln!(out, "# rests on {calls} and {attacks}")?;
    let unproven = [("escalate", asked.escalate_at), ("block", asked.block_at)];
    let unproven = unproven.iter().filter(|(_, rate)| !part.can_tell(*rate));
    let least = part.least_told().unwrap_or(1.0);
    for (key, _) in unproven {
        let share = percent((least * 1000.0).ceil() / 1000.0);
        writeln!(
            out,
            "# `{key}` is unproven: {calls} cannot tell a rate under {share}"
        )?;
    }
    Ok(())
}

/// What the policy needs besides.
fn needs(found: &Calibrated, out: &mut String) -> Result {
    if embed::find(found.embedder).is_some_and(|definition| definition.needs_model) {
        let key = found.embedder;
        writeln!(
            out,
            "# `[embedders] {key}` has to name the folder of its model"
        )?;
    }
    if found.own_descriptions {
        let keys = "`exemplars`, `extend_exemplars`, `benign` and `extend_benign`";
        writeln!(
            out,
            "# rests on the policy's own descriptions: keep its {keys}"
        )?;
    }
    Ok(())
}

fn head(found: &Calibrated, out: &mut String) -> Result {
    writeln!(out, "[semantic]\nembedder = \"{}\"", found.embedder)?;
    if let Some((intent, benign)) = found.thresholds.weights {
        writeln!(
            out,
            "intent_weight = {intent:?}\nbenign_weight = {benign:?}"
        )?;
    }
    if let Some(floor) = found.thresholds.harm_floor {
        writeln!(out, "harm_floor = {floor:?}")?;
    }
    Ok(())
}

/// The suggested thresholds, or those in force.
fn thresholds(
    part: Option<&Calibrated>,
    in_force: &Thresholds,
    asked: &Asked,
    out: &mut String,
) -> Result {
    let Some(suggested) = part.map(|part| &part.suggested) else {
        let Thresholds {
            escalate, block, ..
        } = in_force;
        return writeln!(out, "escalate = {escalate:?}\nblock = {block:?}");
    };
    let (escalate, escalated) = (suggested.escalate, &suggested.escalated);
    key("escalate", escalate, escalated, asked.escalate_at, out)?;
    let (block, blocked) = (suggested.block, &suggested.blocked);
    key("block", block, blocked, asked.block_at, out)
}

fn key(
    key: &str,
    threshold: Option<f64>,
    flagged: &Option<Flagged>,
    rate: f64,
    out: &mut String,
) -> Result {
    let share = percent(rate);
    let (Some(threshold), Some(flagged)) = (threshold, flagged) else {
        return Ok(());
    };
    let (alarms, caught) = (flagged.alarms.rate, flagged.caught.rate);
    let asked = format!("at most {share} asked");
    write!(
        out,
        "{key} = {threshold:?} # {asked}, {} of {} ordinary calls",
        alarms.hits, alarms.of
    )?;
    match caught.of {
        0 => writeln!(out),
        attacks => writeln!(out, ", {} of {attacks} attacks", caught.hits),
    }
}

fn percent(share: f64) -> String {
    format!("{}%", rounded(share * 100.0))
}
