//! What `gate check` says of policies: numbers that were worked out by hand, and each kind of finding
//! on a policy that has it and on one that has not.

#[path = "program/mod.rs"]
mod program;

use gate::check::binds::Binds;
use gate::check::permits::Permits;
use gate::check::row::BarrierRow;
use gate::check::{CheckReport, Code, Finding, check};
use gate::policy::{Policy, PolicySource, parse};
use gate::verify::soundness::{Exit, Soundness};
use program::Scratch;

fn policy(text: &str) -> Policy {
    let source = PolicySource::File("p.toml".into());
    let nothing = |_: &str| Err("no file".to_owned());
    parse(text, "p.toml", source, &nothing).unwrap_or_else(|e| panic!("{text}: {e:?}"))
}

fn report(text: &str) -> CheckReport {
    check(&policy(text), None)
}

fn row(text: &str, name: &str) -> BarrierRow {
    let rows = report(text).barriers;
    let found = rows.into_iter().find(|row| row.name == name);
    found.unwrap_or_else(|| panic!("no {name} in {text}"))
}

/// The default barriers under one function.
fn under(kappa: f64, power: f64) -> String {
    format!("[dcbf]\nkappa = {kappa:?}\npower = {power:?}\n")
}

fn exit(text: &str, name: &str) -> Option<Exit> {
    match row(text, name).soundness {
        Some(Soundness::Exits(exit)) => Some(exit),
        _ => None,
    }
}

/// alpha(h) <= h holds for a power above 1 up to kappa^(-1/(power-1)), so that with a greatest value H
/// it is sound iff kappa <= H^(1-power).
#[test]
fn a_power_above_one_is_sound_up_to_a_bound() {
    for (limit, power) in [(10.0_f64, 2.0_f64), (4.0, 3.0), (2.0, 1.5)] {
        let bound = limit.powf(1.0 - power);
        for (kappa, sound) in [(bound * 0.999, true), (bound * 1.001, false)] {
            let text = format!(
                "[dcbf.barriers.resource]\nlimit_usd = {limit:?}\nkappa = {kappa:?}\npower = {power:?}\n"
            );
            let found = row(&text, "resource").soundness;
            assert_eq!(found == Some(Soundness::Sound), sound, "{text}");
        }
    }
}

/// With power 1 it holds iff kappa <= 1, and below 1 never near zero.
#[test]
fn a_power_of_one_is_sound_up_to_one_and_below_it_never() {
    for (kappa, power, sound) in [
        (0.0, 1.0, true),
        (1.0, 1.0, true),
        (1.001, 1.0, false),
        (1.0, 0.5, false),
        (0.01, 0.9, false),
    ] {
        let found = row(&under(kappa, power), "resource").soundness;
        assert_eq!(found == Some(Soundness::Sound), sound, "{kappa} {power}");
    }
}

/// The exits that are known to be admitted, and that the report names one that is admitted too.
#[test]
fn known_exits_are_admitted_and_one_is_named() {
    for (name, kappa, power, h, next) in [
        ("resource", 1.0, 2.0, 10.0, -8.0),
        ("resource", 1.5, 1.0, 10.0, -5.0),
        ("privacy", 1.0, 0.5, 0.1, -0.1),
        ("scope", 1.0, 0.5, 0.05, -0.15),
    ] {
        let text = under(kappa, power);
        let alpha = row(&text, name).alpha;
        assert!(alpha.admits(h, next), "{name}: {h} -> {next}");
        let named = exit(&text, name).expect(name);
        assert!(named.h >= 0.0 && named.next < 0.0, "{name}: {named:?}");
        assert!(alpha.admits(named.h, named.next), "{name}: {named:?}");
    }
    // An alpha that overflows admits nothing at all, instead of everything.
    let alpha = row(&under(1.0, 2.0), "resource").alpha;
    assert!(!alpha.admits(1e200, -1.0) && !alpha.admits(1e200, 1e200));
}

/// Unit steps never exit; three outbound calls do iff kappa * 0.1^power >= 0.2.
#[test]
fn on_a_lattice_less_is_enough() {
    for (kappa, power) in [(1.0_f64, 2.0_f64), (7.0, 1.0), (1.0, 0.5), (40.0, 3.0)] {
        assert_eq!(exit(&under(kappa, power), "stability"), None);
    }
    for power in [0.5_f64, 0.8, 1.0, 2.0] {
        for (factor, exits) in [(0.99, false), (1.01, true)] {
            let kappa = factor * 0.2 / 0.1_f64.powf(power);
            let found = exit(&under(kappa, power), "privacy");
            assert_eq!(found.is_some(), exits, "{kappa} {power}");
        }
    }
}

