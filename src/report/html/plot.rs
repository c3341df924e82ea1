//! A barrier over the calls of a run, as a small chart in SVG: its values, the boundary where it is zero,
//! the calls that were refused and the value that each would have led to.
//!
//! Colours, widths and letters are those of the page's style; what tells refusals from hazards is the
//! shape of the mark.

use super::markup::{Html, minus};
use crate::number::rounded;
use crate::report::courses::{Course, Mark};
use crate::series::Point;

/// Edges of the plane within the drawing, which is 260 wide and 132 high.
const LEFT: f64 = 42.0;
const RIGHT: f64 = 252.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 110.0;

/// How far the first call and the last stay from the edges.
const INSET: f64 = 6.0;

/// Height of a letter, below which two labels would touch.
const LETTER: f64 = 11.0;

/// The least value of a series, of equals the first.
pub(super) fn least(points: &[Point]) -> Option<Point> {
    let points = points.iter().copied();
    points.reduce(|least, point| if point.h < least.h { point } else { least })
}

/// Appends the chart of a barrier of the course, if a call reached it.
pub(super) fn plot(out: &mut Html, course: &Course, barrier: usize, name: &str) {
    let points = course
        .kept
        .series
        .get(barrier)
        .map_or(&[][..], |s| s.points());
    let (Some(first), Some(last), Some(low)) = (points.first(), points.last(), least(points))
    else {
        return;
    };
    let marks: Vec<Marked> = course
        .kept
        .marks
        .iter()
        .map(|m| Marked::of(m, barrier))
        .collect();
    let plane = Plane::of(course, points, &marks);
    let refused = marks.iter().filter(|mark| mark.refuses).count() as u64;
    out.raw("<figure class=\"plot\"><svg viewBox=\"0 0 260 132\" role=\"img\" aria-label=\"")
        .text(name)
        .raw(", calls ")
        .number(first.seq)
        .raw(" to ")
        .number(last.seq)
        .raw(": first ")
        .float(first.h)
        .raw(", last ")
        .float(last.h)
        .raw(", least ")
        .float(low.h)
        .raw(" at call ")
        .number(low.seq);
    if refused > 0 {
        out.raw("; refuses ").counted(refused, "call", "calls");
    }
    out.raw("\">");
    plane.ground(out);
    plane.line(out, points);
    for mark in &marks {
        mark.draw(out, &plane);
    }
    plane.circle(out, low);
    plane.axes(out);
    out.raw("</svg><figcaption><b>")
        .name(name)
        .raw("</b> least ");
    out.float(low.h).raw(" at call ").number(low.seq);
    out.raw("</figcaption></figure>\n");
}

/// Appends the signs of the charts and what they mean.
pub(super) fn legend(out: &mut Html) {
    out.raw(concat!(
        "<ul class=\"legend\" aria-label=\"Signs of the charts\">\n",
        "<li><svg viewBox=\"0 0 24 14\" aria-hidden=\"true\"><path class=\"h\" d=\"M1 4H12V10H23\"/></svg>",
        " h, the value a call met</li>\n",
        "<li><svg viewBox=\"0 0 24 14\" aria-hidden=\"true\"><path class=\"zero\" d=\"M1 7H23\"/></svg>",
        " the boundary, h = 0; below it nothing may run</li>\n",
        "<li><svg viewBox=\"0 0 24 14\" aria-hidden=\"true\"><path class=\"drop\" d=\"M12 0V9\"/>",
        "<path class=\"x\" d=\"M8 6l8 8M16 6l-8 8\"/></svg>",
        " refused by this barrier: the value it would have led to</li>\n",
        "<li><svg viewBox=\"0 0 24 14\" aria-hidden=\"true\"><path class=\"other\" d=\"M12 14l-4 -8h8z\"/></svg>",
        " refused by something else</li>\n",
        "<li><svg viewBox=\"0 0 24 14\" aria-hidden=\"true\"><path class=\"hazard\" d=\"M12 2l5 5l-5 5l-5 -5z\"/></svg>",
        " hazard: refused jointly with calls in flight</li>\n",
        "<li><svg viewBox=\"0 0 24 14\" aria-hidden=\"true\"><circle class=\"low\" cx=\"12\" cy=\"7\" r=\"4\"/></svg>",
        " the least value</li>\n",
        "</ul>\n",
    ));
}

/// A call that stands out, as one barrier sees it.
struct Marked {
    seq: u64,
    /// The value it met; absent where the barriers were not reached.
    h: Option<f64>,
    /// The value it would have led to.
    next: Option<f64>,
    /// Whether this barrier refuses it.
    refuses: bool,
    /// Whether something else does.
    otherwise: bool,
    /// Whether this barrier refuses it jointly with calls in flight.
    hazard: bool,
}

