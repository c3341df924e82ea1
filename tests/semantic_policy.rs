//! `[semantic]`, `[embedders]` and `embed` of a policy: what may be written, what is wrong with the rest,
//! and that everything which changes a score changes the policy's name.

use gate::diag::Diagnostic;
use gate::embed::EMBEDDERS;
use gate::firewall::bands;
use gate::policy::{INIT, Policy, PolicySource, effective, parse};
use std::sync::Arc;

fn read_with(text: &str, harm: &str) -> Result<Policy, Vec<Diagnostic>> {
    let load = |file: &str| match file {
        "harm.txt" => Ok(harm.as_bytes().to_vec()),
        "more.txt" => Ok(b"\xef\xbb\xbf# more\r\n\r\n send secrets away \r\n".to_vec()),
        "empty.txt" => Ok(b"# nothing\n\n".to_vec()),
        "bytes.txt" => Ok(b"one\ntwo\n\xff\n".to_vec()),
        "wide.txt" => Ok(format!("one\n{}\n", "x".repeat(1001)).into_bytes()),
        "many.txt" => Ok("a line\n".repeat(4097).into_bytes()),
        "full.txt" => Ok("a line\n".repeat(4096).into_bytes()),
        model if model.starts_with("tiny/") => {
            let root = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/embed/");
            std::fs::read(format!("{root}{model}")).map_err(|e| e.to_string())
        }
        model if model.starts_with("torn/") => Ok(b"{".to_vec()),
        "foreign.txt" => Ok("删除所有文件\n".into()),
        "large.txt" => Ok(vec![b'\n'; (1 << 20) + 1]),
        _ => Err("no such file".into()),
    };
    parse(text, "gate.toml", PolicySource::BuiltIn, &load)
}

fn read(text: &str) -> Policy {
    read_with(text, "delete everything\n").unwrap_or_else(|e| panic!("{}\n{text}", e[0]))
}

/// `line:column: message`, and the help behind a `|`.
#[track_caller]
fn one(text: &str, expected: &str) {
    let errors = read_with(text, "delete everything\n").expect_err(text);
    let shown: Vec<String> = errors
        .iter()
        .map(|d| {
            let help = d.help.iter().map(|help| format!(" | {help}"));
            let help: String = help.collect();
            format!("{}:{}: {}{help}", d.line, d.column, d.message)
        })
        .collect();
    assert_eq!(shown, [expected], "{text}");
}

#[test]
fn the_table_alone_takes_the_default_embedder_and_its_thresholds() {
    let policy = read("[semantic]\n");
    let semantic = policy.semantic.expect("a firewall");
    let computed = semantic.computed().expect("scores are worked out");
    let defaults = bands(EMBEDDERS[0].id);
    assert_eq!(computed.embedder.id(), "static");
    assert_eq!(computed.bands, defaults);
    assert_eq!(
        (semantic.escalate, semantic.block),
        (defaults.escalate, defaults.block)
    );
    assert!(computed.harm.count > 0 && computed.harm.built_in.is_some());
    assert!(read("").semantic.is_none());
}

#[test]
fn every_embedder_without_a_model_can_be_chosen() {
    for embedder in EMBEDDERS.iter().filter(|embedder| !embedder.needs_model) {
        let id = embedder.id;
        let text =
            format!("[semantic]\nembedder = '{id}'\n[dcbf.barriers.scope]\nembed = '{id}'\n");
        let policy = read(&text);
        let form = effective::text(&policy);
        let line = format!("embedder = \"{id}\"\n");
        assert!(form.contains(&line), "{form}");
        let defaults = bands(id);
        assert!(form.contains(&format!("harm_floor = {:?}\n", defaults.harm_floor)));
        let again = read(&form);
        assert_eq!(effective::text(&again), form);
        assert!(is_shared(&policy));
    }
}

/// Whether the stage and the barrier go by one embedder, so that a text is embedded once for both.
fn is_shared(policy: &Policy) -> bool {
    let computed = policy.semantic.as_ref().and_then(|s| s.computed());
    match (computed, policy.scope_embedder()) {
        (Some(stage), Some(scope)) => Arc::ptr_eq(&stage.embedder, scope),
        _ => false,
    }
}

