//! What policies make of models: replacing or beside, conflicts, the effective form, warnings.

use super::build::{TRAINED, archive, members, metadata, safetensors, tensors, with};
use gate::barriers;
use gate::check::check;
use gate::diag::Diagnostic;
use gate::policy::{Policy, PolicySource, effective, parse};
use gate::state::{AgentState, RunView};
use gate::verify::range::Range;

fn load(file: &str) -> Result<Vec<u8>, String> {
    match file {
        "ncbf.safetensors" => Ok(TRAINED.to_vec()),
        "plain.safetensors" => Ok(super::build::sound()),
        "state.pt" => Ok(archive(&members(), true)),
        "drift.safetensors" => {
            let said = with("features", Some("[\"drift\",\"steps\"]"));
            Ok(safetensors(&tensors(), &said))
        }
        "other_list" => {
            let mut said = with("features_version", Some("gate-features/0"));
            said.push(("features_sha256", "00".to_owned()));
            Ok(safetensors(&tensors(), &said))
        }
        "other_hash" => Ok(safetensors(
            &tensors(),
            &with("features_sha256", Some("00")),
        )),
        "strange" => Ok(safetensors(
            &tensors(),
            &with("features", Some("[\"step\",\"f1\"]")),
        )),
        _ => Err("there is no such file".into()),
    }
}

fn try_read(text: &str) -> Result<Policy, Vec<Diagnostic>> {
    parse(text, "gate.toml", PolicySource::BuiltIn, &load)
}

fn read(text: &str) -> Policy {
    try_read(text).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]))
}

fn names(policy: &Policy) -> Vec<&str> {
    let barriers = policy.dcbf.barriers.iter();
    barriers.map(|spec| spec.name.as_str()).collect()
}

fn codes(policy: &Policy) -> Vec<&str> {
    policy.warnings.iter().map(|w| w.code).collect()
}

const FIVE: [&str; 5] = ["safety", "privacy", "resource", "scope", "stability"];

#[test]
fn a_model_replaces_the_five_or_stands_beside_them() {
    let alone = read("[dcbf]\nneural = \"ncbf.safetensors\"\nkappa = 0.5\n");
    assert_eq!(names(&alone), ["neural"]);
    assert_eq!(alone.dcbf.barriers[0].alpha.kappa, 0.5);
    let table = read(
        "[dcbf.neural]\nmodel = \"ncbf.safetensors\"\nmargin = 0.1\nweight = 3\nkappa = 0.9\npower = 2\n",
    );
    let spec = &table.dcbf.barriers[0];
    assert_eq!((spec.margin, spec.weight), (0.1, 3.0));
    assert_eq!((spec.alpha.kappa, spec.alpha.power), (0.9, 2.0));
    let off = read("[dcbf.neural]\nmodel = \"nowhere\"\nenabled = false\n");
    assert_eq!(names(&off), FIVE, "what is not used is not opened");
    let beside = read("[dcbf.barriers.learned]\nmodel = \"ncbf.safetensors\"\n");
    assert_eq!(names(&beside), [&FIVE[..], &["learned"]].concat());
    let instead = read("[dcbf.barriers.safety]\nmodel = \"ncbf.safetensors\"\n");
    assert_eq!(names(&instead), FIVE);
    assert_eq!(
        instead.dcbf.barriers[0].margin, 0.0,
        "the margin is that of the measure it was"
    );
}

/// The table that a model is trained on is made by the policy that names the model, before there is one;
/// its features are those that the model will get.
#[test]
fn a_table_needs_no_model() {
    for (rest, model) in [
        ("", "[dcbf]\nneural = \"FILE\"\n"),
        (
            "[dcbf.barriers.scope]\nembed = \"static\"\n",
            "[dcbf]\nneural = \"FILE\"\n",
        ),
        (
            "[dcbf.barriers.scope]\nenabled = false\nembed = \"static\"\n",
            "[dcbf.barriers.x]\nmodel = \"FILE\"\n",
        ),
        (
            "[dcbf.barriers.privacy]\nbudget = 2.0\nweight = 0\n",
            "[dcbf.barriers.x]\nmodel = \"FILE\"\n",
        ),
        (
            "[dcbf.barriers.privacy]\nmodel = \"FILE\"\n",
            "[dcbf.barriers.x]\nmodel = \"FILE\"\n",
        ),
    ] {
        let text = |file| format!("{model}{rest}").replace("FILE", file);
        let source = PolicySource::BuiltIn;
        let none = gate::policy::parse_without_models(&text("nowhere"), "gate.toml", source, &load);
        let mut none = none.unwrap_or_else(|errors| panic!("{}", errors[0]));
        none.count_default_features();
        assert!(none.neural().next().is_none());
        let with = read(&text("plain.safetensors"));
        assert_eq!(none.parameters_sha256(), with.parameters_sha256(), "{rest}");
    }
}

