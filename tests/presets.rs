//! The presets: each can be read without a doubt, each rule lets pass what it says it lets pass and
//! refuses what it says it refuses, and a policy that extends one is laid over it.

mod program;

use gate::policy::presets::{Example, PRESETS, PresetRule};
use gate::policy::{Policy, PolicySource, parse};
use gate::rules;
use program::{Scratch, replay};

fn read(text: &str) -> Result<Policy, String> {
    let load = |_: &str| Err("there are no files".to_owned());
    let source = PolicySource::File("gate.toml".into());
    parse(text, "gate.toml", source, &load).map_err(|errors| {
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        errors.join("\n")
    })
}

fn all_rules() -> Vec<(&'static str, PresetRule)> {
    let of = |preset: &'static gate::policy::presets::Preset| {
        let rules = preset.rules();
        rules.into_iter().map(move |rule| (preset.id, rule))
    };
    PRESETS.iter().flat_map(of).collect()
}

#[test]
fn every_preset_can_be_read_without_a_doubt() {
    for preset in PRESETS {
        let policy = Policy::preset(preset.id).unwrap_or_else(|| {
            let text = format!("extends = '{}'", preset.id);
            panic!("{}: {:?}", preset.id, read(&text).err())
        });
        assert_eq!(policy.warnings, [], "{}", preset.id);
        let doubts = gate::verify::soundness::unsound_alpha(&policy);
        assert_eq!(doubts.len(), 0, "{}", preset.id);
        read(preset.text).unwrap_or_else(|e| panic!("{}: {e}", preset.id));
    }
}

#[test]
fn every_contract_of_a_preset_is_a_rule_with_both_examples() {
    let rules = all_rules();
    for preset in PRESETS {
        for id in preset.contracts() {
            let rule = rules.iter().find(|(_, rule)| rule.id == id);
            assert!(rule.is_some(), "{id} has no page");
        }
    }
    for (_, rule) in &rules {
        let judges = rule.settings.iter().any(|line| line.starts_with("id = "));
        let named = rule.settings.contains(&&*format!("id = \"{}\"", rule.id));
        assert!(!judges || named, "{}", rule.id);
        // Labels refuse nothing.
        let labels = rule.settings.contains(&"[[labels]]");
        let both = !rule.passes.is_empty() && !rule.refuses.is_empty();
        assert!(labels || both, "{}", rule.id);
        assert!(rules::find(&rule.id).is_some());
    }
}

/// The decision about the last call, and the contract that made it.
fn last(preset: &str, examples: &[Example]) -> (String, Option<String>) {
    let lines = examples.iter().flat_map(|e| vec![e.line; e.times]);
    let lines: Vec<&str> = lines.collect();
    let policy = format!("extends = \"{preset}\"\n");
    let ran = replay(lines.join("\n") + "\n", &policy, "");
    let records = ran.records();
    let mut decisions = records.iter().filter(|r| r["record"] == "decision");
    let last = decisions
        .next_back()
        .unwrap_or_else(|| panic!("{}", ran.err));
    let text = |field: &str| last[field].as_str().map(str::to_owned);
    (text("decision").unwrap_or_default(), text("policy_rule"))
}

