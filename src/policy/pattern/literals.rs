//! Literals of which every match of a regex has to hold one, read off its syntax.
//!
//! Case does not count: of ASCII letters all are small, and are looked for in a text whose letters are
//! made small too. What the syntax tells of other folds (`(?i)k` is the sign of Kelvin as well) stands
//! as literals of its own.

use regex_syntax::hir::{Class, Hir, HirKind};

/// Literals of which every match holds at least one.
pub type Set = Vec<Vec<u8>>;

/// Most literals of a row of parts.
const LITERALS: usize = 16;
/// Most literals of alternatives together.
const ALTERNATIVES: usize = 64;
/// Most bytes that the literals of a row come to before they are cut.
const LENGTH: usize = 32;
/// Fewest bytes of a literal that is worth looking for: one byte stands in nearly every text.
const SHORTEST: usize = 2;
/// Length from which on a longer literal is no better than fewer ones.
const ENOUGH: usize = 6;

/// The set that tells most; absent where a match may hold none worth looking for.
pub fn required(hir: &Hir) -> Option<Set> {
    told(hir).best.filter(|set| shortest(set) >= SHORTEST)
}

/// What is known of the matches of a part.
struct Told {
    /// All that they may be, where that is few.
    exact: Option<Set>,
    /// The best set.
    best: Option<Set>,
}

impl Told {
    fn exactly(exact: Set) -> Told {
        Told {
            best: useful(&exact),
            exact: Some(exact),
        }
    }

    const NOTHING: Told = Told {
        exact: None,
        best: None,
    };
}

fn told(hir: &Hir) -> Told {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Told::exactly(vec![Vec::new()]),
        HirKind::Literal(literal) => Told::exactly(vec![literal.0.to_ascii_lowercase()]),
        HirKind::Class(class) => members(class).map_or(Told::NOTHING, Told::exactly),
        HirKind::Capture(capture) => told(&capture.sub),
        HirKind::Repetition(repetition) => {
            let part = told(&repetition.sub);
            match (repetition.min, repetition.max, part.exact) {
                (0, Some(1), Some(mut exact)) => {
                    exact.push(Vec::new());
                    Told::exactly(few(exact))
                }
                (1, Some(1), Some(exact)) => Told::exactly(exact),
                (0, ..) => Told::NOTHING,
                // Written out once is enough: what is more stands behind it.
                _ => Told {
                    exact: None,
                    best: part.best,
                },
            }
        }
        HirKind::Concat(parts) => row(parts),
        HirKind::Alternation(parts) => either(parts),
    }
}

/// Parts that follow one another.
fn row(parts: &[Hir]) -> Told {
    let mut best = None;
    let mut exact: Option<Set> = Some(vec![Vec::new()]);
    // What all parts since the last that may be anything come to.
    let mut row: Set = vec![Vec::new()];
    for part in parts {
        let part = told(part);
        best = better(best, useful(&row));
        best = better(best, part.best);
        let Some(texts) = part.exact else {
            (row, exact) = (vec![Vec::new()], None);
            continue;
        };
        let length = |set: &Set| set.iter().map(Vec::len).max().unwrap_or(0);
        let is_few = row.len() * texts.len() <= LITERALS;
        row = match is_few && length(&row) + length(&texts) <= LENGTH {
            true => joined(&row, &texts),
            false => {
                exact = None;
                texts
            }
        };
    }
    Told {
        best: better(best, useful(&row)),
        exact: exact.map(|_| row),
    }
}

/// Parts of which a match is one.
fn either(parts: &[Hir]) -> Told {
    let (mut exact, mut best) = (Some(Vec::new()), Some(Vec::new()));
    for part in parts {
        let part = told(part);
        let add = |all: Set, more: Set| few([all, more].concat());
        exact = exact.zip(part.exact).map(|(all, more)| add(all, more));
        exact = exact.filter(|all| all.len() <= ALTERNATIVES);
        best = best.zip(part.best).map(|(all, more)| add(all, more));
        best = best.filter(|all| all.len() <= ALTERNATIVES);
    }
    Told { exact, best }
}

