//! What the accumulator of the barriers report makes of transitions.

#[path = "../src/testing.rs"]
mod testing;

use gate::verify::accumulate::Accumulator;
use gate::verify::limits::Limits;
use gate::verify::report::{BarriersReport, Counted, Observation, RunTally, Site, Unit};
use testing::Random;

const NAMES: [&str; 2] = ["privacy", "resource"];

/// A simulated transition of two barriers under alpha(h) = h.
fn observe(
    acc: &mut Accumulator,
    run: &mut RunTally,
    index: u64,
    from: [f64; 2],
    to: [f64; 2],
) -> Counted {
    let at = |values: [f64; 2]| -> Vec<usize> { (0..2).filter(|&i| values[i] < 0.0).collect() };
    let outside = at(from);
    let broken = if outside.is_empty() {
        at(to)
    } else {
        Vec::new()
    };
    let slack = to.map(Some);
    let observation = Observation {
        site: Site {
            index,
            line: index + 1,
            tool: "t",
            ..Site::default()
        },
        current: &from,
        next: outside.is_empty().then_some(&to[..]),
        slack: &slack,
        outside: &outside,
        standing: true,
        broken: &broken,
        observed: None,
    };
    acc.observe(observation, run)
}

fn report(transitions: &[([f64; 2], [f64; 2])], max_listed: usize) -> BarriersReport {
    let mut acc = Accumulator::new(NAMES, max_listed);
    for (i, &(from, to)) in transitions.iter().enumerate() {
        observe(&mut acc, &mut RunTally::default(), i as u64, from, to);
    }
    acc.finish()
}

#[test]
fn nothing_checked_shows_nothing() {
    let report = report(&[([-0.1, 1.0], [1.0, 1.0])], 10);
    assert_eq!((report.transitions, report.skipped_unsafe), (1, 1));
    assert_eq!((report.rate.of, report.rate.rate), (0, None));
    assert_eq!(report.forward_invariant, None);
    assert!(report.is_vacuous());
    let privacy = &report.barriers[0];
    assert_eq!(privacy.least_h.as_ref().map(|l| l.value), Some(-0.1));
    assert_eq!((&privacy.least_slack, &privacy.worst), (&None, &None));
}

#[test]
fn violations_count_once_a_transition_and_once_a_barrier() {
    let report = report(
        &[
            ([0.5, 10.0], [0.3, 9.0]),
            ([0.1, 9.0], [-0.1, -1.0]),
            ([0.1, 9.0], [-0.1, 8.0]),
            ([0.3, 4.0], [0.3, 4.0]),
        ],
        1,
    );
    assert_eq!((report.rate.hits, report.rate.of), (2, 4));
    assert_eq!(report.forward_invariant, Some(false));
    assert_eq!((report.listed.len(), report.unlisted), (1, 1));
    let first = &report.listed[0];
    assert_eq!((first.at.index, first.at.line), (1, 2));
    assert_eq!(first.broken.len(), 2);
    assert_eq!((first.broken[1].h, first.broken[1].next), (9.0, Some(-1.0)));
    let [privacy, resource] = &report.barriers[..] else {
        panic!("two barriers");
    };
    assert_eq!((privacy.rate.hits, resource.rate.hits), (2, 1));
    assert_eq!(privacy.least_h.as_ref().map(|l| l.at.index), Some(1));
    assert_eq!(resource.least_h.as_ref().map(|l| l.value), Some(4.0));
    assert_eq!(resource.worst.as_ref().map(|w| w.index), Some(1));
    assert_eq!(report.runs, None);
}

#[test]
fn clean_transitions_are_forward_invariant() {
    let report = report(&[([0.5, 10.0], [0.5, 0.0])], 0);
    assert_eq!(report.forward_invariant, Some(true));
    assert_eq!((report.listed.len(), report.unlisted), (0, 0));
}

