//! `[dcbf.barriers.NAME]`: one barrier.

use super::neural;
use super::patterns::Names;
use super::reader::{Bound, Named, Reader};
use super::table::{Item, Table};
use crate::diag::nearest;
use crate::embed::{EMBEDDERS, Embedder};
use crate::policy::expr::Site;
use crate::policy::matcher::{MatcherId, Scope};
use crate::policy::{Alpha, BARRIER_IDS, BarrierSpec, Measure, PolicyPlace};
use crate::trace::money::Nano;
use std::sync::Arc;

/// Pairs that are dangerous where the policy does not say.
pub const PAIRS: &[(&str, &str)] = &[
    ("sql_query", "http_request"),
    ("file_read", "send_email"),
    ("database_query", "webhook_post"),
];
/// Calls that are outbound where the policy does not say.
pub const OUTBOUND: &[&str] = &["send_email", "http_request"];
/// Limit of the resource barrier, in nano-dollars: 10 USD.
pub const LIMIT: Nano = Nano(10_000_000_000);

/// What a barrier's table comes to, with the cost of a call where it gives one.
pub enum Read {
    /// A barrier.
    Enabled(BarrierSpec, Option<Nano>),
    /// No barrier: it is switched off, or wrong. What it would measure still says what features
    /// count by.
    Off(Option<Nano>, Option<Measure>),
}

/// Reads a barrier of the default table, or one of the user's own.
pub fn barrier<'t>(r: &mut Reader<'t>, name: &str, item: Option<Item<'t>>, base: Alpha) -> Read {
    let place = match &item {
        Some(item) => r.source.place(item.at),
        None => PolicyPlace::default(),
    };
    let path = item
        .as_ref()
        .map_or_else(String::new, |item| item.path.clone());
    r.table(item, &path, |r, t| {
        let alpha = Alpha {
            kappa: r
                .number(t.get("kappa"), Bound::NotNegative)
                .unwrap_or(base.kappa),
            power: r
                .number(t.get("power"), Bound::Positive)
                .unwrap_or(base.power),
        };
        let weight = r.number(t.get("weight"), Bound::NotNegative).unwrap_or(1.0);
        let margin = r.number(t.get("margin"), Bound::Any);
        let enabled = r.boolean(t.get("enabled")).unwrap_or(true);
        let (measure, cost) = measure(r, name, t, enabled);
        match measure {
            off if !enabled => Read::Off(cost, off),
            None => Read::Off(cost, None),
            Some(measure) => {
                let default = if matches!(measure, Measure::Safety { .. }) {
                    0.1
                } else {
                    0.0
                };
                let spec = BarrierSpec {
                    name: name.to_owned(),
                    measure,
                    weight,
                    margin: margin.unwrap_or(default),
                    alpha,
                    place,
                };
                Read::Enabled(spec, cost)
            }
        }
    })
}

fn measure<'t>(
    r: &mut Reader<'t>,
    name: &str,
    t: &mut Table<'t>,
    enabled: bool,
) -> (Option<Measure>, Option<Nano>) {
    let expr = t.get("expr");
    let model = t.get("model");
    if let (Some(_), Some(model)) = (&expr, &model) {
        let message = "a barrier is measured by `expr` or by `model`, not by both";
        r.error(model.at, message, None);
    }
    if let Some(model) = model {
        t.note = Some(
            "a barrier with `model` takes features, activation, weight, margin, kappa, power and enabled beside it",
        );
        let neural = neural::neural(r, t, model, enabled);
        return (neural.map(Measure::Neural), None);
    }
    if expr.is_some() {
        t.note =
            Some("a barrier with `expr` takes weight, margin, kappa, power and enabled beside it");
        return (r.expression(expr, Site::Barrier).map(Measure::Custom), None);
    }
    let number = |r: &mut Reader<'t>, item: Option<Item<'t>>, default: f64| {
        r.number(item, Bound::NotNegative).unwrap_or(default)
    };
    let measure = match name {
        "safety" => Some(Measure::Safety {
            window: r
                .count(t.get("window"), 1)
                .map_or(5, |n| usize::try_from(n).unwrap_or(usize::MAX)),
            pairs: pairs(r, t.get("pairs")),
        }),
        "privacy" => {
            let budget = number(r, t.get("budget"), 0.5);
            let per_call = number(r, t.get("per_call"), 0.2);
            outbound(r, t.get("outbound")).map(|outbound| Measure::Privacy {
                budget,
                per_call,
                outbound,
            })
        }
        "resource" => {
            let limit = r.money(t.get("limit_usd")).unwrap_or(LIMIT);
            let cost = r.money(t.get("per_call_cost_usd"));
            return (Some(Measure::Resource { limit }), cost);
        }
        "scope" => Some(Measure::Scope {
            max_drift: number(r, t.get("max_drift"), 0.8),
            embed: embed(r, t.get("embed"), enabled || r.takes_features),
        }),
        "stability" => Some(Measure::Stability {
            step_budget: r.count(t.get("step_budget"), 0).unwrap_or(50),
        }),
        _ => {
            unknown(r, name, t);
            None
        }
    };
    (measure, None)
}

