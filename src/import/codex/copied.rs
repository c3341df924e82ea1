//! Where the copy of a parent's history ends that a forked rollout begins with.
//!
//! The lines of a copy are stamped anew and come without a mark at their end. What is in them was not
//! changed, so they tell themselves apart, by the first of these that a line has:
//!
//! - the thread that it names is the child or another one;
//! - the id of its turn is older than the child, where both are ids that hold a time (UUID version 7);
//! - its turn started before the child did.
//!
//! Where lines have none of these, the copy ends with the first turn that is stamped more than a
//! second after the file began, and a warning says that this was assumed. A line that is the child's
//! ends the copy for good: what follows is counted, whatever it says of itself.

use crate::import::foreign::{Out, Told};
use crate::trace::fault::{Place, WarningCode};
use crate::trace::json::Json;
use std::collections::HashSet;

/// Longest time that writing a copy is taken to last, in milliseconds.
const WRITING: i64 = 1000;

/// Events that name their thread.
const OF_THREAD: &[&str] = &["item_completed", "thread_settings_applied"];

/// Events that begin a turn.
const BEGINNINGS: &[&str] = &["task_started", "turn_started", "user_message"];

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Part {
    /// No line has told yet.
    #[default]
    Unknown,
    /// Lines are the parent's.
    Copy,
    /// Lines are the child's.
    Own,
}

/// What is known of the copy that a file may begin with.
#[derive(Debug, Default)]
pub struct Copied {
    thread: Option<String>,
    /// When the thread was made, by its id, in milliseconds since 1970.
    made: Option<i64>,
    /// When the session says that it began.
    began: Option<i64>,
    /// When the first line was written.
    written: Option<i64>,
    is_child: bool,
    part: Part,
    calls: Option<(Place, u64)>,
    ids: HashSet<String>,
}

impl Copied {
    /// Of a thread that began with this `session_meta`, in this line. `is_child` says that it names a
    /// parent.
    pub fn new(thread: &str, meta: &Json<'_>, line: &Json<'_>, is_child: bool) -> Self {
        let time = |of: &Json<'_>| millis(of.get("timestamp")?.as_str()?);
        Copied {
            thread: Some(thread.to_owned()),
            made: made(thread),
            began: time(meta),
            written: time(line),
            is_child,
            ..Copied::default()
        }
    }

    /// Whether lines are the parent's now.
    pub fn is_copy(&self) -> bool {
        self.part == Part::Copy
    }

    /// Takes the `session_meta` of another thread. Returns whether a copy of it may follow: nothing
    /// has shown to be the child's, and the other thread is not the younger one.
    pub fn takes(&mut self, other: &str) -> bool {
        let younger = self
            .made
            .zip(made(other))
            .is_some_and(|(own, other)| other > own);
        if self.part == Part::Own || younger {
            return false;
        }
        self.part = Part::Copy;
        true
    }

    /// Looks at a line for whose it is.
    pub fn look(
        &mut self,
        kind: &str,
        payload: &Json<'_>,
        line: &Json<'_>,
        told: &mut Told,
        out: &mut Out<'_>,
    ) {
        if self.part == Part::Own || self.part == Part::Unknown && !self.is_child {
            return;
        }
        match self.is_own(kind, payload) {
            Some(true) => self.part = Part::Own,
            Some(false) => self.part = Part::Copy,
            None if self.is_copy() && begins(kind, payload) && self.is_late(line) => {
                self.part = Part::Own;
                let message = "the copy of a parent's history is taken to end with the first turn \
                               that is stamped later than the file began";
                told.assume(message, out);
            }
            None => {}
        }
    }

    fn is_own(&self, kind: &str, payload: &Json<'_>) -> Option<bool> {
        let text = |field: &str| payload.get(field).and_then(Json::as_str);
        let event = text("type").filter(|_| kind == "event_msg");
        let names_thread = event.is_some_and(|event| OF_THREAD.contains(&event));
        if (names_thread || kind == "token_usage_record")
            && let Some(thread) = text("thread_id")
        {
            return Some(self.thread.as_deref() == Some(thread));
        }
        if event.is_none() && kind != "turn_context" {
            return None;
        }
        let turn = text("turn_id").and_then(made);
        if let (Some(turn), Some(own)) = (turn, self.made) {
            return Some(turn >= own);
        }
        let Some(Json::Number(started)) = payload.get("started_at") else {
            return None;
        };
        let started: i64 = started.parse().ok()?;
        Some(started >= self.began?.div_euclid(1000))
    }

    fn is_late(&self, line: &Json<'_>) -> bool {
        let stamp = line
            .get("timestamp")
            .and_then(Json::as_str)
            .and_then(millis);
        // Without times nothing can be told, and what may be the child's is counted.
        stamp
            .zip(self.written)
            .is_none_or(|(now, first)| now > first.saturating_add(WRITING))
    }

    /// Whether a call of this id is the parent's; it is then counted as such.
    pub fn takes_call(&mut self, id: Option<&str>, place: Place) -> bool {
        if self.is_copy() {
            self.calls.get_or_insert((place, 0)).1 += 1;
            self.ids.extend(id.map(str::to_owned));
        }
        self.is_copy()
    }

    /// Whether a result for a call of this id is the parent's.
    pub fn takes_result(&mut self, id: &str) -> bool {
        self.is_copy() || self.ids.remove(id)
    }

