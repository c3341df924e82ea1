//! A run that has not spoken for a while, in few bytes. It comes back exactly as it was when a record
//! of it comes.
//!
//! What most runs have is written into one list of bytes; a run that has more than that is left as it
//! is. Packing takes no longer the longer the run is: where there are many marks, they are kept in the
//! blocks that they have.

use super::clock::{Clock, Met, Seldom};
use super::flight::{InFlight, Settlement};
use super::marks::Marks;
use super::numbers::{Reader, Writer};
use super::repeats::{Repeats, Row};
use super::run::{Caller, Run, Tally};
use super::time::{Kind, Reading};
use crate::policy::matcher::NameTable;
use crate::state::history::{self, History};
use crate::state::{AgentState, Ledger, Phase};
use crate::trace::event::GroundTruth;
use crate::trace::fault::Place;
use crate::trace::money::Nano;
use std::sync::Arc;

/// A run that was packed.
pub(super) struct Packed {
    bytes: Box<[u8]>,
    /// Its marks, where they are many.
    marks: Option<Box<Marks>>,
}

/// Calls in flight up to which a run is packed.
const IN_FLIGHT: usize = 4;

/// Bits of the first byte.
const DOUBTFUL: u8 = 1;
const DOUBT_TOLD: u8 = 2;
const PARTED: u8 = 4;
const RESUMED: u8 = 8;
const MOVED: u8 = 16;

impl Packed {
    /// The run, which is over where it was then; absent where it has to stay as it is.
    pub(super) fn of(run: &mut Run) -> Option<Packed> {
        let Run {
            id,
            input,
            order,
            agent,
            intent,
            label,
            meta,
            clock,
            state,
            seq,
            turn,
            in_flight,
            least_turn,
            open_batch,
            // Worked out anew when they are asked for.
            siblings: _,
            waiting,
            marks,
            brought,
            late,
            refused_in_a_row,
            repeats,
            blind,
            parted,
            doubtful,
            doubt_told,
            epoch,
            resumed,
            moved,
            kept,
            effects,
            tally,
            // It has not, or it would not be packed.
            spoke: _,
        } = run;
        let AgentState {
            phase,
            step_count,
            loop_count,
            cost,
            history,
            ledger,
            context,
            action,
            embedded,
        } = state;
        let more = meta.is_some()
            || waiting.is_some()
            || !brought.is_empty()
            || kept.is_some()
            || effects.is_some()
            || context.is_some()
            || action.is_some()
            || embedded.is_some()
            || in_flight.len() > IN_FLIGHT
            || in_flight.iter().any(|flight| flight.pending.is_some());
        if more {
            return None;
        }
        let mut out = Writer::default();
        let flags = [
            (*doubtful, DOUBTFUL),
            (*doubt_told, DOUBT_TOLD),
            (*parted, PARTED),
            (*resumed, RESUMED),
            (*moved, MOVED),
        ];
        let flags = flags.iter().filter(|(holds, _)| *holds);
        out.bytes.push(flags.map(|(_, bit)| bit).sum());
        for number in [
            *order,
            *input as u64,
            *epoch,
            *seq,
            *turn,
            *refused_in_a_row,
        ] {
            out.number(number);
        }
        out.bytes(id.as_bytes());
        out.maybe(agent.as_deref(), |out, agent| out.bytes(agent.as_bytes()));
        out.maybe(intent.as_deref(), |out, intent| {
            out.bytes(intent.as_bytes())
        });
        out.maybe(*label, |out, label| {
            out.number((label == GroundTruth::Attack).into())
        });
        out.maybe(clock.as_deref(), write_clock);
        for number in [
            tally.refused,
            tally.judged,
            tally.root,
            tally.standing,
            tally.calls,
        ] {
            out.number(number);
        }
        write_seldom(&mut out, blind);
        write_repeats(&mut out, repeats);
        out.number(*phase as u64);
        out.number(*step_count);
        out.number(*loop_count);
        out.signed(cost.0);
        write_history(&mut out, history);
        out.maybe(ledger.latest_turn, Writer::number);
        out.number(ledger.tokens);
        out.number(ledger.per_tool.len() as u64);
        ledger.per_tool.iter().for_each(|&sum| out.number(sum));
        // The greatest number is what it mostly is.
        out.number(least_turn.wrapping_add(1));
        out.maybe(*open_batch, Writer::hash);
        out.number(in_flight.len() as u64);
        in_flight
            .iter()
            .for_each(|flight| write_flight(&mut out, flight));
        out.number(late.len() as u64);
        late.iter().for_each(|&id| out.hash(id));
        let few = marks.are_few();
        if few {
            marks.write(&mut out);
        }
        Some(Packed {
            bytes: out.bytes.into(),
            marks: (!few).then(|| Box::new(std::mem::take(marks))),
        })
    }