impl Marked {
    fn of(mark: &Mark, barrier: usize) -> Marked {
        let reading = mark.readings.get(barrier);
        let refuses = mark.broken.contains(&barrier);
        Marked {
            seq: mark.at.seq,
            h: reading.map(|reading| reading.h),
            next: reading.and_then(|reading| reading.next),
            refuses,
            otherwise: mark.refused && !refuses,
            hazard: mark.hazard.contains(&barrier),
        }
    }

    /// Where it is marked, if at a value.
    fn value(&self) -> Option<f64> {
        let shown = self.refuses || self.hazard;
        self.next.or(self.h).filter(|_| shown)
    }

    fn draw(&self, out: &mut Html, plane: &Plane) {
        let x = plane.x(self.seq);
        if let Some(value) = self.value() {
            let y = plane.y(value);
            if let (Some(h), Some(_)) = (self.h, self.next) {
                let path = format!("M{} {}V{}", at(x), at(plane.y(h)), at(y));
                out.raw("<path class=\"drop\" d=\"").text(&path).raw("\"/>");
            }
            if self.refuses {
                let path = format!("M{} {}l7 7m0 -7l-7 7", at(x - 3.5), at(y - 3.5));
                out.raw("<path class=\"x\" d=\"").text(&path).raw("\"/>");
            }
            if self.hazard {
                let path = format!("M{} {}l4.5 4.5l-4.5 4.5l-4.5 -4.5z", at(x), at(y - 4.5));
                out.raw("<path class=\"hazard\" d=\"")
                    .text(&path)
                    .raw("\"/>");
            }
        }
        if self.otherwise {
            let path = format!("M{} {BOTTOM}l-3 -6h6z", at(x));
            out.raw("<path class=\"other\" d=\"")
                .text(&path)
                .raw("\"/>");
        }
    }
}

/// What the drawing shows: calls from left to right, values from bottom to top.
struct Plane {
    from: u64,
    to: u64,
    low: f64,
    high: f64,
}

