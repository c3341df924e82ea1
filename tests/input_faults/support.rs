//! A sink that keeps everything, and short ways to ask what it got.

use gate::import::Sink;
use gate::import::drive::{InputReport, ReadOptions, read};
use gate::trace::event::{Event, ToolCall};
use gate::trace::fault::{Notice, Place};
use std::io::Read;

/// What reading an input came to.
#[derive(Default)]
pub struct Seen {
    pub calls: Vec<ToolCall<'static>>,
    pub places: Vec<Place>,
    /// Other events, as `Debug` prints them.
    pub others: Vec<String>,
    pub notices: Vec<Notice>,
    pub report: InputReport,
}

impl Sink for Seen {
    fn event(&mut self, place: Place, event: Event<'_>) {
        self.places.push(place);
        match event {
            Event::ToolCall(call) => self.calls.push(call.into_owned()),
            other => self.others.push(format!("{other:?}")),
        }
    }

    fn notice(&mut self, notice: Notice) {
        self.notices.push(notice);
    }
}

impl Seen {
    /// Every notice as `line:column code`.
    pub fn codes(&self) -> Vec<String> {
        let code = |n: &Notice| format!("{}:{} {}", n.place.line, n.place.column, n.kind);
        self.notices.iter().map(code).collect()
    }

    /// The tools called, in order.
    pub fn tools(&self) -> Vec<&str> {
        self.calls.iter().map(|c| &*c.tool).collect()
    }

    /// The help line of the first notice.
    pub fn help(&self) -> &str {
        self.notices[0].help.as_deref().expect("a help line")
    }
}

pub fn options() -> ReadOptions {
    ReadOptions::default()
}

/// Reads `bytes` as an input called `t.jsonl`.
pub fn seen(bytes: impl AsRef<[u8]>) -> Seen {
    seen_with(bytes, &options())
}

pub fn seen_with(bytes: impl AsRef<[u8]>, options: &ReadOptions) -> Seen {
    seen_from(Box::new(bytes.as_ref()), "t.jsonl", options)
}

pub fn seen_from(bytes: Box<dyn Read + Send + '_>, name: &str, options: &ReadOptions) -> Seen {
    let mut seen = Seen::default();
    let report = read(0, name, "t", bytes, options, &mut seen);
    assert_eq!(
        report.lines,
        report.records + report.blank + report.faulty,
        "every line is accounted for"
    );
    seen.report = report;
    seen
}

/// The lines, records, blank and faulty lines of the report.
pub fn counts(seen: &Seen) -> [u64; 4] {
    let r = &seen.report;
    [r.lines, r.records, r.blank, r.faulty]
}

/// A good record that calls `tool`.
pub fn call(tool: &str) -> String {
    format!("{{\"tool\":\"{tool}\"}}\n")
}