#[test]
fn what_features_count_by_stays_where_the_five_are_replaced() {
    let policy = read(
        "[dcbf]\nneural = \"ncbf.safetensors\"\n[dcbf.barriers.privacy]\noutbound = [\"send_*\"]\nbudget = 2.0\n\
         [dcbf.barriers.safety]\nwindow = 9\n[dcbf.barriers.resource]\nper_call_cost_usd = 0.5\nlimit_usd = 3\n",
    );
    let by = &policy.dcbf.features;
    assert_eq!((by.window, by.budget, by.limit.usd()), (9, 2.0, 3.0));
    assert_eq!(policy.dcbf.per_call_cost.usd(), 0.5);
    assert_eq!(policy.recent, 9);
    assert_eq!(policy.tallied, by.outbound.into_iter().collect::<Vec<_>>());
    assert_eq!(
        codes(&policy),
        ["other_parameters"],
        "it was trained with other budgets"
    );
    assert_eq!(
        codes(&read("[dcbf]\nneural = \"ncbf.safetensors\"\n")),
        [""; 0]
    );
}

/// A preset has margins of its own and does not know of the model.
#[test]
fn a_preset_can_be_extended_by_a_model() {
    for preset in ["coding-agent", "mcp-default", "agentdojo", "strict"] {
        let policy = read(&format!(
            "extends = \"{preset}\"\n[dcbf]\nneural = \"ncbf.safetensors\"\n"
        ));
        assert_eq!(policy.dcbf.barriers[0].name, "neural", "{preset}");
        let five = names(&policy).iter().any(|name| FIVE.contains(name));
        assert!(!five, "{preset}: {:?}", names(&policy));
    }
}

#[test]
fn the_effective_form_reads_back_and_names_the_model() {
    for text in [
        "[dcbf]\nneural = \"ncbf.safetensors\"\n[dcbf.barriers.safety]\nwindow = 3\npairs = [[\"a\", \"b*\"]]\n",
        "[dcbf.barriers.learned]\nmodel = \"ncbf.safetensors\"\nmargin = -0.5\n",
        "[dcbf.barriers.privacy]\nmodel = \"ncbf.safetensors\"\n[dcbf.barriers.stability]\nenabled = false\nstep_budget = 7\n",
        "[dcbf.barriers.x]\nmodel = \"state.pt\"\nactivation = \"relu\"\nfeatures = [\"cost_usd\", \"tokens\"]\n",
        "[dcbf]\nneural = \"ncbf.safetensors\"\n[dcbf.barriers.scope]\nembed = \"static\"\n",
        "[dcbf]\nneural = \"ncbf.safetensors\"\n[dcbf.barriers.z]\nexpr = \"1.0\"\n[dcbf.barriers.a]\nexpr = \"2.0\"\n",
    ] {
        let policy = read(text);
        let form = effective::text(&policy);
        let again = read(&form);
        assert_eq!(effective::text(&again), form, "{text}");
        assert_eq!(again.sha256, policy.sha256, "{text}");
        assert_eq!(names(&again), names(&policy), "{text}");
        let by = |p: &Policy| p.parameters_sha256();
        assert_eq!(by(&again), by(&policy), "{text}");
        assert!(form.contains("# model sha256: "), "{form}");
    }
    let hash = effective::sha256(TRAINED);
    let form = effective::text(&read("[dcbf]\nneural = \"ncbf.safetensors\"\n"));
    assert!(
        form.contains(&hash) && form.contains("activation = \"tanh\""),
        "{form}"
    );
}

