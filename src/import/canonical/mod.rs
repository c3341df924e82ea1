//! The canonical format: an object a record, `type` says of which kind, a call if absent.
//!
//! A record is scanned once. Results are never decoded, names only where they are escaped.

mod args;
mod fields;
mod keys;
mod kinds;
mod text;
mod values;

use super::{Format, Importer, Mapping, Opening, Record, Sign, Sink, syntax};
use crate::trace::event::Event;
use crate::trace::fault::{FaultCode, Notice, NoticeKind, Place, WarningCode};
use crate::trace::json::{self, Damage, Json, Raw, RawMember, decode};
use fields::{Fields, Slots, quoted};
use keys::{Key, Kind};
use simdutf8::basic::from_utf8;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The format.
pub const FORMAT: Format = Format {
    id: "canonical",
    title: "gate's own",
    doc: "gate's own: JSONL with `tool`, `run`, `args` and, in `type`, the kind of record",
    seen: "all",
    mapping: Mapping {
        run: "`run`",
        agent: "`agent`",
        intent: "`intent`",
        meta: "`meta`",
        turn: "`turn`",
        id: "`id`",
        args: "`args`",
        result: "`result`",
        error: "`error`",
        cost: "`cost_usd`",
        tokens: "`tokens`",
        approval: "`approval`",
        decision: "`decision`",
        label: "`label`",
        end: "`status` of a `run_end`",
        ts: "`ts`",
    },
    notes: &["Every field is described in [trace.md](trace.md)."],
    recognise,
    importer: |opening| Box::new(Canonical::new(opening)),
};

/// Unknown names that are remembered for one input, so that a hostile one cannot fill the memory.
const MOST_NAMES: usize = 4096;

fn recognise(sample: &[Json<'_>]) -> Option<Sign> {
    sample.iter().find_map(|record| {
        let kind = record.get("type").and_then(Json::as_str);
        if let Some((_, word)) = Kind::ALL.iter().find(|(_, word)| Some(*word) == kind) {
            return Some(Sign::likely(format!("a record of type `{word}`")));
        }
        if record.get("tool").is_some() {
            return Some(Sign::likely("a record with `tool`"));
        }
        // The other spellings are common words: a `type` that is not ours says who wrote them.
        if kind.is_some() {
            return None;
        }
        if record.get("tool_name").is_some() {
            return Some(Sign::likely("a record with `tool_name`"));
        }
        let arguments = ["args", "arguments", "input", "argv", "payload"];
        let with = arguments.iter().find(|k| record.get(k).is_some())?;
        record.get("name").and_then(Json::as_str)?;
        Some(Sign::likely(format!("a record with `name` and `{with}`")))
    })
}

/// Reads the records of one input.
struct Canonical {
    stem: String,
    /// Unknown names met before.
    names: BTreeSet<String>,
    /// Fields of runs met on calls.
    misplaced: BTreeSet<&'static str>,
    unknown: u64,
    /// Records that name their run, those that do not, and the first of these.
    named: u64,
    unnamed: u64,
    first_unnamed: Place,
}

/// What one scan of a record found.
#[derive(Default)]
struct Scan<'a> {
    slots: Slots<'a>,
    unknown: u64,
    /// Names met for the first time in the input, with their offsets.
    fresh: Vec<(String, usize)>,
    /// Whether a name holds bytes that are not UTF-8, so that it might be any.
    broken_name: bool,
}

