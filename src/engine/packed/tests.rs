//! Runs that are packed after every record, against runs that never are.

use crate::engine::aside::tests::Memory;
use crate::engine::{Counted, Dispatch, Engine, Final, Mode, Options, Output, RunReport};
use crate::import::Sink;
use crate::policy::{Policy, PolicySource, parse};
use crate::stages::STAGES;
use crate::state::{AgentState, RunView};
use crate::testing::Random;
use crate::trace::event::*;
use crate::trace::fault::{FaultCode, Notice, NoticeKind, Place};
use crate::trace::money::Nano;

/// All that an engine tells, in words.
#[derive(Default)]
struct Told(Vec<String>);

impl Output for Told {
    fn decision(&mut self, decided: &mut Final) {
        self.0.push(format!("{decided:?}"));
    }

    fn notice(&mut self, notice: Notice) {
        self.0.push(format!("{notice:?}"));
    }

    fn last(&mut self, run: RunView<'_>, state: &AgentState) {
        self.0.push(format!("{run:?} {state:?}"));
    }

    fn run(&mut self, report: RunReport) {
        self.0.push(format!("{report:?}"));
    }

    fn count(&mut self, what: Counted) {
        self.0.push(format!("{what:?}"));
    }
}

/// What is told of these records, and how often a run was packed, which happens after every record
/// or never; some are put aside, where there are so many bytes of room for them.
fn replay(
    events: &[Event<'static>],
    by: (&Policy, Options),
    packs: bool,
    room: Option<usize>,
) -> (Vec<String>, u64) {
    let (mut told, mut packed) = (Told::default(), 0);
    let mut engine = Engine::new(by.0, STAGES, by.1, &mut told);
    if let Some(room) = room {
        engine = engine.putting_aside(Memory(Vec::new(), room));
    }
    engine.begin_input(0, "stem");
    for (line, event) in (1..).zip(events) {
        let place = Place {
            line,
            ..Place::default()
        };
        engine.event(place, event.clone());
        if line % 97 == 0 {
            engine.notice(Notice {
                kind: NoticeKind::Fault(FaultCode::BadField),
                place,
                run: (line % 2 == 0).then(|| "r1".into()),
                message: String::new(),
                help: None,
            });
        }
        if packs {
            packed += engine.runs.pack_all();
        }
    }
    engine.end_input();
    engine.end();
    drop(engine);
    (told.0, packed)
}

fn events(random: &mut Random, count: usize) -> Vec<Event<'static>> {
    let mut all: Vec<Event<'static>> = Vec::new();
    let mut numbers = [0u64; 12];
    while all.len() < count {
        let which = random.below(12);
        let run = Some(format!("r{which}").into()).filter(|_| which > 0);
        let number = &mut numbers[which];
        *number += 1;
        let ids = match random.below(12) {
            0 => format!("x{}", random.below(5)),
            1 => format!("{:x}", random.below(1 << 30)),
            2 => format!("c{:05}", number.saturating_sub(random.below(90))),
            _ => format!("c{number:05}"),
        };
        let id: std::borrow::Cow<'static, str> = ids.into();
        let outcome = Outcome {
            result: Some(RawJson::from_string(["a", "b"][random.below(2)])),
            error: (random.below(3) == 0).then_some(random.below(2) == 0),
            cost: (random.below(2) == 0).then(|| Nano(random.below(1 << 30))),
            tokens: (random.below(2) == 0).then(|| random.below(50)),
        };
        let ts = (random.below(3) > 0).then(|| {
            let odd = ["soon", "2016-12-31T23:59:60Z", "1969-01-01T00:00:00"];
            let ts = match random.below(20) {
                0 => odd[random.below(3)].to_owned(),
                _ => format!("{}", 1_700_000_000 + *number * 3 - random.below(4)),
            };
            Timestamp(ts.into())
        });
        all.push(match random.below(30) {
            0 => Event::RunStart(RunStart {
                run,
                agent: (random.below(2) == 0).then(|| "ops".into()),
                intent: (random.below(2) == 0).then(|| "mend it".into()),
                ts,
                label: [None, Some(GroundTruth::Attack), Some(GroundTruth::Benign)]
                    [random.below(3)],
                meta: None,
            }),
            1 if random.below(3) == 0 => Event::RunEnd(RunEnd {
                run,
                status: [RunStatus::Answered, RunStatus::Aborted][random.below(2)],
            }),
            2 => Event::Approval(Approval {
                run,
                call: format!("c{:05}", number.saturating_sub(1)).into(),
                decision: [ApprovalOutcome::Approved, ApprovalOutcome::Denied][random.below(2)],
                by: None,
            }),
            3..9 => Event::ToolResult(ToolResult {
                run,
                call: format!(
                    "c{:05}",
                    number.saturating_sub(1 + random.below(4) * random.below(30))
                )
                .into(),
                outcome,
                ts,
            }),
            _ => Event::ToolCall(Box::new(ToolCall {
                run,
                tool: ["search", "Bash", "write_file", "send_email", "think"][random.below(5)]
                    .into(),
                id: (random.below(9) > 0).then_some(id),
                turn: (random.below(4) == 0).then(|| random.below(1000)),
                args: RawJson::from_text(format!("{{\"x\":{}}}", random.below(2))).expect("JSON"),
                args_unknown: random.below(20) == 0,
                agent: (random.below(9) == 0).then(|| "dev".into()),
                estimated_cost: (random.below(5) == 0).then(|| Nano(random.below(1 << 30))),
                batch: (random.below(3) == 0).then(|| format!("b{}", random.below(2)).into()),
                labels: match random.below(5) {
                    0 => vec!["secret".into()],
                    _ => Vec::new(),
                },
                recorded: (random.below(9) == 0).then_some(Recorded::Block),
                semantic_score: (random.below(2) == 0).then(|| random.below(100) as f64 / 100.0),
                approval: (random.below(30) == 0).then_some(ApprovalOutcome::Approved),
                ts,
                outcome: (random.below(3) == 0).then_some(outcome),
                ..ToolCall::default()
            })),
        });
    }
    all
}