/// Each policy is wrong in one way: the place, the message and, where there is one, the help.
#[test]
fn mistakes_are_told_with_their_place() {
    let cases = [
        (
            "[dcbf]\nneural = \"nowhere\"\n",
            "2:10: the model `nowhere` cannot be used: there is no such file",
        ),
        (
            "[dcbf]\nneural = 1\n",
            "2:10: `dcbf.neural` has to be a string or a table, not a whole number",
        ),
        ("[dcbf.neural]\nmargin = 1\n", "`dcbf.neural` needs `model`"),
        (
            "[dcbf.neural]\nmodel = \"ncbf.safetensors\"\nmargn = 1\n",
            "3:1: unknown key `margn` in `[dcbf.neural]`: did you mean `margin`?",
        ),
        (
            "[dcbf]\nneural = \"ncbf.safetensors\"\n[dcbf.barriers.safety]\nmargin = 0.2\n",
            "4:1: `neural` replaces the barrier `safety`: its `margin` decides nothing",
        ),
        (
            "[dcbf]\nneural = \"ncbf.safetensors\"\n[dcbf.barriers.scope]\nenabled = true\n",
            "4:1: `neural` replaces the barrier `scope`: its `enabled` decides nothing",
        ),
        (
            "[dcbf]\nneural = \"ncbf.safetensors\"\n[dcbf.barriers.neural]\nexpr = \"1.0\"\n",
            "there is a barrier `neural` beside `neural`",
        ),
        (
            "[dcbf.barriers.x]\nmodel = \"ncbf.safetensors\"\nexpr = \"1.0\"\n",
            "2:1: a barrier is measured by `expr` or by `model`, not by both",
        ),
        (
            "[dcbf.barriers.x]\nmodel = \"ncbf.safetensors\"\nwindow = 3\n",
            "3:1: unknown key `window` in `[dcbf.barriers.x]`: a barrier with `model` takes",
        ),
        (
            "[dcbf.barriers.x]\nmodel = \"state.pt\"\nfeatures = [\"steps\", \"cost_usd\"]\n",
            "its activation is not known: a state dict does not say it",
        ),
        (
            "[dcbf.barriers.x]\nmodel = \"state.pt\"\nactivation = \"tanh\"\n",
            "it does not name its features: a state dict does not say them: set `features = [..]`",
        ),
        (
            "[dcbf.barriers.x]\nmodel = \"state.pt\"\nactivation = \"tanh\"\nfeatures = [\"steps\"]\n",
            "it takes 2 inputs, and 1 features are named",
        ),
        (
            "[dcbf.barriers.x]\nmodel = \"state.pt\"\nactivation = \"tan\"\nfeatures = [\"steps\", \"loops\"]\n",
            "`dcbf.barriers.x.activation` cannot be `tan`: did you mean `tanh`?",
        ),
        (
            "[dcbf.barriers.x]\nmodel = \"ncbf.safetensors\"\nactivation = \"relu\"\n",
            "its own activation is `tanh`, and `relu` is given beside it",
        ),
        (
            "[dcbf.barriers.x]\nmodel = \"ncbf.safetensors\"\nfeatures = [\"steps\"]\n",
            "its own list of features is another than the one given beside it",
        ),
        (
            "[dcbf.barriers.x]\nmodel = \"strange\"\n",
            "it takes a feature `step` that there is none of: did you mean `steps`?",
        ),
        (
            "[dcbf.barriers.x]\nmodel = \"other_list\"\n",
            "it was trained on `gate-features/0`, and features are `gate-features/1` here: train it again",
        ),
        (
            "[dcbf.barriers.x]\nmodel = \"other_hash\"\n",
            "it was trained on features of hash `00`, which is",
        ),
    ];
    for (text, wanted) in cases {
        let errors = try_read(text).expect_err(text);
        let told: Vec<String> = errors
            .iter()
            .map(|e| {
                let help = e.help.as_ref().map(|help| format!(": {help}"));
                format!(
                    "{}:{}: {}{}",
                    e.line,
                    e.column,
                    e.message,
                    help.unwrap_or_default()
                )
            })
            .collect();
        assert!(
            told.iter().any(|t| t.contains(wanted)),
            "{told:#?}, not {wanted}"
        );
    }
}

#[test]
fn a_model_without_a_version_is_doubted() {
    let policy = read("[dcbf.barriers.x]\nmodel = \"plain.safetensors\"\n");
    assert_eq!(codes(&policy), ["unversioned_features"]);
}

/// The model comes to 5.5 at most.
#[test]
fn a_margin_that_no_state_can_meet_is_doubted() {
    let at = |margin: &str| {
        let text = format!("[dcbf.neural]\nmodel = \"plain.safetensors\"\nmargin = {margin}\n");
        let policy = read(&text);
        let found = policy.warnings.iter().find(|w| w.code == "unsafe_at_start");
        found.map(|w| w.message.clone())
    };
    assert_eq!(at("5.5"), None);
    let told = at("6").expect("a warning");
    assert_eq!(
        told,
        "`neural` is -0.5 at most in any state: every call is refused"
    );
}