impl Plane {
    /// All calls of the run that are known, all values of the barrier, and zero.
    fn of(course: &Course, points: &[Point], marks: &[Marked]) -> Plane {
        let values = points.iter().map(|point| point.h);
        let values = values.chain(marks.iter().filter_map(Marked::value));
        let (low, high) = values.fold((0.0_f64, 0.0_f64), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        let calls = points.iter().map(|point| point.seq);
        let calls = calls.chain(marks.iter().map(|mark| mark.seq));
        Plane {
            from: course.kept.first,
            to: calls.fold(course.kept.first, u64::max),
            low,
            high: if low < high { high } else { 1.0 },
        }
    }

    fn x(&self, seq: u64) -> f64 {
        let calls = self.to.saturating_sub(self.from);
        if calls == 0 {
            return (LEFT + RIGHT) / 2.0;
        }
        let width = RIGHT - LEFT - 2.0 * INSET;
        LEFT + INSET + width * seq.saturating_sub(self.from) as f64 / calls as f64
    }

    fn y(&self, value: f64) -> f64 {
        let span = self.high - self.low;
        let part = match span.is_finite() {
            true => (value - self.low) / span,
            // Halves of the greatest floats have a difference.
            false => (value / 2.0 - self.low / 2.0) / (self.high / 2.0 - self.low / 2.0),
        };
        BOTTOM - (BOTTOM - TOP) * part.clamp(0.0, 1.0)
    }

    /// What lies below zero, and the boundary.
    fn ground(&self, out: &mut Html) {
        let zero = self.y(0.0);
        let height = BOTTOM - zero;
        if height > 0.05 {
            out.raw("<rect class=\"below\" x=\"42\" width=\"210\" y=\"")
                .text(&at(zero))
                .raw("\" height=\"")
                .text(&at(height))
                .raw("\"/>");
        }
        let path = format!("M{LEFT} {}H{RIGHT}", at(zero));
        out.raw("<path class=\"zero\" d=\"").text(&path).raw("\"/>");
    }

    /// The values, one of them as a dot.
    fn line(&self, out: &mut Html, points: &[Point]) {
        let mut path = String::new();
        let mut before: Option<(f64, f64)> = None;
        for (place, point) in points.iter().enumerate() {
            let (x, y) = (self.x(point.seq), self.y(point.h));
            // On a level stretch the ends are enough.
            let after = points.get(place + 1).map(|next| self.y(next.h));
            let level = before.is_some_and(|(_, last)| last == y) && after == Some(y);
            if !level {
                let step = if before.is_none() { 'M' } else { 'L' };
                path += &format!("{step}{} {}", at(x), at(y));
            }
            before = Some((x, y));
        }
        match (points, before) {
            ([_], Some((x, y))) => {
                out.raw("<circle class=\"dot\" r=\"2.5\"");
                centre(out, x, y);
            }
            _ => {
                out.raw("<path class=\"h\" d=\"").text(&path).raw("\"/>");
            }
        }
    }

    fn circle(&self, out: &mut Html, point: Point) {
        let (x, y) = (self.x(point.seq), self.y(point.h));
        out.raw("<circle class=\"low\" r=\"4\"");
        centre(out, x, y);
    }

    /// The values that have a label, from the top: the boundary, and the edges that are far enough from it.
    fn labelled(&self) -> impl Iterator<Item = f64> {
        let zero = self.y(0.0);
        let far = |edge: &f64| (self.y(*edge) - zero).abs() >= LETTER;
        let (high, low) = (Some(self.high).filter(far), Some(self.low).filter(far));
        [high, Some(0.0), low].into_iter().flatten()
    }

    fn axes(&self, out: &mut Html) {
        out.raw("<path class=\"axis\" d=\"M42 10V110H252\"/>");
        for value in self.labelled() {
            let y = self.y(value);
            out.raw("<text class=\"y\" x=\"38\" y=\"")
                .text(&at(y + 3.5));
            out.raw("\">").text(&minus(&brief(value))).raw("</text>");
        }
        let alone = self.from == self.to;
        out.raw("<text y=\"124\" class=\"")
            .raw(if alone { "only" } else { "first" })
            .raw("\" x=\"")
            .text(&at(self.x(self.from)))
            .raw("\">call ")
            .number(self.from)
            .raw("</text>");
        if !alone {
            out.raw("<text y=\"124\" class=\"last\" x=\"252\">")
                .number(self.to)
                .raw("</text>");
        }
    }
}

/// Ends a circle: where it lies.
fn centre(out: &mut Html, x: f64, y: f64) {
    out.raw(" cx=\"").text(&at(x));
    out.raw("\" cy=\"").text(&at(y)).raw("\"/>");
}

/// A value in few digits, for an axis. What is not zero does not read as zero.
fn brief(value: f64) -> String {
    let size = value.abs();
    match size {
        _ if size == 0.0 => "0".to_owned(),
        _ if !(1e-3..1e6).contains(&size) => format!("{value:.1e}"),
        100.0.. => format!("{value:.0}"),
        1.0.. => rounded(format!("{value:.2}").parse().unwrap_or(value)),
        _ => rounded(format!("{value:.2e}").parse().unwrap_or(value)),
    }
}

/// A place in the drawing.
fn at(place: f64) -> String {
    let digits = format!("{place:.1}");
    digits.strip_suffix(".0").unwrap_or(&digits).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_short_and_keep_their_side_of_zero() {
        for (value, label) in [
            (0.0, "0"),
            (0.9, "0.9"),
            (-0.10000000000000009, "-0.1"),
            (9.994, "9.99"),
            (48.0, "48"),
            (12_345.6, "12346"),
            (1e300, "1.0e300"),
            (-1e-9, "-1.0e-9"),
            (-0.0004, "-4.0e-4"),
            (0.001_234, "0.00123"),
        ] {
            assert_eq!(brief(value), label);
        }
    }

    /// Where the boundary is an edge, it has one label.
    #[test]
    fn no_value_is_labelled_twice() {
        for (low, high, labels) in [
            (0.0, 1.0, &[1.0, 0.0][..]),
            (-1.0, 0.0, &[0.0, -1.0]),
            (-1.0, 1.0, &[1.0, 0.0, -1.0]),
            (-0.01, 1.0, &[1.0, 0.0]),
        ] {
            let (from, to) = (1, 2);
            let plane = Plane {
                from,
                to,
                low,
                high,
            };
            assert_eq!(plane.labelled().collect::<Vec<_>>(), labels);
        }
    }

    /// Whatever the values, every coordinate lies within the drawing.
    #[test]
    fn nothing_is_drawn_outside() {
        let max = f64::MAX;
        for (low, high) in [
            (-max, max),
            (0.0, 5e-324),
            (0.0, 1.0),
            (-1.0, 0.0),
            (0.0, max),
        ] {
            let plane = Plane {
                from: 1,
                to: u64::MAX,
                low,
                high,
            };
            for value in [low, high, 0.0, low / 3.0, max, -max] {
                let y = plane.y(value);
                assert!((TOP..=BOTTOM).contains(&y), "{value} in {low}..{high}: {y}");
            }
            for seq in [1, 7, u64::MAX] {
                assert!((LEFT..=RIGHT).contains(&plane.x(seq)));
            }
        }
    }
}