/// With everything that leaves traces in a run's state.
const WHOLE: &str = r#"
dfa = { max_steps = 60, max_repeats = 3, max_refusals = 40, timeout_seconds = 900 }
gates = { window = 7, max_tokens = 900, per_tool = { search = 300, "{write_file,secret}" = 200 } }
semantic = { embedder = "recorded", escalate = 0.7, block = 0.9 }
contracts = [
  { tools = ["send_email"], require = ['!seen("secret") || last_ok("search")', 'recent("Bash", 6) < 5'] },
  { tools = ["think"], ensure = ['!error'] },
]
"#;

/// A run that is packed after every record is as one that never is.
#[test]
fn packed_runs_are_as_they_were() {
    let mut random = Random::new(1);
    let nothing = |_: &str| Err("no file".to_owned());
    let preset = Policy::preset("coding-agent").expect("a preset");
    let whole = parse(WHOLE, "p.toml", PolicySource::BuiltIn, &nothing).expect(WHOLE);
    for policy in [&Policy::built_in(), &whole, &preset] {
        for round in 0..6 {
            let options = Options {
                mode: [Mode::Enforce, Mode::Observe][round % 2],
                dispatch: [Dispatch::Recorded, Dispatch::Sequential][round / 2 % 2],
                allow_escalated: round == 5,
                ..Options::default()
            };
            let events = events(&mut random, 1200);
            let (plain, _) = replay(&events, (policy, options), false, None);
            let room = [None, Some(20_000), Some(usize::MAX)][round % 3];
            let (told, packed) = replay(&events, (policy, options), true, room);
            assert!(packed > 500, "{packed}");
            let parted = plain.iter().zip(&told).find(|(plain, told)| plain != told);
            assert_eq!(parted, None, "{round}");
            assert_eq!(plain.len(), told.len());
        }
    }
}