fn unknown<'t>(r: &mut Reader<'t>, name: &str, t: &mut Table<'t>) {
    let own = "a barrier of your own needs `expr` or `model`";
    let help = match nearest(name, BARRIER_IDS.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`? {own}"),
        None => format!("there are {}; {own}", BARRIER_IDS.join(", ")),
    };
    r.error(t.at, format!("unknown barrier `{name}`"), Some(help));
    // Its keys are those of no barrier in particular.
    t.rest();
}

/// The embedder of the scope barrier. One that is not used is not opened.
fn embed<'t>(
    r: &mut Reader<'t>,
    item: Option<Item<'t>>,
    enabled: bool,
) -> Option<Arc<dyn Embedder>> {
    let at = item.as_ref().map_or(0, |item| item.span().start);
    let ids: Vec<&str> = EMBEDDERS.iter().map(|embedder| embedder.id).collect();
    let chosen = r.word(item, &ids).filter(|_| enabled)?;
    r.embedder(EMBEDDERS.get(chosen)?, at)
}

fn outbound<'t>(r: &mut Reader<'t>, item: Option<Item<'t>>) -> Option<MatcherId> {
    if item.is_some() {
        return r.globs(item, Scope::Names, Names::Checked);
    }
    let names = OUTBOUND.iter().map(|name| default_name(r, name)).collect();
    r.matcher(names, Scope::Names, 0)
}

fn default_name(r: &mut Reader<'_>, name: &str) -> String {
    r.names.push(Named {
        name: name.to_owned(),
        at: None,
        checked: false,
        list: None,
    });
    name.to_owned()
}

fn pairs<'t>(r: &mut Reader<'t>, item: Option<Item<'t>>) -> Vec<(MatcherId, MatcherId)> {
    let Some(item) = item else {
        let mut side = |name| {
            let name = default_name(r, name);
            r.matcher(vec![name], Scope::Names, 0)
        };
        let defaults = PAIRS.iter().filter_map(|(a, b)| Some((side(a)?, side(b)?)));
        return defaults.collect();
    };
    let Some(elements) = item.elements() else {
        r.wrong(&item, "a list of pairs");
        return Vec::new();
    };
    let read = |element| pair(r, element);
    elements.into_iter().filter_map(read).collect()
}

fn pair<'t>(r: &mut Reader<'t>, item: Item<'t>) -> Option<(MatcherId, MatcherId)> {
    let texts = r.texts(Some(item.clone()))?;
    let [(a, first), (b, second)] = texts.as_slice() else {
        let message = format!("`{}` has to be a pair of two names", item.path);
        let help = "write `[\"one\", \"other\"]`".to_owned();
        r.error(item.at, message, Some(help));
        return None;
    };
    if first == second {
        let message = format!("`{first}` is paired with itself: every call of it is refused");
        r.warn("self_pair", item.at, message);
    }
    let mut side = |at, text: &str| {
        let usable = r.glob(text, at, Names::Checked);
        usable.then(|| r.matcher(vec![text.to_owned()], Scope::Names, at))?
    };
    Some((side(a.at, first)?, side(b.at, second)?))
}