#[test]
fn every_rule_lets_pass_and_refuses_what_it_says() {
    let mut wrong = Vec::new();
    for (preset, rule) in all_rules() {
        if !rule.passes.is_empty() {
            let found = last(preset, &rule.passes);
            if found.0 != "allow" {
                wrong.push(format!("{} passes: {found:?}", rule.id));
            }
        }
        if !rule.refuses.is_empty() {
            let is_contract = rule.settings.iter().any(|line| line.starts_with("id = "));
            let by = is_contract.then(|| rule.id.clone());
            let found = last(preset, &rule.refuses);
            if found != ("block".to_owned(), by) {
                wrong.push(format!("{} refuses: {found:?}", rule.id));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_policy_is_laid_over_its_preset() {
    let text = "extends = 'coding-agent'\nwithout = ['coding-agent/force-push']\n\
        [[labels]]\nlabel = 'x'\n[dfa]\nmax_steps = 7\n\
        [[contracts]]\nid = 'mine'\ntools = ['*']\nrequire = ['true']\n\
        [dcbf.barriers.safety]\npairs = []\n";
    let policy = read(text).expect("a policy");
    let preset = Policy::preset("coding-agent").expect("a preset");
    assert_eq!(policy.dfa.max_steps, 7);
    assert_eq!(policy.dfa.max_loops, preset.dfa.max_loops);
    assert_eq!(policy.labels.len(), preset.labels.len() + 1);
    assert_eq!(policy.contracts.len(), preset.contracts.len());
    let last = policy.contracts.last().expect("contracts");
    assert_eq!(last.id.as_deref(), Some("mine"));
    assert_eq!(last.place.line, 7);
    assert_eq!(policy.contracts[0].place.line, 0);
    assert_ne!(policy.sha256, preset.sha256);
    // The effective form stands by itself.
    let again = read(&gate::policy::effective::text(&policy)).expect("a policy");
    assert_eq!(again.sha256, policy.sha256);
}

#[test]
fn mistakes_in_a_policy_that_extends_are_told_with_their_place() {
    let errors = |text: &str| read(text).expect_err(text);
    let unknown = errors("extends = 'coding-agnet'\n");
    assert!(
        unknown.contains("did you mean `coding-agent`?"),
        "{unknown}"
    );
    let left = errors("extends = 'strict'\nwithout = ['strict/no-write']\n");
    assert!(left.contains("gate.toml:2:12"), "{left}");
    assert!(left.contains("did you mean `strict/no-writes`?"), "{left}");
    let none = errors("without = ['x']\n");
    assert!(none.contains("there is no preset"), "{none}");
    let key = errors("extends = 'strict'\n[dfa]\nmax_step = 3\n");
    assert!(key.contains("gate.toml:3:1"), "{key}");
    let id = errors("[[contracts]]\nid = 'a b'\ntools = ['*']\nrequire = ['true']\n");
    assert!(id.contains("gate.toml:2:6"), "{id}");
    let wrong = errors("extends = 'strict'\ngates = 3\n");
    assert!(wrong.contains("gate.toml:2:"), "{wrong}");
    let short = errors("extends = 'coding-agent'\nwithout = ['force-push']\n");
    let meant = "did you mean `coding-agent/force-push`?";
    assert!(short.contains(meant), "{short}");
    for (rule, table) in [
        ("many-sends", "[dcbf.barriers.privacy]"),
        ("coding-agent/shell", "[[labels]]"),
    ] {
        let text = format!("extends = 'coding-agent'\nwithout = ['{rule}']\n");
        let error = errors(&text);
        assert!(error.contains("is no contract"), "{error}");
        assert!(error.contains(table), "{error}");
    }
}

#[test]
fn an_expression_replaces_the_barrier_of_the_preset() {
    let text = "extends = 'coding-agent'\n[dcbf.barriers.safety]\nexpr = '1.0'\n";
    let policy = read(text).expect("a policy");
    let barrier = &policy.dcbf.barriers[0];
    assert_eq!((barrier.name.as_str(), barrier.margin), ("safety", 0.0));
    let window = "extends = 'coding-agent'\n[dcbf.barriers.safety]\nexpr = '1.0'\nwindow = 3\n";
    let error = read(window).expect_err("a key of the measure");
    assert!(error.contains("gate.toml:4:1"), "{error}");
}

#[test]
fn ids_of_contracts_are_unlike() {
    let own = "[[contracts]]\nid = 'a'\ntools = ['*']\nrequire = 'true'\n";
    let error = read(&format!("{own}{own}")).expect_err("two of one id");
    assert!(error.contains("gate.toml:6:6"), "{error}");
    assert!(error.contains("line 2"), "{error}");
    let of_preset = own.replace("'a'", "'strict/no-writes'");
    let error = read(&format!("extends = 'strict'\n{of_preset}")).expect_err("the preset's id");
    assert!(error.contains("gate.toml:3:6"), "{error}");
    assert!(error.contains("in the preset has"), "{error}");
    let replaced = format!("extends = 'strict'\nwithout = ['strict/no-writes']\n{of_preset}");
    read(&replaced).expect("the preset's is left out");
}

#[test]
fn mistyped_tools_are_doubted() {
    let warned = |text: &str| {
        let policy = read(text).unwrap_or_else(|e| panic!("{e}"));
        let warnings = policy.warnings.iter();
        let told = warnings.map(|w| format!("{}:{}", w.place.line, w.message));
        told.collect::<Vec<_>>().join("\n")
    };
    let base = "extends = 'coding-agent'\n";
    for (text, line, near) in [
        (
            "[[contracts]]\ntools = ['shel']\nrequire = 'true'\n",
            3,
            "`shell`",
        ),
        (
            "[privilege.agents.a]\ndeny_tools = ['http_requets']\n",
            3,
            "`http_request`",
        ),
        ("[[labels]]\nlabel = 'x'\ntools = ['Agnet']\n", 4, "`Agent`"),
        (
            "[[labels]]\nlabel = 'secret_raed'\ntools = ['x']\n",
            3,
            "`secret_read`",
        ),
    ] {
        let told = warned(&format!("{base}{text}"));
        assert!(told.starts_with(&format!("{line}:")), "{text}: {told}");
        assert!(told.contains(near), "{text}: {told}");
    }
    let alike = "[[contracts]]\ntools = ['get_user', 'get_users', 'Get_User']\nrequire = 'true'\n";
    assert_eq!(warned(alike), "");
    let none = read("[[contracts]]\ntools = []\nrequire = 'true'\n").expect_err("no tools");
    assert!(none.contains("gate.toml:2:9"), "{none}");
}

#[test]
fn what_has_rules_is_no_rule() {
    for name in ["coding-agent", "gates"] {
        let ran = Scratch::new().gate(&format!("rule {name}")).ends(2);
        let list = format!("`gate rule --list {name}`");
        assert!(ran.err.contains(&list), "{}", ran.err);
        Scratch::new().gate(&format!("rule --list {name}")).ends(0);
    }
}
