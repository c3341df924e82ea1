//! Every recording of the fixtures cut off at any byte, and with bytes turned, taken out and put in
//! twice: nothing panics, every line is accounted for, and what is missing is told or was never
//! there.

use super::policies::{self, policies};
use super::replay::{ENFORCE, OBSERVE, Replay};
use super::testing::Random;
use gate::audit::tally::Tally;
use gate::engine::{Counted, Engine, Final, Output, RunReport};
use gate::import::drive::{Cut, ReadOptions, format, read};
use gate::import::{Opening, Record, Sink};
use gate::policy::Policy;
use gate::stages::STAGES;
use gate::trace::event::Event;
use gate::trace::fault::{Notice, Place};

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// Formats that hand on every record as it is read, or hold a call back for what the next records say
/// of it and no longer. The others put an input in order before they hand anything on.
const STREAMED: &[&str] = &["canonical", "claude_code", "openai_chat"];

/// Every call waits for its result, and many for somebody to decide.
const WAITING: &str = r#"
[[contracts]]
tools = ["*"]
ensure = ['!error']
[semantic]
embedder = "recorded"
escalate = 0.1
"#;

/// A recording.
struct Fixture {
    name: String,
    bytes: Vec<u8>,
}

impl Fixture {
    fn is_packed(&self) -> bool {
        let magic: [&[u8]; 3] = [b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK"];
        magic.iter().any(|magic| self.bytes.starts_with(magic))
    }
}

/// All of them: whatever lies in the directories of recordings.
fn fixtures() -> Vec<Fixture> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut open = vec![root.join("formats"), root.join("cases"), root.join("docs")];
    let mut files: Vec<PathBuf> = Vec::new();
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(directory).expect("a directory") {
            let path = entry.expect("an entry").path();
            match path.is_dir() {
                true => open.push(path),
                false => files.push(path),
            }
        }
    }
    files.retain(|path| {
        !path
            .extension()
            .is_some_and(|end| end == "toml" || end == "md")
    });
    files.sort();
    let fixture = |path: &PathBuf| Fixture {
        name: path.file_name().expect("a name").to_string_lossy().into(),
        bytes: std::fs::read(path).expect("a file"),
    };
    let fixtures: Vec<_> = files.iter().map(fixture).collect();
    assert!(fixtures.len() > 20, "{}", fixtures.len());
    fixtures
}

/// Runs a law on every fixture, two at a time. It is told how much to try, about `all` over all of
/// them, and gives how much it has tried.
fn each(all: usize, law: impl Fn(&Fixture, usize) -> usize + Sync) {
    let fixtures = fixtures();
    let share = (all / fixtures.len()).max(30);
    let (next, tried) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(fixture) = fixtures.get(next.fetch_add(1, Ordering::Relaxed)) {
                    tried.fetch_add(law(fixture, share), Ordering::Relaxed);
                }
            });
        }
    });
    let tried = tried.into_inner();
    assert!(tried > all / 3, "{tried}");
}

/// Counts as the program does, and keeps what a replay gives.
struct Books {
    tally: Tally,
    replay: Replay,
}

impl Output for Books {
    fn decision(&mut self, decided: &mut Final) {
        self.tally.decision(decided);
        self.replay.decision(decided);
    }

    fn notice(&mut self, notice: Notice) {
        self.tally.notice(&notice);
        self.replay.notice(notice);
    }

    fn run(&mut self, report: RunReport) {
        self.tally.run(&report);
        self.replay.run(report);
    }

    fn count(&mut self, what: Counted) {
        self.tally.count(what);
        self.replay.count(what);
    }
}

/// Replays bytes and checks the books. `from` is the format, where it is not to be detected.
fn replay(policy: &Policy, observe: bool, bytes: &[u8], from: Option<&'static str>) -> Replay {
    let names = policy.dcbf.barriers.iter().map(|spec| spec.name.clone());
    let stages = STAGES.iter().map(|stage| stage.id()).collect();
    let mut books = Books {
        tally: Tally::new(names, stages),
        replay: Replay::default(),
    };
    let mode = if observe { OBSERVE } else { ENFORCE };
    let mut engine = Engine::new(policy, STAGES, mode, &mut books);
    engine.begin_input(0, "t");
    let options = ReadOptions {
        from,
        ..ReadOptions::default()
    };
    let report = read(0, "t", "t", Box::new(bytes), &options, &mut engine);
    engine.end_input();
    drop(engine);
    assert_eq!(
        report.lines,
        report.records + report.blank + report.faulty,
        "{report:?}"
    );
    let counts = &mut books.tally.summary().counts;
    (counts.lines, counts.records) = (report.lines, report.records);
    (counts.blank, counts.faulty) = (report.blank, report.faulty);
    let summary = books.tally.finish();
    assert_eq!(summary.broken_laws, [""; 0]);
    assert_eq!(summary.counts.calls, books.replay.decided.len() as u64);
    books.replay.report = report;
    books.replay
}

