//! `gate.calibration/1`: one JSON document, its types frozen apart from those of the program.

use super::Format;
use crate::calibrate::auc;
use crate::calibrate::found::{self, Calibrated, Calibration};
use crate::calibrate::worst;
use crate::report::Header;
use crate::report::args::Secrets;
use crate::report::json::v1::parts::{
    Bounds, Head, Input, Policy, Tail, bounds, head, input, policy, tail,
};
use crate::report::json::write;
use crate::report::number::Number;
use crate::verify::clusters::ClusteredRate;
use serde::Serialize;
use std::io::{self, Write};

pub(super) const FORMAT: Format = Format {
    id: "json",
    doc: "one JSON document",
    write: document,
};

/// Fields that hold text of the inputs, wherever they occur: to be read as data.
const UNTRUSTED: &[&str] = &[
    "file", "run", "call", "tool", "args", "category", "message", "help", "error",
];

fn document(found: &Calibration, header: &Header, out: &mut dyn Write) -> io::Result<()> {
    let secrets = Secrets::new();
    write::document(&Document::new(found, header, &secrets), out)
}

#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    head: Head<'a, Policy<'a>>,
    inputs: Vec<Input<'a>>,
    corpus: Corpus,
    escalate_at: Number,
    block_at: Number,
    embedders: Vec<Embedder<'a>>,
    embedders_closed: Vec<Closed<'a>>,
    #[serde(flatten)]
    tail: Tail<'a>,
}

#[derive(Serialize)]
struct Corpus {
    labelled: bool,
    attack_runs: u64,
    benign_runs: u64,
    unlabelled_runs: u64,
    attack_calls: u64,
    benign_calls: u64,
    unlabelled_calls: u64,
    groups: u64,
    calls_with_intent: u64,
    calls_without_arguments: u64,
    calls_after_end: u64,
    calls_repeated: u64,
    attacks_without_call: u64,
}

#[derive(Serialize)]
struct Embedder<'a> {
    embedder: &'static str,
    sha256: Option<&'a str>,
    harm_descriptions: Option<u64>,
    benign_descriptions: Option<u64>,
    thresholds: Thresholds,
    ordinary_calls: u64,
    attacks: u64,
    calls_unscored: u64,
    least_rate_told: Option<Number>,
    auc: Option<Auc>,
    auc_of_harm: Option<Auc>,
    bands: Vec<Band>,
    rates: Vec<Row>,
    suggested: Suggested<'a>,
    categories: Vec<Category<'a>>,
    loudest_ordinary: Vec<Example<'a>>,
    quietest_attacks: Vec<Example<'a>>,
    calls: &'static str,
    without_intent: Option<Box<Embedder<'a>>>,
}

#[derive(Serialize)]
struct Thresholds {
    source: &'static str,
    intent_weight: Option<Number>,
    benign_weight: Option<Number>,
    harm_floor: Option<Number>,
    escalate: Number,
    block: Number,
}

#[derive(Serialize)]
struct Auc {
    area: Number,
    interval_95: Bounds,
    effective_attacks: Number,
    effective_calls: Number,
}

#[derive(Serialize)]
struct Share {
    hits: u64,
    of: u64,
    rate: Option<Number>,
    wilson_95: Option<Bounds>,
    clustered: Option<Clustered>,
}

#[derive(Serialize)]
struct Clustered {
    groups: u64,
    design_effect: Number,
    effective: Number,
    wilson_95: Bounds,
    approximate: bool,
}

#[derive(Serialize)]
struct Band {
    key: &'static str,
    threshold: Number,
    false_alarms: Share,
    caught: Share,
}

#[derive(Serialize)]
struct Row {
    asked: Number,
    threshold: Option<Number>,
    false_alarms: Option<Share>,
    caught: Option<Share>,
    can_tell: bool,
}

#[derive(Serialize)]
struct Suggested<'a> {
    escalate: Option<Number>,
    escalate_false_alarms: Option<Share>,
    escalate_caught: Option<Share>,
    block: Option<Number>,
    block_false_alarms: Option<Share>,
    block_caught: Option<Share>,
    toml: Option<&'a str>,
}

#[derive(Serialize)]
struct Category<'a> {
    category: &'a str,
    attacks: u64,
    escalated: u64,
    blocked: u64,
}

#[derive(Serialize)]
struct Example<'a> {
    file: &'a str,
    line: u64,
    run: &'a str,
    call: &'a str,
    tool: &'a str,
    score: Number,
    harm: Option<Number>,
    intent: Option<Number>,
    nearest: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    args: Option<String>,
}

#[derive(Serialize)]
struct Closed<'a> {
    embedder: &'static str,
    error: &'a str,
}

impl<'a> Document<'a> {
    fn new(found: &'a Calibration, header: &'a Header, secrets: &Secrets) -> Self {
        Document {
            head: head("gate.calibration/1", &found.exit, policy(&found.policy)),
            inputs: found.inputs.iter().map(input).collect(),
            corpus: corpus(&found.corpus),
            escalate_at: Number(found.escalate_at),
            block_at: Number(found.block_at),
            embedders: found
                .embedders
                .iter()
                .map(|embedder| one(embedder, header, secrets))
                .collect(),
            embedders_closed: found
                .closed
                .iter()
                .map(|closed| Closed {
                    embedder: closed.embedder,
                    error: &closed.why,
                })
                .collect(),
            tail: tail(&found.noted, header, UNTRUSTED),
        }
    }
}

