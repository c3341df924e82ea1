//! Each kind of finding: a policy that has it, and one that is close and has it not.

use super::report;
use gate::check::{Code, Finding, check};
use gate::policy::Policy;

const AGENT: &str = "[privilege.agents.a]\n";
const CLOSED: &str = "[gates]\nallow = [\"search\", \"mcp__*\"]\n";

/// Each kind of finding: a policy that has it, on that line, and one that is close and has it not.
pub const CASES: &[(Code, usize, &str, &str)] = &[
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
        Code::RefusesEveryCall,
        1,
        "[dcbf.barriers.stability]\nstep_budget = 0\n",
        "[dcbf.barriers.stability]\nstep_budget = 1\n",
    ),
    (
        Code::RefusesEveryCall,
        1,
        "[dcbf.barriers.resource]\nlimit_usd = 0.001\n",
        "[dcbf.barriers.resource]\nlimit_usd = 1\n",
    ),
    (
        Code::ShadowedLimit,
        4,
        "[dcbf.barriers.resource]\nmargin = 2\n[privilege.agents.a]\nmax_total_cost_usd = 9\n",
        "[dcbf.barriers.resource]\nmargin = 2\n[privilege.agents.a]\nmax_total_cost_usd = 8\n",
    ),
    (
        Code::RefusesEveryCall,
        2,
        "[gates.per_tool]\n\"*\" = 0\n",
        "[gates.per_tool]\n\"*\" = 1\n",
    ),
    (
        Code::RefusesEveryCall,
        4,
        "[gates]\nallow = [\"a\", \"b\"]\n[gates.per_tool]\n\"{a,b}\" = 0\n",
        "[gates]\nallow = [\"a\", \"b\", \"c\"]\n[gates.per_tool]\n\"{a,b}\" = 0\n",
    ),
    (
        Code::RefusesEveryCall,
        2,
        "[semantic]\nblock = 0\nescalate = 0\n",
        "[semantic]\nblock = 0.1\nescalate = 0\n",
    ),
    (
        Code::RefusesEveryCall,
        3,
        "[semantic]\nembedder = \"recorded\"\nblock = 0\nescalate = 0\n",
        "[semantic]\nembedder = \"recorded\"\nblock = 0.1\nescalate = 0\n",
    ),
    (
        Code::BudgetOfNothing,
        2,
        "[gates.per_tool]\na = 0\n",
        "[gates.per_tool]\na = 1\n",
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
