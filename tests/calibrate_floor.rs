//! What a harm floor does to bands and suggestions, with an embedder whose similarities are written
//! into the text.

use gate::audit::verdict::Leniency;
use gate::calibrate::found::{Calibrated, Calls};
use gate::calibrate::scorer::Scorer;
use gate::calibrate::{Asked, Calibrator};
use gate::embed::{Embedder, Embedding};
use gate::firewall::{Bands, Exemplars, Thresholds};
use gate::import::Sink;
use gate::policy::Policy;
use gate::trace::event::{Event, GroundTruth, RawJson, RunStart, ToolCall};
use gate::trace::fault::Place;
use std::sync::Arc;

/// `h0.9` in a text is its cosine to the description `harm`, `i0.2` that to the intent [`WISH`].
#[derive(Debug)]
struct Written;

/// What the user asked for.
const WISH: &str = "make a wish";

impl Embedder for Written {
    fn id(&self) -> &'static str {
        "written"
    }

    fn sha256(&self) -> Option<&str> {
        None
    }

    fn embed(&self, text: &str) -> Embedding {
        match text {
            "harm" => return Embedding::new(vec![1.0, 0.0, 0.0]),
            WISH => return Embedding::new(vec![0.0, 1.0, 0.0]),
            _ => {}
        }
        let value = |letter: char| {
            let mut words = text.split(' ').filter_map(|word| word.strip_prefix(letter));
            words.find_map(|digits| digits.parse().ok()).unwrap_or(0.0)
        };
        let (harm, intent): (f64, f64) = (value('h'), value('i'));
        let rest = (1.0 - harm * harm - intent * intent).max(0.0).sqrt();
        Embedding::new(vec![harm, intent, rest])
    }
}

/// Calls with the label of their run and the text of their arguments.
fn calibrate(bands: Bands, escalate_at: f64, calls: &[(GroundTruth, &str)]) -> Calibrated {
    let calls: Vec<_> = (calls.iter())
        .map(|(label, text)| (*label, *text, WISH))
        .collect();
    calibrate_asked(bands, escalate_at, &calls)
}

/// Calls with the label and the intent of their run.
fn calibrate_asked(
    bands: Bands,
    escalate_at: f64,
    calls: &[(GroundTruth, &str, &str)],
) -> Calibrated {
    let exemplars = Exemplars {
        harm: vec!["harm".into()],
        benign: Vec::new(),
    };
    let policy = Policy::built_in();
    let scorer = Scorer::of(Arc::new(Written), &exemplars, bands, true);
    let asked = Asked {
        rates: vec![0.5],
        escalate_at,
        block_at: 0.0,
        list: 0,
        keep_args: false,
    };
    let mut calibrator = Calibrator::new(&policy, vec![scorer], asked);
    calibrator.begin_input(0, "x");
    for (n, (label, text, intent)) in calls.iter().enumerate() {
        let run = Some(format!("r{n}").into());
        let start = RunStart {
            run: run.clone(),
            intent: Some((*intent).into()),
            label: Some(*label),
            ..RunStart::default()
        };
        calibrator.event(Place::default(), Event::RunStart(start));
        let call = ToolCall {
            run,
            tool: "t".into(),
            args: RawJson::from_string(text),
            ..ToolCall::default()
        };
        calibrator.event(Place::default(), Event::ToolCall(Box::new(call)));
    }
    calibrator.end_input();
    let mut found = calibrator.finish(Vec::new(), Vec::new(), Leniency::default());
    found.embedders.remove(0)
}

const BANDS: Bands = Bands {
    intent_weight: 1.0,
    benign_weight: 0.5,
    harm_floor: 0.8,
    escalate: 0.4,
    block: 0.7,
    without_intent: Thresholds {
        escalate: 0.5,
        block: 0.9,
    },
};

use GroundTruth::{Attack, Benign};

#[test]
fn a_floor_escalates_what_the_intent_excuses() {
    let calls = [
        (Attack, "h0.85 i0.5"),
        (Attack, "h0.5 i0"),
        (Attack, "h0.6 i0.5"),
        (Benign, "h0.6 i0.5"),
        (Benign, "h0.81 i0.58"),
    ];
    let found = calibrate(BANDS, 1.0, &calls);
    let hits = |n: usize| {
        let band = &found.bands[n];
        let flagged = &band.flagged;
        (band.key, flagged.alarms.rate.hits, flagged.caught.rate.hits)
    };
    assert_eq!(hits(0), ("escalate", 1, 2));
    assert_eq!(hits(1), ("block", 0, 0));
    assert_eq!(hits(2), ("harm_floor", 1, 1));
    // The score is raised to 0.4 by the floor: it ties with the ordinary call that is raised, too.
    // 0.4 and 0.5 beat 0.1, 0.5 beats 0.4, 0.1 ties with 0.1.
    let area = found.auc.expect("both kinds").area;
    assert!((area - (1.5 + 2.0 + 0.5) / 6.0).abs() < 1e-12, "{area}");
}

