//! The course of a barrier as a line of bars.

use crate::series::Point;

/// From the lowest to the highest.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// What stands for a value below zero.
const BELOW: char = '×';

/// At most `columns` bars, each the least value of its stretch, from zero to the greatest value.
pub fn bars(points: &[Point], columns: usize) -> String {
    let columns = columns.max(1);
    let stretch = points.len().div_ceil(columns).max(1);
    let least = |stretch: &[Point]| stretch.iter().map(|point| point.h).fold(f64::MAX, f64::min);
    let values: Vec<f64> = points.chunks(stretch).map(least).collect();
    let greatest = values.iter().copied().fold(0.0, f64::max);
    values.iter().map(|&h| bar(h, greatest)).collect()
}

fn bar(h: f64, greatest: f64) -> char {
    if h < 0.0 {
        return BELOW;
    }
    let share = if greatest > 0.0 { h / greatest } else { 0.0 };
    let step = BARS.iter().enumerate().rev();
    let mut step = step.filter(|(i, _)| share >= *i as f64 / BARS.len() as f64);
    step.next().map_or(BARS[0], |(_, bar)| *bar)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn low_values_stay_visible() {
        let points = |values: &[f64]| -> Vec<Point> {
            let all = values.iter().zip(1..);
            all.map(|(&h, seq)| Point { seq, h }).collect()
        };
        assert_eq!(bars(&points(&[0.5, 0.3, 0.1, -0.1]), 40), "█▅▂×");
        assert_eq!(bars(&points(&[1.0, -1.0, 1.0, 1.0]), 2), "×█");
        assert_eq!(bars(&points(&[0.0]), 40), "▁");
        assert_eq!(bars(&[], 40), "");
    }
}
