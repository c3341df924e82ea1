//! Events to canonical JSONL: any recording that can be read, as a trace of gate's own.
//!
//! What is written is what gate makes of the input, in the order in which it came: replaying it
//! decides as replaying the input does. What gate does not read of a recording is not in it.

mod names;
mod record;
mod text;

use crate::audit::records::Records;
use crate::import::Sink;
use crate::trace::event::Event;
use crate::trace::fault::{Noted, Notice, NoticeKind, Place, WarningCode};
use names::{Named, Names};
use std::io::{self, Write};

/// What was written and what was not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Converted {
    /// Records written.
    pub records: u64,
    /// Calls among them.
    pub calls: u64,
    /// Faults and warnings. What a fault is about is not in the output, or not as it stood.
    pub noted: Noted,
}

/// Writes events as records, one a line.
pub struct Converter<'w> {
    out: Box<dyn Write + Send + 'w>,
    /// Why nothing more is written.
    failed: Option<io::Error>,
    names: Names,
    /// What the records say against each other. Only faults are told: the output is to be read again.
    records: Records,
    converted: Converted,
    line: String,
}

impl<'w> Converter<'w> {
    /// Writes to `out`, nothing at first.
    pub fn new(out: Box<dyn Write + Send + 'w>) -> Self {
        Converter {
            out,
            failed: None,
            names: Names::default(),
            records: Records::default(),
            converted: Converted::default(),
            line: String::new(),
        }
    }

    /// Begins the input of that index. Records without a run belong to the run named `stem`.
    pub fn begin_input(&mut self, input: usize, stem: &str) {
        self.names.begin_input(stem);
        self.records.begin_input(input, stem);
    }

    /// The input has been read.
    pub fn end_input(&mut self) {
        self.records.end_input();
        self.take_faults();
    }

    fn take_faults(&mut self) {
        for notice in self.records.told() {
            if notice.kind.is_fault() {
                self.notice(notice);
            }
        }
    }

    /// Writes what waits. Gives what it came to, and why it could not be written, if so; a reader
    /// that went away is no failure.
    pub fn finish(mut self) -> (Converted, Option<io::Error>) {
        if self.failed.is_none() {
            self.failed = self.out.flush().err();
        }
        let failed = self.failed;
        let failed = failed.filter(|e| e.kind() != io::ErrorKind::BrokenPipe);
        (self.converted, failed)
    }

    fn write(&mut self, event: &Event<'_>, run: &str) {
        self.converted.records += 1;
        self.converted.calls += u64::from(matches!(event, Event::ToolCall(_)));
        self.line.clear();
        record::write(event, run, &mut self.line);
        self.line.push('\n');
        if self.failed.is_none() {
            self.failed = self.out.write_all(self.line.as_bytes()).err();
        }
    }
}

