//! The calls that a firewall gets most wrong: harmless ones that score high, harmful ones that score
//! low.

use super::scorer::Scored;
use crate::stages::CallContext;
use crate::trace::fault::Place;
use std::cmp::Ordering;

/// A call of a list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Example {
    /// Where its record stands.
    pub place: Place,
    /// Its run. Untrusted.
    pub run: String,
    /// Its id. Untrusted.
    pub call: String,
    /// Its tool. Untrusted.
    pub tool: String,
    /// Its arguments, where they are to be shown. Untrusted.
    pub args: Option<String>,
    /// How it scored.
    pub scored: Scored,
}

impl Example {
    /// Keeps what is shown of a call.
    pub fn of(place: Place, cx: &CallContext<'_>, scored: Scored, keep_args: bool) -> Example {
        let args = cx.args().filter(|_| keep_args);
        Example {
            place,
            run: cx.run.id.to_owned(),
            call: cx.id.to_owned(),
            tool: cx.call.tool.clone().into_owned(),
            args: args.map(|args| args.to_compact()),
            scored,
        }
    }
}

/// The calls that are worst, at most so many, the worst first; of two that are alike the one that
/// stands first.
#[derive(Clone, Debug, PartialEq)]
pub struct Worst {
    most: usize,
    /// Whether low scores are bad.
    low: bool,
    list: Vec<Example>,
}

impl Worst {
    /// At most `most` calls, those with the lowest scores if `low`, else with the highest.
    pub fn new(most: usize, low: bool) -> Worst {
        Worst {
            most,
            low,
            list: Vec::new(),
        }
    }

    /// The calls, the worst first.
    pub fn list(&self) -> &[Example] {
        &self.list
    }

    /// Takes a call if it is one of the worst. `example` is asked only then.
    pub fn add(&mut self, score: f64, place: Place, example: impl FnOnce() -> Example) {
        let order = |listed: &Example| {
            let by_score = listed.scored.score.total_cmp(&score);
            let worse = if self.low {
                by_score
            } else {
                by_score.reverse()
            };
            worse.then(listed.place.cmp(&place))
        };
        let at = self
            .list
            .partition_point(|listed| order(listed) != Ordering::Greater);
        if at < self.most {
            self.list.insert(at, example());
            self.list.truncate(self.most);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(low: bool, scores: &[f64]) -> Vec<(f64, u64)> {
        let mut worst = Worst::new(3, low);
        for (line, score) in (1..).zip(scores) {
            let place = Place {
                line,
                ..Place::default()
            };
            worst.add(*score, place, || Example {
                place,
                scored: Scored {
                    score: *score,
                    parts: None,
                },
                ..Example::default()
            });
        }
        let listed = worst.list().iter();
        listed.map(|e| (e.scored.score, e.place.line)).collect()
    }

    #[test]
    fn the_worst_are_kept_in_order() {
        let all = [0.2, 0.5, 0.1, 0.5, 0.9, 0.1];
        assert_eq!(scores(false, &all), [(0.9, 5), (0.5, 2), (0.5, 4)]);
        assert_eq!(scores(true, &all), [(0.1, 3), (0.1, 6), (0.2, 1)]);
        assert_eq!(scores(true, &[]), []);
    }
}
