//! The canonical format: an object a record, `type` says of which kind, a call if absent.
//!
//! A record is scanned once. Results are never decoded, names only where they are escaped.

mod args;
mod fields;
mod keys;
mod kinds;
mod text;
mod values;

use super::{Apart, Format, Found, Importer, Item, Mapping, Opening, Record, Sign, Sink, syntax};
use crate::trace::event::Event;
use crate::trace::fault::{FaultCode, Notice, NoticeKind, Place, WarningCode};
use crate::trace::json::{self, Damage, Json, RawMember, decode};
use fields::{Fields, Slots, quoted};
pub use keys::{Key, Kind};
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
    reader: Reader,
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

/// Reads each record for itself.
#[derive(Clone)]
struct Reader {
    stem: String,
}

/// What one scan of a record found.
#[derive(Default)]
struct Scan<'a> {
    slots: Slots<'a>,
    /// Names that are not known, with their offsets.
    unknown: Vec<(Cow<'a, str>, usize)>,
    /// Whether a name holds bytes that are not UTF-8, so that it might be any. Names behind it are not
    /// told.
    broken_name: bool,
    /// Names that are not known and not told.
    untold: u64,
}

impl Importer for Canonical {
    fn record(&mut self, record: Record<'_>, sink: &mut dyn Sink) {
        let mut found = Found::default();
        self.reader.record(record, &mut found);
        found.give(self, sink);
    }

    fn apart(&self) -> Option<Box<dyn Apart>> {
        Some(Box::new(self.reader.clone()))
    }

    fn take(&mut self, item: Item<'_>, sink: &mut dyn Sink) {
        match item {
            Item::Event(place, event) => {
                self.count(place, &event);
                sink.event(place, event);
            }
            Item::Notice(notice) => sink.notice(*notice),
            Item::Name {
                name,
                kind,
                place,
                run,
            } => {
                if self.is_new(&name)
                    && let Some(kind) = kind
                    && let Some(notice) = similar(&name, kind, place, run)
                {
                    sink.notice(notice);
                }
            }
            Item::Misplaced { key, place, run } => {
                if self.misplaced.insert(key.name()) {
                    sink.notice(misplaced(key, place, run));
                }
            }
            Item::Unknown(count) => self.unknown += count,
        }
    }