impl Sink for Converter<'_> {
    fn event(&mut self, place: Place, event: Event<'_>) {
        let given = event.run().map(|run| &**run);
        let (name, news) = match self.names.of(given) {
            Named::Settled(name) => (name, None),
            Named::Changed { given, name } => {
                let message = format!(
                    "another run is written under this id; this one is written as `{name}`"
                );
                (name, Some((given, message)))
            }
        };
        if let Some((run, message)) = news {
            self.notice(Notice {
                kind: NoticeKind::Warning(WarningCode::SharedRunId),
                place,
                run: Some(run),
                message,
                help: None,
            });
        }
        self.write(&event, &name);
        self.records.event(place, event);
        self.take_faults();
    }

    fn notice(&mut self, notice: Notice) {
        self.converted.noted.add(notice);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::drive::{ReadOptions, read};

    fn convert(inputs: &[(&str, &str)]) -> (String, Converted) {
        let mut bytes = Vec::new();
        let mut converter = Converter::new(Box::new(&mut bytes));
        for (index, (stem, text)) in inputs.iter().enumerate() {
            converter.begin_input(index, stem);
            let text = Box::new(text.as_bytes());
            read(
                index,
                stem,
                stem,
                text,
                &ReadOptions::default(),
                &mut converter,
            );
            converter.end_input();
        }
        let (converted, failed) = converter.finish();
        assert!(failed.is_none());
        (String::from_utf8(bytes).expect("UTF-8"), converted)
    }

    #[test]
    fn every_field_has_its_place_and_spelling() {
        let call = r#"{"tokens":3.0,"cost_usd":1e-2,"error":false,"result":[1, 2],"input":"{\"p\": 1.50}","name":"t","call_id":"c","turn":2e0,"batch":"b","agent":"a","resources":["r"],"labels":["l"],"metadata":{"estimated_cost":0.10},"context_embedding":[1.0,-0,1e21],"action_embedding":[0.5,2,3],"decision":"escalate","semantic_score":0.50,"approval":"approved","ts":17.50,"extra":1}"#;
        let written = r#"{"type":"tool_call","run":"x","id":"c","turn":2,"tool":"t","args":{"p":1.50},"agent":"a","resources":["r"],"labels":["l"],"batch":"b","ts":17.50,"decision":"escalate","approval":"approved","semantic_score":0.5,"estimated_cost_usd":0.1,"context_embedding":[1,0,1e21],"action_embedding":[0.5,2,3],"result":[1, 2],"error":false,"cost_usd":0.01,"tokens":3}"#;
        let (out, converted) = convert(&[("x", call)]);
        assert_eq!(out, format!("{written}\n"));
        assert_eq!((converted.records, converted.calls), (1, 1));
        assert_eq!(convert(&[("y", &out)]).0, out);
    }

    #[test]
    fn the_other_records_are_written_too() {
        let text = concat!(
            r#"{"type":"run_start","run":"r","agent":"a","intent":"i","ts":"2026-01-01","label":"benign","meta":{"m": [1]}}"#,
            "\n",
            r#"{"type":"tool_result","run":"r","call":"c","ts":"t","result":null,"cost_usd":0.5}"#,
            "\n",
            r#"{"type":"approval","run":"r","call":"c","decision":"denied","by":"dana"}"#,
            "\n",
            r#"{"type":"run_end","run":"r","status":"timeout"}"#,
            "\n",
        );
        let written = text.replace(": [", ":[");
        let written = written.replace(r#""result":null,"#, "");
        assert_eq!(convert(&[("x", text)]).0, written);
    }

    #[test]
    fn arguments_that_nest_too_deep_for_a_record_are_text() {
        let deep = format!("{{\\\"a\\\":{}1{}}}", "[".repeat(127), "]".repeat(127));
        let text = format!("{{\"tool\":\"t\",\"args\":\"{deep}\"}}");
        let (out, converted) = convert(&[("x", &text)]);
        assert_eq!(converted.noted.kept, []);
        assert!(out.contains(&format!("\"args\":\"{deep}\"")), "{out}");
        assert_eq!(convert(&[("x", &out)]).0, out);
    }

    #[test]
    fn nothing_of_a_text_is_lost_and_nothing_in_it_is_hidden() {
        let call = "{\"tool\":\"a\u{202e}\",\"args\":{\n \"k\u{200b}\": \"\\ud800 \\u0000 \u{fffd}\"\n},\n\"result\": {\n\"x\":\"\u{9b}\"}}";
        let (out, _) = convert(&[("x", call)]);
        let written = r#"{"type":"tool_call","run":"x","tool":"a\u202e","args":{"k\u200b":"\ud800 \u0000 �"},"result":{ "x":"\u009b"}}"#;
        assert_eq!(out, format!("{written}\n"));
    }

    /// A call of which only the tool is known, and one that came back with nothing at all.
    fn foreign_calls() -> String {
        use crate::trace::event::{Outcome, RawJson, ToolCall};
        let null = RawJson::from_text("null").ok();
        let mut bytes = Vec::new();
        let mut converter = Converter::new(Box::new(&mut bytes));
        converter.begin_input(0, "x");
        let unknown = ToolCall {
            tool: "t".into(),
            args_unknown: true,
            ..ToolCall::default()
        };
        let back = ToolCall {
            tool: "u".into(),
            outcome: Some(Outcome {
                result: null,
                ..Outcome::default()
            }),
            ..ToolCall::default()
        };
        for call in [unknown, back] {
            converter.event(Place::default(), Event::ToolCall(Box::new(call)));
        }
        assert!(converter.finish().1.is_none());
        String::from_utf8(bytes).expect("UTF-8")
    }

    #[test]
    fn what_only_foreign_formats_say_is_written() {
        let written = concat!(
            r#"{"type":"tool_call","run":"x","tool":"t","args_unknown":true}"#,
            "\n",
            r#"{"type":"tool_call","run":"x","tool":"u","args":{},"error":false}"#,
            "\n",
        );
        assert_eq!(foreign_calls(), written);
    }

    #[test]
    fn what_only_foreign_formats_say_reads_back() {
        let written = foreign_calls();
        assert_eq!(convert(&[("x", &written)]).0, written);
    }

    #[test]
    fn runs_of_one_id_in_several_inputs_stay_apart() {
        let one = "{\"tool\":\"a\"}\n{\"tool\":\"b\",\"run\":\"s\"}\n";
        let other = "{\"tool\":\"c\",\"run\":\"s\"}\n{\"tool\":\"d\",\"run\":\"s#2\"}\n{\"tool\":\"e\",\"run\":\"s\"}\n";
        let (out, converted) = convert(&[("s", one), ("t", other)]);
        let runs: Vec<_> = out
            .lines()
            .filter_map(|line| line.split('"').nth(7))
            .collect();
        assert_eq!(runs, ["s", "s", "s#2", "s#2#2", "s#2"]);
        let told: Vec<_> = converted
            .noted
            .kept
            .iter()
            .map(|n| (n.place.line, n.kind.code()))
            .collect();
        let expected = [
            (1, "missing_run"),
            (1, "shared_run_id"),
            (2, "shared_run_id"),
        ];
        assert_eq!(told, expected);
    }
}