    /// The run as it was.
    pub(super) fn run(self, names: &NameTable) -> Box<Run> {
        let mut from = Reader(&self.bytes);
        let flags = from.number() as u8;
        let has = |bit: u8| flags & bit != 0;
        let (order, input, epoch) = (from.number(), from.size(), from.number());
        let (seq, turn, refused_in_a_row) = (from.number(), from.number(), from.number());
        let from = &mut from;
        Box::new(Run {
            order,
            input,
            epoch,
            seq,
            turn,
            refused_in_a_row,
            id: from.text().into(),
            agent: from.maybe(|from| from.text().into()),
            intent: from.maybe(|from| from.text().into()),
            label: from.maybe(|from| match from.number() {
                0 => GroundTruth::Benign,
                _ => GroundTruth::Attack,
            }),
            clock: from.maybe(|from| Box::new(read_clock(from))),
            tally: Tally {
                refused: from.number(),
                judged: from.number(),
                root: from.number(),
                standing: from.number(),
                calls: from.number(),
            },
            blind: read_seldom(from),
            repeats: read_repeats(from),
            state: AgentState {
                phase: Phase::ALL
                    .get(from.size())
                    .map_or(Phase::Idle, |(phase, _)| *phase),
                step_count: from.number(),
                loop_count: from.number(),
                cost: Nano(from.signed()),
                history: read_history(from, names),
                ledger: Ledger {
                    latest_turn: from.maybe(Reader::number),
                    tokens: from.number(),
                    per_tool: list(from, Reader::number),
                },
                ..AgentState::default()
            },
            least_turn: from.number().wrapping_sub(1),
            open_batch: from.maybe(Reader::hash),
            in_flight: list(from, |from| read_flight(from, names))
                .into_iter()
                .flatten()
                .collect(),
            late: list(from, Reader::hash).into(),
            marks: match self.marks {
                Some(marks) => *marks,
                None => Marks::read(from),
            },
            doubtful: has(DOUBTFUL),
            doubt_told: has(DOUBT_TOLD),
            parted: has(PARTED),
            resumed: has(RESUMED),
            moved: has(MOVED),
            ..Run::default()
        })
    }

    /// The run of these bytes.
    pub(super) fn from(bytes: Box<[u8]>) -> Packed {
        Packed { bytes, marks: None }
    }

    /// All of it, where there is nothing beside its bytes.
    pub(super) fn alone(&self) -> Option<&[u8]> {
        self.marks.is_none().then_some(&*self.bytes)
    }

    /// About what it takes of memory, without its marks.
    pub(super) fn size(&self) -> usize {
        self.bytes.len() + std::mem::size_of::<Packed>()
    }

    /// Its place among the runs of the input.
    pub(super) fn order(&self) -> u64 {
        Reader(self.bytes.get(1..).unwrap_or_default()).number()
    }

    /// A fault leaves it in doubt.
    pub(super) fn doubt(&mut self) {
        if let Some(flags) = self.bytes.first_mut() {
            *flags |= DOUBTFUL;
        }
    }
}

/// As many as were written.
fn list<'b, T>(from: &mut Reader<'b>, mut read: impl FnMut(&mut Reader<'b>) -> T) -> Vec<T> {
    (0..from.size()).map(|_| read(from)).collect()
}

fn write_clock(out: &mut Writer, clock: &Clock) {
    let Clock {
        began_ns,
        latest,
        kinds,
        backwards,
        mixed,
        odd,
        unreadable,
    } = clock;
    out.maybe(*began_ns, Writer::signed);
    out.maybe(*latest, |out, latest| {
        // Its distance from the beginning, which is a smaller number; whatever it is, it comes back.
        out.signed(latest.ns.wrapping_sub(began_ns.unwrap_or_default()));
        out.number(latest.kind as u64);
        out.number(latest.odd.into());
    });
    out.number((*kinds).into());
    [backwards, mixed, odd, unreadable]
        .into_iter()
        .for_each(|seldom| write_seldom(out, seldom));
}

