//! Names that globs match: for every set of globs that some name matches, and no others, the shortest
//! such name.
//!
//! All globs are followed at once, character by character. Characters that no glob tells apart count as
//! one, so that the search ends; a meter counts the positions that are followed.

use super::meter::Meter;
use crate::policy::glob;
use regex_syntax::hir::{Class, Hir, HirKind};
use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;

/// A name.
pub(super) struct Word<'g> {
    /// The name itself.
    pub(super) text: String,
    /// The globs it matches, in order.
    pub(super) globs: Vec<&'g str>,
}

/// The names found.
pub(super) struct Words<'g> {
    /// Shortest first.
    pub(super) words: Vec<Word<'g>>,
    /// Whether there is one for every set of globs that a name can match.
    pub(super) complete: bool,
}

/// Looks for names. Those of `taken` are passed over, and so is the empty one. Where the meter ends the
/// search, each glob still has a name of its own as far as that costs little.
pub(super) fn of<'g>(globs: &[&'g str], taken: &HashSet<&str>, meter: &mut Meter) -> Words<'g> {
    let mut words = meter.within(2, |meter| search(globs, taken, meter));
    if !words.complete {
        let named = words.words.iter().flat_map(|word| &word.globs);
        let named: HashSet<&str> = named.copied().collect();
        let left = globs.iter().filter(|glob| !named.contains(**glob));
        let alone = meter.within(2, |meter| {
            let mut alone = Vec::new();
            for &glob in left {
                let found = search(&[glob], taken, meter).words;
                alone.extend(found.into_iter().find(|word| !word.globs.is_empty()));
                if meter.is_out() {
                    break;
                }
            }
            alone
        });
        words.words.extend(alone);
    }
    words
}

fn search<'g>(globs: &[&'g str], taken: &HashSet<&str>, meter: &mut Meter) -> Words<'g> {
    let written: usize = globs.iter().map(|glob| 1 + glob.len()).sum();
    if !meter.take(written as u64) {
        let words = Vec::new();
        let complete = false;
        return Words { words, complete };
    }
    let mut automaton = Automaton::of(globs);
    let alphabet = alphabet(&automaton);
    automaton.read(&alphabet);
    let start = automaton.closed(&automaton.first);
    let mut found: HashSet<Vec<usize>> = HashSet::new();
    // Whether the positions were met by a name that may stand for them.
    let mut met: HashMap<Rc<[usize]>, bool> = HashMap::from([(Rc::clone(&start), false)]);
    let mut queue = VecDeque::from([(String::new(), start)]);
    let (mut words, mut complete) = (Vec::new(), true);
    while let Some((text, positions)) = queue.pop_front() {
        if !text.is_empty() && !taken.contains(text.as_str()) {
            let ends = automaton.ends(&positions);
            let matched: Vec<&str> = ends
                .iter()
                .filter_map(|&end| globs.get(end).copied())
                .collect();
            if found.insert(ends) {
                let text = text.clone();
                let globs = matched;
                words.push(Word { text, globs });
            }
        }
        let Some(steps) = automaton.steps(&positions, alphabet.len(), meter) else {
            complete = false;
            break;
        };
        // Characters that lead on from no position of their own all lead to the same ones.
        let mut others = false;
        for (&c, own) in alphabet.iter().zip(&steps.own) {
            if own.is_none() && others {
                continue;
            }
            let next = own.as_ref().unwrap_or(&steps.others);
            let longer = format!("{text}{c}");
            let usable = !taken.contains(longer.as_str());
            others |= own.is_none() && usable;
            if met.get(next).is_some_and(|before| *before || !usable) {
                continue;
            }
            met.insert(Rc::clone(next), usable);
            queue.push_back((longer, Rc::clone(next)));
        }
    }
    Words { words, complete }
}

