//! `[dcbf]`: the barriers and how they are checked.

use super::barriers::{self, LIMIT, Read};
use super::neural;
use super::reader::{Bound, Reader};
use super::table::Item;
use crate::neural::Given;
use crate::policy::parameters::Parameters;
use crate::policy::{Alpha, BARRIER_IDS, BarrierSpec, Dcbf, Measure};
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
            features: Parameters {
                window: 5,
                pairs: None,
                outbound: None,
                budget: 0.5,
                per_call: 0.2,
                limit: LIMIT,
                max_drift: 0.8,
                embed: None,
                step_budget: 50,
            },
            barriers: Vec::new(),
        };
        let neural = t
            .get("neural")
            .map(|item| (item.at, neural_alone(r, item, base)));
        let at = t.at;
        let replacing = neural.as_ref().is_some_and(|(_, spec)| spec.is_some());
        read_barriers(r, t.get("barriers"), base, replacing, &mut dcbf);
        if let Some((at, Some(spec))) = neural {
            if dcbf.barriers.iter().any(|other| other.name == spec.name) {
                let message = "there is a barrier `neural` beside `neural`";
                let help = "give the one in `[dcbf.barriers]` another name".to_owned();
                r.error(at, message, Some(help));
            }
            dcbf.barriers.insert(0, spec);
        }
        let sum: f64 = dcbf.barriers.iter().map(|b| b.weight).sum();
        let usable = sum > 0.0 && sum.is_finite();
        // Without the models nobody knows the sum.
        if !usable && !dcbf.barriers.is_empty() && r.opens_models {
            let message = format!("the weights of the barriers add up to {sum}");
            let help = "at least one weight has to be greater than 0".to_owned();
            r.error(at, message, Some(help));
        }
        dcbf
    })
}

/// `neural = "FILE"`, or a table of the same: the barrier that replaces those of the default table.
fn neural_alone<'t>(r: &mut Reader<'t>, item: Item<'t>, base: Alpha) -> Option<BarrierSpec> {
    let at = item.at;
    if let Some(table) = item.value.get_ref().as_table() {
        if !table.contains_key("model") {
            r.error(at, "`dcbf.neural` needs `model`, the file of a model", None);
            return None;
        }
        return match barriers::barrier(r, "neural", Some(item), base) {
            Read::Enabled(spec, _) => Some(spec),
            Read::Off(..) => None,
        };
    }
    if item.value.get_ref().as_str().is_none() {
        r.wrong(&item, "a string or a table");
        return None;
    }
    let model = neural::file(r, item, &Given::default(), true)?;
    Some(BarrierSpec {
        name: "neural".to_owned(),
        measure: Measure::Neural(model),
        weight: 1.0,
        margin: 0.0,
        alpha: base,
        place: r.source.place(at),
    })
}

/// What a barrier's table says of how it is checked means nothing where a model has replaced it. What
/// it counts by stays: the features of the model go by it.
fn replaced<'t>(r: &mut Reader<'t>, id: &str, item: &Item<'t>) {
    const KEYS: [&str; 7] = [
        "enabled", "weight", "margin", "kappa", "power", "expr", "model",
    ];
    let table = item.value.get_ref().as_table();
    for (key, _) in table.into_iter().flatten() {
        let at = key.span().start;
        // A preset does not know of the model.
        if KEYS.contains(&key.get_ref().as_ref()) && at < r.source.preset() {
            let key = key.get_ref();
            let message =
                format!("`neural` replaces the barrier `{id}`: its `{key}` decides nothing");
            let help = "leave it out, or put the model beside the others: `[dcbf.barriers.NAME] model = \"..\"`";
            r.error(at, message, Some(help.to_owned()));
        }
    }
}

fn read_barriers<'t>(
    r: &mut Reader<'t>,
    item: Option<Item<'t>>,
    base: Alpha,
    replacing: bool,
    dcbf: &mut Dcbf,
) {
    r.table(item, "dcbf.barriers", |r, t| {
        r.takes_features = replacing || t.has_model() || !r.opens_models;
        for &id in BARRIER_IDS {
            let item = t.get(id);
            if let Some(item) = item.as_ref().filter(|_| replacing) {
                replaced(r, id, item);
            }
            match barriers::barrier(r, id, item, base) {
                Read::Enabled(spec, cost) => {
                    dcbf.per_call_cost = cost.unwrap_or(dcbf.per_call_cost);
                    dcbf.features.take(&spec.measure);
                    if !replacing {
                        dcbf.barriers.push(spec);
                    }
                }
                Read::Off(cost, measure) => {
                    dcbf.per_call_cost = cost.unwrap_or(dcbf.per_call_cost);
                    measure
                        .iter()
                        .for_each(|measure| dcbf.features.take(measure));
                }
            }
        }
        for item in t.rest() {
            if let Read::Enabled(spec, _) = barriers::barrier(r, item.key, Some(item), base) {
                dcbf.barriers.push(spec);
            }
        }
    });
}
