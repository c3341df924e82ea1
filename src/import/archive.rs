//! An input that is a zip archive: the logs of evaluations are, with a header and a member a sample.
//!
//! Its members become records, each standing for the line of its number in the archive. Any other
//! archive is left alone.

use super::cut::Head;
use super::drive::Cut;
use super::foreign::quote;
use super::reading::Reading;
use super::{Importer, Opening, Record, canonical};
use crate::trace::archive::{Archive, Unread};
use crate::trace::fault::{FaultCode, Notice, NoticeKind, Place, WarningCode};
use crate::trace::input::Input;
use crate::trace::json::parse_tolerant;

/// How many times its size an archive may unpack to. Logs say the same thing over and over, and
/// pack to a hundredth; what goes far beyond is made to fill the memory or the time of its reader.
const RATIO: u64 = 1000;

/// Members that are tried for one that tells the format.
const TRIED: usize = 4;

/// What tells of the whole; the second is written when it begins, the first when it ends.
const HEADS: [&str; 2] = ["header.json", "_journal/start.json"];

/// What repeats parts of other members.
const REPEATS: [&str; 2] = ["summaries.json", "reductions.json"];

/// What of an archive is read, by the numbers of its members.
#[derive(Debug, Default)]
struct Plan {
    heads: Vec<usize>,
    records: Vec<usize>,
    unknown: Vec<usize>,
}

impl Plan {
    fn of(names: &[String]) -> Plan {
        let mut plan = Plan::default();
        for head in HEADS {
            plan.heads
                .extend(names.iter().rposition(|name| name == head));
        }
        for (index, name) in names.iter().enumerate() {
            let repeats = REPEATS.contains(&name.as_str()) || name.starts_with("_journal/");
            if name.starts_with("samples/") && name.ends_with(".json") {
                plan.records.push(index);
            } else if !repeats && !HEADS.contains(&name.as_str()) && !name.ends_with('/') {
                plan.unknown.push(index);
            }
        }
        plan
    }
}

/// The member at hand, by which notices are placed.
#[derive(Debug)]
pub(super) struct Member {
    line: u64,
    name: String,
}

impl Member {
    /// Places a notice. A member may have line ends of its own, which count no lines here.
    pub(super) fn place(&self, notice: &mut Notice) {
        if notice.place.line != self.line {
            notice.place.column = 0;
        }
        notice.place.line = self.line;
        notice.message = format!("{}, in {}", notice.message, quote(&self.name));
    }
}

/// What of the members has been unpacked, and may be yet.
struct Unpacking {
    buffer: Vec<u8>,
    bytes: u64,
    most: u64,
}

impl Reading<'_, '_> {
    /// Reads the members of an archive that begins with `head`. False means that it is none whose
    /// members are known; then nothing has been said of it.
    pub(super) fn archive(&mut self, stem: &str, head: &mut Head, source: &mut Input<'_>) -> bool {
        head.hold(self.options.max_hold, source);
        let Some(mut archive) = Archive::open(&head.bytes) else {
            return false;
        };
        let plan = Plan::of(archive.names());
        if plan.heads.is_empty() {
            return false;
        }
        self.report.cut = Cut::Document;
        self.tell_of_archive(&archive, &plan, head.ended);
        let chosen = self.detect(&mut archive, &plan);
        self.report.format = chosen;
        self.refused = chosen.is_none();
        self.cut_off |= self.refused;
        let format = chosen
            .and_then(super::drive::format)
            .unwrap_or(&canonical::FORMAT);
        let mut importer = (format.importer)(Opening {
            input: self.input,
            stem,
            max_hold: self.options.max_hold,
        });
        let packed = (head.bytes.len() as u64).saturating_mul(RATIO);
        let most = packed.max(self.options.max_line as u64);
        let mut unpacking = Unpacking {
            buffer: Vec::new(),
            bytes: 0,
            most: self.options.max_bytes.map_or(most, |max| max.min(most)),
        };
        self.members(&mut archive, &plan, &mut unpacking, importer.as_mut());
        importer.finish(self);
        self.report.unknown_fields = importer.unknown_fields();
        self.unpacked = Some(unpacking.bytes);
        true
    }