/// The characters of a class, where they are few.
fn members(class: &Class) -> Option<Set> {
    let mut all = Vec::new();
    match class {
        Class::Unicode(class) => {
            let count = class.iter().map(|range| range.len());
            (count.sum::<usize>() <= LITERALS).then_some(())?;
            for c in class.iter().flat_map(|range| range.start()..=range.end()) {
                all.push(c.to_ascii_lowercase().to_string().into_bytes());
            }
        }
        Class::Bytes(class) => {
            let count = class.iter().map(|range| range.len());
            (count.sum::<usize>() <= LITERALS).then_some(())?;
            for byte in class.iter().flat_map(|range| range.start()..=range.end()) {
                all.push(vec![byte.to_ascii_lowercase()]);
            }
        }
    }
    Some(few(all))
}

/// Every text of one set with every text of another behind it.
fn joined(one: &Set, other: &Set) -> Set {
    let pairs = one.iter().flat_map(|a| other.iter().map(move |b| (a, b)));
    few(pairs.map(|(a, b)| [&**a, b].concat()).collect())
}

/// Without repeats.
fn few(mut set: Set) -> Set {
    set.sort_unstable();
    set.dedup();
    set
}

/// A set that says something: one that has no member has no match, and what is empty stands everywhere.
fn useful(set: &Set) -> Option<Set> {
    (shortest(set) > 0).then(|| set.clone())
}

fn shortest(set: &Set) -> usize {
    set.iter().map(Vec::len).min().unwrap_or(0)
}

/// Which of two sets tells more: long literals first, then few of them.
fn better(one: Option<Set>, other: Option<Set>) -> Option<Set> {
    let worth = |set: &Set| {
        let least = shortest(set);
        (least.min(ENOUGH), usize::MAX - set.len(), least)
    };
    match (one, other) {
        (Some(one), Some(other)) if worth(&other) > worth(&one) => Some(other),
        (Some(one), _) => Some(one),
        (None, other) => other,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::testing::Random;

    /// A pattern of all that regexes have, of few letters, so that texts match.
    pub(in super::super) fn pattern(random: &mut Random, depth: usize) -> String {
        let atoms = [
            "a",
            "b",
            "k",
            "s",
            "K",
            "ab",
            "drop",
            "Tab",
            "ſ",
            "K",
            "é",
            ".",
            r"\s",
            r"\w",
            r"\b",
            "^",
            "$",
            "[ks]",
            "[^a]",
            "[a-c]",
            "[A-K]",
            r"\d",
            r"\x41",
            "(?-u:[ab])",
            "[é-ü]",
            r"\B",
            "(?s:.)",
            "ß",
        ];
        if depth == 0 {
            return (*random.pick(&atoms)).to_owned();
        }
        let mut inner = || pattern(random, depth - 1);
        let (one, other, third) = (inner(), inner(), inner());
        match random.below(9) {
            0 => format!("{one}{other}{third}"),
            1 => format!("({one}|{other})"),
            2 => format!("(?:{one}|{other}|{third}){other}"),
            3 => {
                let times = [
                    "?", "*", "+", "{2}", "{1,3}", "{0,2}", "{2,}", "+?", "{0}", "{1}",
                ];
                format!("(?:{one}){}{other}", random.pick(&times))
            }
            4 => format!("(?i){one}{other}"),
            5 => format!("(?i:{one}){other}"),
            6 => format!("{one}(?-i:{other})"),
            7 => one,
            _ => format!("{one}{other}"),
        }
    }

    fn literals(source: &str) -> Option<Vec<String>> {
        let set = required(&regex_syntax::parse(source).expect(source))?;
        let words = set.iter().map(|l| String::from_utf8_lossy(l).into_owned());
        Some(words.collect())
    }

    #[test]
    fn every_match_holds_one_of_them() {
        for (source, expected) in [
            (r"(?i)DROP\s+table", Some(vec!["table"])),
            (
                r"/etc/(passwd|shadow)",
                Some(vec!["/etc/passwd", "/etc/shadow"]),
            ),
            (r"\brm\s+-(rf|fr)\s", Some(vec!["-fr", "-rf"])),
            (
                "(?i)ask",
                Some(vec!["ask", "as\u{212a}", "aſk", "aſ\u{212a}"]),
            ),
            ("xox[abp]-[0-9]{10,}", Some(vec!["xoxa-", "xoxb-", "xoxp-"])),
            ("(foo)+", Some(vec!["foo"])),
            ("(foo)*", None),
            ("foo|", None),
            ("foo|\\d", None),
            (r"\d+|\w", None),
            ("a.b", None),
            ("(abc){2,3}x?", Some(vec!["abc"])),
        ] {
            let expected = expected.map(|all| all.into_iter().map(str::to_owned).collect());
            assert_eq!(literals(source), expected, "{source}");
        }
    }
}
