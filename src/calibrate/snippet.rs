//! A `[semantic]` table with the suggested thresholds, and what they rest on.

use super::Asked;
use super::found::{Calibrated, Flagged};
use crate::embed;
use crate::number::rounded;
use std::fmt::Write;

/// The table; absent where there is no ordinary call to go by, and where no threshold keeps to a rate:
/// a default in its place would promise what it does not hold.
pub(super) fn toml(found: &Calibrated, asked: &Asked) -> Option<String> {
    let least = found.least_told()?;
    let suggested = &found.suggested;
    suggested.escalate.and(suggested.block)?;
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = head(found, asked, least, &mut out);
    let _ = keys(found, asked, &mut out);
    Some(out)
}

fn head(found: &Calibrated, asked: &Asked, least: f64, out: &mut String) -> std::fmt::Result {
    let calls = counted(found.ordinary, "ordinary call");
    let attacks = counted(found.attacks, "attack");
    writeln!(out, "# rests on {calls} and {attacks}")?;
    let unproven = [("escalate", asked.escalate_at), ("block", asked.block_at)];
    let unproven = unproven.iter().filter(|(_, rate)| !found.can_tell(*rate));
    for (key, _) in unproven {
        let least = (least * 1000.0).ceil() / 1000.0;
        let share = percent(least);
        writeln!(
            out,
            "# `{key}` is unproven: {calls} cannot tell a rate under {share}"
        )?;
    }
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

fn keys(found: &Calibrated, asked: &Asked, out: &mut String) -> std::fmt::Result {
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
    let suggested = &found.suggested;
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
) -> std::fmt::Result {
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

fn counted(count: u64, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

fn percent(share: f64) -> String {
    format!("{}%", rounded(share * 100.0))
}