/// Outbound calls that are admitted: kappa < .4: 0; .4 <= kappa < 2/3: 1; 2/3 <= kappa < 2: 2. Unit
/// steps of fifty: 50, 49, 49, 46, 41, 31, 1, and 0 below.
#[test]
fn a_small_kappa_shrinks_budgets() {
    for (kappa, outbound) in [
        (0.39, 0),
        (0.4, 1),
        (0.66, 1),
        (0.67, 2),
        (1.0, 2),
        (1.9, 2),
    ] {
        let found = row(&under(kappa, 1.0), "privacy").calls;
        assert_eq!(found, Some(Permits::Calls(outbound)), "{kappa}");
    }
    for (kappa, steps) in [
        (1.0, 50),
        (0.9, 49),
        (0.5, 49),
        (0.2, 46),
        (0.1, 41),
        (0.05, 31),
        (0.02, 1),
        (0.019, 0),
    ] {
        let found = row(&under(kappa, 1.0), "stability").calls;
        assert_eq!(found, Some(Permits::Calls(steps)), "{kappa}");
    }
}

#[test]
fn what_is_permitted_is_told_in_sentences() {
    let says = |text: &str, name: &str| row(text, name).permits;
    assert_eq!(
        says("", "privacy"),
        [
            "2 outbound calls, then none for the rest of the run",
            "0.1 of 0.5 can never be used"
        ]
    );
    assert_eq!(
        says(&under(0.5, 1.0), "privacy"),
        [
            "1 outbound call, then none for the rest of the run",
            "0.3 of 0.5 can never be used, 0.2 of it because of kappa 0.5"
        ]
    );
    assert_eq!(
        says(&under(0.5, 1.0), "stability"),
        [
            "49 calls, then none for the rest of the run",
            "1 of 50 steps can never be used, because of kappa 0.5"
        ]
    );
    assert_eq!(
        says("", "stability"),
        ["50 calls, then none for the rest of the run"]
    );
    assert_eq!(
        says("", "resource"),
        ["1000 calls at the default estimate of 0.01 USD, 10 of 10 USD"]
    );
    assert_eq!(
        says(&under(0.5, 1.0), "resource")[1],
        "the first call may be estimated at 5 USD at most"
    );
    let pair = "[dcbf.barriers.safety]\npairs = [[\"sql_query\", \"http_request\"]]\n";
    for (window, told) in [
        (
            5,
            "after `sql_query` no `http_request` in the next 4 calls, nor the other way round",
        ),
        (
            2,
            "after `sql_query` no `http_request` as the next call, nor the other way round",
        ),
        (1, "no call that is both `sql_query` and `http_request`"),
    ] {
        assert_eq!(
            says(&format!("{pair}window = {window}\n"), "safety"),
            [told]
        );
    }
    let none = says("[dcbf.barriers.privacy]\nkappa = 0.1\n", "privacy");
    assert_eq!(none[0], "no outbound call at all");
}

/// Money is counted in integers: 0.3 - 3 * 0.1 is below zero in floats.
#[test]
fn the_last_legitimate_call_of_a_budget_is_counted() {
    let text = "[dcbf.barriers.resource]\nlimit_usd = 0.3\nper_call_cost_usd = 0.1\n";
    assert_eq!(row(text, "resource").calls, Some(Permits::Calls(3)));
    assert_eq!(row(text, "resource").stranded, None);
}

/// Without a look at the next state the call that spends too much still passes.
#[test]
fn without_verify_one_more_call_passes_and_nothing_is_sound() {
    let found = row("[dcbf]\nverify = false\n", "privacy");
    assert_eq!(found.calls, Some(Permits::Calls(3)));
    assert_eq!(found.soundness, None);
}

#[test]
fn the_limit_that_ends_a_run_comes_first() {
    let names = |text: &str| {
        let limits = report(text).limits;
        limits.into_iter().map(|l| l.name).collect::<Vec<_>>()
    };
    assert_eq!(
        names(""),
        ["privacy", "dfa.max_steps", "stability", "resource"]
    );
    let sooner = "[dfa]\nmax_steps = 100\n[privilege.agents.a]\nmax_total_cost_usd = 0.2\n";
    assert_eq!(
        names(sooner),
        [
            "privacy",
            "max_total_cost_usd of agent a",
            "stability",
            "dfa.max_steps",
            "resource"
        ]
    );
    assert_eq!(
        names("[pipeline]\ndisable = [\"dcbf\"]\n"),
        ["dfa.max_steps"]
    );
}