    /// Says what is wrong with the archive as a whole, and how much of it is passed over.
    fn tell_of_archive(&mut self, archive: &Archive<'_>, plan: &Plan, ended: bool) {
        if !ended {
            let max = self.options.max_hold;
            let message = format!("the archive is longer than {max} bytes; the rest is not read");
            let help = Some("raise `--max-hold`".to_owned());
            self.cut_off = true;
            self.of_input(FaultCode::LineTooLong, message, help);
        } else if let Some(damage) = archive.damage() {
            self.cut_off = true;
            self.of_input(FaultCode::TruncatedInput, damage.to_owned(), None);
        }
        let place = self.place(0, 0);
        if archive.repeats_names() {
            let message = "members of the archive have the same name; the last of each is read";
            self.warn(WarningCode::Assumed, place, message.to_owned());
        }
        if let Some(name) = plan.unknown.first().and_then(|&i| archive.names().get(i)) {
            let count = plan.unknown.len();
            let name = quote(name);
            let message = format!("{count} members of unknown names are skipped, first {name}");
            self.warn(WarningCode::Assumed, place, message);
        }
    }

    /// The format of the archive, by the first member that can be read at all.
    fn detect(&mut self, archive: &mut Archive<'_>, plan: &Plan) -> Option<&'static str> {
        let max = self.options.max_line as u64;
        let mut buffer = Vec::new();
        for &index in plan.heads.iter().chain(&plan.records).take(TRIED) {
            if archive.read(index, max, &mut buffer).is_err() {
                continue;
            }
            if let Ok((json, _)) = parse_tolerant(&buffer) {
                let chosen = self.choose(&[json])?;
                let (all, used) = (archive.names().len(), plan.records.len() + 1);
                let rest = all.saturating_sub(used);
                self.report.reason += &format!(
                    "; a zip archive of {all} members, of which {rest} repeat others or are not known"
                );
                return Some(chosen.id);
            }
        }
        let message = "no member of the archive can be read that tells its format";
        self.of_input(FaultCode::MalformedJson, message.to_owned(), None);
        None
    }

    fn members(
        &mut self,
        archive: &mut Archive<'_>,
        plan: &Plan,
        unpacking: &mut Unpacking,
        importer: &mut dyn Importer,
    ) {
        let heads = plan.heads.iter().map(|index| (index, true));
        let records = plan.records.iter().map(|index| (index, false));
        let mut has_head = false;
        for (&index, is_head) in heads.chain(records) {
            // The second is only read in place of the first.
            if is_head && has_head {
                continue;
            }
            if !self.next_member(archive, index, unpacking, importer) {
                let most = unpacking.most;
                let message = format!("the archive unpacks to more than {most} bytes");
                self.cut_off = true;
                return self.of_input(FaultCode::TruncatedInput, message, None);
            }
            has_head |= is_head && !self.faulted;
        }
    }

    /// Reads a member. False means that more has been unpacked than may be.
    fn next_member(
        &mut self,
        archive: &mut Archive<'_>,
        index: usize,
        unpacking: &mut Unpacking,
        importer: &mut dyn Importer,
    ) -> bool {
        let left = unpacking.most.saturating_sub(unpacking.bytes);
        let max = left.min(self.options.max_line as u64);
        let read = archive.read(index, max, &mut unpacking.buffer);
        unpacking.bytes += unpacking.buffer.len() as u64;
        if read == Err(Unread::TooLong) && max == left {
            return false;
        }
        let line = index as u64 + 1;
        let name = archive.names().get(index).cloned().unwrap_or_default();
        self.member = Some(Member { line, name });
        self.report.lines += 1;
        self.faulted = false;
        let place = self.place(line, 1);
        match read {
            Ok(()) if self.refused => {}
            Ok(()) => {
                let text = unpacking.buffer.trim_ascii();
                let last = false;
                importer.record(Record { place, text, last }, self);
            }
            Err(why) => self.unread(&why, place),
        }
        self.count();
        self.member = None;
        true
    }

    fn unread(&mut self, why: &Unread, place: Place) {
        let (code, message, help) = match why {
            Unread::TooLong => {
                let max = self.options.max_line;
                let message = format!("the member has more than {max} bytes");
                (FaultCode::LineTooLong, message, Some("raise `--max-line`"))
            }
            Unread::Damaged(why) => {
                self.cut_off = true;
                let message = format!("the member cannot be unpacked: {why}");
                (FaultCode::TruncatedInput, message, None)
            }
        };
        self.tell_with_help(NoticeKind::Fault(code), place, message, help);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_read_and_what_repeats_them_is_not() {
        let names = [
            "_journal/start.json",
            "samples/a_epoch_1.json",
            "_journal/summaries/1.json",
            "summaries.json",
            "samples/",
            "samples/b/c_epoch_1.json",
            "samples/notes.txt",
            "header.json",
        ];
        let plan = Plan::of(&names.map(str::to_owned));
        assert_eq!(plan.heads, [7, 0]);
        assert_eq!(plan.records, [1, 5]);
        assert_eq!(plan.unknown, [6]);
    }
}
