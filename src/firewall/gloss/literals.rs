//! Literals that every match of a pattern has to hold, read off the pattern's syntax.
//!
//! Neighbours are multiplied out as far as that stays few: of `(to|cc)=` the literals are `to=` and
//! `cc=`. They may have an edge of a word at their ends, so that `\b(me|self)\b` is not tried for
//! every `name`; a space says the same, as does one that may be left out next to what belongs to no
//! word. What is repeated stands once behind what comes before it and once
//! in front of what comes next. Of alternatives two sets are told. What is not understood has no
//! literals, which costs time and misses nothing.

use super::patterns::{is_mark, mark_bit};
use regex_syntax::ast::{
    AssertionKind, Ast, ClassPerl, ClassPerlKind, ClassSet, ClassSetItem, Literal, LiteralKind,
    RepetitionKind, RepetitionRange,
};

/// Most literals that neighbours come to when they are multiplied out.
const LITERALS: usize = 256;

/// Most literals of one set.
const SET: usize = 2 * LITERALS;

/// Most members of a class that is taken for so many literals.
const MEMBERS: usize = 10;

/// Most sets of one pattern: the bits of a byte.
pub(super) const SETS: usize = 8;

/// The marks that matches begin with, a bit each; absent where some may begin with something else.
pub(super) fn marks(ast: &Ast) -> Option<u32> {
    let mark = |literal: &Literal| {
        let bit = mark_bit(u8::try_from(literal.c).ok()?);
        (bit != 0).then_some(bit)
    };
    match ast {
        Ast::Literal(literal) => mark(literal),
        Ast::ClassBracketed(class) if !class.negated => match &class.kind {
            ClassSet::Item(ClassSetItem::Union(union)) => {
                union.items.iter().try_fold(0, |all, item| match item {
                    ClassSetItem::Literal(literal) => Some(all | mark(literal)?),
                    _ => None,
                })
            }
            _ => None,
        },
        Ast::Group(group) => marks(&group.ast),
        Ast::Concat(parts) => parts.asts.first().and_then(marks),
        Ast::Alternation(parts) => {
            let mut parts = parts.asts.iter();
            parts.try_fold(0, |all, part| Some(all | marks(part)?))
        }
        _ => None,
    }
}

/// Literals of which every match holds at least one; [`EDGE`] stands at their ends where a word has
/// to begin or end there.
pub(super) type Set = Vec<Vec<u8>>;

/// Stands for `\b`; no literal holds it.
pub(super) const EDGE: u8 = 0xff;

/// Stands for something that belongs to no word, such as a space: next to what does, it is an [`EDGE`].
/// No literal holds it.
const APART: u8 = 0xfe;

/// Most literals that the neighbours of alternatives bring along.
const NEIGHBOURS: usize = 8;

/// Sets of which every match holds one of each; none where there is no such set.
pub(super) fn required(ast: &Ast) -> Vec<Set> {
    in_a_row(std::slice::from_ref(ast), &nothing(), &nothing())
}

fn nothing() -> Set {
    vec![Vec::new()]
}