/// Whether a barrier can refuse a call, with a word of the reason.
#[test]
fn barriers_that_cannot_bind_are_told_from_those_that_can() {
    let never = |text: &str, name: &str, why: &str| match row(text, name).binds {
        Binds::Never(told) => assert!(told.contains(why), "{text}: {told}"),
        other => panic!("{text}: {other:?}"),
    };
    let can = |text: &str, name: &str| assert_eq!(row(text, name).binds, Binds::Can, "{text}");
    never("[dcbf.barriers.safety]\npairs = []\n", "safety", "no pairs");
    never(
        "[dcbf.barriers.safety]\nmargin = -1.0\n",
        "safety",
        "0 at least",
    );
    never(
        "[dcbf.barriers.safety]\nwindow = 1\n",
        "safety",
        "a single call",
    );
    // A label makes one call match both sides.
    can(
        "[[labels]]\nlabel = \"http_request\"\n[dcbf.barriers.safety]\nwindow = 1\n",
        "safety",
    );
    never("[gates]\nallow = [\"search\"]\n", "safety", "gates.allow");
    never("[gates]\nallow = [\"search\"]\n", "privacy", "gates.allow");
    never(
        "[dcbf.barriers.privacy]\noutbound = []\n",
        "privacy",
        "empty",
    );
    never(
        "[dcbf.barriers.privacy]\nper_call = 0\n",
        "privacy",
        "0.5 at least",
    );
    never(
        "[dcbf.barriers.privacy]\nbudget = 100\n",
        "privacy",
        "dfa.max_steps",
    );
    never(
        "[dfa]\nmax_steps = 2\n",
        "privacy",
        "behind `dfa.max_steps`",
    );
    can("[dfa]\nmax_steps = 3\n", "privacy");
    never(
        "[dcbf.barriers.stability]\nstep_budget = 51\n",
        "stability",
        "behind",
    );
    can("[dcbf.barriers.stability]\nstep_budget = 49\n", "stability");
    can("[pipeline]\ndisable = [\"dfa\"]\n", "stability");
    never(
        "[pipeline]\ndisable = [\"dcbf\"]\n",
        "stability",
        "switched off",
    );
    never(
        "[privilege.agents.a]\nmax_total_cost_usd = 10\n",
        "resource",
        "behind `privilege`",
    );
    can(
        "[dcbf.barriers.resource]\nper_call_cost_usd = 1\n[privilege.agents.a]\nmax_total_cost_usd = 11\n",
        "resource",
    );
    assert!(matches!(row("", "resource").binds, Binds::Only(_)));
    assert!(matches!(row("", "scope").binds, Binds::Unknown(_)));
    can("[dcbf.barriers.scope]\nembed = \"hash\"\n", "scope");
    let wide = "[dcbf.barriers.scope]\nembed = \"hash\"\nmax_drift = 2\n";
    assert!(matches!(row(wide, "scope").binds, Binds::Only(_)));
    let narrow = "[dcbf.barriers.scope]\nembed = \"hash\"\nmax_drift = 2\nkappa = 0.5\n";
    assert_eq!(row(narrow, "scope").binds, Binds::Can, "a jump is refused");
}

const AGENT: &str = "[privilege.agents.a]\n";
const CLOSED: &str = "[gates]\nallow = [\"search\", \"mcp__*\"]\n";