#[test]
fn a_transition_without_a_floor_is_the_worst() {
    let mut acc = Accumulator::new(NAMES, 5);
    observe(
        &mut acc,
        &mut RunTally::default(),
        0,
        [0.1, 9.0],
        [-0.1, 8.0],
    );
    let counted = acc.observe(
        Observation {
            site: Site {
                index: 1,
                ..Site::default()
            },
            current: &[1e200, 1.0],
            next: Some(&[1e200, 1.0]),
            slack: &[None, Some(1.0)],
            outside: &[],
            standing: false,
            broken: &[0],
            observed: None,
        },
        &mut RunTally::default(),
    );
    assert_eq!(counted, Counted::Violated);
    let report = acc.finish();
    let privacy = &report.barriers[0];
    assert_eq!(privacy.worst.as_ref().map(|w| w.index), Some(1));
    assert_eq!(privacy.least_slack.as_ref().map(|l| l.value), Some(-0.1));
    assert_eq!(report.listed[1].broken[0].slack, None);
}

/// Slices that lack a barrier show nothing of it.
#[test]
fn a_transition_without_values_is_not_one_that_holds() {
    let mut acc = Accumulator::new(NAMES, 5);
    for (current, next) in [
        (&[][..], &[][..]),
        (&[1.0, 1.0][..], &[1.0][..]),
        (&[1.0][..], &[1.0, 1.0][..]),
    ] {
        let counted = acc.observe(
            Observation {
                site: Site::default(),
                current,
                next: Some(next),
                slack: &[],
                outside: &[],
                standing: false,
                broken: &[],
                observed: None,
            },
            &mut RunTally::default(),
        );
        assert_eq!(counted, Counted::Violated);
    }
    assert_eq!(acc.finish().forward_invariant, Some(false));
}

#[test]
fn what_was_not_simulated_does_not_pass() {
    let mut acc = Accumulator::new(NAMES, 5);
    let counted = acc.observe(
        Observation {
            site: Site::default(),
            current: &[1.0, 1.0],
            next: None,
            slack: &[],
            outside: &[],
            standing: false,
            broken: &[],
            observed: Some(&[1.0, 1.0]),
        },
        &mut RunTally::default(),
    );
    assert_eq!(counted, Counted::Violated);
    let report = acc.finish();
    assert_eq!(report.forward_invariant, Some(false));
    assert_eq!((report.observed, report.model_mismatches), (1, 1));
}

#[test]
fn observed_states_are_compared_within_the_tolerance() {
    let mut acc = Accumulator::new(NAMES, 5);
    for (index, observed) in [[0.3, 9.0], [0.3 + 5e-10, 9.0], [0.3, 9.1], [f64::NAN, 9.0]]
        .into_iter()
        .enumerate()
    {
        acc.observe(
            Observation {
                site: Site {
                    index: index as u64,
                    ..Site::default()
                },
                current: &[0.5, 10.0],
                next: Some(&[0.3, 9.0]),
                slack: &[Some(0.3), Some(9.0)],
                outside: &[],
                standing: false,
                broken: &[],
                observed: Some(&observed),
            },
            &mut RunTally::default(),
        );
    }
    let report = acc.finish();
    assert_eq!((report.observed, report.model_mismatches), (4, 2));
    assert_eq!(report.first_mismatch.map(|f| f.index), Some(2));
}

#[test]
fn runs_are_the_unit() {
    let mut acc = Accumulator::new(NAMES, 5);
    let mut index = 0;
    for run in 0..4 {
        let mut tally = RunTally::default();
        for _ in 0..5 {
            let to = if run == 0 { [-0.1, 1.0] } else { [0.1, 1.0] };
            observe(&mut acc, &mut tally, index, [0.3, 2.0], to);
            index += 1;
        }
        acc.end_run(tally, None);
    }
    let mut outside = RunTally::default();
    observe(&mut acc, &mut outside, index, [-0.1, 2.0], [0.1, 1.0]);
    acc.end_run(outside, None);
    let report = acc.finish();
    let runs = report.runs.expect("runs");
    assert_eq!((runs.hits, runs.of), (1, 4));
    let clustered = report.clustered.expect("calls");
    assert_eq!((clustered.hits, clustered.of, clustered.runs), (5, 20, 4));
    // One run of four is all violations: 20 calls tell no more than 4, less one degree of freedom.
    assert!((clustered.design_effect - 20.0 / 3.0).abs() < 1e-12);
    assert!(clustered.approximate && !clustered.assumed);
    let plain = report.rate.wilson.expect("checks");
    assert!(clustered.interval.high > plain.high && clustered.interval.low < plain.low);
}

