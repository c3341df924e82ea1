//! Policies under which laws are tried.

use gate::policy::{Policy, PolicySource, parse};

/// Everything at its default.
pub const DEFAULT: &str = "";

/// Small budgets and slow class-K functions, all sound.
pub const TIGHT: &str = r#"
[dfa]
max_steps = 9
max_loops = 2
[dcbf]
kappa = 0.5
[dcbf.barriers.privacy]
budget = 1.0
per_call = 0.25
kappa = 1.0
[dcbf.barriers.resource]
limit_usd = 6.0
[dcbf.barriers.stability]
step_budget = 12
power = 1.0
[dcbf.barriers.files]
expr = '3 - count("{file_read,write_file}")'
kappa = 1.0
"#;

/// Rules of every stage that look at the call, the run's state and the agent.
pub const WHOLE: &str = r#"
[[labels]]
label = "outbound"
tools = ["send_email", "http_request", "webhook_post"]
[[labels]]
label = "secret"
when = 'call.reads.exists(p, p.startsWith("/etc"))'
[gates]
refuse = ['rm\s+-rf']
window = 4
max_tokens = 150
[gates.per_tool]
search = 40
[privilege]
unknown_agent = "allow"
[privilege.agents.ops]
deny_tools = ["webhook_post"]
max_call_cost_usd = 3.0
[privilege.agents.dev]
tools = ["think", "search", "file_read", "write_file", "sql_query"]
max_total_cost_usd = 4.0
[[contracts]]
tools = ["write_file"]
require = ['call.args.path != "/etc/passwd"', 'state.step_count < 30']
[[contracts]]
tools = ["outbound"]
require = ['!seen("secret")']
[semantic]
embedder = "recorded"
escalate = 0.5
block = 0.9
"#;

/// Results are looked at.
pub const ENSURING: &str = r#"
[[contracts]]
tools = ["think", "search"]
ensure = ['!error', 'result != null']
[semantic]
embedder = "recorded"
escalate = 0.5
block = 0.9
"#;

/// Counts what arrives, refused or not.
pub const COUNTING: &str = r#"
[dfa]
max_repeats = 2
max_refusals = 3
[gates]
refuse = ['rm\s+-rf']
"#;

/// Class-K functions that leave the safe set, and no phase machine.
pub const UNSOUND: &str = r#"
[pipeline]
disable = ["dfa"]
[dcbf]
kappa = 3.0
"#;

/// The next state is not looked at.
pub const UNVERIFIED: &str = "[dcbf]\nverify = false\n";

/// Meanings are worked out here: those of calls by themselves, and against the run's intent.
pub const MEANT: &str = r#"
[semantic]
escalate = 0.2
block = 0.4
[dcbf.barriers.scope]
max_drift = 1.0
embed = "static"
"#;

/// All of the above.
pub const ALL: &[&str] = &[
    DEFAULT, TIGHT, WHOLE, ENSURING, COUNTING, UNSOUND, UNVERIFIED, MEANT,
];

pub fn policy(text: &str) -> Policy {
    let source = PolicySource::File("p.toml".into());
    let load = |_: &str| Err("no file".to_owned());
    parse(text, "p.toml", source, &load).unwrap_or_else(|errors| panic!("{errors:?}"))
}

pub fn policies(texts: &[&str]) -> Vec<Policy> {
    texts.iter().map(|text| policy(text)).collect()
}