/// Each kind of finding: a policy that has it, on that line, and one that is close and has it not.
const CASES: &[(Code, usize, &str, &str)] = &[
    (
        Code::ShadowedPattern,
        2,
        "[gates]\nallow = [\"mcp__*\", \"mcp__mail__send\"]\n",
        "[gates]\nallow = [\"mcp__mail__*\", \"mcp__send\"]\n",
    ),
    (
        Code::ShadowedPattern,
        2,
        "[gates]\nrefuse = [\"rm\", \"rm\"]\n",
        "[gates]\nrefuse = [\"rm\", \"rm \"]\n",
    ),
    (
        Code::ShadowedPair,
        2,
        "[dcbf.barriers.safety]\npairs = [[\"read\", \"send\"], [\"send\", \"read\"]]\n",
        "[dcbf.barriers.safety]\npairs = [[\"read\", \"send\"], [\"send\", \"write\"]]\n",
    ),
    (
        Code::ShadowedContract,
        4,
        "[[contracts]]\ntools = [\"*\"]\nrequire = ['seen(\"a\")']\n[[contracts]]\ntools = [\"b\"]\nrequire = ['seen( \"a\" )']\n",
        "[[contracts]]\ntools = [\"b\"]\nrequire = ['seen(\"a\")']\n[[contracts]]\ntools = [\"*\"]\nrequire = ['seen(\"a\")']\n",
    ),
    (
        Code::ShadowedContract,
        4,
        "[[contracts]]\ntools = [\"b*\"]\nrequire = ['false']\n[[contracts]]\ntools = [\"bc\"]\nrequire = ['seen(\"a\")']\n",
        "[[contracts]]\ntools = [\"b*\"]\nrequire = ['false']\n[[contracts]]\ntools = [\"cb\"]\nrequire = ['seen(\"a\")']\n",
    ),
    (
        Code::ShadowedLabelRule,
        4,
        "[[labels]]\nlabel = \"out\"\ntools = [\"mcp__*\"]\n[[labels]]\nlabel = \"out\"\ntools = [\"mcp__mail\"]\nwhen = 'call.turn > 1'\n",
        "[[labels]]\nlabel = \"out\"\ntools = [\"mcp__*\"]\nwhen = 'call.turn > 2'\n[[labels]]\nlabel = \"out\"\ntools = [\"mcp__mail\"]\nwhen = 'call.turn > 1'\n",
    ),
    (
        Code::ShadowedLimit,
        4,
        "[gates]\nmax_tokens = 10\n[gates.per_tool]\nsearch = 10\n",
        "[gates]\nmax_tokens = 10\n[gates.per_tool]\nsearch = 9\n",
    ),
    (
        Code::ShadowedLimit,
        3,
        "[gates.per_tool]\n\"mcp__*\" = 10\nmcp__mail = 20\n",
        "[gates.per_tool]\n\"mcp__*\" = 20\nmcp__mail = 10\n",
    ),
    (
        Code::ShadowedLimit,
        2,
        "[dfa]\nmax_steps = 51\n",
        "[dfa]\nmax_steps = 50\n",
    ),
    (
        Code::ShadowedLimit,
        2,
        "[privilege.agents.a]\nmax_total_cost_usd = 11\n",
        "[privilege.agents.a]\nmax_total_cost_usd = 10\n",
    ),
    (
        Code::ShadowedLimit,
        2,
        "[privilege.agents.a]\nmax_call_cost_usd = 2\nmax_total_cost_usd = 2\n",
        "[privilege.agents.a]\nmax_call_cost_usd = 1\nmax_total_cost_usd = 2\n",
    ),
    (
        Code::MatchesNothing,
        4,
        "[gates]\nallow = [\"search\", \"mcp__*\"]\n[dcbf.barriers.privacy]\noutbound = [\"mcp__mail\", \"send_email\"]\n",
        "[gates]\nallow = [\"search\", \"mcp__*\"]\n[[labels]]\nlabel = \"send_email\"\ntools = [\"mcp__mail\"]\n[dcbf.barriers.privacy]\noutbound = [\"mcp__mail\", \"send_email\"]\n",
    ),
    (
        Code::MatchesNothing,
        4,
        "[gates]\nallow = [\"search\"]\n[gates.per_tool]\nsend = 5\n",
        "[gates]\nallow = [\"search\"]\n[gates.per_tool]\nsearch = 5\n",
    ),
    (
        Code::MatchesNothing,
        3,
        "[gates]\nallow = [\"search\"]\n[[contracts]]\ntools = [\"search\"]\nrequire = ['!seen(\"login\")']\n",
        "[gates]\nallow = [\"search\", \"login\"]\n[[contracts]]\ntools = [\"search\"]\nrequire = ['!seen(\"login\")']\n",
    ),
    (
        Code::UnreachableContract,
        3,
        "[gates]\nallow = [\"search\"]\n[[contracts]]\ntools = [\"send_*\"]\nrequire = ['call.turn > 1']\n",
        "[gates]\nallow = [\"s*\"]\n[[contracts]]\ntools = [\"send_*\"]\nrequire = ['call.turn > 1']\n",
    ),
    (
        Code::DeadLabelRule,
        3,
        "[gates]\nallow = [\"search\"]\n[[labels]]\nlabel = \"out\"\ntools = [\"send\"]\n",
        "[gates]\nallow = [\"search\"]\n[[labels]]\nlabel = \"out\"\ntools = [\"inner\"]\n[[labels]]\nlabel = \"inner\"\n",
    ),
    (
        Code::DeadDeny,
        3,
        "[privilege.agents.a]\ntools = [\"search\"]\ndeny_tools = [\"send\"]\n",
        "[privilege.agents.a]\ntools = [\"s*\"]\ndeny_tools = [\"send\"]\n",
    ),
    (
        Code::ShutOut,
        4,
        "[gates]\nallow = [\"search\"]\n[privilege.agents.a]\ntools = [\"search\", \"send\"]\n",
        "[gates]\nallow = [\"search\"]\n[privilege.agents.a]\ntools = [\"search\", \"se*\"]\n",
    ),
    (
        Code::DeniedPattern,
        2,
        "[privilege.agents.a]\ntools = [\"search\", \"mcp__mail__*\"]\ndeny_tools = [\"mcp__*\"]\n",
        "[privilege.agents.a]\ntools = [\"search\", \"mcp__*\"]\ndeny_tools = [\"mcp__mail__*\"]\n",
    ),
    (
        Code::AgentWithoutTools,
        2,
        "[privilege.agents.a]\ntools = []\n",
        "[privilege.agents.a]\ntools = [\"x\"]\n",
    ),
    (
        Code::AgentWithoutTools,
        2,
        "[privilege.agents.a]\ndeny_tools = [\"*\"]\n",
        "[privilege.agents.a]\ndeny_tools = [\"x*\"]\n",
    ),
    (
        Code::AllowedToNobody,
        2,
        "[gates]\nallow = [\"search\", \"send\"]\n[privilege.agents.a]\ntools = [\"search\"]\n",
        "[gates]\nallow = [\"search\", \"send\"]\n[privilege]\nunknown_agent = \"allow\"\n[privilege.agents.a]\ntools = [\"search\"]\n",
    ),
    (
        Code::VacuousCondition,
        1,
        "[[contracts]]\ntools = [\"a\"]\nrequire = [' true ']\n",
        "[[contracts]]\ntools = [\"a\"]\nrequire = ['call.turn > 0']\n",
    ),
    (
        Code::ContradictoryContracts,
        4,
        "[[contracts]]\ntools = [\"*\"]\nrequire = ['!seen(\"a\")']\n[[contracts]]\ntools = [\"b\"]\nrequire = ['seen(\"a\")']\n",
        "[[contracts]]\ntools = [\"c\"]\nrequire = ['!seen(\"a\")']\n[[contracts]]\ntools = [\"b\"]\nrequire = ['seen(\"a\")']\n",
    ),
    (
        Code::ContradictoryContracts,
        1,
        "[[contracts]]\ntools = [\"b\"]\nrequire = ['seen(\"a\")', '!(seen(\"a\"))']\n",
        "[[contracts]]\ntools = [\"b\"]\nrequire = ['seen(\"a\")', '!seen(\"c\")']\n",
    ),
    (
        Code::AllowedAndRefused,
        3,
        "[gates]\nallow = [\"search\", \"send\"]\n[[contracts]]\ntools = [\"se*d\"]\nrequire = ['false']\n",
        "[gates]\nallow = [\"search\", \"se*\"]\n[[contracts]]\ntools = [\"send\"]\nrequire = ['false']\n",
    ),
    (
        Code::PairWithinItself,
        2,
        "[dcbf.barriers.safety]\npairs = [[\"mcp__*\", \"mcp__send\"]]\n",
        "[dcbf.barriers.safety]\npairs = [[\"mcp__*\", \"send\"]]\n",
    ),
    (
        Code::EstimateRefused,
        2,
        "[privilege.agents.a]\nmax_call_cost_usd = 0.001\n",
        "[privilege.agents.a]\nmax_call_cost_usd = 0.01\n",
    ),
    (
        Code::RefusesEveryCall,
        2,
        "[gates]\nmax_tokens = 0\n",
        "[gates]\nmax_tokens = 1\n",
    ),
    (
        Code::RefusesEveryCall,
        1,
        "[privilege]\nunknown_agent = \"deny\"\n",
        "[privilege]\nunknown_agent = \"allow\"\n",
    ),
    (
        Code::NeverBinds,
        1,
        "[dcbf.barriers.stability]\nstep_budget = 60\n",
        "[dcbf.barriers.stability]\nstep_budget = 50\n",
    ),
    (
        Code::DisabledStage,
        3,
        "[pipeline]\ndisable = [\"gates\"]\n[gates]\nmax_tokens = 5\n",
        "[pipeline]\ndisable = [\"gates\"]\n",
    ),
];