/// Both steps out and what comes after them are counted, apart, in total and by barrier.
#[test]
fn the_first_step_out_is_the_root_and_the_rest_stands() {
    let mut acc = Accumulator::new(NAMES, 5);
    let mut run = RunTally::default();
    observe(&mut acc, &mut run, 0, [0.1, 1.0], [-0.1, 1.0]);
    observe(&mut acc, &mut run, 1, [-0.1, 1.0], [-0.1, 1.0]);
    observe(&mut acc, &mut run, 2, [-0.1, 1.0], [-0.3, 1.0]);
    // A call that brings its own way out: skipped, and no consequence of anything before.
    let own = Observation {
        site: Site::default(),
        current: &[1.0, -1.0],
        next: None,
        slack: &[],
        outside: &[1],
        standing: false,
        broken: &[],
        observed: None,
    };
    assert_eq!(acc.observe(own, &mut run), Counted::Skipped);
    assert_eq!((run.root, run.standing, run.checks), (2, 2, 1));
    acc.end_run(run, None);
    let report = acc.finish();
    assert_eq!(
        (report.root, report.standing, report.skipped_unsafe),
        (2, 2, 3)
    );
    let apart = |i: usize| (report.barriers[i].root, report.barriers[i].standing);
    assert_eq!((apart(0), apart(1)), ((1, 2), (1, 0)));
}

/// A run that takes its last step out has left although no call came after it.
#[test]
fn the_state_a_run_ends_in_counts_for_staying() {
    let mut acc = Accumulator::new(NAMES, 5);
    for last in [[-0.1, 1.0], [0.1, 1.0], [f64::NAN, 1.0]] {
        let mut run = RunTally::default();
        observe(&mut acc, &mut run, 0, [0.3, 1.0], [0.1, 1.0]);
        acc.end_run(run, Some(&last));
    }
    let found = acc.finish().fourfold;
    assert_eq!((found.stayed_met, found.left_met, found.total()), (1, 2, 3));
}

#[test]
fn mismatches_are_told_by_barrier() {
    let mut acc = Accumulator::new(NAMES, 5);
    let observation = Observation {
        site: Site::default(),
        current: &[0.5, 10.0],
        next: Some(&[0.3, 9.0]),
        slack: &[Some(0.3), Some(9.0)],
        outside: &[],
        standing: false,
        broken: &[],
        observed: Some(&[0.3, 8.0]),
    };
    acc.observe(observation, &mut RunTally::default());
    let report = acc.finish();
    let by: Vec<_> = report.barriers.iter().map(|b| b.mismatches).collect();
    assert_eq!((report.model_mismatches, by), (1, vec![0, 1]));
}

