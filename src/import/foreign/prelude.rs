//! The beginning of a run that waits for the first answer of the model, because only that tells which
//! model it is.

use super::{Out, Run, meta};
use crate::trace::event::{RunStart, Timestamp};
use crate::trace::fault::Place;
use crate::trace::json::Json;
use std::borrow::Cow;

/// What is known of a run that has not begun.
#[derive(Debug, Default)]
pub struct Prelude {
    intent: Option<(Place, String)>,
    ts: Option<Timestamp<'static>>,
    meta: Vec<(&'static str, Json<'static>)>,
}

impl Prelude {
    /// Takes what the user said and when. The first text counts; absent and blank are none.
    pub fn prompt(&mut self, text: Option<&str>, ts: Option<Timestamp<'static>>, out: &Out<'_>) {
        let text = text.map(str::trim).filter(|text| !text.is_empty());
        if let (None, Some(text)) = (&self.intent, text) {
            self.intent = Some((out.place(), text.to_owned()));
            self.ts = ts;
        }
    }

    /// Takes something else that is known of the run, if it is text; the first of a name counts.
    pub fn note(&mut self, name: &'static str, value: Option<&Json<'_>>) {
        let text = value.and_then(Json::as_str).filter(|text| !text.is_empty());
        if let Some(text) = text
            && !self.meta.iter().any(|(known, _)| *known == name)
        {
            self.meta.push((name, Json::from(text.to_owned())));
        }
    }

    /// Begins the run where its prompt stood, unless it has begun.
    pub fn begin(&mut self, run: &mut Run, out: &mut Out<'_>) {
        if run.has_begun() {
            return;
        }
        let (place, intent) = match self.intent.take() {
            Some((place, intent)) => (place, Some(Cow::Owned(intent))),
            None => (out.place(), None),
        };
        let known = std::mem::take(&mut self.meta);
        let start = RunStart {
            intent,
            ts: self.ts.take(),
            meta: meta(known.iter().map(|(name, value)| (*name, Some(value)))),
            ..RunStart::default()
        };
        run.begin(start, &mut out.at(place));
    }

    /// Begins the run if anything has been said in it: nothing more follows.
    pub fn end(&mut self, run: &mut Run, out: &mut Out<'_>) {
        if self.intent.is_some() {
            self.begin(run, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::Sink;
    use crate::trace::event::Event;
    use crate::trace::fault::Notice;

    #[derive(Default)]
    struct Starts(Vec<String>);

    impl Sink for Starts {
        fn event(&mut self, place: Place, event: Event<'_>) {
            if let Event::RunStart(start) = event {
                let bytes = start.meta.map(|meta| meta.bytes().to_vec());
                let meta = bytes.map(|bytes| String::from_utf8(bytes).expect("UTF-8"));
                self.0
                    .push(format!("{} {:?} {meta:?}", place.line, start.intent));
            }
        }

        fn notice(&mut self, _: Notice) {}
    }

    fn at(line: u64) -> Place {
        Place {
            line,
            ..Place::default()
        }
    }

    #[test]
    fn a_run_begins_once_where_its_first_prompt_stood() {
        let mut sink = Starts::default();
        let (mut prelude, mut run) = (Prelude::default(), Run::default());
        prelude.prompt(Some("  "), None, &Out::new(&mut sink, at(1)));
        prelude.prompt(Some(" a "), None, &Out::new(&mut sink, at(2)));
        prelude.prompt(Some("b"), None, &Out::new(&mut sink, at(3)));
        let model = Json::from("m".to_owned());
        prelude.note("model", Some(&Json::Null));
        prelude.note("model", Some(&model));
        prelude.note("model", Some(&Json::from("n".to_owned())));
        let mut out = Out::new(&mut sink, at(4));
        prelude.begin(&mut run, &mut out);
        prelude.begin(&mut run, &mut out);
        prelude.end(&mut run, &mut out);
        assert_eq!(sink.0, [r#"2 Some("a") Some("{\"model\":\"m\"}")"#]);
    }

    #[test]
    fn a_run_in_which_nobody_spoke_does_not_begin_at_its_end() {
        let mut sink = Starts::default();
        let mut out = Out::new(&mut sink, at(1));
        Prelude::default().end(&mut Run::default(), &mut out);
        assert!(sink.0.is_empty());
    }
}