/// Positions in globs: all of them are one graph, so that those a name has left behind cost nothing.
struct Automaton {
    nodes: Vec<Node>,
    /// Where each begins.
    first: Vec<usize>,
    /// The characters of an alphabet that each takes, by index.
    takes: Vec<Takes>,
    /// Where each leads to without a character.
    closures: Vec<Vec<usize>>,
}

enum Takes {
    None,
    Any,
    These(Vec<usize>),
}

/// Where the characters of an alphabet lead to.
struct Steps {
    /// By character, where it is told from others.
    own: Vec<Option<Rc<[usize]>>>,
    /// From any other one.
    others: Rc<[usize]>,
}

enum Node {
    /// Goes on at all of these.
    Fork(Vec<usize>),
    /// Goes on behind a character of these ranges.
    Take(Vec<(char, char)>, usize),
    /// The end of a name that matches this glob.
    End(usize),
}

impl Automaton {
    /// A glob that cannot be read matches nothing.
    fn of(globs: &[&str]) -> Automaton {
        let mut automaton = Automaton {
            nodes: Vec::new(),
            first: Vec::new(),
            takes: Vec::new(),
            closures: Vec::new(),
        };
        for (n, glob) in globs.iter().enumerate() {
            if let Some(hir) = glob::hir(glob) {
                let end = automaton.push(Node::End(n));
                let first = automaton.add(&hir, end);
                automaton.first.push(first);
            }
        }
        let nodes = 0..automaton.nodes.len();
        automaton.closures = nodes.map(|at| automaton.follow(at)).collect();
        automaton
    }