/// The sets of parts that follow one another, one of `before` in front and one of `after` behind.
fn in_a_row(parts: &[Ast], before: &Set, after: &Set) -> Vec<Set> {
    // Flags could make literals stand for others, to the end of the group.
    if parts.iter().any(sets_flags) {
        return Vec::new();
    }
    if let [Ast::Concat(inner)] = parts {
        return in_a_row(&inner.asts, before, after);
    }
    let mut sets = Vec::new();
    let mut row = before.clone();
    for (at, part) in parts.iter().enumerate() {
        if let Some(texts) = exact(part) {
            row = joined(&row, &texts).unwrap_or_else(|| {
                sets.push(std::mem::take(&mut row));
                texts
            });
            continue;
        }
        let many = match part {
            _ if is_apart(part) => Some(vec![vec![APART]]),
            // Beside what belongs to no word, spaces that may be left out change nothing.
            _ if may_be_apart(part)
                && (row.iter().all(|text| ends_apart(text))
                    || parts.get(at + 1).is_some_and(is_apart)) =>
            {
                Some(vec![vec![APART]])
            }
            Ast::Repetition(repeat) if repeats(&repeat.op.kind) => exact(&repeat.ast),
            _ => None,
        };
        // The first of many follows what is before them, and the last is followed by what comes next.
        if let Some(texts) = many {
            sets.push(joined(&row, &texts).unwrap_or(row));
            row = texts;
            continue;
        }
        let next = match parts.get(at + 1) {
            Some(next) if count(next).is_some_and(|count| count <= NEIGHBOURS) => made(next),
            Some(next) if is_apart(next) => Some(vec![vec![APART]]),
            Some(_) => None,
            None => Some(after.clone()),
        };
        let few = |set: &Set| set.len() <= NEIGHBOURS;
        let next = next.filter(few).unwrap_or_else(nothing);
        let last = Some(&row).filter(|row| few(row)).cloned();
        sets.extend(inside(part, &last.unwrap_or_else(nothing), &next));
        sets.push(std::mem::replace(&mut row, nothing()));
    }
    sets.push(joined(&row, after).unwrap_or(row));
    sets.iter_mut().for_each(clean);
    // A digit stands in most texts.
    let says = |literal: &Vec<u8>| match literal[..] {
        [byte] | [EDGE, byte] | [byte, EDGE] => byte != EDGE && !byte.is_ascii_digit(),
        _ => literal.iter().any(|byte| *byte != EDGE),
    };
    sets.retain(|set| !set.is_empty() && set.len() <= SET && set.iter().all(says));
    sets
}

/// The sets of a part that may be more than [`exact`] tells.
fn inside(part: &Ast, before: &Set, after: &Set) -> Vec<Set> {
    match part {
        _ if sets_flags(part) => Vec::new(),
        Ast::Group(group) => inside(&group.ast, before, after),
        Ast::Concat(parts) => in_a_row(&parts.asts, before, after),
        Ast::Alternation(parts) => {
            let mut all = [Vec::new(), Vec::new()];
            for part in &parts.asts {
                let Some(sets) = best(in_a_row(std::slice::from_ref(part), before, after)) else {
                    return Vec::new();
                };
                for (all, set) in all.iter_mut().zip(sets) {
                    all.extend(set);
                }
            }
            all.into()
        }
        Ast::Repetition(repeat) if repeats(&repeat.op.kind) => required(&repeat.ast),
        _ => Vec::new(),
    }
}

/// How many texts [`exact`] tells; known soon, where making them takes long.
fn count(part: &Ast) -> Option<usize> {
    let few = |count: usize| (count <= LITERALS).then_some(count);
    match part {
        _ if sets_flags(part) => None,
        Ast::Empty(_) => Some(1),
        Ast::Literal(literal) => is_plain(literal).then_some(1),
        Ast::Assertion(assertion) => (assertion.kind == AssertionKind::WordBoundary).then_some(1),
        Ast::Group(group) => count(&group.ast),
        Ast::Repetition(repeat) if repeat.op.kind == RepetitionKind::ZeroOrOne => {
            Some(count(&repeat.ast)? + 1)
        }
        Ast::Concat(parts) => {
            let mut parts = parts.asts.iter();
            parts.try_fold(1, |row, part| few(row * count(part)?))
        }
        Ast::Alternation(parts) => {
            let mut parts = parts.asts.iter();
            parts.try_fold(0, |all, part| few(all + count(part)?))
        }
        Ast::ClassBracketed(class) if !class.negated => members(&class.kind).map(|set| set.len()),
        Ast::ClassPerl(class) => is_digit(class).then_some(10),
        _ => None,
    }
}

/// All texts that a part stands for, where they are few.
fn exact(part: &Ast) -> Option<Set> {
    count(part)?;
    made(part)
}

fn made(part: &Ast) -> Option<Set> {
    match part {
        _ if sets_flags(part) => None,
        Ast::Empty(_) => Some(nothing()),
        Ast::Literal(literal) => Some(vec![bytes(literal)?]),
        Ast::Assertion(assertion) if assertion.kind == AssertionKind::WordBoundary => {
            Some(vec![vec![EDGE]])
        }
        Ast::Group(group) => made(&group.ast),
        Ast::Repetition(repeat) if repeat.op.kind == RepetitionKind::ZeroOrOne => {
            let mut texts = made(&repeat.ast)?;
            texts.push(Vec::new());
            Some(texts)
        }
        Ast::Concat(parts) => {
            let mut row = nothing();
            for part in &parts.asts {
                row = joined(&row, &made(part)?)?;
            }
            Some(row)
        }
        Ast::Alternation(parts) => {
            let mut all = Vec::new();
            for part in &parts.asts {
                all.extend(made(part)?);
            }
            (all.len() <= LITERALS).then_some(all)
        }
        Ast::ClassBracketed(class) if !class.negated => members(&class.kind),
        Ast::ClassPerl(class) if is_digit(class) => {
            Some((b'0'..=b'9').map(|digit| vec![digit]).collect())
        }
        _ => None,
    }
}

