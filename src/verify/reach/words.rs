//! Names that globs match: for every set of globs that some name matches, and no others, the shortest
//! such name.
//!
//! All globs are followed at once, character by character. Characters that no glob tells apart count as
//! one, so that the search ends; how many positions it may meet is bounded.

use crate::policy::glob;
use regex_syntax::hir::{Class, Hir, HirKind};
use std::collections::{HashMap, HashSet, VecDeque};

/// Most combinations of positions that are followed.
const MOST: usize = 4096;

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

/// Looks for names. Those of `taken` are passed over, and so is the empty one.
pub(super) fn of<'g>(globs: &[&'g str], taken: &HashSet<&str>) -> Words<'g> {
    let automata: Vec<Automaton> = globs.iter().map(|glob| Automaton::of(glob)).collect();
    let mut words = search(&automata, globs, taken);
    if !words.complete {
        // At least one name for each.
        for (&glob, automaton) in globs.iter().zip(&automata) {
            if words.words.iter().any(|word| word.globs.contains(&glob)) {
                continue;
            }
            let alone = search(std::slice::from_ref(automaton), &[glob], taken).words;
            let text = alone.into_iter().find(|word| !word.globs.is_empty());
            words.words.extend(text);
        }
    }
    words
}

fn search<'g>(automata: &[Automaton], globs: &[&'g str], taken: &HashSet<&str>) -> Words<'g> {
    let alphabet = alphabet(automata);
    let start: Vec<Vec<usize>> = automata.iter().map(Automaton::start).collect();
    let mut found: HashMap<Vec<bool>, usize> = HashMap::new();
    // Whether the positions were met by a name that may stand for them.
    let mut met: HashMap<Vec<Vec<usize>>, bool> = HashMap::from([(start.clone(), false)]);
    let mut queue = VecDeque::from([(String::new(), start)]);
    let (mut words, mut complete) = (Vec::new(), true);
    while let Some((text, positions)) = queue.pop_front() {
        let usable = !text.is_empty() && !taken.contains(text.as_str());
        if usable {
            let ends = automata.iter().zip(&positions);
            let ends: Vec<bool> = ends.map(|(automaton, at)| automaton.ends(at)).collect();
            let matched = globs.iter().zip(&ends).filter(|(_, end)| **end);
            let globs: Vec<&str> = matched.map(|(glob, _)| *glob).collect();
            let next = words.len();
            if *found.entry(ends).or_insert(next) == next {
                let text = text.clone();
                words.push(Word { text, globs });
            }
        }
        for &c in &alphabet {
            let step = automata.iter().zip(&positions);
            let next: Vec<Vec<usize>> = step.map(|(automaton, at)| automaton.step(at, c)).collect();
            let longer = format!("{text}{c}");
            let usable = !taken.contains(longer.as_str());
            if met.get(&next).is_some_and(|before| *before || !usable) {
                continue;
            }
            if met.len() >= MOST {
                complete = false;
                continue;
            }
            met.insert(next.clone(), usable);
            queue.push_back((longer, next));
        }
    }
    Words { words, complete }
}

/// Positions in one glob.
struct Automaton {
    nodes: Vec<Node>,
    first: usize,
}

enum Node {
    /// Goes on at all of these.
    Fork(Vec<usize>),
    /// Goes on behind a character of these ranges.
    Take(Vec<(char, char)>, usize),
    /// The end of a name.
    End,
}

impl Automaton {
    /// A glob that cannot be read matches nothing.
    fn of(glob: &str) -> Automaton {
        let mut automaton = Automaton {
            nodes: vec![Node::End],
            first: 0,
        };
        automaton.first = match glob::hir(glob) {
            Some(hir) => automaton.add(&hir, 0),
            None => automaton.push(Node::Fork(Vec::new())),
        };
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

    fn start(&self) -> Vec<usize> {
        self.closed(vec![self.first])
    }

    /// The positions that those lead to without a character, sorted.
    fn closed(&self, mut pending: Vec<usize>) -> Vec<usize> {
        let mut seen: HashSet<usize> = HashSet::new();
        let mut closed = Vec::new();
        while let Some(at) = pending.pop() {
            if !seen.insert(at) {
                continue;
            }
            match self.nodes.get(at) {
                Some(Node::Fork(ways)) => pending.extend(ways),
                Some(_) => closed.push(at),
                None => {}
            }
        }
        closed.sort_unstable();
        closed
    }

    fn step(&self, positions: &[usize], c: char) -> Vec<usize> {
        let next = positions.iter().filter_map(|&at| match self.nodes.get(at) {
            Some(Node::Take(ranges, next)) => {
                let taken = ranges.iter().any(|&(low, high)| (low..=high).contains(&c));
                taken.then_some(*next)
            }
            _ => None,
        });
        self.closed(next.collect())
    }

    fn ends(&self, positions: &[usize]) -> bool {
        positions
            .iter()
            .any(|&at| matches!(self.nodes.get(at), Some(Node::End)))
    }
}

/// One character for all those that no glob tells apart; letters and digits where there are any.
fn alphabet(automata: &[Automaton]) -> Vec<char> {
    let nodes = automata.iter().flat_map(|automaton| &automaton.nodes);
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