/// Root and standing are those of a replay in observe mode with no stage but the barriers, on runs
/// that leave the safe set, come back and leave again.
#[test]
fn a_trace_counts_root_and_standing_as_a_replay_does() {
    use gate::audit::barriers::{TraceInput, trace};
    use gate::engine::{Engine, Final, Mode, Options, Output, RunReport};
    use gate::import::drive::{ReadOptions, read};
    use gate::policy::Policy;
    use gate::stages::STAGES;

    #[derive(Default)]
    struct Sums(u64, u64, u64);
    impl Output for Sums {
        fn decision(&mut self, _: &mut Final) {}
        fn notice(&mut self, _: gate::trace::fault::Notice) {}
        fn run(&mut self, report: RunReport) {
            self.0 += report.root;
            self.1 += report.standing;
            self.2 += u64::from(report.root > 0);
        }
        fn count(&mut self, _: gate::engine::Counted) {}
    }

    let mut random = Random::new(5);
    let tools = ["think", "think", "sql_query", "http_request", "send_email"];
    let mut text = String::new();
    for call in 0..600 {
        let (run, tool) = (random.below(40), *random.pick(&tools));
        let result = if random.below(8) > 0 {
            ",\"result\":1"
        } else {
            ""
        };
        let own = match random.below(12) {
            0 => ",\"context_embedding\":[1,0],\"action_embedding\":[-1,0.1]",
            1 => ",\"context_embedding\":[1,0],\"action_embedding\":[1,0]",
            _ => "",
        };
        text += &format!(
            "{{\"run\":\"r{run}\",\"id\":\"c{call}\",\"tool\":\"{tool}\"{result}{own}}}\n"
        );
    }
    let policy = Policy::built_in();
    let options = ReadOptions::default();
    let mut acc = Accumulator::new(policy.dcbf.barriers.iter().map(|b| &*b.name), 5);
    let input = TraceInput {
        index: 0,
        name: "t.jsonl",
        stem: "t",
        bytes: Box::new(text.as_bytes()),
        options: &options,
        known: &mut gate::engine::KnownRuns::default(),
        first: 0,
    };
    trace(&policy, &mut acc, input);
    let report = acc.finish();

    let mut sums = Sums::default();
    let only: Vec<_> = STAGES
        .iter()
        .filter(|s| s.id() == "dcbf")
        .copied()
        .collect();
    let observe = Options {
        mode: Mode::Observe,
        ..Options::default()
    };
    let mut engine = Engine::new(&policy, &only, observe, &mut sums);
    engine.begin_input(0, "t");
    read(
        0,
        "t.jsonl",
        "t",
        Box::new(text.as_bytes()),
        &options,
        &mut engine,
    );
    engine.end_input();
    engine.end();
    drop(engine);
    assert_eq!((report.root, report.standing), (sums.0, sums.1));
    let runs = report.runs.expect("runs");
    assert_eq!((runs.hits, runs.of), (sums.2, report.fourfold.total()));
    assert!(report.root > 20 && report.standing > 50, "{report:?}");
    let entered = report.root - report.rate.hits;
    assert!(entered > 0, "some calls leave by what they bring along");
}

/// A call that brings the state outside along is refused by a barrier: skipped, and no check, but
/// nothing that holds. Otherwise an agent could leave the safe set with every call of its own and be
/// told forward invariant.
#[test]
fn a_step_out_that_is_brought_along_is_a_finding() {
    let brought = |acc: &mut Accumulator, run: &mut RunTally| {
        let own = Observation {
            site: Site::default(),
            current: &[1.0, -1.2],
            next: None,
            slack: &[],
            outside: &[1],
            standing: false,
            broken: &[],
            observed: None,
        };
        acc.observe(own, run);
    };
    for held in [0, 1, 3] {
        for (max, met) in [
            (Limits::default(), false),
            // One in `held` + 1 that begin inside.
            (all(1.0 / (held + 1) as f64), true),
            (all(0.9 / (held + 1) as f64), false),
            (own(1.0), true),
        ] {
            let mut acc = Accumulator::new(NAMES, 5).with_limits(max);
            let mut run = RunTally::default();
            for i in 0..held {
                observe(&mut acc, &mut run, i, [0.5, 1.0], [0.5, 1.0]);
            }
            brought(&mut acc, &mut run);
            acc.end_run(run, None);
            let report = acc.finish();
            assert_eq!(
                (report.skipped_unsafe, report.rate.of, report.rate.hits),
                (1, held, 0)
            );
            assert_eq!((report.root, report.brought_out), (1, 1));
            assert_eq!(report.forward_invariant, Some(false));
            assert!(!report.is_vacuous() && report.zero_hit_upper().is_none());
            assert_eq!(report.rate_met, Some(met), "{held}");
            let missed = report.fourfold.left_missed == 1;
            assert_eq!((missed, report.fourfold.unchecked), (!met, 0));
            let listed = &report.listed[0];
            assert!(listed.brought_out && listed.broken[0].next.is_none());
            assert_eq!((listed.broken[0].barrier, listed.broken[0].h), (1, -1.2));
            let runs = report.barriers[1].runs.expect("a run");
            assert_eq!((report.barriers[1].root, runs.hits, runs.of), (1, 1, 1));
        }
    }
}