fn is_digit(class: &ClassPerl) -> bool {
    matches!(class.kind, ClassPerlKind::Digit) && !class.negated
}

/// The members of a class, where they are few.
fn members(class: &ClassSet) -> Option<Set> {
    let mut all = Vec::new();
    let mut add = |item: &ClassSetItem| match item {
        ClassSetItem::Literal(literal) if literal.c.is_ascii() => {
            all.push(bytes(literal)?);
            Some(())
        }
        ClassSetItem::Range(range) if range.start.c.is_ascii() && range.end.c.is_ascii() => {
            all.extend((range.start.c..=range.end.c).map(|c| c.to_string().into_bytes()));
            Some(())
        }
        _ => None,
    };
    match class {
        ClassSet::Item(ClassSetItem::Union(union)) => union.items.iter().try_for_each(add)?,
        ClassSet::Item(item) => add(item)?,
        ClassSet::BinaryOp(_) => return None,
    }
    (all.len() <= MEMBERS).then_some(all)
}

/// Every text of one set with every text of another behind it, where they are few.
fn joined(one: &Set, other: &Set) -> Option<Set> {
    (one.len() * other.len() <= LITERALS).then(|| {
        let pairs = one.iter().flat_map(|a| other.iter().map(move |b| (a, b)));
        pairs.map(|(a, b)| [&**a, &**b].concat()).collect()
    })
}

/// Leaves edges at the ends alone: inside a literal nothing is gained by looking at them.
fn clean(set: &mut Set) {
    for literal in set.iter_mut() {
        let is_text = |byte: &u8| ![EDGE, APART].contains(byte);
        let Some(start) = literal.iter().position(is_text) else {
            literal.clear();
            continue;
        };
        let end = literal
            .iter()
            .rposition(is_text)
            .map_or(start, |last| last + 1);
        let (marks, rest) = literal.split_at(start);
        let left = has_edge(marks, rest.first());
        let (text, marks) = rest.split_at(end - start);
        let right = has_edge(marks, text.last());
        let edge = |there: bool| there.then_some(EDGE);
        let text = text.iter().copied().filter(is_text);
        *literal = edge(left)
            .into_iter()
            .chain(text)
            .chain(edge(right))
            .collect();
    }
    set.sort();
    set.dedup();
    // Where a literal stands that holds another, the other does.
    let all = set.clone();
    set.retain(|literal| {
        let holds = |other: &&Vec<u8>| memchr::memmem::find(literal, other).is_some();
        !all.iter()
            .filter(holds)
            .any(|other| other.len() < literal.len())
    });
}