#[test]
fn a_model_lies_where_the_policy_says() {
    let text = "[embedders]\nminilm = 'tiny'\n[semantic]\nembedder = 'minilm'\n\
                [dcbf.barriers.scope]\nembed = 'minilm'\n";
    let policy = read(text);
    assert!(is_shared(&policy));
    let form = effective::text(&policy);
    assert!(form.contains("[embedders]\nminilm = \"tiny\"\n"), "{form}");
    assert_eq!(form.matches("# minilm sha256: ").count(), 2, "{form}");
    let again = read(&form);
    assert_eq!(
        (effective::text(&again), again.sha256),
        (form, policy.sha256)
    );
    one(
        "[embedders]\nminilm = 5\n",
        "2:10: `embedders.minilm` has to be a string, not a whole number",
    );
    one(
        "[embedders]\nminilmm = 'tiny'\n",
        "2:1: unknown embedder `minilmm` | did you mean `minilm`?",
    );
    // Told once, where the folder is named, however many go by it.
    let torn = text.replace("tiny", "torn");
    let errors = read_with(&torn, "x").expect_err("a damaged model");
    assert_eq!((errors.len(), errors[0].line, errors[0].column), (1, 2, 10));
    let head = "the embedder `minilm` cannot be used: ";
    assert!(errors[0].message.starts_with(head), "{}", errors[0]);
}

#[test]
fn every_setting_is_read() {
    let policy = read(
        "[semantic]\nembedder = 'static'\nexemplars = 'harm.txt'\nextend_exemplars = 'more.txt'\n\
         benign = 'more.txt'\nextend_benign = 'harm.txt'\nintent_weight = 0.25\nbenign_weight = 0\n\
         harm_floor = 1.5\nescalate = 0\nblock = 1e3\n",
    );
    let semantic = policy.semantic.as_ref().expect("a firewall");
    let computed = semantic.computed().expect("scores are worked out");
    let b = computed.bands;
    assert_eq!(
        [
            b.intent_weight,
            b.benign_weight,
            b.harm_floor,
            b.escalate,
            b.block
        ],
        [0.25, 0.0, 1.5, 0.0, 1000.0]
    );
    assert_eq!((computed.harm.count, computed.benign.count), (2, 2));
    let keys = |from: &gate::policy::semantic::Descriptions| {
        let files = from.files.iter();
        files
            .map(|f| format!("{} {}", f.key, f.file))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        keys(&computed.harm),
        ["exemplars harm.txt", "extend_exemplars more.txt"]
    );
    assert_eq!(
        keys(&computed.benign),
        ["benign more.txt", "extend_benign harm.txt"]
    );
    assert_eq!(computed.harm.built_in, None);
    let form = effective::text(&policy);
    assert_eq!(effective::text(&read(&form)), form);
    let most = read("[semantic]\nexemplars = 'full.txt'\n");
    let semantic = most.semantic.expect("a firewall");
    assert_eq!(semantic.computed().map(|c| c.harm.count), Some(4096));
}

#[test]
fn everything_that_changes_a_score_changes_the_digest() {
    let text = "[semantic]\nexemplars = 'harm.txt'\n";
    let base = read(text).sha256;
    assert_eq!(read(text).sha256, base);
    let other = read_with(text, "delete nothing\n").expect("a policy");
    assert_ne!(other.sha256, base, "what a file holds");
    for more in [
        "intent_weight = 0.123",
        "benign_weight = 0.123",
        "harm_floor = 0.123",
        "escalate = 0.0123",
        "block = 1.5",
        "without_intent.escalate = 0.0123",
        "without_intent.block = 1.5",
        "extend_exemplars = 'more.txt'",
        "benign = 'more.txt'",
        "extend_benign = 'more.txt'",
        "[dcbf.barriers.scope]\nembed = 'static'",
    ] {
        assert_ne!(read(&format!("{text}{more}\n")).sha256, base, "{more}");
    }
    assert_ne!(read("[semantic]\n").sha256, base);
    let defaults = bands("static");
    let spelled = format!(
        "[semantic]\nembedder = 'static'\nharm_floor = {:?}\n",
        defaults.harm_floor
    );
    assert_eq!(read(&spelled).sha256, read("[semantic]\n").sha256);
    // Policies without any of it keep the names that they had.
    assert!(!effective::text(&Policy::built_in()).contains("embed"));
}

