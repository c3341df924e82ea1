//! Which barriers can refuse a call, and that those which are said to refuse nothing do not.

use super::cases::CASES;
use super::testing::Random;
use super::{program, report, row};
use gate::check::Code;
use gate::check::binds::Binds;

/// Whether a barrier can refuse a call, with a word of the reason.
#[test]
fn barriers_that_cannot_bind_are_told_from_those_that_can() {
    let never = |text: &str, name: &str, why: &str| match row(text, name).binds {
        Binds::Never(told) => assert!(told.contains(why), "{text}: {told}"),
        other => panic!("{text}: {other:?}"),
    };
    let only = |text: &str, name: &str, why: &str| match row(text, name).binds {
        Binds::Only(told) => {
            assert!(
                told.contains(why) && told.contains("labels that the record brings"),
                "{text}: {told}"
            );
            let found = report(text).findings;
            let advised = found.iter().find(|f| f.code == "never_binds");
            assert_eq!(advised, None, "{text}");
        }
        other => panic!("{text}: {other:?}"),
    };
    let can = |text: &str, name: &str| assert_eq!(row(text, name).binds, Binds::Can, "{text}");
    never("[dcbf.barriers.safety]\npairs = []\n", "safety", "no pairs");
    never(
        "[dcbf.barriers.safety]\nmargin = -1.0\n",
        "safety",
        "0 at least",
    );
    // Records may bring labels of their own, which the policy knows nothing of.
    only(
        "[dcbf.barriers.safety]\nwindow = 1\n",
        "safety",
        "a single call",
    );
    // A label makes one call match both sides.
    can(
        "[[labels]]\nlabel = \"http_request\"\n[dcbf.barriers.safety]\nwindow = 1\n",
        "safety",
    );
    only("[gates]\nallow = [\"search\"]\n", "safety", "gates.allow");
    only("[gates]\nallow = [\"search\"]\n", "privacy", "gates.allow");
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

/// Calls of many runs: tools in any order, some dear, some with labels of their own taken away.
fn calls(seed: u64) -> String {
    let tools = [
        "search",
        "send_email",
        "http_request",
        "sql_query",
        "file_read",
        "mcp__mail__send",
        "bc",
        "cb",
        "b",
        "send_it",
    ];
    let mut random = Random::new(seed);
    let mut trace = String::new();
    for run in 0..25 {
        let (kinds, dear) = (1 + random.below(10), random.below(3));
        for turn in 0..(10 + random.below(60)) {
            let tool = random.pick(&tools[..kinds]);
            let cost = if dear == 0 { random.below(4) } else { 0 };
            trace += &format!(
                "{{\"tool\":\"{tool}\",\"run\":\"r{run}\",\"turn\":{turn},\"agent\":\"a\",\"args\":{{\"n\":\"{}\"}},\"result\":\"x\",\"cost_usd\":{cost}}}\n",
                random.below(9)
            );
        }
    }
    trace
}

/// Whatever is called, a barrier that is said to refuse nothing refuses nothing, and a contract that is
/// said to decide nothing decides nothing. In observe mode calls that `gates.allow` shuts out have run
/// all the same, and leave their traces in the state: there only what follows from other lists holds.
#[test]
fn what_is_said_to_decide_nothing_decides_nothing() {
    let mut policies: Vec<String> = [
        "",
        "[dfa]\nmax_steps = 2\n",
        "[dfa]\nmax_steps = 20\n[dcbf.barriers.privacy]\nbudget = 5\n",
        "[dcbf.barriers.privacy]\nbudget = 100\nkappa = 0.9\n",
        "[gates]\nallow = [\"search\", \"cb\"]\n",
        "[dcbf.barriers.safety]\nwindow = 1\n[dcbf.barriers.stability]\nstep_budget = 60\n",
        "[dcbf.barriers.safety]\nmargin = -1.0\n[privilege.agents.a]\nmax_total_cost_usd = 9\n",
    ]
    .map(str::to_owned)
    .to_vec();
    let contracts = [Code::ShadowedContract, Code::UnreachableContract];
    let cases = CASES.iter().filter(|case| contracts.contains(&case.0));
    policies.extend(cases.map(|case| case.2.to_owned()));
    let (mut barriers, mut rules) = (0, 0);
    for (n, text) in (1..).zip(&policies) {
        let report = report(text);
        let dead: Vec<usize> = report
            .findings
            .iter()
            .filter(|f| contracts.iter().any(|code| code.as_str() == f.code))
            .map(|f| f.place.line)
            .collect();
        let idle = report
            .barriers
            .iter()
            .filter(|row| matches!(row.binds, Binds::Never(_)));
        let idle: Vec<&str> = idle.map(|row| &*row.name).collect();
        barriers += idle.len();
        rules += dead.len();
        let modes: &[&str] = match text.contains("allow = ") {
            true => &[""],
            false => &["", "--mode observe"],
        };
        for mode in modes {
            for record in program::replay(calls(n), text, mode).records() {
                let broken = record["broken"].as_array().cloned().unwrap_or_default();
                let wrong = broken
                    .iter()
                    .find(|name| idle.iter().any(|idle| *name == idle));
                assert_eq!(wrong, None, "{text} {mode} {record}");
                let line = record["policy_line"].as_u64();
                let decided = dead.iter().find(|&&dead| line == Some(dead as u64));
                assert_eq!(decided, None, "{text} {mode} {record}");
            }
        }
    }
    assert!(barriers > 10 && rules > 2, "{barriers} {rules}");
}