/// Whether these say that a word begins or ends next to a byte.
fn has_edge(marks: &[u8], byte: Option<&u8>) -> bool {
    let in_word = byte.is_some_and(|byte| is_word(char::from(*byte)));
    marks.contains(&EDGE) || marks.contains(&APART) && in_word
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Whether a text ends with what belongs to no word.
fn ends_apart(text: &[u8]) -> bool {
    let last = text.last();
    last.is_some_and(|byte| *byte != EDGE && !is_word(char::from(*byte)))
}

/// Whether a part stands for nothing or bytes that belong to no word.
fn may_be_apart(part: &Ast) -> bool {
    match part {
        Ast::Repetition(repeat) => is_apart(&repeat.ast),
        _ => false,
    }
}

/// Whether a part stands for one or more bytes that belong to no word, or for the end.
fn is_apart(part: &Ast) -> bool {
    let space = |class: &ClassPerl| match class.kind {
        ClassPerlKind::Space => !class.negated,
        ClassPerlKind::Word => class.negated,
        ClassPerlKind::Digit => false,
    };
    let item = |item: &ClassSetItem| match item {
        ClassSetItem::Literal(literal) => literal.c.is_ascii() && !is_word(literal.c),
        ClassSetItem::Perl(class) => space(class),
        _ => false,
    };
    match part {
        Ast::ClassPerl(class) => space(class),
        Ast::ClassBracketed(class) if !class.negated => match &class.kind {
            ClassSet::Item(ClassSetItem::Union(union)) => union.items.iter().all(item),
            ClassSet::Item(one) => item(one),
            ClassSet::BinaryOp(_) => false,
        },
        Ast::Repetition(repeat) => repeats(&repeat.op.kind) && is_apart(&repeat.ast),
        Ast::Group(group) => is_apart(&group.ast),
        Ast::Alternation(parts) => parts.asts.iter().all(|part| match part {
            Ast::Literal(literal) => literal.c.is_ascii() && !is_word(literal.c),
            _ => is_apart(part),
        }),
        Ast::Assertion(assertion) => assertion.kind == AssertionKind::EndLine,
        _ => false,
    }
}

fn sets_flags(ast: &Ast) -> bool {
    match ast {
        Ast::Flags(_) => true,
        Ast::Group(group) => group.flags().is_some_and(|flags| !flags.items.is_empty()),
        Ast::Concat(parts) => parts.asts.iter().any(|part| matches!(part, Ast::Flags(_))),
        Ast::Alternation(parts) => parts.asts.iter().any(sets_flags),
        _ => false,
    }
}

/// Whether a repetition has at least one.
fn repeats(kind: &RepetitionKind) -> bool {
    match kind {
        RepetitionKind::OneOrMore => true,
        RepetitionKind::ZeroOrOne | RepetitionKind::ZeroOrMore => false,
        RepetitionKind::Range(
            RepetitionRange::Exactly(least)
            | RepetitionRange::AtLeast(least)
            | RepetitionRange::Bounded(least, _),
        ) => *least > 0,
    }
}

/// The bytes of a literal; none where it may be a byte that is no character.
fn bytes(literal: &Literal) -> Option<Vec<u8>> {
    is_plain(literal).then(|| literal.c.to_string().into_bytes())
}

fn is_plain(literal: &Literal) -> bool {
    literal.c.is_ascii() || literal.kind == LiteralKind::Verbatim
}

/// The set that tells most, of long and rare literals and of few, and the one that tells most after it;
/// the same again where that tells little.
pub(super) fn best(mut sets: Vec<Set>) -> Option<[Set; 2]> {
    sets.sort_by(|one, other| {
        telling(one)
            .cmp(&telling(other))
            .then_with(|| one.cmp(other))
    });
    sets.dedup();
    let first = sets.pop()?;
    let second = sets.pop().filter(|set| least(set) > 2);
    let second = second.unwrap_or_else(|| first.clone());
    Some([first, second])
}

fn telling(set: &Set) -> (usize, usize) {
    (least(set), usize::MAX - set.len())
}

/// The sets that are looked for: those that tell most, and of sets with literals of one common byte,
/// which stand in nearly every text, at most one.
pub(super) fn chosen(mut sets: Vec<Set>) -> Vec<Set> {
    sets.sort_by_key(|set| std::cmp::Reverse(telling(set)));
    sets.dedup();
    let telling = sets.iter().take_while(|set| least(set) > 1).count();
    sets.truncate(telling.clamp(1, SETS));
    sets
}

/// What the literal of a set tells that tells least.
fn least(set: &Set) -> usize {
    let told = |literal: &Vec<u8>| {
        let bytes = literal.iter().map(|byte| worth(*byte)).sum::<usize>();
        // Few lines have one that is a word by itself, or with which a line begins.
        let rare = match literal[..] {
            [EDGE, .., EDGE] => true,
            [first, ..] => is_mark(first),
            [] => false,
        };
        bytes + usize::from(rare && bytes > 0)
    };
    set.iter().map(told).min().unwrap_or(0)
}

/// What a byte of a literal tells: nothing where nearly every line has it, and more of a sign that few
/// have than of a letter.
fn worth(byte: u8) -> usize {
    match byte {
        EDGE | b'=' | b' ' | b'\n' => 0,
        _ if is_mark(byte) => 0,
        b'!'..=b'%' | b'*' | b';'..=b'<' | b'>'..=b'@' | b'\\' | b'^' | b'`' | b'{'..=b'~' => 2,
        _ => 1,
    }
}
