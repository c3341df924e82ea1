//! A policy to test with: the barriers of the default table, built by hand.

use crate::policy::matcher::{MatcherId, Matchers, Scope};
use crate::policy::{
    Alpha, BarrierSpec, Dcbf, Dfa, Gates, Measure, Policy, PolicyPlace, PolicySource,
};
use crate::trace::money::Nano;

/// An alpha.
pub fn alpha(kappa: f64, power: f64) -> Alpha {
    Alpha { kappa, power }
}

/// A barrier of weight 1 and no margin.
pub fn barrier(name: &str, measure: Measure, alpha: Alpha) -> BarrierSpec {
    BarrierSpec {
        name: name.into(),
        measure,
        weight: 1.0,
        margin: 0.0,
        alpha,
        place: PolicyPlace::default(),
    }
}

/// The five default barriers under one alpha, and the default budgets.
pub fn policy(alpha: Alpha) -> Policy {
    let mut matchers = Matchers::default();
    let mut list = |patterns: &[&str]| -> MatcherId {
        let patterns = patterns.iter().map(|p| p.to_string()).collect();
        matchers.add(patterns, Scope::Names).expect("globs")
    };
    let pair = (list(&["sql_query"]), list(&["http_request"]));
    let outbound = list(&["send_email", "http_request"]);
    let safety = Measure::Safety {
        window: 5,
        pairs: vec![pair],
    };
    let privacy = Measure::Privacy {
        budget: 0.5,
        per_call: 0.2,
        outbound,
    };
    let scope = Measure::Scope {
        max_drift: 0.8,
        embed: None,
    };
    let limit = Nano(10_000_000_000);
    let mut barriers = vec![
        barrier("safety", safety, alpha),
        barrier("privacy", privacy, alpha),
        barrier("resource", Measure::Resource { limit }, alpha),
        barrier("scope", scope, alpha),
        barrier("stability", Measure::Stability { step_budget: 50 }, alpha),
    ];
    barriers[0].margin = 0.1;
    Policy {
        source: PolicySource::BuiltIn,
        sha256: String::new(),
        matchers,
        files: Vec::new(),
        tallied: vec![outbound],
        recent: 5,
        features_counted: false,
        labels: Vec::new(),
        disabled: Vec::new(),
        gates: Gates::default(),
        privilege: None,
        resources: Vec::new(),
        dfa: Dfa {
            max_steps: 50,
            max_loops: 10,
            max_repeats: None,
            max_refusals: None,
            timeout_ns: None,
        },
        contracts: Vec::new(),
        dcbf: Dcbf {
            verify: true,
            record_costs: true,
            per_call_cost: Nano(10_000_000),
            features: Policy::built_in().dcbf.features,
            barriers,
        },
        semantic: None,
        preparer: Default::default(),
        models: Vec::new(),
        boundary: None,
        lines: Default::default(),
        warnings: Vec::new(),
    }
}
