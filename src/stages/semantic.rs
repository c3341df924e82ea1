//! The semantic firewall: how close the action's text is to harm and how far from what the user
//! wanted. The score is worked out here, or it is the one that the live system recorded.

use super::weigh::{All, Amount, Configured, Known, Measured, Walk, Weighed};
use super::{BLIND, CallContext, Finding, Notes, Stage, Verdict};
use crate::engine::decision;
use crate::firewall::{Score, Thresholds};
use crate::number::{rounded, told_apart};
use crate::policy::Policy;
use crate::policy::semantic::{Computed, Semantic as Settings};

pub(super) struct Semantic;

/// Longest description that a reason repeats, in characters; records have it whole.
const SHOWN: usize = 120;

impl Stage for Semantic {
    fn id(&self) -> &'static str {
        "semantic"
    }

    fn doc(&self) -> &'static str {
        "is the action's text close to harm and far from the run's intent?"
    }

    fn rules(&self) -> &'static [(&'static str, &'static str)] {
        &[(
            "harm",
            "the score reaches `semantic.block`, or `semantic.escalate` for an escalation; or the arguments are not known (`error`)",
        )]
    }

    fn is_idle(&self, policy: &Policy) -> bool {
        policy.semantic.is_none()
    }

    fn judge(&self, cx: &CallContext<'_>, notes: &mut Notes) -> Verdict {
        let Some(settings) = &cx.policy.semantic else {
            return Verdict::Pass;
        };
        match settings.computed() {
            None => recorded(settings, cx, notes),
            Some(computed) => scored(computed, cx, notes),
        }
    }

    fn weigh(&self, cx: &CallContext<'_>) -> Vec<Weighed> {
        let mut notes = Notes::default();
        let verdict = self.judge(cx, &mut notes);
        let seen = match (&cx.policy.semantic, notes.semantic_score) {
            (Some(settings), Some(score)) => {
                let Thresholds { escalate, block } = match settings.computed() {
                    None => recorded_thresholds(settings),
                    Some(computed) => computed.bands.thresholds(!notes.without_intent),
                };
                let near = notes.semantic.map(|seen| shown(&seen.nearest));
                format!(
                    "score {}, escalates from {}, blocks from {}{}",
                    told_apart(score, &[escalate, block]),
                    rounded(escalate),
                    rounded(block),
                    near.map_or(String::new(), |text| format!(", near `{text}`"))
                )
            }
            // Without a score nothing was looked at, unless the arguments are not told.
            _ if verdict == Verdict::Pass => return Vec::new(),
            _ => BLIND.to_owned(),
        };
        let rule = match notes.semantic_score {
            Some(score) => Known {
                measured: notes.measured,
                ..HARM.on(Amount::Real(score))
            },
            None => HARM,
        };
        All::of(cx, |all| all.tried(rule, &seen, verdict))
    }

    fn configured(&self, policy: &Policy) -> Vec<Configured> {
        let rules = policy.semantic.iter().map(|_| HARM.configured(policy));
        rules.collect()
    }
}

const HARM: Known<'static> = Known::one("harm", &[], "semantic");

fn recorded_thresholds(settings: &Settings) -> Thresholds {
    Thresholds {
        escalate: settings.escalate,
        block: settings.block,
    }
}

fn recorded(settings: &Settings, cx: &CallContext<'_>, notes: &mut Notes) -> Verdict {
    let Some(score) = cx.call.semantic_score else {
        notes.unscored = true;
        return Verdict::Pass;
    };
    notes.semantic_score = Some(score);
    let thresholds = recorded_thresholds(settings);
    Band::of(score, thresholds).verdict(thresholds, |reached| {
        finding(cx, reaches(score, thresholds, reached))
    })
}

fn scored(computed: &Computed, cx: &CallContext<'_>, notes: &mut Notes) -> Verdict {
    let firewall = &computed.firewall;
    let measure = || Some(firewall.score(cx.ready()?, cx.intent()));
    let score = match cx.remembered {
        Some(remembered) => remembered.score(firewall, cx.intent(), measure),
        None => measure(),
    };
    let Some(score) = score else {
        notes.unscored = true;
        return Verdict::Error(finding(cx, BLIND.into()));
    };
    notes.semantic_score = Some(score.score);
    notes.without_intent = !score.asked;
    notes.measured = Some(Measured {
        harm: score.harm,
        asked: score.asked,
    });
    let thresholds = computed.bands.thresholds(score.asked);
    let band = match score.floored {
        // It asks somebody and refuses nothing, also where the thresholds are one.
        true => Band::Escalate,
        false => Band::of(score.score, thresholds),
    };
    if band != Band::Pass {
        notes.semantic = Some(Box::new(seen(computed, &score)));
    }
    band.verdict(thresholds, |reached| {
        let floor = computed.bands.harm_floor;
        let decided = match score.floored {
            true => format!(
                "harm {} is at least the floor {}, so that the score is {reached}",
                told_apart(score.harm, &[floor]),
                rounded(floor)
            ),
            false => reaches(score.score, thresholds, reached),
        };
        let intent = match score.asked {
            true => format!("intent {:.3}", score.intent),
            false => "no usable intent".to_owned(),
        };
        let reason = format!(
            "{decided}: near `{}` (harm {:.3}, {intent}, benign {:.3})",
            shown(&score.nearest),
            score.harm,
            score.benign,
        );
        finding(cx, reason)
    })
}

fn finding(cx: &CallContext<'_>, reason: String) -> Box<Finding> {
    Box::new(Finding {
        policy_line: HARM.line(cx.policy),
        ..Finding::new(HARM.rule, reason)
    })
}

/// Says that a score has reached a threshold, so that it can be told from both.
fn reaches(score: f64, thresholds: Thresholds, reached: &str) -> String {
    let score = told_apart(score, &[thresholds.escalate, thresholds.block]);
    format!("semantic score {score} is at least {reached}")
}

/// Where a score lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Band {
    Pass,
    Escalate,
    Block,
}

impl Band {
    /// A score below both thresholds passes; one that compares with none does not.
    fn of(score: f64, thresholds: Thresholds) -> Band {
        let below = |threshold: f64| score < threshold;
        match (below(thresholds.escalate), below(thresholds.block)) {
            (true, true) => Band::Pass,
            (false, true) => Band::Escalate,
            (_, false) => Band::Block,
        }
    }

    /// The verdict, with a finding for the threshold that was reached, in words.
    fn verdict(self, from: Thresholds, finding: impl FnOnce(&str) -> Box<Finding>) -> Verdict {
        let reached = |word: &str, from: f64| format!("{word} {}", rounded(from));
        match self {
            Band::Pass => Verdict::Pass,
            Band::Escalate => Verdict::Escalate(finding(&reached("escalate", from.escalate))),
            Band::Block => Verdict::Refuse(finding(&reached("block", from.block))),
        }
    }
}

fn seen(computed: &Computed, score: &Score) -> decision::Semantic {
    let prepared = &score.embedded;
    decision::Semantic {
        embedder: computed.embedder.id(),
        harm: score.harm,
        intent: score.intent,
        benign: score.benign,
        nearest: score.nearest.clone(),
        gloss: prepared.gloss.iter().map(|id| id.to_string()).collect(),
        blanked: prepared.blanked,
        chars: prepared.text.chars().count(),
        text: Some(prepared.text.clone()),
    }
}

fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
