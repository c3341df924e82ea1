//! The same input gives the same output, byte for byte.

use super::policies::{self, policies};
use super::program::Scratch;
use super::replay::{replay, varied};
use super::testing::Random;
use super::trial::{Shape, lines, trace, trial};
use gate::engine::RunReport;

#[test]
fn two_replays_are_equal_in_everything() {
    let policies = policies(policies::ALL);
    trial(140, Shape::ANY, 60, |case, trace| {
        let policy = &policies[case as usize % policies.len()];
        let (a, b) = (
            replay(policy, varied(case), trace),
            replay(policy, varied(case), trace),
        );
        (a == b).then_some(()).ok_or("they differ".into())
    });
}

#[test]
fn the_books_balance() {
    let policies = policies(policies::ALL);
    trial(140, Shape::ANY, 60, |case, trace| {
        let policy = &policies[case as usize % policies.len()];
        let replay = replay(policy, varied(case), trace);
        let report = &replay.report;
        // A run that goes on after its end is reported again, as a whole.
        let mut runs: u64 = 0;
        for (i, run) in replay.runs.iter().enumerate() {
            let same = |before: &&RunReport| before.id == run.id;
            let before = replay.runs[..i].iter().rfind(same);
            let counted = before.filter(|_| run.continues).map_or(0, |b| b.calls);
            runs += run.calls - counted;
        }
        let repeats = replay.notices.iter();
        let repeats = repeats.filter(|n| n.kind.code() == "repeated_call").count();
        let calls = trace.iter().filter(|r| super::trial::is_call(r)).count();
        let decided = replay.decided.len();
        let laws = [
            ("records", report.records == trace.len() as u64),
            ("lines", report.lines == report.records),
            ("calls = decisions + repeats", calls == decided + repeats),
            ("runs", runs == decided as u64),
            ("complete", report.complete),
        ];
        let broken = laws.iter().find(|(_, holds)| !holds);
        broken.map_or(Ok(()), |(law, _)| Err(format!("{law}: {report:?}")))
    });
}

/// Writes many traces into `d`, in an order that differs with `backwards`.
fn directory(backwards: bool) -> Scratch {
    let scratch = Scratch::new();
    let mut files: Vec<(String, Vec<u8>)> = (0..12)
        .map(|n| {
            let trace = trace(&mut Random::new(n), Shape::ANY, 60);
            (format!("d/{}/t{n}.jsonl", n % 3), lines(&trace))
        })
        .collect();
    if backwards {
        files.reverse();
    }
    for (name, content) in files {
        scratch.file(&name, content);
    }
    for (n, policy) in policies::ALL.iter().enumerate() {
        scratch.file(&format!("p{n}.toml"), policy);
    }
    scratch
}

#[test]
fn the_program_prints_the_same_bytes() {
    let (one, other) = (directory(false), directory(true));
    for (n, flags) in [
        "--format jsonl",
        "--format jsonl --mode observe --show-args",
        "--format json --dispatch sequential",
        "--format csv --on-escalate allow",
        "--format table --width 100",
        "--format jsonl --mode observe",
        "--format jsonl --quiet",
    ]
    .iter()
    .enumerate()
    {
        let args = format!("replay d --allow-faults --policy p{n}.toml {flags}");
        let first = one.gate(&args);
        assert!(!first.out.is_empty() && first.status < 2, "{}", first.err);
        for again in [one.gate(&args), other.gate(&args)] {
            assert_eq!(again.out, first.out, "{args}");
            assert_eq!((again.status, &again.err), (first.status, &first.err));
        }
        let mut elsewhere = other.command(&args);
        elsewhere
            .env("TZ", "Pacific/Chatham")
            .env("LANG", "de_DE.UTF-8")
            .env("LC_ALL", "de_DE.UTF-8")
            .env("COLUMNS", "40")
            .env("CI", "true")
            .env("RUST_BACKTRACE", "1")
            .env("NO_COLOR", "1");
        let elsewhere = super::program::ran(elsewhere.output().expect("it runs"));
        assert_eq!(elsewhere.out, first.out, "{args} in another environment");
    }
}