    fn finish(&mut self, sink: &mut dyn Sink) {
        if self.named == 0 || self.unnamed == 0 {
            return;
        }
        let all = self.named + self.unnamed;
        let stem = &self.reader.stem;
        sink.notice(Notice {
            kind: NoticeKind::Warning(WarningCode::MissingRun),
            place: self.first_unnamed,
            run: Some(stem.clone()),
            message: format!(
                "{} of {all} records name no run; they belong to the run `{stem}`",
                self.unnamed
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
            reader: Reader {
                stem: opening.stem.to_owned(),
            },
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

    /// Whether an unknown name is met for the first time in the input, as far as that is remembered.
    fn is_new(&mut self, name: &str) -> bool {
        let new = self.names.len() < MOST_NAMES && !self.names.contains(name);
        new && self.names.insert(name.to_owned())
    }
}

impl Apart for Reader {
    fn record<'a>(&self, record: Record<'a>, found: &mut Found<'a>) {
        let mut scan = Scan::default();
        let scanned = json::scan_object(record.text, |m| scan.member(m));
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
            sink: found,
        };
        match scanned {
            Ok(true) => self.object(&mut fields, &scan, bad_byte),
            Ok(false) => {
                let message = "the record is not an object".to_owned();
                fields.fault(FaultCode::NotAnObject, 0, message);
                not_utf8(&mut fields, bad_byte);
            }
            Err(error) => {
                scan.tell_names(&mut fields, None);
                fields.sink.notice(syntax::fault(&record, &error));
                fields.unusable = true;
                not_utf8(&mut fields, bad_byte);
            }
        }
    }
}

impl<'a> Scan<'a> {
    #[inline(always)]
    fn member(&mut self, member: RawMember<'a>) {
        let RawMember { key, value } = member;
        let known = match key.bytes {
            [_, name @ .., _] => Key::find(name),
            _ => None,
        };
        if let Some(known) = known.or_else(|| self.odd_key(key.bytes, key.offset)) {
            self.slots.put(known, key.offset, value);
        }
    }

    /// Takes a key that is not known as it is written, and finds it where it is known otherwise.
    #[cold]
    #[inline(never)]
    fn odd_key(&mut self, quoted: &'a [u8], offset: usize) -> Option<Key> {
        let name = decode(quoted);
        self.broken_name |= name.damage == Damage::InvalidUtf8;
        if name.damage == Damage::None
            && let Some(known) = Key::find(name.text.as_bytes())
        {
            return Some(known);
        }
        if self.broken_name || self.unknown.len() == MOST_NAMES {
            self.untold += 1;
        } else {
            self.unknown.push((name.text, offset));
        }
        None
    }

    /// Tells the names that are not known, in a record of that kind.
    #[inline]
    fn tell_names(&self, fields: &mut Fields<'_, 'a>, kind: Option<Kind>) {
        if !self.unknown.is_empty() {
            self.tell_all_names(fields, kind);
        }
    }

    fn tell_all_names(&self, fields: &mut Fields<'_, 'a>, kind: Option<Kind>) {
        // From name to name: looking for line ends from the start for each would be quadratic.
        let mut rest = fields.record;
        let mut done = 0;
        for (name, offset) in &self.unknown {
            rest.place = rest.at(offset - done);
            rest.text = rest.text.get(offset - done..).unwrap_or_default();
            done = *offset;
            fields.sink.push(Item::Name {
                name: name.clone(),
                kind,
                place: rest.place,
                run: fields.run.clone(),
            });
        }
    }
}

impl Reader {
    /// Reads a record that is an object.
    fn object<'a>(&self, fields: &mut Fields<'_, 'a>, scan: &Scan<'a>, bad_byte: Option<usize>) {
        let run = self.run(fields);
        let kind = kind(fields);
        if run.is_none() && matches!(kind, Some(Kind::RunStart | Kind::RunEnd)) {
            // It should have said which run it is of, and that is not the file's.
            fields.run = None;
        }
        if kind.is_none() {
            scan.tell_names(fields, None);
        }
        let event = kind.and_then(|kind| {
            let unknown = scan.unknown.len() as u64 + scan.untold + scan.slots.misplaced(kind);
            if unknown > 0 {
                fields.sink.push(Item::Unknown(unknown));
            }
            repeated(fields, kind);
            scan.tell_names(fields, Some(kind));
            of_runs(fields, kind);
            fields.event(kind, run)
        });
        not_utf8(fields, bad_byte);
        if let Some(event) = event
            && !fields.unusable
        {
            fields.sink.event(fields.record.place, event);
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

/// Tells what a call says of its run.
fn of_runs(fields: &mut Fields<'_, '_>, kind: Kind) {
    if kind != Kind::ToolCall {
        return;
    }
    for key in [Key::Intent, Key::Label] {
        if let Some(raw) = fields.slots.get(key) {
            fields.sink.push(Item::Misplaced {
                key,
                place: fields.record.at(raw.offset),
                run: fields.run.clone(),
            });
        }
    }
}

/// A warning about a field of runs on a call: left out, the call is judged without it.
fn misplaced(key: Key, place: Place, run: Option<Cow<'_, str>>) -> Notice {
    let name = key.name();
    let help = "give it in a `run_start`; labelled cases, a call a line, are read with \
                `--from cases`";
    Notice {
        kind: NoticeKind::Warning(WarningCode::MisplacedField),
        place,
        run: run.map(Cow::into_owned),
        message: format!("`{name}` is a field of runs, which calls do not have, and is ignored"),
        help: Some(help.to_owned()),
    }
}

/// A warning about an unknown name that somebody may have written for a known one.
fn similar(name: &str, kind: Kind, place: Place, run: Option<Cow<'_, str>>) -> Option<Notice> {
    let meant = keys::similar(name, kind)?;
    Some(Notice {
        kind: NoticeKind::Warning(WarningCode::SimilarField),
        place,
        run: run.map(Cow::into_owned),
        message: format!("{} is no known field and is ignored", quoted(name)),
        help: Some(format!("did you mean `{meant}`")),
    })
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
