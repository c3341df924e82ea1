//! The scores of one embedder, and what thresholds make of them.

use super::Asked;
use super::auc::{Auc, Grouped, sorted};
use super::found::{Band, Calibrated, Calls, CategoryRow, Flagged, RateRow, Share, Suggested};
use super::runs::Best;
use super::scorer::{Scored, Scorer, Thresholds};
use super::snippet;
use super::threshold;
use super::worst::{Example, Worst};
use crate::trace::fault::Place;
use crate::verify::clusters::{ClusteredRate, Clusters};
use crate::verify::stats::Rate;
use std::collections::BTreeMap;

/// A call, or the greatest scores of an attack.
#[derive(Clone, Copy, Debug)]
struct Point {
    score: f64,
    /// Harm; -1 where it is not known.
    harm: f64,
    group: u32,
}

/// What one embedder says of the corpus: of calls that are held against an intent, or whose score is
/// recorded, and of calls that are not.
#[derive(Debug)]
pub(super) struct Pools {
    pub(super) asked: Pool,
    unasked: Pool,
}

impl Pools {
    pub(super) fn new(list: usize) -> Pools {
        Pools {
            asked: Pool::new(list),
            unasked: Pool::new(list),
        }
    }

    /// Where a call of that score belongs.
    pub(super) fn of(&mut self, scored: &Scored) -> &mut Pool {
        match scored.parts.as_ref().is_none_or(|parts| parts.asked) {
            true => &mut self.asked,
            false => &mut self.unasked,
        }
    }

    pub(super) fn finish(
        self,
        scorer: &Scorer,
        asked: &Asked,
        categories: &[Box<str>],
    ) -> Calibrated {
        let (with, others) = (scorer.thresholds, scorer.without_intent);
        let calls = others.map_or(Calls::All, |_| Calls::WithIntent);
        let alone = self.asked.is_empty();
        let without = others.filter(|_| !self.unasked.is_empty()).map(|own| {
            let calls = Calls::WithoutIntent;
            self.unasked.finish(scorer, calls, own, asked, categories)
        });
        let mut found = match without {
            Some(without) if alone => without,
            without => {
                let mut found = self.asked.finish(scorer, calls, with, asked, categories);
                found.without_intent = without.map(Box::new);
                found
            }
        };
        found.suggested.toml = snippet::toml(&found, scorer, asked);
        found
    }
}

/// What one embedder says of calls whose scores are alike.
#[derive(Debug)]
pub(super) struct Pool {
    ordinary: Vec<Point>,
    attacks: Vec<Point>,
    /// Category of each attack.
    categories: Vec<Option<u32>>,
    /// Calls without a score to go by.
    pub(super) unscored: u64,
    loudest: Worst,
    quietest: Worst,
}

impl Pool {
    fn new(list: usize) -> Pool {
        Pool {
            ordinary: Vec::new(),
            attacks: Vec::new(),
            categories: Vec::new(),
            unscored: 0,
            loudest: Worst::new(list, false),
            quietest: Worst::new(list, true),
        }
    }

    /// An ordinary call was scored.
    pub(super) fn ordinary(
        &mut self,
        group: u32,
        place: Place,
        scored: Scored,
        example: impl FnOnce(Scored) -> Example,
    ) {
        let score = scored.score;
        self.ordinary.push(Point {
            score,
            harm: scored.parts.as_ref().map_or(-1.0, |parts| parts.harm),
            group,
        });
        self.loudest.add(score, place, || example(scored));
    }

    /// An attack is over.
    pub(super) fn attack(&mut self, group: u32, category: Option<u32>, best: Best) {
        let Some(example) = best.example else { return };
        self.attacks.push(Point {
            score: example.scored.score,
            harm: best.harm,
            group,
        });
        self.categories.push(category);
        let (score, place) = (example.scored.score, example.place);
        self.quietest.add(score, place, || example);
    }

    fn is_empty(&self) -> bool {
        self.ordinary.is_empty() && self.attacks.is_empty()
    }

    fn finish(
        self,
        scorer: &Scorer,
        calls: Calls,
        own: Thresholds,
        asked: &Asked,
        categories: &[Box<str>],
    ) -> Calibrated {
        let scores = |points: &[Point]| -> Vec<Grouped> {
            points.iter().map(|p| (own.score(p), p.group)).collect()
        };
        let harms = |points: &[Point]| -> Vec<Grouped> {
            points.iter().map(|p| (p.harm, p.group)).collect()
        };
        let harm_auc = || Auc::of(&harms(&self.attacks), &harms(&self.ordinary));
        let mut found = Calibrated {
            embedder: scorer.embedder,
            calls,
            without_intent: None,
            sha256: scorer.sha256.clone(),
            descriptions: scorer.descriptions,
            own_descriptions: scorer.own_descriptions,
            thresholds: own,
            ordinary: self.ordinary.len() as u64,
            attacks: self.attacks.len() as u64,
            unscored: self.unscored,
            auc: Auc::of(&scores(&self.attacks), &scores(&self.ordinary)),
            harm_auc: own.harm_floor.and_then(|_| harm_auc()),
            bands: self.bands(&own),
            table: Vec::new(),
            suggested: Suggested::default(),
            categories: self.by_category(&own, categories),
            loudest: self.loudest.list().to_vec(),
            quietest: self.quietest.list().to_vec(),
        };
        let rates = asked.rates.iter();
        found.table = rates.map(|rate| self.row(*rate, &found)).collect();
        found.suggested = self.suggest(&own, asked);
        found
    }