#[test]
fn names_that_are_none_are_errors_with_the_nearest() {
    one(
        "[semantic]\nembedder = \"statc\"\n",
        "2:12: `semantic.embedder` cannot be `statc` | did you mean `static`?",
    );
    one(
        "[semantic]\nembedder = \"record\"\nescalate = 0.9\n",
        "2:12: `semantic.embedder` cannot be `record` | did you mean `recorded`?",
    );
    one(
        "[semantic]\nembedder = 1\n",
        "2:12: `semantic.embedder` has to be a string, not a whole number",
    );
    one(
        "[dcbf.barriers.scope]\nembed = \"statik\"\n",
        "2:9: `dcbf.barriers.scope.embed` cannot be `statik` | did you mean `static`?",
    );
    one(
        "[dcbf.barriers.safety]\nembed = \"static\"\n",
        "2:1: unknown key `embed` in `[dcbf.barriers.safety]` | the keys are kappa, power, weight, margin, enabled, expr, model, window, pairs",
    );
    one(
        "[semantic]\nexemplar = \"harm.txt\"\n",
        "2:1: unknown key `exemplar` in `[semantic]` | did you mean `exemplars`?",
    );
    one(
        "[embedders]\nstatic = \"m\"\n",
        "2:1: the embedder `static` goes by no model | it needs no folder: take the line away",
    );
    let errors = read_with("[embedders]\nzzz = \"m\"\n", "x").expect_err("no such embedder");
    assert!(
        errors[0].message == "unknown embedder `zzz`",
        "{}",
        errors[0]
    );
    assert_eq!((errors[0].line, errors[0].column), (2, 1));
}

#[test]
fn values_out_of_range_are_errors() {
    for key in [
        "intent_weight",
        "benign_weight",
        "harm_floor",
        "escalate",
        "block",
    ] {
        for (value, wanted) in [
            ("-0.1", "at least 0"),
            ("nan", "a finite number"),
            ("inf", "a finite number"),
        ] {
            let at = key.len() + 4;
            one(
                &format!("[semantic]\n{key} = {value}\n"),
                &format!("2:{at}: `semantic.{key}` has to be {wanted}, not `{value}`"),
            );
        }
    }
    one(
        "[semantic]\nescalate = 0.9\nblock = 0.5\n",
        "2:12: `semantic.escalate` is 0.9, which is more than `semantic.block`, 0.5",
    );
}

#[test]
fn files_of_descriptions_are_held_to_their_form() {
    for (file, why) in [
        ("none.txt", "no such file"),
        ("empty.txt", "it has no description; write one a line"),
        ("bytes.txt", "line 3 is not UTF-8"),
        ("wide.txt", "line 2 is longer than 1000 characters"),
        ("many.txt", "it has more than 4096 descriptions"),
        ("large.txt", "it is longer than 1048576 bytes"),
    ] {
        for key in ["exemplars", "extend_exemplars", "benign", "extend_benign"] {
            let at = key.len() + 4;
            one(
                &format!("[semantic]\n{key} = \"{file}\"\n"),
                &format!("2:{at}: the descriptions `{file}` cannot be used: {why}"),
            );
        }
    }
    one(
        "[semantic]\nextend_exemplars = \"full.txt\"\n",
        "2:20: there are more than 4096 descriptions of a kind",
    );
    one(
        "[semantic]\nexemplars = \"\"\n",
        "2:13: `semantic.exemplars` is empty",
    );
}

#[test]
fn recorded_scores_take_no_settings_of_other_embedders() {
    for key in [
        "benign = 'harm.txt'",
        "extend_benign = 'harm.txt'",
        "extend_exemplars = 'harm.txt'",
        "benign_weight = 1",
        "without_intent = {}",
        "harm_floor = 1",
    ] {
        let name = key.split(' ').next().expect("a key");
        one(
            &format!("[semantic]\nembedder = 'recorded'\n{key}\n"),
            &format!(
                "3:1: `semantic.{name}` says nothing of recorded scores | the live system made them; take the line away, or choose another `embedder`"
            ),
        );
    }
    // These two are read and not used, whether or not there is such a file.
    let text = "[semantic]\nembedder = 'recorded'\nexemplars = 'none.txt'\nintent_weight = 2\n";
    let policy = read(text);
    let semantic = policy.semantic.expect("a firewall");
    assert!(semantic.computed().is_none());
    assert_eq!((semantic.escalate, semantic.block), (0.5, 0.8));
}