/// h comes out of the features of the state, less the margin.
#[test]
fn the_value_is_that_of_the_model_less_the_margin() {
    let policy = read("[dcbf.neural]\nmodel = \"plain.safetensors\"\nmargin = 0.25\n");
    let state = AgentState {
        step_count: 3,
        cost: gate::trace::money::Nano(1_000_000_000),
        ..AgentState::default()
    };
    let (h, why) = barriers::value(
        &policy,
        &policy.dcbf.barriers[0],
        &state.view(RunView::default()),
    );
    let expected = 2.0 * 3.125f64.tanh() - 3.0 * (-0.25f64).tanh() + 0.5 - 0.25;
    assert!((h - expected).abs() < 1e-12, "{h} and {expected}");
    assert_eq!(why, None);
}

/// Deviations from the mean are told of models that have a mean.
#[test]
fn a_model_that_does_not_normalise_names_no_deviations() {
    let mut bare = tensors();
    bare.retain(|(name, ..)| !matches!(*name, "mean" | "std"));
    let bare = safetensors(&bare, &metadata());
    let cause = |bytes: &[u8]| {
        let from = |_: &str| Ok(bytes.to_vec());
        let text = "[dcbf]\nneural = \"m\"\n";
        let policy = parse(text, "gate.toml", PolicySource::BuiltIn, &from).expect("a policy");
        let state = AgentState {
            step_count: 30,
            ..AgentState::default()
        };
        let measure = &policy.dcbf.barriers[0].measure;
        let (view, mut cause) = (state.view(RunView::default()), String::new());
        (barriers::definition(measure).cause)(&policy, measure, &view, &mut cause);
        cause
    };
    assert!(cause(&super::build::sound()).starts_with("steps 30 lies 14.5 deviations above"));
    assert_eq!(cause(&bare), "");
}

/// A feature that is no number makes h no number, and that is -1, never a pass.
#[test]
fn what_is_no_number_refuses() {
    let policy = read("[dcbf]\nneural = \"drift.safetensors\"\n");
    let state = AgentState {
        context: Some(vec![1.0, 0.0].into()),
        action: Some(vec![1.0].into()),
        ..AgentState::default()
    };
    let (h, why) = barriers::value(
        &policy,
        &policy.dcbf.barriers[0],
        &state.view(RunView::default()),
    );
    assert_eq!(h, -1.0);
    assert!(why.is_some_and(|why| why.contains("not a finite number")));
}

/// A model that is positive on all it can reach still falls to -1 where it cannot be computed, and a
/// kappa that admits that does not keep the safe set.
#[test]
fn soundness_counts_what_cannot_be_computed() {
    let message = |kappa: f64, margin: f64| {
        let policy = read(&format!(
            "[dcbf.neural]\nmodel = \"plain.safetensors\"\nkappa = {kappa}\nmargin = {margin}\n"
        ));
        let mut warnings = gate::verify::soundness::unsound_alpha(&policy);
        warnings.pop().map(|w| w.message).unwrap_or_default()
    };
    assert_eq!(message(1.0, -5.0), "");
    // It reaches 0.5 to 10.5.
    let admitted = message(2.0, -5.0);
    assert!(
        admitted.ends_with(
            "a state in which it cannot be computed counts as -1, and a call that takes it from 10.5 \
             to -1, if it comes to such values, would be admitted and leaves the safe set"
        ),
        "{admitted}"
    );
    let refused = message(1.05, -5.0);
    assert!(
        refused.ends_with("no call that makes it negative is admitted"),
        "{refused}"
    );
}

#[test]
fn soundness_is_judged_on_what_the_last_layer_can_reach() {
    let bounded = read("[dcbf]\nneural = \"plain.safetensors\"\n");
    let range = Range::of(&bounded.dcbf.barriers[0]);
    assert_eq!(
        range,
        Range::Fallible {
            high: 5.5,
            low: -4.5
        }
    );
    let open = read(
        "[dcbf.neural]\nmodel = \"state.pt\"\nactivation = \"relu\"\nfeatures = [\"steps\", \"loops\"]\nkappa = 2\n",
    );
    assert_eq!(Range::of(&open.dcbf.barriers[0]), Range::Unknown);
    let warnings = gate::verify::soundness::unsound_alpha(&open);
    assert!(
        warnings[0].message.contains("kappa 2 is above 1"),
        "{warnings:?}"
    );
    assert!(check(&open, None).permitted().is_empty());
}