fn found(text: &str, code: Code) -> Vec<Finding> {
    let findings = report(text).findings.into_iter();
    findings.filter(|f| f.code == code.as_str()).collect()
}

#[test]
fn every_finding_is_on_its_line_and_only_where_it_holds() {
    for (code, line, with, without) in CASES {
        let has = found(with, *code);
        assert_eq!(has.len(), 1, "{code:?} {with}\n{has:?}");
        assert_eq!(has[0].place.line, *line, "{with}\n{has:?}");
        assert!(has[0].place.column > 0);
        assert_eq!(found(without, *code), [], "{without}");
    }
    for code in Code::ALL {
        assert!(
            CASES.iter().any(|(of, ..)| of == code),
            "{code:?} has no case"
        );
    }
}

/// What stands in no line of the file is not the user's to mend.
#[test]
fn presets_and_defaults_have_no_findings() {
    for preset in gate::policy::presets::PRESETS {
        let policy = Policy::preset(preset.id).expect("a preset");
        assert_eq!(check(&policy, None).findings, [], "{}", preset.id);
    }
    let extended = "extends = \"coding-agent\"\n[gates]\nallow = [\"Read\"]\n";
    assert_eq!(report(extended).findings, []);
    assert_eq!(report(gate::policy::INIT).findings, []);
}