impl Importer for Canonical {
    fn record(&mut self, record: Record<'_>, sink: &mut dyn Sink) {
        let mut scan = Scan::default();
        let scanned = json::scan_object(record.text, |m| self.member(m, &mut scan));
        let utf8 = from_utf8(record.text).ok();
        let bad_byte = match utf8 {
            Some(_) => None,
            None => std::str::from_utf8(record.text)
                .err()
                .map(|e| e.valid_up_to()),
        };
        let mut fields = Fields {
            record,
            slots: &scan.slots,
            run: None,
            utf8,
            unusable: scan.broken_name,
            sink,
        };
        match scanned {
            Ok(true) => self.object(&mut fields, &scan, bad_byte),
            Ok(false) => {
                let message = "the record is not an object".to_owned();
                fields.fault(FaultCode::NotAnObject, 0, message);
                not_utf8(&mut fields, bad_byte);
            }
            Err(error) => {
                fields.sink.notice(syntax::fault(&record, &error));
                fields.unusable = true;
                not_utf8(&mut fields, bad_byte);
            }
        }
    }

    fn finish(&mut self, sink: &mut dyn Sink) {
        if self.named == 0 || self.unnamed == 0 {
            return;
        }
        let all = self.named + self.unnamed;
        sink.notice(Notice {
            kind: NoticeKind::Warning(WarningCode::MissingRun),
            place: self.first_unnamed,
            run: Some(self.stem.clone()),
            message: format!(
                "{} of {all} records name no run; they belong to the run `{}`",
                self.unnamed, self.stem
            ),
            help: None,
        });
    }

    fn unknown_fields(&self) -> u64 {
        self.unknown
    }
}

impl Canonical {
    fn new(opening: Opening<'_>) -> Self {
        Canonical {
            stem: opening.stem.to_owned(),
            names: BTreeSet::new(),
            misplaced: BTreeSet::new(),
            unknown: 0,
            named: 0,
            unnamed: 0,
            first_unnamed: Place::default(),
        }
    }

    /// Counts a record that is used.
    fn count(&mut self, place: Place, event: &Event<'_>) {
        if event.run().is_some() {
            self.named += 1;
        } else {
            if self.unnamed == 0 {
                self.first_unnamed = place;
            }
            self.unnamed += 1;
        }
    }

    fn member<'a>(&mut self, member: RawMember<'a>, scan: &mut Scan<'a>) {
        let RawMember { key, value } = member;
        if let [b'"', name @ .., b'"'] = key.bytes
            && let Some(known) = Key::find(name)
        {
            return scan.slots.put(known, key.offset, value);
        }
        self.odd_member(key, value, scan);
    }

    /// Takes a member whose key is not known as it is written.
    #[cold]
    fn odd_member<'a>(&mut self, key: Raw<'a>, value: Raw<'a>, scan: &mut Scan<'a>) {
        let name = decode(key.bytes);
        scan.broken_name |= name.damage == Damage::InvalidUtf8;
        if name.damage == Damage::None
            && let Some(known) = Key::find(name.text.as_bytes())
        {
            return scan.slots.put(known, key.offset, value);
        }
        scan.unknown += 1;
        if scan.broken_name {
            return;
        }
        if self.names.len() < MOST_NAMES && !self.names.contains(&*name.text) {
            self.names.insert(name.text.to_string());
            scan.fresh.push((name.text.into_owned(), key.offset));
        }
    }

    /// Reads a record that is an object.
    fn object<'a>(
        &mut self,
        fields: &mut Fields<'_, 'a>,
        scan: &Scan<'a>,
        bad_byte: Option<usize>,
    ) {
        let run = self.run(fields);
        let kind = kind(fields);
        if run.is_none() && matches!(kind, Some(Kind::RunStart | Kind::RunEnd)) {
            // It should have said which run it is of, and that is not the file's.
            fields.run = None;
        }
        let event = kind.and_then(|kind| {
            self.unknown += scan.unknown + scan.slots.misplaced(kind);
            repeated(fields, kind);
            similar(fields, kind, &scan.fresh);
            self.misplaced(fields, kind);
            fields.event(kind, run)
        });
        not_utf8(fields, bad_byte);
        if let Some(event) = event
            && !fields.unusable
        {
            self.count(fields.record.place, &event);
            fields.sink.event(fields.record.place, event);
        }
    }

    /// Tells once of what a call says of its run: left out, the call is judged without it.
    fn misplaced(&mut self, fields: &mut Fields<'_, '_>, kind: Kind) {
        if kind != Kind::ToolCall {
            return;
        }
        for key in [Key::Intent, Key::Label] {
            let Some(raw) = fields.slots.get(key) else {
                continue;
            };
            if !self.misplaced.insert(key.name()) {
                continue;
            }
            let name = key.name();
            let message =
                format!("`{name}` is a field of runs, which calls do not have, and is ignored");
            let help = "give it in a `run_start`; labelled cases, a call a line, are read with \
                        `--from cases`";
            let kind = NoticeKind::Warning(WarningCode::MisplacedField);
            fields.tell(kind, raw.offset, message, Some(help.to_owned()));
        }
    }

    /// The run that a record names. Notices are about it from here on, or about the run named
    /// after the file if the record names none.
    fn run<'a>(&self, fields: &mut Fields<'_, 'a>) -> Option<Cow<'a, str>> {
        let run = fields.read(Key::Run, Fields::identity);
        let twice = fields
            .slots
            .repeated
            .iter()
            .any(|(key, _)| *key == Key::Run);
        let unknown = twice || fields.unusable || fields.slots.get(Key::Run).is_some();
        fields.run = match &run {
            Some(run) if !twice => Some(run.clone()),
            _ if unknown => None,
            _ => Some(Cow::Owned(self.stem.clone())),
        };
        run
    }
}