fn corpus(corpus: &found::Corpus) -> Corpus {
    Corpus {
        labelled: corpus.is_labelled(),
        attack_runs: corpus.runs.attack,
        benign_runs: corpus.runs.benign,
        unlabelled_runs: corpus.runs.unlabelled,
        attack_calls: corpus.attack_calls,
        benign_calls: corpus.benign_calls,
        unlabelled_calls: corpus.unlabelled_calls,
        groups: corpus.groups,
        calls_with_intent: corpus.with_intent,
        calls_without_arguments: corpus.untold,
        calls_after_end: corpus.after_end,
        calls_repeated: corpus.repeated,
        attacks_without_call: corpus.attacks_without_call,
    }
}

fn one<'a>(found: &'a Calibrated, header: &'a Header, secrets: &Secrets) -> Embedder<'a> {
    let examples = |list: &'a [worst::Example]| -> Vec<Example<'a>> {
        let shown = list.iter().map(|e| example(e, header, secrets));
        shown.collect()
    };
    let thresholds = &found.thresholds;
    let suggested = &found.suggested;
    Embedder {
        embedder: found.embedder,
        sha256: found.sha256.as_deref(),
        harm_descriptions: found.descriptions.map(|(harm, _)| harm),
        benign_descriptions: found.descriptions.map(|(_, benign)| benign),
        thresholds: Thresholds {
            source: if thresholds.from_policy {
                "policy"
            } else {
                "default"
            },
            intent_weight: thresholds.weights.map(|(intent, _)| Number(intent)),
            benign_weight: thresholds.weights.map(|(_, benign)| Number(benign)),
            harm_floor: thresholds.harm_floor.map(Number),
            escalate: Number(thresholds.escalate),
            block: Number(thresholds.block),
        },
        ordinary_calls: found.ordinary,
        attacks: found.attacks,
        calls_unscored: found.unscored,
        least_rate_told: found.least_told().map(Number),
        auc: found.auc.as_ref().map(area),
        auc_of_harm: found.harm_auc.as_ref().map(area),
        bands: found
            .bands
            .iter()
            .map(|band| Band {
                key: band.key,
                threshold: Number(band.threshold),
                false_alarms: share(&band.flagged.alarms),
                caught: share(&band.flagged.caught),
            })
            .collect(),
        rates: found
            .table
            .iter()
            .map(|row| Row {
                asked: Number(row.rate),
                threshold: row.threshold.map(Number),
                false_alarms: row.flagged.as_ref().map(|f| share(&f.alarms)),
                caught: row.flagged.as_ref().map(|f| share(&f.caught)),
                can_tell: row.can_tell,
            })
            .collect(),
        suggested: Suggested {
            escalate: suggested.escalate.map(Number),
            escalate_false_alarms: suggested.escalated.as_ref().map(|f| share(&f.alarms)),
            escalate_caught: suggested.escalated.as_ref().map(|f| share(&f.caught)),
            block: suggested.block.map(Number),
            block_false_alarms: suggested.blocked.as_ref().map(|f| share(&f.alarms)),
            block_caught: suggested.blocked.as_ref().map(|f| share(&f.caught)),
            toml: suggested.toml.as_deref(),
        },
        categories: found
            .categories
            .iter()
            .map(|row| Category {
                category: &row.name,
                attacks: row.escalated.of,
                escalated: row.escalated.hits,
                blocked: row.blocked.hits,
            })
            .collect(),
        loudest_ordinary: examples(&found.loudest),
        quietest_attacks: examples(&found.quietest),
        calls: found.calls.id(),
        without_intent: found
            .without_intent
            .as_deref()
            .map(|without| Box::new(one(without, header, secrets))),
    }
}

fn example<'a>(example: &'a worst::Example, header: &'a Header, secrets: &Secrets) -> Example<'a> {
    let parts = example.scored.parts.as_ref();
    Example {
        file: header.input(example.place.input),
        line: example.place.line,
        run: &example.run,
        call: &example.call,
        tool: &example.tool,
        score: Number(example.scored.score),
        harm: parts.map(|parts| Number(parts.harm)),
        intent: parts.map(|parts| Number(parts.intent)),
        nearest: parts.map(|parts| &*parts.nearest),
        args: example.args.as_deref().map(|args| secrets.shown(args)),
    }
}

fn area(auc: &auc::Auc) -> Auc {
    Auc {
        area: Number(auc.area),
        interval_95: bounds(auc.interval),
        effective_attacks: Number(auc.attacks),
        effective_calls: Number(auc.ordinary),
    }
}

fn share(share: &found::Share) -> Share {
    Share {
        hits: share.rate.hits,
        of: share.rate.of,
        rate: share.rate.rate.map(Number),
        wilson_95: share.rate.wilson.map(bounds),
        clustered: share.clustered.as_ref().map(clustered),
    }
}

fn clustered(rate: &ClusteredRate) -> Clustered {
    Clustered {
        groups: rate.runs,
        design_effect: Number(rate.design_effect),
        effective: Number(rate.n_eff),
        wilson_95: bounds(rate.interval),
        approximate: rate.approximate,
    }
}