/// An agent's own lists narrow what it can call further.
#[test]
fn lists_that_allow_are_taken_together() {
    let text = format!(
        "{CLOSED}{AGENT}tools = [\"mcp__mail\", \"s*\"]\ndeny_tools = [\"mcp__web\", \"search\"]\n"
    );
    let dead = found(&text, Code::DeadDeny);
    assert_eq!(dead.len(), 1, "{dead:?}");
    assert!(dead[0].message.contains("`mcp__web`"), "{dead:?}");
}

#[test]
fn both_formats_hold_every_finding_and_nothing_is_said_beside_them() {
    let scratch = Scratch::new();
    let (_, line, text, _) = CASES[0];
    scratch.file("p.toml", text);
    for args in ["check p.toml", "check p.toml --format json"] {
        let ran = scratch.gate(args).ends(0);
        assert!(ran.out.contains("shadowed_pattern"), "{}", ran.out);
        assert_eq!(ran.err, "");
        scratch.gate(&format!("{args} --deny-warnings")).ends(1);
    }
    let ran = scratch.gate("check p.toml --format json").ends(0);
    let document: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(document["schema"], "gate.check/1");
    assert_eq!(document["findings"][0]["line"], line);
    assert_eq!(document["barriers"][1]["calls"]["calls"], 2);
    assert_eq!(document["limits"][1]["name"], "dfa.max_steps");
}

/// The effective form is a policy again, and the same one.
#[test]
fn the_effective_form_is_a_policy() {
    let scratch = Scratch::new();
    scratch.file("p.toml", "[dcbf]\nkappa = 2.0\n");
    let ran = scratch.gate("check p.toml --effective").ends(0);
    let effective = ran.out.clone();
    ran.says("warning: unsound_alpha");
    assert!(
        effective.contains("# privacy: 3 outbound calls")
            || effective.contains("# privacy: 2 outbound calls")
    );
    assert_eq!(
        policy(&effective).sha256,
        policy("[dcbf]\nkappa = 2.0\n").sha256
    );
    scratch.gate("check --effective --format json").ends(2);
    scratch.gate("check --effective --reach").ends(2);
}

/// Names of a policy come from whoever wrote it, and no line of the report is made by them.
#[test]
fn names_make_no_lines() {
    let scratch = Scratch::new();
    scratch.file(
        "p.toml",
        "[privilege.agents.\"a\\n\\u001B[2J\"]\ntools = []\nmax_total_cost_usd = 1\n",
    );
    let ran = scratch.gate("check p.toml").ends(0);
    assert!(ran.out.contains("agent_without_tools"), "{}", ran.out);
    assert!(
        ran.out.contains("\\u{1b}[2J") && !ran.out.contains('\u{1b}'),
        "{}",
        ran.out
    );
}
