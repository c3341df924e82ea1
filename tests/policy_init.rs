//! The policy that `gate init` writes says what the built-in policy does.

use gate::policy::{INIT, Policy, PolicySource, effective, parse};

fn read(text: &str) -> Policy {
    let load = |_: &str| Ok(br#"{"type": "object"}"#.to_vec());
    parse(text, "gate.toml", PolicySource::BuiltIn, &load).unwrap_or_else(|errors| {
        let shown: Vec<String> = errors.iter().map(ToString::to_string).collect();
        panic!("{}", shown.join("\n"))
    })
}

/// The text with every commented setting made a setting.
fn uncommented(text: &str) -> String {
    let line = |line: &str| match line.strip_prefix('#') {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_lowercase() || c == '[') => {
            format!("{rest}\n")
        }
        _ => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

#[test]
fn the_file_as_written_is_the_built_in_policy() {
    let built_in = Policy::built_in();
    let init = read(INIT);
    assert_eq!(effective::text(&init), effective::text(&built_in));
    assert_eq!(init.sha256, built_in.sha256);
    assert!(init.warnings.is_empty(), "{:?}", init.warnings);
}

#[test]
fn every_commented_setting_can_be_used() {
    let all = uncommented(INIT);
    assert!(!all.lines().any(|l| l.starts_with("#[")), "{all}");
    let policy = read(&all);
    assert_eq!(policy.labels.len(), 1);
    assert_eq!(policy.contracts.len(), 1);
    assert_eq!(policy.dcbf.barriers.len(), 6);
    assert!(policy.privilege.is_some() && policy.semantic.is_some() && policy.boundary.is_some());
    assert!(policy.warnings.is_empty(), "{:?}", policy.warnings);
}

#[test]
fn the_defaults_that_are_spelled_out_are_the_defaults() {
    let built_in = effective::text(&Policy::built_in());
    let written = effective::text(&read(&uncommented(INIT)));
    let table = |text: &str, name: &str| {
        let start = text.find(&format!("[{name}]\n")).expect(name);
        let rest = &text[start..];
        rest[..rest.find("\n\n").unwrap_or(rest.len())]
            .trim_end()
            .to_owned()
    };
    for name in [
        "dcbf",
        "dcbf.barriers.safety",
        "dcbf.barriers.privacy",
        "dcbf.barriers.resource",
        "dcbf.barriers.stability",
    ] {
        assert_eq!(table(&written, name), table(&built_in, name));
    }
    // It also shows what has no default.
    let scope = table(&written, "dcbf.barriers.scope");
    assert!(scope.starts_with(&table(&built_in, "dcbf.barriers.scope")));
    assert!(scope.contains("embed = \"static\""), "{scope}");
}

#[test]
fn the_effective_form_of_the_built_in_policy() {
    let policy = Policy::built_in();
    let text = effective::text(&policy);
    assert_eq!(effective::text(&read(&text)), text);
    assert_eq!(policy.sha256, effective::sha256(text.as_bytes()));
    for line in [
        "max_steps = 50",
        "max_loops = 10",
        "window = 5",
        "margin = 0.1",
        "budget = 0.5",
        "per_call = 0.2",
        "limit_usd = 10",
        "per_call_cost_usd = 0.01",
        "max_drift = 0.8",
        "step_budget = 50",
        "outbound = [\"send_email\", \"http_request\"]",
    ] {
        assert!(text.lines().any(|l| l == line), "{line}\n{text}");
    }
    assert_eq!((policy.recent, policy.tallied.len()), (5, 1));
}
