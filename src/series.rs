//! A value over the calls of a run, in at most so many points: what a chart is drawn of, however long the
//! run is.

/// Most points of a series.
pub const POINTS: usize = 120;

/// A value over a run so far.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// In order: each the least that the calls of a stretch met.
    points: Vec<Point>,
    /// How many calls a stretch has; 0 before the first.
    stretch: u64,
    /// Calls in the last stretch.
    filled: u64,
}

/// The least value of a stretch of calls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Number in the run of the call that met it.
    pub seq: u64,
    /// The value.
    pub h: f64,
}

impl Series {
    /// The points, by number of the call.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// A later call meets the value.
    pub fn met(&mut self, seq: u64, h: f64) {
        self.stretch = self.stretch.max(1);
        match self.points.last_mut() {
            Some(last) if self.filled < self.stretch => {
                if h < last.h {
                    *last = Point { seq, h };
                }
                self.filled += 1;
            }
            _ => {
                self.points.push(Point { seq, h });
                self.filled = 1;
            }
        }
        if self.points.len() > POINTS {
            self.halve();
        }
    }

    /// Takes two stretches as one. The last stands alone, and goes on.
    fn halve(&mut self) {
        let least = |pair: &[Point]| match pair {
            [a, b] if b.h < a.h => Some(*b),
            [a, ..] => Some(*a),
            [] => None,
        };
        self.points = self.points.chunks(2).filter_map(least).collect();
        self.stretch *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However long a run is, the points are few, in order, and the least value is among them.
    #[test]
    fn long_runs_have_few_points() {
        for calls in [1u64, 2, 119, 120, 121, 241, 5000] {
            let mut series = Series::default();
            let least = calls / 3;
            for seq in 1..=calls {
                series.met(seq, if seq == least { -1.0 } else { 1.0 });
            }
            let points = series.points();
            assert!(points.len() <= POINTS, "{calls}");
            assert!(points.is_sorted_by_key(|point| point.seq));
            let lowest = points.iter().any(|point| point.h == -1.0);
            assert_eq!(lowest, least > 0, "{calls}");
        }
    }
}