/// The cuts that are tried: around the ends of lines, and as many others as there is time for.
fn cuts(bytes: &[u8], most: usize) -> Vec<usize> {
    let stride = (bytes.len() / most).max(1);
    let mut cuts: Vec<usize> = (0..bytes.len()).step_by(stride).collect();
    let ends = (0..bytes.len()).filter(|&at| bytes[at] == b'\n');
    let ends: Vec<usize> = ends.collect();
    let skip = (3 * ends.len() / most).max(1);
    for end in ends.into_iter().step_by(skip) {
        cuts.extend(end.saturating_sub(1)..=end + 1);
    }
    cuts.retain(|&cut| cut < bytes.len());
    cuts.sort_unstable();
    cuts.dedup();
    cuts
}

/// Where the last line begins that is not over at this byte.
fn line_start(bytes: &[u8]) -> usize {
    let end = bytes.iter().rposition(|&byte| byte == b'\n');
    end.map_or(0, |end| end + 1)
}

fn is_json(text: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(text).is_ok()
}

/// Whether the text is whole by itself: an array, or values one after the other. Numbers that are no
/// JSON count as such.
fn is_whole(text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text).replace("-Infinity", "0");
    let text = text.replace("Infinity", "0").replace("NaN", "0");
    let text = text.trim_start_matches('\u{feff}').as_bytes();
    let mut values = serde_json::Deserializer::from_slice(text).into_iter::<serde_json::Value>();
    values.all(|value| value.is_ok())
}

fn calls_by_tool(replay: &Replay) -> BTreeMap<String, usize> {
    let mut calls = BTreeMap::new();
    for decided in &replay.decided {
        *calls.entry(decided.decision.tool.to_string()).or_default() += 1;
    }
    calls
}

fn faults(replay: &Replay) -> usize {
    replay.notices.iter().filter(|n| n.kind.is_fault()).count()
}

#[test]
fn a_recording_cut_off_at_any_byte_tells_so_or_is_a_shorter_one() {
    let policies = policies(&[policies::DEFAULT, policies::WHOLE, WAITING]);
    each(6000, |fixture, most| {
        let Fixture { name, bytes } = fixture;
        let whole = replay(&policies[0], false, bytes, None);
        let cuts = cuts(bytes, most);
        for (n, &cut) in cuts.iter().enumerate() {
            let what = format!("{name} cut at byte {cut}");
            let policy = &policies[n % policies.len()];
            let part = replay(policy, n % 2 == 0, &bytes[..cut], None);
            let rest = &bytes[..cut];
            let told = faults(&part) > 0 || !part.report.complete;
            if fixture.is_packed() {
                assert!(told || cut == 0, "{what}");
            } else if part.report.cut == Cut::Lines && !told {
                // The line that was cut is whole all the same, or there is nothing of it.
                let tail = rest[line_start(rest)..].trim_ascii();
                assert!(tail.is_empty() || is_json(tail), "{what}");
            } else if !told {
                assert!(is_whole(rest), "{what}");
            }
            // No call comes out of a cut that the whole does not have.
            if part.report.format == whole.report.format {
                let (calls, known) = (part.decided.len(), whole.decided.len());
                assert!(calls <= known, "{what}: {calls} calls of {known}");
                let streamed = part.report.format.is_some_and(|id| STREAMED.contains(&id));
                for (tool, count) in calls_by_tool(&part).iter().filter(|_| streamed) {
                    let known = calls_by_tool(&whole).get(tool).copied().unwrap_or(0);
                    assert!(*count <= known, "{what}: {count} calls of {tool}");
                }
            }
        }
        cuts.len()
    });
}

/// Decisions that several look at.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Replay>>);

impl Output for Shared {
    fn decision(&mut self, decided: &mut Final) {
        self.0.lock().expect("one thread").decision(decided);
    }

    fn notice(&mut self, notice: Notice) {
        self.0.lock().expect("one thread").notice(notice);
    }

    fn run(&mut self, report: RunReport) {
        self.0.lock().expect("one thread").run(report);
    }

    fn count(&mut self, what: Counted) {
        self.0.lock().expect("one thread").count(what);
    }
}

/// Hands records on and notes the lines of the calls among them.
struct Watched<'a> {
    engine: Engine<'a>,
    calls: Vec<u64>,
}

impl Sink for Watched<'_> {
    fn event(&mut self, place: Place, event: Event<'_>) {
        if matches!(event, Event::ToolCall(_)) {
            self.calls.push(place.line);
        }
        self.engine.event(place, event);
    }

    fn notice(&mut self, notice: Notice) {
        self.engine.notice(notice);
    }
}