    /// Whether a call of this id was the parent's and has no result yet.
    pub fn knows(&self, id: &str) -> bool {
        self.ids.contains(id)
    }

    /// Says how many calls were the parent's.
    pub fn tell(&mut self, out: &mut Out<'_>) {
        if let Some((place, count)) = self.calls.take() {
            let plural = if count == 1 { "call" } else { "calls" };
            let message = format!(
                "{count} {plural} of the parent's history, copied from here on, not counted"
            );
            out.warn_at(place, WarningCode::RepeatedCall, message);
        }
    }
}

fn begins(kind: &str, payload: &Json<'_>) -> bool {
    let event = payload.get("type").and_then(Json::as_str);
    kind == "turn_context"
        || kind == "event_msg" && event.is_some_and(|event| BEGINNINGS.contains(&event))
}

/// When an id was made that holds a time, in milliseconds since 1970.
pub fn made(id: &str) -> Option<i64> {
    let hyphens = id.bytes().enumerate().filter(|(_, b)| *b == b'-');
    let is_uuid = id.len() == 36 && hyphens.map(|(at, _)| at).eq([8, 13, 18, 23]);
    if !is_uuid || id.as_bytes().get(14) != Some(&b'7') {
        return None;
    }
    let digits = format!("{}{}", id.get(..8)?, id.get(9..13)?);
    i64::from_str_radix(&digits, 16).ok()
}

fn millis(time: &str) -> Option<i64> {
    let time: jiff::Timestamp = time.parse().ok()?;
    Some(time.as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::Sink;
    use crate::trace::event::Event;
    use crate::trace::fault::Notice;
    use crate::trace::json::parse;

    struct Nobody;

    impl Sink for Nobody {
        fn event(&mut self, _: Place, _: Event<'_>) {}
        fn notice(&mut self, _: Notice) {}
    }

    const CHILD: &str = "01990000-0001-7000-8000-000000000000";
    const OLDER: &str = "01990000-0000-7000-8000-000000000000";
    const YOUNGER: &str = "01990000-0002-7000-8000-000000000000";

    fn child(id: &str) -> Copied {
        let line = parse(br#"{"timestamp":"2026-01-01T00:00:01.900Z"}"#).expect("valid");
        Copied::new(id, &line, &line, true)
    }

    /// Whether lines are a copy after this one, stamped `seconds` after the minute.
    fn after(copied: &mut Copied, kind: &str, payload: &str, seconds: &str) -> bool {
        let line = format!(r#"{{"timestamp":"2026-01-01T00:00:{seconds}Z"}}"#);
        let line = parse(line.as_bytes()).expect("valid");
        let payload = parse(payload.as_bytes()).expect("valid");
        let mut nobody = Nobody;
        let mut out = Out::new(&mut nobody, Place::default());
        copied.look(kind, &payload, &line, &mut Told::default(), &mut out);
        copied.is_copy()
    }

    #[test]
    fn an_id_holds_the_time_at_which_it_was_made() {
        assert_eq!(made(CHILD), Some(0x0199_0000_0001));
        assert_eq!(made("01990000-0001-4000-8000-000000000000"), None);
        assert_eq!(made("01990000é0001-7000-8000-00000000000"), None);
        assert_eq!(made("child"), None);
    }

    #[test]
    fn a_copy_ends_with_a_turn_that_is_younger_than_the_child() {
        let mut copied = child(CHILD);
        assert!(copied.takes(OLDER));
        let turn = |id: &str| format!(r#"{{"type":"task_started","turn_id":"{id}"}}"#);
        assert!(after(&mut copied, "event_msg", &turn(OLDER), "09"));
        assert!(after(&mut copied, "turn_context", &turn(OLDER), "09"));
        assert!(!after(&mut copied, "event_msg", &turn(YOUNGER), "02"));
        assert!(
            !after(&mut copied, "event_msg", &turn(OLDER), "02"),
            "for good"
        );
        assert!(!copied.takes(OLDER), "another session");
    }

    #[test]
    fn a_copy_ends_with_a_line_that_names_the_child() {
        let mut copied = child("c");
        assert!(copied.takes("p"));
        let of = |thread: &str| {
            format!(r#"{{"type":"thread_settings_applied","thread_id":"{thread}"}}"#)
        };
        assert!(after(&mut copied, "event_msg", &of("p"), "09"));
        assert!(!after(&mut copied, "event_msg", &of("c"), "01"));
    }

    #[test]
    fn a_turn_that_started_before_the_child_is_a_copy() {
        let mut copied = child("c");
        let at = |second: u64| format!(r#"{{"type":"task_started","started_at":{second}}}"#);
        assert!(after(&mut copied, "event_msg", &at(1_767_225_600), "09"));
        assert!(!after(&mut copied, "event_msg", &at(1_767_225_601), "02"));
    }

    #[test]
    fn times_of_lines_decide_where_nothing_else_does() {
        let mut copied = child("c");
        assert!(copied.takes("p"));
        let turn = r#"{"type":"task_started","turn_id":"t2"}"#;
        assert!(after(&mut copied, "event_msg", turn, "02"));
        assert!(after(&mut copied, "response_item", turn, "09"));
        assert!(!after(&mut copied, "event_msg", turn, "09"));
    }

    #[test]
    fn a_younger_thread_is_no_parent() {
        assert!(!child(CHILD).takes(YOUNGER));
    }
}
