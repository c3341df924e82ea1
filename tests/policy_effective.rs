//! The effective form: stable, complete, and changed by everything that changes a decision.

use gate::policy::{Measure, Policy, PolicySource, effective, parse};

fn read_with(text: &str, schema: &'static [u8]) -> Policy {
    let load = move |_: &str| Ok(schema.to_vec());
    parse(text, "gate.toml", PolicySource::BuiltIn, &load)
        .unwrap_or_else(|e| panic!("{}\n{text}", e[0]))
}

fn read(text: &str) -> Policy {
    read_with(text, b"{}")
}

const RICH: &str = r#"
[[labels]]
label = "weird \" \\ \u001b\n name"
when = "call.text.matches(r'a\\d') && call.tool != '\"'"
[[labels]]
label = "b"
tools = ["x", "y*"]
[pipeline]
disable = ["semantic", "gates", "semantic"]
[gates]
allow = []
refuse = ['\d"+', 'b']
window = 0
max_tokens = 1
tokenizer = "o200k_base"
[gates.per_tool]
zeta = 1
"a b*" = 2
[privilege]
unknown_agent = "allow"
[privilege.agents."x.y"]
tools = ["a"]
resources = []
max_call_cost_usd = 0.000000001
[privilege.agents.b]
deny_tools = ["q"]
resources = ["/a/**"]
[resources]
read = ["args.a.b", "args"]
"c*" = "args.from"
[dfa]
timeout_seconds = 1.5
max_repeats = 2
[[contracts]]
tools = ["x"]
require = "count('z') + recent('z', 9) < 3"
ensure = ['''result != "a"''']
schema = "s.json"
message = "no"
[dcbf]
kappa = 0.25
power = 2
cost_accounting = "none"
[dcbf.barriers.zeta]
expr = "1.0"
[dcbf.barriers.alpha]
expr = "2 - count('z')"
margin = -0.5
[dcbf.barriers.off]
expr = "1"
enabled = false
[dcbf.barriers.resource]
enabled = false
per_call_cost_usd = 0.25
[dcbf.barriers.safety]
expr = "1"
[dcbf.barriers.stability]
kappa = 1e-7
[semantic]
embedder = "recorded"
block = 1
[boundary]
tools = ["*"]
"#;

#[test]
fn reading_the_form_gives_the_form() {
    let policy = read(RICH);
    let form = effective::text(&policy);
    let again = read(&form);
    assert_eq!(effective::text(&again), form);
    assert_eq!(again.sha256, policy.sha256);
    assert!(form.is_ascii(), "{form}");
}

#[test]
fn sections_are_read_as_written() {
    let p = read(RICH);
    let names: Vec<&str> = p.dcbf.barriers.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(
        names,
        ["safety", "privacy", "scope", "stability", "zeta", "alpha"]
    );
    assert_eq!(p.dcbf.per_call_cost.to_string(), "0.25");
    assert_eq!(
        (p.dcbf.barriers[0].margin, p.dcbf.barriers[0].alpha.kappa),
        (0.0, 0.25)
    );
    assert!(matches!(p.dcbf.barriers[0].measure, Measure::Custom(_)));
    assert_eq!(p.disabled, ["gates", "semantic"]);
    assert_eq!(p.dfa.timeout_ns, Some(1_500_000_000));
    assert_eq!((p.recent, p.tallied.len()), (9, 2));
    let budgets: Vec<&str> = p.gates.per_tool.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(budgets, ["zeta", "a b*"]);
    let agents: Vec<&str> = p
        .privilege
        .iter()
        .flat_map(|x| &x.agents)
        .map(|a| a.name.as_str())
        .collect();
    assert_eq!(agents, ["x.y", "b"]);
    let paths: Vec<_> = p.resources.iter().map(|r| r.path.join("/")).collect();
    assert_eq!(paths, ["a/b", "", "from"]);
    assert_eq!((p.labels[0].place.line, p.labels[1].place.line), (2, 5));
    assert_eq!(p.contracts[0].place.line, 34);
}

#[test]
fn everything_that_decides_is_in_the_digest() {
    let base = read(RICH).sha256;
    for (from, to) in [
        ("power = 2", "power = 3"),
        ("'b']", "'c']"),
        ("window = 0", "window = 1"),
        ("\"/a/**\"", "\"/b/**\""),
        ("recent('z', 9)", "recent('z', 8)"),
        ("message = \"no\"", "message = \"yes\""),
        ("kappa = 1e-7", "kappa = 2e-7"),
        ("block = 1", "block = 0.9"),
        ("per_call_cost_usd = 0.25", "per_call_cost_usd = 0.26"),
        ("resources = []", ""),
    ] {
        assert!(RICH.contains(from), "{from}");
        assert_ne!(read(&RICH.replacen(from, to, 1)).sha256, base, "{from}");
    }
    assert_ne!(read_with(RICH, b"{\"type\":\"object\"}").sha256, base);
    assert_eq!(read(&format!("# a remark\n{RICH}")).sha256, base);
}

#[test]
fn policies_and_expressions_can_be_shared_between_threads() {
    fn shared<T: Send + Sync + Clone + std::fmt::Debug>() {}
    shared::<Policy>();
    shared::<gate::policy::expr::Expr>();
}