/// After each line of a recording: how many decisions are final, and which lines gave the calls that
/// were handed on.
fn finals(policy: &Policy, observe: bool, bytes: &[u8], id: &str) -> Vec<(usize, Vec<u64>)> {
    let mut out = Shared::default();
    let seen = out.clone();
    let mode = if observe { OBSERVE } else { ENFORCE };
    let mut watched = Watched {
        engine: Engine::new(policy, STAGES, mode, &mut out),
        calls: Vec::new(),
    };
    watched.engine.begin_input(0, "t");
    let mut importer = (format(id).expect("a format").importer)(Opening {
        input: 0,
        stem: "t",
        max_hold: 1 << 20,
    });
    let mut after = vec![(0, Vec::new())];
    for (line, text) in (1..).zip(bytes.split(|&byte| byte == b'\n')) {
        let text = text.trim_ascii();
        if !text.is_empty() {
            let record = Record {
                place: Place {
                    input: 0,
                    line,
                    column: 1,
                },
                text,
                last: false,
            };
            importer.record(record, &mut watched);
        }
        after.push((
            seen.0.lock().expect("one thread").decided.len(),
            watched.calls.clone(),
        ));
    }
    after
}

#[test]
fn what_was_decided_before_the_cut_is_decided_as_in_the_whole() {
    let policies = policies(&[policies::DEFAULT, policies::WHOLE, WAITING]);
    each(3000, |fixture, most| {
        let Fixture { name, bytes } = fixture;
        let detected = replay(&policies[0], false, bytes, None).report;
        let id = detected.format.filter(|id| STREAMED.contains(id));
        let Some(id) = id.filter(|_| detected.cut == Cut::Lines && !fixture.is_packed()) else {
            return 0;
        };
        let cuts = cuts(bytes, most);
        for (p, policy) in policies.iter().enumerate() {
            let observe = p == 1;
            let whole = replay(policy, observe, bytes, Some(id));
            let finals = finals(policy, observe, bytes, id);
            for &cut in cuts.iter().skip(p).step_by(policies.len()) {
                let what = format!("{name} cut at byte {cut}");
                let part = replay(policy, observe, &bytes[..cut], Some(id));
                let lines = bytes[..cut].iter().filter(|&&byte| byte == b'\n').count();
                let (known, calls) = &finals[lines];
                let (a, b) = (part.decided.get(..*known), whole.decided.get(..*known));
                assert!(a.is_some() && a == b, "{what}: {a:#?}\n{b:#?}");
                // What had to wait is decided at the end: no call is without a decision, but for
                // repeats and faults.
                let at = |r: &Replay| {
                    let decided = r.decided.iter().map(|d| d.decision.line);
                    let mut lines: Vec<u64> = decided.filter(|at| calls.contains(at)).collect();
                    lines.sort_unstable();
                    lines
                };
                assert_eq!(at(&part), at(&whole), "{what}");
                let told = |line: u64| part.notices.iter().any(|n| n.place.line == line);
                let decided = at(&part);
                for &line in calls {
                    assert!(decided.contains(&line) || told(line), "{what}: line {line}");
                }
            }
        }
        cuts.len()
    });
}

/// Turns, takes out or repeats a few bytes.
fn damage(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut damaged = bytes.to_vec();
    for _ in 0..1 + random.below(3) {
        if damaged.is_empty() {
            break;
        }
        let at = random.below(damaged.len());
        let span = at..(at + 1 + random.below(12)).min(damaged.len());
        match random.below(6) {
            0 => damaged[at] ^= 1 << random.below(8),
            1 => damaged[at] = *random.pick(b"\"\\{}[]:,\n\r\0 0-e\xff\xed"),
            2 => drop(damaged.drain(span)),
            3 => {
                let copy = damaged[span].to_vec();
                damaged.splice(at..at, copy);
            }
            4 => {
                let copy = damaged[span].to_vec();
                let to = random.below(damaged.len());
                damaged.splice(to..to, copy);
            }
            _ => {
                // A whole line again, or without its end.
                let lines: Vec<&[u8]> = damaged.split_inclusive(|&byte| byte == b'\n').collect();
                let line = random.pick(&lines).to_vec();
                damaged.splice(at..at, line);
            }
        }
    }
    damaged
}

#[test]
fn damaged_bytes_panic_nothing_and_lose_no_line() {
    let policies = policies(policies::ALL);
    each(2500, |fixture, rounds| {
        let seed = fixture.name.bytes().fold(7, |sum: u64, byte| {
            sum.wrapping_mul(31).wrapping_add(byte.into())
        });
        let mut random = Random::new(seed);
        for n in 0..rounds {
            let bytes = damage(&fixture.bytes, &mut random);
            let policy = random.pick(&policies);
            let replay = replay(policy, n % 2 == 0, &bytes, None);
            if fixture.is_packed() {
                continue;
            }
            // Every line is counted, whatever it holds.
            let lines = bytes.split_inclusive(|&byte| byte == b'\n').count() as u64;
            let report = &replay.report;
            assert!(
                report.cut == Cut::Document || report.lines == lines || report.lines == 0,
                "{} round {n}: {report:?}",
                fixture.name
            );
            assert!(report.lines > 0 || faults(&replay) > 0 || bytes.is_empty());
        }
        rounds
    });
}