fn all(rate: f64) -> Limits {
    Limits {
        all: Some(rate),
        barriers: Vec::new(),
    }
}

fn own(rate: f64) -> Limits {
    Limits {
        all: None,
        barriers: vec![None, Some(rate)],
    }
}

/// Without a barrier every transition holds, which says nothing of the transitions.
#[test]
fn without_a_barrier_nothing_is_checked() {
    let mut acc = Accumulator::new([] as [&str; 0], 5);
    let mut run = RunTally::default();
    let empty = Observation {
        site: Site::default(),
        current: &[],
        next: Some(&[]),
        slack: &[],
        outside: &[],
        standing: true,
        broken: &[],
        observed: None,
    };
    assert_eq!(acc.observe(empty, &mut run), Counted::Unasked);
    acc.end_run(run, None);
    let report = acc.finish();
    assert_eq!((report.transitions, report.rate.of), (1, 0));
    assert_eq!(report.forward_invariant, None);
    assert!(
        report
            .vacuous_because()
            .is_some_and(|why| why.contains("no barrier"))
    );
}

/// The calls of a run depend on each other, so a hundred clean calls of one run say of the next run
/// what one clean run says. States of a file are taken one by one.
#[test]
fn a_rate_without_a_hit_is_bounded_by_runs() {
    for (runs, bound) in [(1, 0.95), (3, 0.6315968501), (0, 0.2588656)] {
        let mut acc = Accumulator::new(NAMES, 5);
        for _ in 0..runs.max(1) {
            let mut run = RunTally::default();
            for i in 0..10 {
                observe(&mut acc, &mut run, i, [0.5, 1.0], [0.5, 1.0]);
            }
            match runs {
                0 => acc.end_file(&run),
                _ => acc.end_run(run, None),
            }
        }
        let (upper, unit) = acc.finish().zero_hit_upper().expect("no hit");
        assert!((upper - bound).abs() < 1e-6, "{upper} {bound}");
        assert_eq!(unit == Unit::Check, runs == 0);
    }
}

/// A run of the id of one in an earlier file is a run of its own, and that is told at its first
/// record, as in a replay.
#[test]
fn a_run_id_that_two_files_share_is_told() {
    use gate::audit::barriers::{TraceInput, trace};

    let policy = gate::policy::Policy::built_in();
    let options = gate::import::drive::ReadOptions::default();
    let mut acc = Accumulator::new(policy.dcbf.barriers.iter().map(|b| &*b.name), 5);
    let mut known = gate::engine::KnownRuns::default();
    let mut told = Vec::new();
    for (index, run) in ["a", "b", "a", "a"].into_iter().enumerate() {
        let text = format!("{{\"run\":\"{run}\",\"tool\":\"think\",\"result\":1}}\n").repeat(2);
        let input = TraceInput {
            index,
            name: "t.jsonl",
            stem: "t",
            bytes: Box::new(text.as_bytes()),
            options: &options,
            known: &mut known,
            first: 0,
        };
        let checked = trace(&policy, &mut acc, input);
        let codes: Vec<_> = checked.notices.iter().map(|n| n.kind.code()).collect();
        told.push(codes.concat());
    }
    assert_eq!(told, ["", "", "shared_run_id", "shared_run_id"]);
}
