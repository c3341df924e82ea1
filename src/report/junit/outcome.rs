//! What runs and inputs come to, and the words for it.

use super::Notices;
use super::case::{Case, Found, Marks, Rule, Told};
use crate::audit::summary::InputSummary;
use crate::exit::Finding;
use crate::number::count;
use crate::report::Header;
use crate::report::json::v1::notice_kind;
use crate::report::table::text;
use crate::trace::fault::Notice;

/// What a test came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Passed,
    /// Not passed, and not counted by the exit status either; why.
    Skipped(String),
    Failure {
        kind: String,
        message: String,
    },
    Error {
        kind: String,
        message: String,
    },
}

/// What an input comes to by itself: nothing where its runs say it already.
pub fn input_outcome(
    notices: &Notices,
    about: Option<&InputSummary>,
    doubtful: bool,
    rule: Rule<'_>,
) -> Option<Outcome> {
    if let Some(why) = about.and_then(InputSummary::unreadable) {
        let (kind, message) = ("unreadable".to_owned(), text::prose(&why));
        return Some(Outcome::Error { kind, message });
    }
    let cut_off = about.is_some_and(|about| !about.complete);
    if !cut_off && (doubtful || notices.faults == 0) {
        return None;
    }
    let faults = count(notices.faults, "input fault", "input faults");
    let message = match cut_off {
        true => format!("the input was not read to its end; {faults}"),
        false => faults,
    };
    Some(match rule.settings.allow_faults {
        true => Outcome::Skipped(format!("{message}, which are allowed")),
        false => {
            let kind = "fault".to_owned();
            Outcome::Error { kind, message }
        }
    })
}

/// What a run comes to.
pub fn outcome(case: &Found, rule: Rule<'_>) -> Outcome {
    const DOUBT: &str = "inconclusive: a fault leaves the state of the run in doubt";
    let allowed = rule.settings.allow_faults;
    let found = found(case, rule);
    if case.doubtful && !allowed {
        let found = found.map_or(String::new(), |found| format!("; {found}"));
        let (kind, message) = ("inconclusive".to_owned(), format!("{DOUBT}{found}"));
        return Outcome::Error { kind, message };
    }
    if let Some(told) = headline(case, rule) {
        let (kind, message) = (told.kind.clone(), told.message.clone());
        return Outcome::Failure { kind, message };
    }
    if case.doubtful {
        return Outcome::Skipped(format!("{DOUBT}; faults are allowed"));
    }
    if case.calls == 0 {
        return Outcome::Skipped("no call".to_owned());
    }
    match case.counted(Marks::is_stopped) {
        0 => Outcome::Passed,
        _ => Outcome::Skipped(format!(
            "{}, which the exit status does not count",
            uncounted(case, rule)
        )),
    }
}

/// The call that a run fails by: of those that count the first that is listed, else the first.
fn headline<'c>(case: &'c Found, rule: Rule<'_>) -> Option<&'c Told> {
    let mut counted = case.told().iter().filter(|told| rule.counts(told.marks));
    let listed = counted.clone().find(|told| told.listed);
    listed.or_else(|| counted.next())
}

/// Input and line to look at: those of the call that the run fails by, else of its first.
pub fn to_look_at(case: &Case, rule: Rule<'_>) -> (usize, u64) {
    let first = (case.input, case.kept.line);
    headline(&case.kept, rule).map_or(first, |told| (told.input, told.line))
}

/// What counts of a run, in the words of the exit status; absent if nothing does.
fn found(case: &Found, rule: Rule<'_>) -> Option<String> {
    let kinds = Finding::ALL.iter().filter_map(|&(finding, _)| {
        let count = case.counted(|marks| rule.counts_as(marks, finding));
        (count > 0).then(|| finding.counted(count))
    });
    Some(kinds.collect::<Vec<_>>().join(", ")).filter(|found| !found.is_empty())
}

/// What was found of a run and does not count.
fn uncounted(case: &Found, rule: Rule<'_>) -> String {
    let kinds = Finding::ALL.iter().filter_map(|&(finding, _)| {
        let count = case.counted(|marks| marks.has(finding) && !rule.counts_as(marks, finding));
        (count > 0).then(|| finding.counted(count))
    });
    kinds.collect::<Vec<_>>().join(", ")
}

/// What was found of a run, then its calls, a line each behind where they stand.
pub fn lines(case: &Case, header: &Header, rule: Rule<'_>) -> String {
    let case = &case.kept;
    if case.is_plain() {
        return String::new();
    }
    let mut head = vec![count(case.calls, "call", "calls")];
    head.extend(found(case, rule));
    let uncounted = uncounted(case, rule);
    if !uncounted.is_empty() {
        head.push(format!("not counted: {uncounted}"));
    }
    let mut lines = vec![head.join("; ")];
    let listed = case.told().iter().filter(|told| told.listed);
    lines.extend(listed.map(|told| {
        let file = text::name(header.input(told.input));
        format!("{file}:{}: {}", told.line, told.text)
    }));
    let more = case.counted(|_| true) - (lines.len() as u64 - 1);
    if more > 0 {
        let calls = count(more, "more call is", "more calls are");
        lines.push(format!("{calls} not told here"));
    }
    lines.join("\n")
}

/// A fault or a warning on a line.
pub fn notice(notice: &Notice, input: &str) -> String {
    let mut place = text::name(input);
    for position in [notice.place.line, notice.place.column] {
        if position > 0 {
            place.push_str(&format!(":{position}"));
        }
    }
    let run = notice.run.as_ref();
    let run = run.map_or(String::new(), |run| format!(" in run {}", text::name(run)));
    let help = notice.help.as_ref();
    let help = help.map_or(String::new(), |help| format!("; {}", text::prose(help)));
    format!(
        "{place}: {} {}{run}: {}{help}",
        notice_kind(notice),
        notice.kind.code(),
        text::prose(&notice.message)
    )
}
