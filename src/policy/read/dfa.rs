//! `[dfa]`: step and loop budgets.

use super::reader::Reader;
use super::table::Item;
use crate::policy::Dfa;
use crate::trace::money::Nano;

/// Reads the budgets.
pub fn dfa<'t>(r: &mut Reader<'t>, item: Option<Item<'t>>) -> Dfa {
    r.table(item, "dfa", |r, t| Dfa {
        max_steps: r.count(t.get("max_steps"), 0).unwrap_or(50),
        max_loops: r.count(t.get("max_loops"), 0).unwrap_or(10),
        max_repeats: r.count(t.get("max_repeats"), 1),
        max_refusals: r.count(t.get("max_refusals"), 1),
        timeout_ns: timeout(r, t.get("timeout_seconds")),
    })
}

/// Seconds as nanoseconds: read like money, exactly to the ninth decimal.
fn timeout<'t>(r: &mut Reader<'t>, item: Option<Item<'t>>) -> Option<i128> {
    let item = item?;
    let seconds = r.decimal(Some(item.clone()), "a number of seconds")?;
    if seconds == Nano::ZERO {
        let message = format!("`{}` has to be greater than 0", item.path);
        r.error(item.span().start, message, None);
        return None;
    }
    Some(seconds.0)
}
