//! Runs that come and go, are packed, put aside and lost.

use super::*;
use crate::engine::aside::tests::{Lost, Memory};
use crate::testing::Random;
use std::collections::BTreeMap;

/// Many runs, which end, begin again, begin afresh and are asked for, so that they are packed and
/// unpacked in any order: each is found as it was left.
#[test]
fn runs_are_what_they_were_however_often_they_are_packed() {
    go_and_come(None);
}

/// Wherever they are put, and where there is no room for all of them.
#[test]
fn runs_are_what_they_were_however_often_they_are_put_aside() {
    go_and_come(Some(0));
    go_and_come(Some(usize::MAX));
}

/// A run that is lost begins anew, in doubt.
#[test]
fn lost_runs_are_in_doubt() {
    let (mut runs, names) = (Registry::default(), NameTable::default());
    runs.put_aside(Box::new(Lost));
    let id = |n: usize| format!("r{n}");
    for n in 0..3 * LEAST {
        runs.open(Some(&id(n)), &names).seq = 7;
    }
    let key = runs.key(Some(&id(1)));
    assert!(matches!(runs.slots.get(&key), Some(Slot::Aside(_))));
    assert!(runs.find(Some(&id(1)), &names).is_none());
    let run = runs.open(Some(&id(1)), &names);
    assert_eq!((run.seq, run.doubtful), (0, true));
    assert!(runs.take(runs.key(Some(&id(2))), &names).is_none());
}

fn go_and_come(room: Option<usize>) {
    let (mut runs, names) = (Registry::default(), NameTable::default());
    if let Some(room) = room {
        runs.put_aside(Box::new(Memory(Vec::new(), room)));
    }
    let (mut random, mut known) = (Random::new(3), BTreeMap::new());
    for _ in 0..40_000 {
        let id = match random.below(8) {
            0..3 => format!("r{}", random.below(20)),
            _ => format!("r{}", random.below(2_000)),
        };
        match random.below(10) {
            0 => {
                runs.forget(runs.key(Some(&id)));
                known.remove(&id);
            }
            1 => runs.shrink(&id, false),
            2 => {
                let found = runs.find(Some(&id), &names);
                assert_eq!(found.is_some(), known.contains_key(&id), "{id}");
                if let Some(Found::Open(run)) = found {
                    assert_eq!(known.get(&id), Some(&run.seq), "{id}");
                }
            }
            _ => {
                let run = runs.open(Some(&id), &names);
                run.seq += 1;
                let seq = known.entry(id).or_insert(0);
                *seq += 1;
                assert_eq!(*seq, run.seq);
            }
        }
    }
    let is_packed = |slot: &Slot| match slot {
        Slot::Packed(_) => room.is_none_or(|room| room == 0),
        Slot::Aside(_) => room.is_some(),
        _ => false,
    };
    assert!(runs.slots.values().any(is_packed));
    assert_eq!(std::mem::size_of::<(u128, Slot)>(), 32);
}

/// However many there are, each is told once and in its order.
#[test]
fn open_runs_are_told_in_order() {
    for count in [0, 1, TOGETHER, TOGETHER * 5 + 3] {
        let (mut runs, names) = (Registry::default(), NameTable::default());
        let id = |n: u64| format!("r{n}");
        for n in 1..=count {
            runs.open(Some(&id(n)), &names);
            if n % 7 == 1 {
                runs.shrink(&id(n), false);
            }
        }
        let (mut told, mut times, mut after) = (Vec::new(), 0, 0);
        while let Some((keys, until)) = runs.open_runs(after) {
            told.extend(keys);
            (after, times) = (until, times + 1);
        }
        let open = (1..=count).filter(|n| n % 7 != 1);
        assert!(told.into_iter().eq(open.map(|n| runs.key(Some(&id(n))))));
        assert!(times <= 5, "{times}");
    }
}