fn read_clock(from: &mut Reader<'_>) -> Clock {
    let began_ns = from.maybe(Reader::signed);
    Clock {
        began_ns,
        latest: from.maybe(|from| Reading {
            ns: from.signed().wrapping_add(began_ns.unwrap_or_default()),
            kind: Kind::ALL.get(from.size()).copied().unwrap_or(Kind::Offset),
            odd: from.number() > 0,
        }),
        kinds: from.number() as u8,
        backwards: read_seldom(from),
        mixed: read_seldom(from),
        odd: read_seldom(from),
        unreadable: read_seldom(from),
    }
}

fn write_seldom(out: &mut Writer, seldom: &Seldom) {
    out.maybe(seldom.met(), |out, met| {
        out.number(met.times);
        out.number(met.first.input as u64);
        out.number(met.first.line);
        out.number(met.first.column);
    });
}

fn read_seldom(from: &mut Reader<'_>) -> Seldom {
    Seldom::of(from.maybe(|from| Met {
        times: from.number(),
        first: Place {
            input: from.size(),
            line: from.number(),
            column: from.number(),
        },
    }))
}

fn write_repeats(out: &mut Writer, repeats: &Repeats) {
    out.maybe(repeats.row(), |out, row| {
        let Row {
            tool,
            args,
            in_a_row,
            unknown,
        } = row;
        out.hash(tool);
        out.maybe(args, Writer::hash);
        out.number(in_a_row);
        out.number(unknown);
    });
}

fn read_repeats(from: &mut Reader<'_>) -> Repeats {
    Repeats::of(from.maybe(|from| Row {
        tool: from.hash(),
        args: from.maybe(Reader::hash),
        in_a_row: from.number(),
        unknown: from.number(),
    }))
}

fn write_history(out: &mut Writer, history: &History) {
    let (length, tallies, recent) = history.parts();
    out.number(length);
    out.number(tallies.len() as u64);
    for tally in tallies {
        out.number(tally.count);
        if tally.count > 0 {
            out.number(tally.latest);
            out.number(tally.latest_ok.into());
        }
    }
    out.number(recent.len() as u64);
    recent.for_each(|names| out.number(names.number().into()));
}

fn read_history(from: &mut Reader<'_>, names: &NameTable) -> History {
    let length = from.number();
    let tallies = list(from, |from| match from.number() {
        0 => history::Tally::default(),
        count => history::Tally {
            count,
            latest: from.number(),
            latest_ok: from.number() > 0,
        },
    });
    let recent = list(from, |from| names.get(from.number() as u32).map(Arc::clone));
    History::of(length, tallies, recent.into_iter().flatten().collect())
}

fn write_flight(out: &mut Writer, flight: &InFlight) {
    let InFlight {
        id,
        by,
        turn,
        names,
        estimate,
        batch,
        outcome,
        // Or the run would not be packed.
        pending: _,
    } = flight;
    out.hash(*id);
    for number in [by.seq, by.line, *turn, names.number().into()] {
        out.number(number);
    }
    out.signed(estimate.0);
    out.maybe(*batch, Writer::hash);
    out.maybe(*outcome, |out, outcome| {
        let Settlement { row, cost, error } = outcome;
        out.maybe(row, Writer::number);
        out.signed(cost.0);
        out.number(error.into());
    });
}

fn read_flight(from: &mut Reader<'_>, names: &NameTable) -> Option<InFlight> {
    let id = from.hash();
    let by = Caller {
        seq: from.number(),
        line: from.number(),
    };
    let (turn, names) = (
        from.number(),
        names.get(from.number() as u32).map(Arc::clone),
    );
    let (estimate, batch) = (Nano(from.signed()), from.maybe(Reader::hash));
    let outcome = from.maybe(|from| Settlement {
        row: from.maybe(Reader::number),
        cost: Nano(from.signed()),
        error: from.number() > 0,
    });
    Some(InFlight {
        id,
        by,
        turn,
        names: names?,
        estimate,
        batch,
        outcome,
        pending: None,
    })
}

#[cfg(test)]
mod tests;