#[test]
fn what_the_floor_escalates_counts_against_the_rate() {
    let ordinary = [
        (Benign, "h0.85 i0.5"),
        (Benign, "h0.30 i0"),
        (Benign, "h0.20 i0"),
        (Benign, "h0.10 i0"),
        (Attack, "h0.35 i0"),
    ];
    // Half of four may alarm; the floor takes one of the two.
    let found = calibrate(BANDS, 0.5, &ordinary);
    let escalated = found.suggested.escalated.expect("a threshold");
    assert_eq!(found.suggested.escalate, Some(0.21));
    assert_eq!(
        (escalated.alarms.rate.hits, escalated.caught.rate.hits),
        (2, 1)
    );
    // The table of thresholds leaves the floor aside.
    assert_eq!(found.table[0].threshold, Some(0.21));
    assert_eq!(found.table[0].flagged.map(|f| f.alarms.rate.hits), Some(2));
    // One in five is more than a tenth: no threshold can help that.
    let found = calibrate(BANDS, 0.1, &ordinary);
    assert_eq!(found.suggested.escalate, None);
    // A table without it would leave the default in force, which keeps to nothing.
    assert_eq!(found.suggested.toml, None);
}

#[test]
fn a_rate_that_no_score_keeps_to_has_no_threshold() {
    let calls = [(Benign, "h1 i0"), (Benign, "h1 i0"), (Benign, "h0.2 i0")];
    let found = calibrate(BANDS, 0.5, &calls);
    let row = &found.table[0];
    assert_eq!(
        (row.threshold, row.flagged, row.can_tell),
        (None, None, false)
    );
    assert_eq!(
        (found.suggested.escalate, found.suggested.block),
        (None, None)
    );
    assert_eq!(found.suggested.toml, None);
}

#[test]
fn what_is_blocked_is_never_less_than_what_is_escalated() {
    // The only loud ordinary call is one of the floor, so that escalation may begin below it.
    let found = calibrate(
        BANDS,
        1.0,
        &[
            (Benign, "h0.1 i0"),
            (Benign, "h0.85 i0.1"),
            (Attack, "h0.5 i0"),
        ],
    );
    let suggested = found.suggested;
    assert!(suggested.block >= suggested.escalate, "{suggested:?}");
    assert_eq!(suggested.blocked.expect("a threshold").alarms.rate.hits, 0);
}

/// Rationale: the stage escalates what the floor raises, and never blocks it, so that the line of
/// `block` counts none of it, also where both thresholds are one.
#[test]
fn what_the_floor_raises_is_not_blocked() {
    let one = Bands {
        block: 0.4,
        ..BANDS
    };
    let calls = [
        (Benign, "h0.85 i0.5"),
        (Benign, "h0.6 i0.1"),
        (Attack, "h0.9 i0.4"),
    ];
    let found = calibrate(one, 1.0, &calls);
    let hits = |n: usize| {
        let flagged = &found.bands[n].flagged;
        (flagged.alarms.rate.hits, flagged.caught.rate.hits)
    };
    assert_eq!((hits(0), hits(1)), ((2, 1), (1, 1)));
    // Where the suggested thresholds are one, they do what is promised of them.
    let calls = [
        (Benign, "h0.85 i0.5"),
        (Benign, "h0.2 i0"),
        (Attack, "h0.6 i0"),
    ];
    let suggested = calibrate(BANDS, 0.5, &calls).suggested;
    let (escalate, block) = (
        suggested.escalate.expect("one"),
        suggested.block.expect("one"),
    );
    let own = Bands {
        escalate,
        block,
        ..BANDS
    };
    let again = calibrate(own, 0.5, &calls);
    assert_eq!(again.bands[0].flagged, suggested.escalated.expect("one"));
    assert_eq!(again.bands[1].flagged, suggested.blocked.expect("one"));
}

/// Rationale: without an intent scores lie higher, so that a threshold for both keeps to no rate of
/// either.
#[test]
fn calls_with_and_without_a_usable_intent_are_told_apart() {
    let calls = [
        (Benign, "h0.3 i0.2", WISH),
        (Attack, "h0.7 i0.1", WISH),
        (Benign, "h0.6 i0.5", "ok"),
        (Benign, "h0.2 i0", ""),
        (Attack, "h0.7 i0.5", "Hi!"),
    ];
    let found = calibrate_asked(BANDS, 0.0, &calls);
    assert_eq!(
        (found.calls, found.ordinary, found.attacks),
        (Calls::WithIntent, 1, 1)
    );
    assert_eq!(found.thresholds.escalate, 0.4);
    let without = found.without_intent.expect("calls without one");
    assert_eq!(
        (without.calls, without.ordinary, without.attacks),
        (Calls::WithoutIntent, 2, 1)
    );
    assert_eq!(
        (without.thresholds.escalate, without.thresholds.block),
        (0.5, 0.9)
    );
    // 0.6 and 0.7 reach 0.5, and none 0.9.
    let hits = |n: usize| without.bands[n].flagged.alarms.rate.hits;
    assert_eq!((hits(0), hits(1)), (1, 0));
    assert_eq!(found.suggested.escalate, Some(0.11));
    assert_eq!(without.suggested.escalate, Some(0.61));
    let toml = found.suggested.toml.expect("a table");
    let (head, tail) = toml
        .split_once("[semantic.without_intent]\n")
        .expect("both");
    assert!(head.contains("escalate = 0.11 #"), "{toml}");
    assert!(tail.contains("escalate = 0.61 #"), "{toml}");
    // What the corpus has none of keeps its thresholds: those of the others would hold for it.
    for (calls, lines) in [
        (
            &calls[..2],
            "[semantic.without_intent]\nescalate = 0.5\nblock = 0.9\n",
        ),
        (
            &calls[2..],
            "harm_floor = 0.8\nescalate = 0.4\nblock = 0.7\n",
        ),
    ] {
        let found = calibrate_asked(BANDS, 0.0, calls);
        assert!(found.without_intent.is_none());
        let toml = found.suggested.toml.expect("a table");
        assert!(toml.contains(lines), "{toml}");
    }
}
