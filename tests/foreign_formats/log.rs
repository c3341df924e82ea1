//! Drives an importer and writes down what it says, one line an event or notice.

use gate::import::{IMPORTERS, Opening, Record, Sink};
use gate::trace::event::{Event, RawJson};
use gate::trace::fault::{Notice, NoticeKind, Place};
use gate::trace::json::{Json, Scanner, parse};

/// Events and notices as lines, apart.
#[derive(Default)]
pub struct Log {
    /// One line an event.
    pub events: Vec<String>,
    /// One line a notice: kind, code, place, run.
    pub notices: Vec<String>,
}

/// Cuts lines into records and reads them.
pub fn lines(format: &str, text: &[u8]) -> Log {
    let lines = text.split(|&b| b == b'\n').map(<[u8]>::trim_ascii);
    let records = (1..).zip(lines).filter(|(_, line)| !line.is_empty());
    read(format, records.collect(), !text.ends_with(b"\n"))
}

/// Cuts the top-level array into records and reads them, each placed by its number.
pub fn elements(format: &str, text: &[u8]) -> Log {
    let mut scanner = Scanner::new(text);
    scanner.space();
    assert!(scanner.take(b'['), "an array");
    let mut records = Vec::new();
    loop {
        let value = scanner.value(2).expect("valid");
        records.push((records.len() as u64 + 1, value.bytes));
        scanner.space();
        if !scanner.take(b',') {
            return read(format, records, false);
        }
    }
}

fn read(format: &str, records: Vec<(u64, &[u8])>, torn: bool) -> Log {
    let format = IMPORTERS.iter().find(|f| f.id == format).expect("listed");
    let mut importer = (format.importer)(Opening {
        input: 0,
        stem: "stem",
        max_hold: 1 << 20,
    });
    let mut log = Log::default();
    let count = records.len();
    for (i, (line, text)) in records.into_iter().enumerate() {
        let place = Place {
            input: 0,
            line,
            column: 1,
        };
        let last = torn && i + 1 == count;
        importer.record(Record { place, text, last }, &mut log);
    }
    importer.finish(&mut log);
    log
}

/// The format that takes a sample, and how many do.
pub fn recognised(records: &[&str]) -> Vec<&'static str> {
    let sample: Vec<Json<'_>> = records
        .iter()
        .map(|r| parse(r.as_bytes()).expect("valid"))
        .collect();
    let takes = |f: &&gate::import::Format| (f.recognise)(&sample).is_some();
    IMPORTERS.iter().filter(takes).map(|f| f.id).collect()
}

fn text(raw: Option<&RawJson<'_>>) -> String {
    raw.map_or("-".into(), |r| {
        String::from_utf8_lossy(r.bytes()).into_owned()
    })
}

impl Sink for Log {
    fn event(&mut self, place: Place, event: Event<'_>) {
        let run = event.run().map_or("-", |r| r).to_owned();
        let rest = match &event {
            Event::RunStart(e) => format!(
                "start {} {:?} {}",
                e.agent.as_deref().unwrap_or("-"),
                e.intent.as_deref().unwrap_or("-"),
                text(e.meta.as_ref())
            ),
            Event::ToolCall(e) => format!(
                "call {} {} {} {}{}{}",
                e.turn.unwrap_or(0),
                e.id.as_deref().unwrap_or("-"),
                e.tool,
                text(Some(&e.args)),
                e.recorded
                    .map_or(String::new(), |r| format!(" recorded {}", r.as_str())),
                e.approval
                    .map_or(String::new(), |a| format!(" {}", a.as_str()))
            ),
            Event::ToolResult(e) => format!(
                "result {} {} {}",
                e.call,
                e.outcome
                    .error
                    .map_or("-", |e| if e { "error" } else { "ok" }),
                text(e.outcome.result.as_ref())
            ),
            Event::Approval(e) => format!(
                "approval {} {} {}",
                e.call,
                e.decision.as_str(),
                e.by.as_deref().unwrap_or("-")
            ),
            Event::RunEnd(e) => format!("end {}", e.status.as_str()),
        };
        self.events.push(format!("{}: {run}: {rest}", place.line));
    }

    fn notice(&mut self, n: Notice) {
        let kind = match n.kind {
            NoticeKind::Fault(_) => "fault",
            NoticeKind::Warning(_) => "warning",
        };
        let name = ["NaN", "NUL", "Infinity"]
            .iter()
            .any(|word| n.message.starts_with(word));
        assert!(name || !n.message.starts_with(char::is_uppercase));
        assert!(!n.message.ends_with('.'));
        self.notices.push(format!(
            "{kind} {} {}:{} {}",
            n.kind.code(),
            n.place.line,
            n.place.column,
            n.run.as_deref().unwrap_or("-")
        ));
    }
}