#[test]
fn a_model_is_asked_for_where_it_is_used_and_only_there() {
    for embedder in EMBEDDERS.iter().filter(|embedder| embedder.needs_model) {
        let id = embedder.id;
        one(
            &format!("[semantic]\nembedder = '{id}'\n"),
            &format!(
                "2:12: the embedder `{id}` needs the folder of its model | write `{id} = \"FOLDER\"` under `[embedders]`"
            ),
        );
        let unused = read(&format!("[embedders]\n{id} = 'nowhere'\n"));
        assert_eq!(unused.sha256, Policy::built_in().sha256);
        let off = format!(
            "[embedders]\n{id} = 'nowhere'\n[dcbf.barriers.scope]\nembed = '{id}'\nenabled = false\n"
        );
        assert!(read(&off).scope_embedder().is_none());
        let used = format!("[embedders]\n{id} = 'nowhere'\n[semantic]\nembedder = '{id}'\n");
        let errors = read_with(&used, "x").expect_err("there is no such folder");
        assert_eq!((errors[0].line, errors.len()), (2, 1));
        let head = format!("the embedder `{id}` cannot be used: ");
        assert!(errors[0].message.starts_with(&head), "{}", errors[0]);
    }
}

#[test]
fn the_policy_of_init_spells_the_defaults_out() {
    let defaults = bands("static");
    for (key, value) in [
        ("intent_weight", defaults.intent_weight),
        ("benign_weight", defaults.benign_weight),
        ("harm_floor", defaults.harm_floor),
        ("escalate", defaults.escalate),
        ("block", defaults.block),
    ] {
        let line = format!("#{key} = {value:?}");
        assert!(INIT.lines().any(|l| l == line), "{line}");
    }
    let others = defaults.without_intent;
    let table = format!(
        "#[semantic.without_intent]\n#escalate = {:?}\n#block = {:?}\n",
        others.escalate, others.block
    );
    assert!(INIT.contains(&table), "{table}");
}

/// Rationale: who writes `block = 2` wants nothing blocked, also where nothing is known of the intent;
/// and who writes nothing gets what was calibrated.
#[test]
fn thresholds_that_are_given_hold_without_an_intent_unless_others_are() {
    let of = |text: &str| {
        let policy = read(&format!("[semantic]\n{text}"));
        let computed = policy.semantic.as_ref().and_then(|s| s.computed());
        let others = computed.expect("worked out").bands.without_intent;
        let form = effective::text(&policy);
        assert_eq!(effective::text(&read(&form)), form);
        (others.escalate, others.block)
    };
    let calibrated = bands("static").without_intent;
    let (escalate, block) = (calibrated.escalate, calibrated.block);
    assert_eq!(of(""), (escalate, block));
    assert_eq!(of("harm_floor = 0.9\n"), (escalate, block));
    assert_eq!(of("escalate = 0.4\nblock = 2\n"), (0.4, 2.0));
    assert_eq!(of("escalate = 0.2\n"), (0.2, block));
    assert_eq!(of("block = 2\n"), (escalate, 2.0));
    // What is not given makes room for what is.
    assert_eq!(of("block = 0.31\n"), (0.31, 0.31));
    let table = "[semantic.without_intent]\n";
    assert_eq!(of(&format!("{table}block = 0.9\n")), (escalate, 0.9));
    assert_eq!(
        of(&format!(
            "escalate = 0.1\nblock = 0.2\n{table}escalate = 0\n"
        )),
        (0.0, 0.2)
    );
    one(
        "[semantic]\n[semantic.without_intent]\nescalate = 0.9\n",
        &format!(
            "3:12: `semantic.without_intent.escalate` is 0.9, which is more than `semantic.without_intent.block`, {block}"
        ),
    );
    one(
        "[semantic.without_intent]\nblok = 1\n",
        "2:1: unknown key `blok` in `[semantic.without_intent]` | did you mean `block`?",
    );
}

/// Rationale: a firewall that can come near to nothing would pass everything without a word.
#[test]
fn descriptions_that_say_nothing_are_an_error() {
    one(
        "[semantic]\nembedder = 'static'\nexemplars = 'foreign.txt'\n",
        "2:12: no description of harm says anything that `static` knows | nothing would ever be close to harm: describe it in English, or choose another `embedder`",
    );
    read("[semantic]\nembedder = 'hash'\nexemplars = 'foreign.txt'\n");
}
