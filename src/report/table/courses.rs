//! How the barriers went over the runs that came nearest a refusal, as lines of bars.

use super::page::Page;
use super::text;
use crate::report::chart;
use crate::report::courses::{Course, Courses};

/// Most runs that are drawn.
pub const RUNS: usize = 5;

/// Columns of a line of bars: what is tried in turn until all lines fit.
const BARS: [usize; 3] = [24, 16, 8];

/// Adds the section, of an audit of so many runs; nothing where no call reached the barriers.
pub fn courses(page: &mut Page<'_>, courses: &Courses, runs: u64) {
    let met = |course: &&Course| course.kept.nearest.is_some();
    let nearest: Vec<&Course> = courses.nearest().into_iter().filter(met).collect();
    if nearest.is_empty() {
        return;
    }
    page.section("course of h over each run, those nearest to a refusal first");
    let all: Vec<usize> = (0..page.header.barriers.len()).collect();
    let mut choices: Vec<_> = BARS.map(|bars| rows(page, &nearest, &all, bars)).into();
    // The barrier that a run came nearest to alone.
    choices.push(nearest_alone(page, &nearest));
    page.rows_that_fit(choices);
    let others = match runs.saturating_sub(nearest.len() as u64) {
        0 => String::new(),
        others => format!(
            "; {} not drawn",
            text::count(others, "other run", "other runs")
        ),
    };
    page.sentence(&format!(
        "bars from 0 to the greatest value, the least of each stretch of calls; × is below zero{others}"
    ));
}

fn rows(page: &Page<'_>, runs: &[&Course], barriers: &[usize], bars: usize) -> Vec<Vec<String>> {
    let mut head = vec!["run".to_owned()];
    head.extend(barriers.iter().map(|&b| text::name(page.header.barrier(b))));
    let mut rows = vec![head];
    for course in runs {
        let mut row = vec![name(page, course)];
        let series = barriers.iter().map(|&b| course.kept.series.get(b));
        row.extend(series.map(|series| {
            let points = series.map_or(&[][..], |series| series.points());
            chart::bars(points, bars)
        }));
        rows.push(row);
    }
    rows
}

fn nearest_alone(page: &Page<'_>, runs: &[&Course]) -> Vec<Vec<String>> {
    let mut rows = vec![vec!["run".to_owned(), "nearest".to_owned(), String::new()]];
    for course in runs {
        let barrier = course
            .kept
            .nearest
            .map_or(0, |nearest| nearest.approach.measured.barrier);
        let points = course
            .kept
            .series
            .get(barrier)
            .map_or(&[][..], |s| s.points());
        rows.push(vec![
            text::cut(&name(page, course), 24),
            text::name(page.header.barrier(barrier)),
            chart::bars(points, BARS[2]),
        ]);
    }
    rows
}

/// The run, its input where there are several, and the first call known where that is not the first.
fn name(page: &Page<'_>, course: &Course) -> String {
    let mut name = text::name(&course.id);
    if page.header.inputs.len() > 1 {
        let file = text::name(page.header.input(course.input));
        name += &format!(" in {}", text::cut(&file, 30));
    }
    if course.kept.first > 1 {
        name += &format!(" from call {}", course.kept.first);
    }
    name
}
