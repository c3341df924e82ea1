//! The state of reading one input: hands each record to the importer, and accounts for every line.

use super::archive::Member;
use super::cut::{self, Document, Head};
use super::drive::{Cut, InputReport, ReadOptions, format};
use super::{Format, IMPORTERS, Importer, Item, Opening, Record, Sign, Sink};
use super::{apart, canonical, syntax, team};
use crate::trace::event::{Event, Prepare};
use crate::trace::fault::{FaultCode, Notice, NoticeKind, Place, WarningCode};
use crate::trace::input::Input;
use crate::trace::json::{Json, JsonError, JsonErrorKind, Scanner};
use crate::trace::lines::{BOM, Content, Line};
use crate::trace::magic::Foreign;
use std::io::Read;
use std::num::NonZeroUsize;

/// Why nothing is known of the format of an input that has no object.
const NO_RECORD: &str = "no record to tell it from";

/// The state of reading one input.
pub struct Reading<'s, 'o> {
    pub(super) input: usize,
    pub(super) options: &'o ReadOptions,
    sink: &'s mut dyn Sink,
    /// Whether the record at hand has a fault.
    pub(super) faulted: bool,
    /// Whether the input is of no known format, so that its records are only counted.
    pub(super) refused: bool,
    /// Whether something at the end is missing or was not read.
    pub(super) cut_off: bool,
    /// The member of an archive that is the record at hand.
    pub(super) member: Option<Member>,
    /// Bytes unpacked of the members of an archive.
    pub(super) unpacked: Option<u64>,
    pub(super) report: InputReport,
}

impl Sink for Reading<'_, '_> {
    fn event(&mut self, place: Place, event: Event<'_>) {
        self.sink.event(place, event);
    }

    fn notice(&mut self, mut notice: Notice) {
        self.faulted |= notice.kind.is_fault();
        if let Some(member) = &self.member {
            member.place(&mut notice);
        }
        self.sink.notice(notice);
    }

    fn reach_back(&mut self) {
        self.sink.reach_back();
    }

    fn prepare(&self) -> Option<Prepare> {
        self.sink.prepare()
    }
}

impl<'s, 'o> Reading<'s, 'o> {
    /// Nothing has been read yet of the `input`th input.
    pub fn new(input: usize, options: &'o ReadOptions, sink: &'s mut dyn Sink) -> Self {
        Reading {
            input,
            options,
            sink,
            faulted: false,
            refused: false,
            cut_off: false,
            member: None,
            unpacked: None,
            report: InputReport::default(),
        }
    }

    /// Refuses an input of another kind, which the user calls `name`.
    pub fn foreign(&mut self, foreign: &Foreign, name: &str) {
        let message = format!("not a recording of tool calls but {}", foreign.what);
        self.cut_off = true;
        self.of_input(foreign.code, message, foreign.help(name));
    }

    /// Reads the records of an input that begins with `head`.
    pub fn records(&mut self, stem: &str, mut head: Head, source: &mut Input<'_>) {
        let cut = head.plan(self.options.max_line, source);
        self.report.cut = cut;
        if cut == Cut::Document {
            head.hold(self.options.max_line, source);
        }
        let chosen = self.choose(&cut::sample(&head, cut));
        self.report.format = chosen.map(|format| format.id);
        self.refused = chosen.is_none();
        self.cut_off = self.refused;
        let format = chosen.unwrap_or(&canonical::FORMAT);
        let mut importer = (format.importer)(Opening {
            input: self.input,
            stem,
            max_hold: self.options.max_hold,
        });
        // What has been read whole already is soon done with.
        let threads = match head.ended {
            true => NonZeroUsize::MIN,
            false => self.options.threads,
        };
        match cut {
            Cut::Lines => team::read(
                self,
                threads,
                (&head.bytes[..]).chain(source),
                importer.as_mut(),
            ),
            Cut::Document => self.document(&head, importer.as_mut()),
        }
        importer.finish(self);
        self.report.unknown_fields = importer.unknown_fields();
        if self.report.lines == self.report.blank {
            self.report.format = self.options.from;
            self.report.reason = "nothing to read".to_owned();
        } else if self.report.records == 0 && self.report.reason == NO_RECORD {
            self.report.format = None;
        }
    }

