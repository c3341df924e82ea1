//! `[dcbf]`: the barriers and how they are checked.

use super::barriers::{self, Read};
use super::reader::{Bound, Reader};
use super::table::Item;
use crate::policy::{Alpha, BARRIER_IDS, Dcbf};
use crate::trace::money::Nano;

/// What a call without an estimate is charged, in nano-dollars: 0.01 USD.
pub const PER_CALL_COST: Nano = Nano(10_000_000);

/// Reads the barriers.
pub fn dcbf<'t>(r: &mut Reader<'t>, item: Option<Item<'t>>) -> Dcbf {
    r.table(item, "dcbf", |r, t| {
        let base = Alpha {
            kappa: r.number(t.get("kappa"), Bound::NotNegative).unwrap_or(1.0),
            power: r.number(t.get("power"), Bound::Positive).unwrap_or(1.0),
        };
        let mut dcbf = Dcbf {
            verify: r.boolean(t.get("verify")).unwrap_or(true),
            record_costs: r.word(t.get("cost_accounting"), &["recorded", "none"]) != Some(1),
            per_call_cost: PER_CALL_COST,
            barriers: Vec::new(),
        };
        let at = t.at;
        read_barriers(r, t.get("barriers"), base, &mut dcbf);
        let sum: f64 = dcbf.barriers.iter().map(|b| b.weight).sum();
        let usable = sum > 0.0 && sum.is_finite();
        if !usable && !dcbf.barriers.is_empty() {
            let message = format!("the weights of the barriers add up to {sum}");
            let help = "at least one weight has to be greater than 0".to_owned();
            r.error(at, message, Some(help));
        }
        dcbf
    })
}

fn read_barriers<'t>(r: &mut Reader<'t>, item: Option<Item<'t>>, base: Alpha, dcbf: &mut Dcbf) {
    r.table(item, "dcbf.barriers", |r, t| {
        for &id in BARRIER_IDS {
            let item = t.get(id);
            match barriers::barrier(r, id, item, base) {
                Read::Enabled(spec, cost) => {
                    dcbf.per_call_cost = cost.unwrap_or(dcbf.per_call_cost);
                    dcbf.barriers.push(spec);
                }
                Read::Off(cost) => dcbf.per_call_cost = cost.unwrap_or(dcbf.per_call_cost),
            }
        }
        for item in t.rest() {
            if let Read::Enabled(spec, _) = barriers::barrier(r, item.key, Some(item), base) {
                dcbf.barriers.push(spec);
            }
        }
    });
}