    fn bands(&self, own: &Thresholds) -> Vec<Band> {
        let mut bands = vec![
            Band {
                key: "escalate",
                threshold: own.escalate,
                flagged: self.flagged(|p| own.escalates(p, own.escalate)),
            },
            Band {
                key: "block",
                threshold: own.block,
                // What the floor raises is escalated and never blocked.
                flagged: self.flagged(|p| p.score >= own.block),
            },
        ];
        if let Some(floor) = own.harm_floor {
            bands.push(Band {
                key: "harm_floor",
                threshold: floor,
                flagged: self.flagged(|p| p.harm >= floor),
            });
        }
        bands
    }

    fn row(&self, rate: f64, found: &Calibrated) -> RateRow {
        let threshold = self.threshold(&self.ordinary, rate, &found.thresholds);
        RateRow {
            rate,
            threshold,
            flagged: threshold.map(|t| self.flagged(|p| p.score >= t)),
            can_tell: found.can_tell(rate),
        }
    }

    /// The least threshold at which at most that share of all ordinary calls is among those of
    /// `points` that reach it, or not among `points`.
    fn threshold(&self, points: &[Point], rate: f64, own: &Thresholds) -> Option<f64> {
        let others = self.ordinary.len() - points.len();
        let alarms = threshold::most(self.ordinary.len(), rate).checked_sub(others)?;
        // A recorded score may be any number.
        let greatest = own.harm_floor.map_or(f64::MAX, |_| 1.0);
        let attacks = ascending(&self.attacks);
        threshold::least(&ascending(points), &attacks, alarms, greatest)
    }

    fn suggest(&self, own: &Thresholds, asked: &Asked) -> Suggested {
        let unfloored = self.ordinary.iter().filter(|p| !own.is_floored(p));
        let unfloored: Vec<Point> = unfloored.copied().collect();
        let escalate = self.threshold(&unfloored, asked.escalate_at, own);
        let block = self.threshold(&self.ordinary, asked.block_at, own);
        // What is blocked is not to be less than what is escalated.
        let block = block.map(|block| block.max(escalate.unwrap_or(0.0)));
        Suggested {
            escalate,
            escalated: escalate.map(|t| self.flagged(|p| own.escalates(p, t))),
            block,
            blocked: block.map(|t| self.flagged(|p| p.score >= t)),
            toml: None,
        }
    }

    fn by_category(&self, own: &Thresholds, names: &[Box<str>]) -> Vec<CategoryRow> {
        let mut counts: BTreeMap<&str, [u64; 3]> = BTreeMap::new();
        for (point, category) in self.attacks.iter().zip(&self.categories) {
            let name = category.and_then(|c| names.get(c as usize));
            let Some(name) = name else { continue };
            let [all, escalated, blocked] = counts.entry(name).or_default();
            *all += 1;
            *escalated += u64::from(own.escalates(point, own.escalate));
            *blocked += u64::from(point.score >= own.block);
        }
        let rows = counts.into_iter();
        rows.map(|(name, [all, escalated, blocked])| CategoryRow {
            name: name.to_owned(),
            escalated: Rate::new(escalated, all),
            blocked: Rate::new(blocked, all),
        })
        .collect()
    }

    fn flagged(&self, is_flagged: impl Fn(&Point) -> bool) -> Flagged {
        Flagged {
            alarms: share(&self.ordinary, &is_flagged),
            caught: share(&self.attacks, &is_flagged),
        }
    }
}

impl Thresholds {
    fn is_floored(&self, point: &Point) -> bool {
        self.harm_floor.is_some_and(|floor| point.harm >= floor)
    }

    /// Whether a call is escalated or blocked where scores are escalated from `escalate` on.
    fn escalates(&self, point: &Point, escalate: f64) -> bool {
        point.score >= escalate || self.is_floored(point)
    }

    /// The score as the stage has it: raised to `escalate` where harm reaches the floor.
    fn score(&self, point: &Point) -> f64 {
        if self.is_floored(point) {
            point.score.max(self.escalate)
        } else {
            point.score
        }
    }
}

fn ascending(points: &[Point]) -> Vec<f64> {
    let scores: Vec<Grouped> = points.iter().map(|p| (p.score, p.group)).collect();
    sorted(&scores)
}

fn share(points: &[Point], is_hit: impl Fn(&Point) -> bool) -> Share {
    let mut groups: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    let mut hits = 0;
    for point in points {
        let hit = u64::from(is_hit(point));
        hits += hit;
        let (members, of_group) = groups.entry(point.group).or_default();
        *members += 1;
        *of_group += hit;
    }
    let mut clusters = Clusters::default();
    groups
        .values()
        .for_each(|(n, hits)| clusters.add(*n, *hits));
    let shared = |clustered: &ClusteredRate| clustered.runs < clustered.of;
    Share {
        rate: Rate::new(hits, points.len() as u64),
        clustered: clusters.rate().filter(shared),
    }
}