/// The kind of a record; a call unless `type` says otherwise.
fn kind(fields: &mut Fields<'_, '_>) -> Option<Kind> {
    let Some(raw) = fields.slots.get(Key::Type) else {
        return Some(Kind::ToolCall);
    };
    if raw.bytes.first() != Some(&b'"') {
        return fields.one_of(Key::Type, Kind::ALL);
    }
    let text = fields.decoded(raw);
    if text.damage == Damage::InvalidUtf8 {
        return fields.one_of(Key::Type, Kind::ALL);
    }
    if let Some((kind, _)) = Kind::ALL.iter().find(|(_, word)| *word == text.text) {
        return Some(*kind);
    }
    let near = keys::nearest(&text.text, Kind::ALL.iter().map(|(_, word)| *word));
    let message = format!("unknown `type` {}", quoted(&text.text));
    let help = near.map(|word| format!("did you mean `{word}`"));
    fields.fault_with(FaultCode::UnknownType, raw.offset, message, help);
    None
}

/// Tells of fields that are given twice: readers differ in which one they believe.
fn repeated(fields: &mut Fields<'_, '_>, kind: Kind) {
    let slots = fields.slots;
    for &(key, offset) in slots.repeated.iter().filter(|(key, _)| key.is_of(kind)) {
        let message = format!("`{}` is given twice", key.name());
        fields.fault(FaultCode::DuplicateKey, offset, message);
    }
}

fn similar(fields: &mut Fields<'_, '_>, kind: Kind, fresh: &[(String, usize)]) {
    for (name, offset) in fresh {
        let Some(meant) = keys::similar(name, kind) else {
            continue;
        };
        let message = format!("{} is no known field and is ignored", quoted(name));
        fields.tell(
            NoticeKind::Warning(WarningCode::SimilarField),
            *offset,
            message,
            Some(format!("did you mean `{meant}`")),
        );
    }
}

/// Tells of bytes that are not UTF-8, once what they damaged is known.
fn not_utf8(fields: &mut Fields<'_, '_>, bad_byte: Option<usize>) {
    let Some(offset) = bad_byte else { return };
    let what_then = if fields.unusable {
        "the record is not used"
    } else {
        "read as U+FFFD"
    };
    let notice = Notice {
        kind: NoticeKind::Fault(FaultCode::InvalidUtf8),
        place: fields.record.at(offset),
        run: fields.run.as_deref().map(str::to_owned),
        message: format!("bytes that are not UTF-8; {what_then}"),
        help: None,
    };
    fields.sink.notice(notice);
}