    /// The format of the input; `None`, and a fault, if it is none that is known.
    pub(super) fn choose(&mut self, sample: &[Json<'_>]) -> Option<&'static Format> {
        if let Some(id) = self.options.from {
            self.report.reason = "named by `--from`".to_owned();
            let named = format(id);
            if named.is_none() {
                let message = format!("`{id}` is no known format");
                let known: Vec<_> = IMPORTERS.iter().map(|format| format.id).collect();
                self.of_input(FaultCode::UnknownType, message, Some(known.join(", ")));
            }
            return named;
        }
        let mut found: Vec<(&Format, Sign)> = IMPORTERS
            .iter()
            .filter_map(|format| Some((format, (format.recognise)(sample)?)))
            .collect();
        if found.iter().any(|(_, sign)| sign.is_decisive) {
            found.retain(|(_, sign)| sign.is_decisive);
        }
        match &found[..] {
            [(format, sign)] => {
                self.report.reason.clone_from(&sign.reason);
                return Some(format);
            }
            [] => {}
            several => {
                self.undecided(several);
                return None;
            }
        }
        if sample.iter().any(|value| matches!(value, Json::Object(_))) {
            self.report.reason = "no format recognises it".to_owned();
            let message = "well-formed JSON, but not a recording of any known format".to_owned();
            let help =
                "name its format with `--from`; `gate inspect --formats` lists them".to_owned();
            self.of_input(FaultCode::UnknownType, message, Some(help));
            return None;
        }
        self.report.reason = NO_RECORD.to_owned();
        Some(&canonical::FORMAT)
    }

    fn undecided(&mut self, candidates: &[(&Format, Sign)]) {
        let why = |(format, sign): &(&Format, Sign)| format!("{} ({})", format.id, sign.reason);
        let names: Vec<_> = candidates.iter().map(why).collect();
        let names = names.join(", or ");
        self.report.reason = "several formats recognise it".to_owned();
        let message = format!("undecided between formats: {names}");
        let help = "name its format with `--from`".to_owned();
        self.of_input(FaultCode::UnknownType, message, Some(help));
    }

    /// Takes a line. `read` is what its record came to, where that was read already.
    pub(super) fn line<'a>(
        &mut self,
        line: &Line<'a>,
        read: Option<&mut dyn Iterator<Item = Item<'a>>>,
        importer: &mut dyn Importer,
    ) {
        self.report.lines += 1;
        self.faulted = false;
        self.stray_boms(line);
        match line.content {
            Content::Blank => {
                self.report.blank += 1;
                return;
            }
            Content::TooLong(length) => self.too_long(line.number, length),
            Content::Text(_) => {
                if let Some(items) = read {
                    items.for_each(|item| importer.take(item, self));
                } else if let Some(record) = apart::record(line, self.input) {
                    self.record(record, line.offset + line.stripped as u64, importer);
                }
            }
        }
        self.count();
    }

    fn document(&mut self, head: &Head, importer: &mut dyn Importer) {
        let whole = cut::whole(self.input, &head.bytes);
        let mut place = whole;
        let mut done = 0;
        for value in Document::new(&head.bytes) {
            self.report.lines += 1;
            self.faulted = false;
            match value {
                Ok(raw) => {
                    // Places are found step by step: counting lines from the start for each
                    // record would be quadratic.
                    place.place = place.at(raw.offset - done);
                    place.text = &head.bytes[raw.offset..];
                    done = raw.offset;
                    let record = Record {
                        place: place.place,
                        text: raw.bytes,
                        last: false,
                    };
                    if !self.refused {
                        importer.record(record, self);
                    }
                }
                Err(e) => self.document_breaks(&whole, &e, head.ended),
            }
            self.count();
        }
    }

    /// Tells that a document cannot be read on.
    fn document_breaks(&mut self, whole: &Record<'_>, error: &JsonError, ended: bool) {
        self.cut_off = true;
        if error.kind == JsonErrorKind::Truncated && !ended {
            let max = self.options.max_line;
            self.notice(Notice {
                kind: NoticeKind::Fault(FaultCode::LineTooLong),
                place: whole.at(error.offset),
                run: None,
                message: format!("the document is longer than {max} bytes; the rest is not read"),
                help: Some("run `jq -c '.[]' FILE | gate replay -`, or raise `--max-line`".into()),
            });
        } else if error.kind == JsonErrorKind::Truncated {
            self.torn(whole.at(error.offset), whole.text.len() as u64);
        } else {
            let mut notice = syntax::fault(whole, error);
            notice.message += "; the rest of the document is not read";
            self.notice(notice);
        }
    }

    /// Hands a line to the importer, unless it is a tail that a crash left behind.
    fn record(&mut self, record: Record<'_>, offset: u64, importer: &mut dyn Importer) {
        let text = record.text;
        if self.refused {
            return;
        }
        if record.has_nul_bytes() {
            return self.nul_bytes(&record, offset);
        }
        if record.last {
            let mut scanner = Scanner::tolerant(text);
            if let Err(e) = scanner.value(1)
                && e.kind == JsonErrorKind::Truncated
            {
                return self.torn(record.at(e.offset), offset + e.offset as u64);
            }
        }
        importer.record(record, self);
    }

    pub(super) fn count(&mut self) {
        if self.faulted || self.refused {
            self.report.faulty += 1;
        } else {
            self.report.records += 1;
        }
    }

    /// Tells of NUL bytes at an end of a record.
    fn nul_bytes(&mut self, record: &Record<'_>, offset: u64) {
        let first = memchr::memchr(0, record.text).unwrap_or_default();
        let run = record.text[first..].iter().take_while(|&&b| b == 0).count();
        let at = offset + first as u64;
        let message = format!("{run} NUL bytes at offset {at}");
        self.fault(FaultCode::MalformedJson, record.at(first), message);
    }

    /// Tells of a last record that ends before its end, at byte `offset` of the input.
    fn torn(&mut self, place: Place, offset: u64) {
        self.cut_off = true;
        let kind = if self.options.allow_torn_tail {
            NoticeKind::Warning(WarningCode::TornTail)
        } else {
            NoticeKind::Fault(FaultCode::TruncatedInput)
        };
        self.notice(Notice {
            kind,
            place,
            run: None,
            message: format!("the input ends in the middle of a record, at byte offset {offset}"),
            help: None,
        });
        self.faulted = true;
    }

    fn too_long(&mut self, line: u64, length: u64) {
        let max = self.options.max_line;
        let message = format!("the line has {length} bytes, more than {max}");
        self.notice(Notice {
            kind: NoticeKind::Fault(FaultCode::LineTooLong),
            place: self.place(line, 0),
            run: None,
            message,
            help: Some("raise `--max-line`".to_owned()),
        });
    }

    fn stray_boms(&mut self, line: &Line<'_>) {
        let stray = line.stray_boms();
        if stray > 0 {
            let expected = line.stripped - stray * BOM.len();
            let place = self.place(line.number, expected as u64 + 1);
            let message = "a byte order mark that does not begin the input";
            self.warn(WarningCode::StrayBom, place, message.to_owned());
        }
    }

    /// Tells what is wrong with the input as a whole and closes the report.
    pub fn finish(mut self, source: Input<'_>) -> InputReport {
        if let Some(why) = source.damage() {
            self.cut_off = true;
            self.of_input(FaultCode::TruncatedInput, why.to_owned(), None);
        }
        let totals = source.finish();
        if totals.padding > 0 {
            let message = format!("{} zero bytes after the compressed data", totals.padding);
            self.warn(WarningCode::Padding, self.place(0, 0), message);
        }
        InputReport {
            sha256: totals.sha256,
            raw_bytes: totals.raw_bytes,
            bytes: self.unpacked.unwrap_or(totals.bytes),
            complete: !self.cut_off,
            ..self.report
        }
    }

    pub(super) fn place(&self, line: u64, column: u64) -> Place {
        Place {
            input: self.input,
            line,
            column,
        }
    }

    pub(super) fn of_input(&mut self, code: FaultCode, message: String, help: Option<String>) {
        self.sink.notice(Notice {
            kind: NoticeKind::Fault(code),
            place: self.place(0, 0),
            run: None,
            message,
            help,
        });
    }

    fn fault(&mut self, code: FaultCode, place: Place, message: String) {
        self.tell(NoticeKind::Fault(code), place, message);
    }

    pub(super) fn warn(&mut self, code: WarningCode, place: Place, message: String) {
        self.tell(NoticeKind::Warning(code), place, message);
    }

    fn tell(&mut self, kind: NoticeKind, place: Place, message: String) {
        self.tell_with_help(kind, place, message, None);
    }

    pub(super) fn tell_with_help(
        &mut self,
        kind: NoticeKind,
        place: Place,
        message: String,
        help: Option<&str>,
    ) {
        self.notice(Notice {
            kind,
            place,
            run: None,
            message,
            help: help.map(str::to_owned),
        });
    }
}