    fn push(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Adds what `hir` matches in front of `next`, and tells where it begins.
    fn add(&mut self, hir: &Hir, next: usize) -> usize {
        match hir.kind() {
            // The anchors stand at both ends, where every name begins and ends.
            HirKind::Empty | HirKind::Look(_) => next,
            HirKind::Literal(literal) => {
                let text = String::from_utf8_lossy(&literal.0);
                let take = |next, c| self.push(Node::Take(vec![(c, c)], next));
                text.chars().rev().fold(next, take)
            }
            HirKind::Class(Class::Unicode(class)) => {
                let ranges = class.ranges().iter().map(|r| (r.start(), r.end()));
                let ranges = ranges.collect();
                self.push(Node::Take(ranges, next))
            }
            HirKind::Class(Class::Bytes(_)) => self.push(Node::Fork(Vec::new())),
            HirKind::Repetition(many) => {
                // A glob repeats any character, any number of times; what may be left out stands
                // here too where the tree was simplified.
                let fork = self.push(Node::Fork(vec![next]));
                let again = if many.max == Some(1) { next } else { fork };
                let body = self.add(&many.sub, again);
                if let Some(Node::Fork(ways)) = self.nodes.get_mut(fork) {
                    ways.push(body);
                }
                fork
            }
            HirKind::Capture(group) => self.add(&group.sub, next),
            HirKind::Concat(parts) => parts
                .iter()
                .rev()
                .fold(next, |next, part| self.add(part, next)),
            HirKind::Alternation(ways) => {
                let ways = ways.iter().map(|way| self.add(way, next)).collect();
                self.push(Node::Fork(ways))
            }
        }
    }

    /// The positions that one leads to without a character.
    fn follow(&self, from: usize) -> Vec<usize> {
        let mut pending = vec![from];
        let mut forks: HashSet<usize> = HashSet::new();
        let mut closed = Vec::new();
        while let Some(at) = pending.pop() {
            match self.nodes.get(at) {
                Some(Node::Fork(ways)) if forks.insert(at) => pending.extend(ways),
                Some(Node::Fork(_)) | None => {}
                Some(_) => closed.push(at),
            }
        }
        closed
    }

    /// The positions that those lead to without a character, sorted.
    fn closed(&self, from: &[usize]) -> Rc<[usize]> {
        let ways = from.iter().filter_map(|&at| self.closures.get(at));
        let mut closed: Vec<usize> = ways.flatten().copied().collect();
        closed.sort_unstable();
        closed.dedup();
        closed.into()
    }

    /// Finds out which characters of an alphabet each node takes. The alphabet has one for all that no
    /// node tells apart, so that a node takes all of a range, or none.
    fn read(&mut self, alphabet: &[char]) {
        let mut by_code: Vec<(char, usize)> = alphabet.iter().copied().zip(0..).collect();
        by_code.sort_unstable();
        let takes = self.nodes.iter().map(|node| {
            let Node::Take(ranges, _) = node else {
                return Takes::None;
            };
            if ranges.first() == Some(&('\0', char::MAX)) {
                return Takes::Any;
            }
            let mut these = Vec::new();
            for &(low, high) in ranges {
                let from = by_code.partition_point(|&(c, _)| c < low);
                let inside = by_code.iter().skip(from);
                let inside = inside.take_while(|&&(c, _)| c <= high);
                these.extend(inside.map(|&(_, index)| index));
            }
            Takes::These(these)
        });
        self.takes = takes.collect();
    }

    /// Where each of so many characters leads to; absent where the meter has run out.
    fn steps(&self, positions: &[usize], alphabet: usize, meter: &mut Meter) -> Option<Steps> {
        let mut own: Vec<Vec<usize>> = vec![Vec::new(); alphabet];
        let (mut others, mut taken) = (Vec::new(), 0);
        for &at in positions {
            let Some(Node::Take(_, next)) = self.nodes.get(at) else {
                continue;
            };
            match self.takes.get(at) {
                Some(Takes::Any) => others.push(*next),
                Some(Takes::These(these)) => {
                    taken += these.len();
                    for &index in these {
                        if let Some(own) = own.get_mut(index) {
                            own.push(*next);
                        }
                    }
                }
                Some(Takes::None) | None => {}
            }
        }
        let told = own.iter().filter(|own| !own.is_empty()).count();
        // A character for which a name is made costs more than a position.
        let work = positions.len() + taken + 2 * alphabet + 2 * (told + 1) * (2 * others.len() + 8);
        if !meter.take(work as u64) {
            return None;
        }
        let lead = own.into_iter().map(|mut own| {
            (!own.is_empty()).then(|| {
                own.extend(&others);
                self.closed(&own)
            })
        });
        Some(Steps {
            own: lead.collect(),
            others: self.closed(&others),
        })
    }

    /// The globs that end at one of those positions, in order.
    fn ends(&self, positions: &[usize]) -> Vec<usize> {
        let ends = positions.iter().filter_map(|&at| match self.nodes.get(at) {
            Some(Node::End(glob)) => Some(*glob),
            _ => None,
        });
        let mut ends: Vec<usize> = ends.collect();
        ends.sort_unstable();
        ends.dedup();
        ends
    }
}

/// One character for all those that no glob tells apart; letters and digits where there are any.
fn alphabet(automaton: &Automaton) -> Vec<char> {
    let nodes = automaton.nodes.iter();
    let ranges = nodes.filter_map(|node| match node {
        Node::Take(ranges, _) => Some(ranges),
        _ => None,
    });
    let edges = ranges
        .flatten()
        .flat_map(|&(low, high)| [u32::from(low), u32::from(high) + 1]);
    let mut edges: Vec<u32> = edges.chain([0, 0xd800, 0xe000, 0x11_0000]).collect();
    edges.sort_unstable();
    edges.dedup();
    let plain = || {
        ('a'..='z')
            .chain('0'..='9')
            .chain('A'..='Z')
            .chain(['_', '-', '.'])
    };
    let between = edges.iter().zip(edges.iter().skip(1));
    let mut alphabet: Vec<char> = between
        .filter_map(|(&low, &high)| {
            let inside = |c: &char| (low..high).contains(&u32::from(*c));
            plain().find(inside).or_else(|| char::from_u32(low))
        })
        .collect();
    alphabet.sort_by_key(|c| (!c.is_ascii_alphanumeric(), *c));
    alphabet
}
