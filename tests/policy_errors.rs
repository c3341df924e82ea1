//! Mistakes in a policy: each is an error with its line, its column and what was meant.

use gate::diag::Diagnostic;
use gate::policy::{Policy, PolicySource, parse};

fn read(text: &str) -> Result<Policy, Vec<Diagnostic>> {
    let load = |file: &str| match file {
        "ok.json" => Ok(br#"{"type":"object"}"#.to_vec()),
        "twice.json" => Ok(br#"{"type":"object","type":"array"}"#.to_vec()),
        "remote.json" => Ok(br#"{"$ref":"https://example.com/s.json"}"#.to_vec()),
        "file.json" => Ok(br#"{"$ref":"file:///etc/passwd"}"#.to_vec()),
        "bad.json" => Ok(br#"{"type":12}"#.to_vec()),
        "torn.json" => Ok(b"{".to_vec()),
        "look.json" => Ok(br#"{"pattern":"(?=a)b"}"#.to_vec()),
        _ => Err("no such file".into()),
    };
    parse(
        text,
        "gate.toml",
        PolicySource::File("gate.toml".into()),
        &load,
    )
}

/// `line:column: message`, and the help behind a `|`.
fn errors(text: &str) -> Vec<String> {
    let errors = read(text).map(|_| ()).expect_err(text);
    let show = |d: &Diagnostic| {
        assert!(d.path == "gate.toml" && !d.message.ends_with('.'), "{d}");
        let help = d.help.iter().map(|help| format!(" | {help}"));
        format!(
            "{}:{}: {}{}",
            d.line,
            d.column,
            d.message,
            help.collect::<String>()
        )
    };
    errors.iter().map(show).collect()
}

#[track_caller]
fn one(text: &str, expected: &str) {
    assert_eq!(errors(text), [expected], "{text}");
}

#[test]
fn unknown_keys_name_the_nearest() {
    one(
        "[dcbf]\nkapa = 1.0\n",
        "2:1: unknown key `kapa` in `[dcbf]` | did you mean `kappa`?",
    );
    one(
        "[dcbf.barriers.privacy]\nbugdet = 1\n",
        "2:1: unknown key `bugdet` in `[dcbf.barriers.privacy]` | did you mean `budget`?",
    );
    one(
        "[gate]\n",
        "1:2: unknown key `gate` | did you mean `gates`?",
    );
    one(
        "[pipeline]\nzzz = 1\n",
        "2:1: unknown key `zzz` in `[pipeline]` | the keys are disable",
    );
    one(
        "[[labels]]\nlabel = \"x\"\ntool = [\"y\"]\n",
        "3:1: unknown key `tool` in `[labels]` | did you mean `tools`?",
    );
    one(
        "[privilege.agents.ops]\ndeny_tool = []\n",
        "2:1: unknown key `deny_tool` in `[privilege.agents.ops]` | did you mean `deny_tools`?",
    );
    one(
        "[dcbf.barriers.safety]\nexpr = '1'\nwindow = 3\n",
        "3:1: unknown key `window` in `[dcbf.barriers.safety]` | a barrier with `expr` takes weight, margin, kappa, power and enabled beside it",
    );
}

#[test]
fn all_mistakes_are_told_at_once_in_file_order() {
    let text = "zzz = 1\n[dfa]\nmax_step = 3\nmax_loops = \"3\"\n[gates]\nrefuse = [\"(\", \"ok\", \"[\"]\n[dcbf]\nkapa = 1\n";
    let lines: Vec<String> = errors(text).iter().map(|e| e[..4].to_owned()).collect();
    assert_eq!(lines, ["1:1:", "3:1:", "4:13", "6:12", "6:23", "8:1:"]);
}

#[test]
fn repeated_keys_and_broken_toml() {
    one(
        "[dfa]\nmax_steps = 1\nmax_steps = 2\n",
        "3:1: duplicate key",
    );
    let broken = errors("[dfa\nmax_steps = \n");
    assert!(broken.iter().any(|e| e.starts_with("1:5: ")), "{broken:?}");
}

#[test]
fn numbers_are_numbers() {
    one(
        "[dcbf]\nkappa = \"0.8\"\n",
        "2:9: `dcbf.kappa` has to be a number, not the string `0.8` | write `0.8` without quotes",
    );
    one(
        "[dcbf.barriers.resource]\nlimit_usd = \"10 USD\"\n",
        "2:13: `dcbf.barriers.resource.limit_usd` has to be a number of dollars, not the string `10 USD` | write `10` without quotes and unit",
    );
    one(
        "[dcbf.barriers.scope]\nmax_drift = \"80%\"\n",
        "2:13: `dcbf.barriers.scope.max_drift` has to be a number, not the string `80%` | write `0.8` as a fraction",
    );
    assert!(errors("[dcbf]\nkappa = 80%\n")[0].starts_with("2:"));
    for word in ["nan", "inf", "+inf", "-inf", "-nan"] {
        let found = errors(&format!("[dcbf]\npower = {word}\n"));
        assert_eq!(
            found,
            [format!(
                "2:9: `dcbf.power` has to be a finite number, not `{word}`"
            )]
        );
        let found = errors(&format!("[dcbf.barriers.resource]\nlimit_usd = {word}\n"));
        assert!(found[0].contains("has to be a finite number"), "{found:?}");
        assert!(errors(&format!("[dfa]\ntimeout_seconds = {word}\n"))[0].contains("finite"));
    }
    assert!(errors("[dcbf]\nkappa = 1e999\n")[0].contains("a finite number, not `1e999`"));
}

#[test]
fn numbers_are_in_their_range() {
    one(
        "[dcbf]\nkappa = -0.5\n",
        "2:9: `dcbf.kappa` has to be at least 0, not `-0.5`",
    );
    one(
        "[dcbf]\npower = 0\n",
        "2:9: `dcbf.power` has to be greater than 0, not `0`",
    );
    one(
        "[dcbf.barriers.resource]\nlimit_usd = -1\n",
        "2:13: `dcbf.barriers.resource.limit_usd` has to be at least 0, not `-1`",
    );
    one(
        "[dfa]\nmax_steps = 50.0\n",
        "2:13: `dfa.max_steps` has to be a whole number, not `50.0` | write it without a decimal point",
    );
    one(
        "[dfa]\nmax_steps = -1\n",
        "2:13: `dfa.max_steps` has to be at least 0, not `-1`",
    );
    one(
        "[dfa]\nmax_repeats = 0\n",
        "2:15: `dfa.max_repeats` has to be at least 1, not `0`",
    );
    one(
        "[dfa]\nmax_steps = 99999999999999999999\n",
        "2:13: `dfa.max_steps` has to be at most 18446744073709551615, not `99999999999999999999`",
    );
    one(
        "[dfa]\ntimeout_seconds = 0\n",
        "2:19: `dfa.timeout_seconds` has to be greater than 0",
    );
    one(
        "[dcbf.barriers.safety]\nwindow = 0\n",
        "2:10: `dcbf.barriers.safety.window` has to be at least 1, not `0`",
    );
    one(
        "[semantic]\nembedder = \"recorded\"\nescalate = 0.9\n",
        "3:12: `semantic.escalate` is 0.9, which is more than `semantic.block`, 0.8",
    );
    assert!(read("[dcbf]\nkappa = 0x10\n[dfa]\nmax_steps = 0b11\n").is_ok());
}

#[test]
fn weights_barriers_and_stages() {
    one(
        "[dcbf.barriers.scope]\nweight = -1\n",
        "2:10: `dcbf.barriers.scope.weight` has to be at least 0, not `-1`",
    );
    let zero = ["safety", "privacy", "resource", "scope", "stability"]
        .map(|name| format!("[dcbf.barriers.{name}]\nweight = 0\n"))
        .concat();
    one(
        &format!("[dcbf]\n{zero}"),
        "1:2: the weights of the barriers add up to 0 | at least one weight has to be greater than 0",
    );
    one(
        "[dcbf.barriers.privcy]\nbudget = 1\n",
        "1:16: unknown barrier `privcy` | did you mean `privacy`? a barrier of your own needs `expr` or `model`",
    );
    assert!(errors("[dcbf.barriers.mine]\n")[0].contains("there are safety, privacy"));
    one(
        "[pipeline]\ndisable = [\"dfa\", \"dcfb\"]\n",
        "2:19: unknown stage `dcfb` | did you mean `dcbf`?",
    );
    one(
        "extends = \"defualt\"\n",
        "1:11: unknown preset `defualt` | did you mean `default`?",
    );
    one(
        "extends = \"strickt\"\n",
        "1:11: unknown preset `strickt` | did you mean `strict`?",
    );
}

#[test]
fn all_bad_regexes_are_told_with_their_places() {
    let text = "[gates]\nrefuse = [\n  'a(b',\n  \"fine\",\n  'x(?=y)',\n  '(a)\\1',\n  '',\n]\n";
    assert_eq!(
        errors(text),
        [
            "3:5: bad regex `a(b`: unclosed group",
            "5:5: bad regex `x(?=y)`: look-around, including look-ahead and look-behind, is not supported",
            "6:7: bad regex `(a)\\1`: backreferences are not supported",
            "7:4: the regex is empty and would match every text",
        ]
    );
    one(
        "[gates]\nrefuse = ['\\pL{1000}']\n",
        "2:12: bad regex `\\pL{1000}`: compiles to more than 1048576 bytes",
    );
    assert!(read("[gates]\nrefuse = ['(a+)+$']\n").is_ok());
}

#[test]
fn bombs_are_errors() {
    let deep = "(".repeat(100_000) + "1" + &")".repeat(100_000);
    let started = std::time::Instant::now();
    assert_eq!(errors(&format!("[gates]\nrefuse = ['{deep}']\n")).len(), 1);
    assert_eq!(
        errors(&format!("[[labels]]\nlabel='x'\nwhen = '{deep}'\n")).len(),
        1
    );
    let text = format!("x = {}{}\n", "[".repeat(100_000), "]".repeat(100_000));
    assert!(!errors(&text).is_empty());
    for bomb in ["+1", ".a", "[0]", ".size()", "<1", "||true", "?1:1"] {
        let text = format!("[[labels]]\nlabel='x'\nwhen = '[1]{}'\n", bomb.repeat(900));
        if let Err(errors) = read(&text) {
            assert!(
                ["nested deeper", "1000 operators"]
                    .iter()
                    .any(|m| errors[0].message.contains(m)),
                "{bomb}"
            );
        }
    }
    assert!(started.elapsed().as_secs() < 20);
}

#[test]
fn a_policy_has_a_size() {
    let long = format!("# {}\n", "x".repeat(1 << 20));
    let error = read(&long).expect_err("too long");
    assert_eq!(
        error[0].to_string(),
        "gate.toml: the policy is longer than 1048576 bytes"
    );
    let many = "'a',".repeat(10_001);
    let found = errors(&format!("[gates]\nrefuse = [{many}]\n"));
    assert_eq!(found.len(), 1);
    assert!(
        found[0].ends_with("the policy has more than 10000 patterns"),
        "{found:?}"
    );
    let found = errors(&format!("[gates]\nallow = [{many}]\nrefuse = [{many}]\n"));
    assert_eq!(found.len(), 1);
}

#[test]
fn byte_order_mark_and_carriage_returns_are_read() {
    let plain = read("[dfa]\nmax_steps = 7\n").expect("plain");
    let windows = read("\u{feff}[dfa]\r\nmax_steps = 7\r\n").expect("windows");
    assert_eq!(windows.dfa.max_steps, 7);
    assert_eq!(windows.sha256, plain.sha256);
    one(
        "\u{feff}[dcbf]\r\nkapa = 1\r\n",
        "2:1: unknown key `kapa` in `[dcbf]` | did you mean `kappa`?",
    );
    one("\u{feff}kapa = 1\r\n", &errors("kapa = 1\n")[0]);
}

#[test]
fn wrong_types_and_shapes() {
    one(
        "[gates]\nallow = \"x\"\n",
        "2:9: `gates.allow` has to be a list of strings, not the string `x` | write the value in brackets: `[\"..\"]`",
    );
    one(
        "[gates]\nallow = [1]\n",
        "2:10: `gates.allow[0]` has to be a string, not a whole number",
    );
    one(
        "[gates]\nallow = [\"\"]\n",
        "2:10: `gates.allow[0]` is empty",
    );
    one(
        "gates = 3\n",
        "1:9: `gates` has to be a table, not a whole number",
    );
    one(
        "[labels]\nlabel = \"x\"\n",
        "1:2: `labels` has to be a list of tables | write `[[labels]]`",
    );
    one(
        "[dcbf]\nverify = 1\n",
        "2:10: `dcbf.verify` has to be `true` or `false`, not a whole number",
    );
    one(
        "[dcbf.barriers.safety]\npairs = [[\"a\"]]\n",
        "2:10: `dcbf.barriers.safety.pairs[0]` has to be a pair of two names | write `[\"one\", \"other\"]`",
    );
    one(
        "[gates]\ntokenizer = \"chars\"\n",
        "2:13: `gates.tokenizer` cannot be `chars` | did you mean `chars4`?",
    );
    one(
        "[gates]\nallow = [\"[z\"]\n",
        &errors("[gates]\nallow = [\"[z\"]\n")[0],
    );
    assert!(errors("[gates]\nallow = [\"[z\"]\n")[0].starts_with("2:10: bad glob `[z`: "));
    one(
        "[resources]\nread = \"path\"\n",
        "2:8: `path` is no path into the arguments | write the keys from `args` down, such as `args.file.path`",
    );
    one(
        "[[contracts]]\nrequire=['true']\n",
        &errors("[[contracts]]\nrequire=['true']\n")[0],
    );
    assert!(
        errors("[[contracts]]\ntools=['x']\n")[0].contains("needs `require`, `ensure` or `schema`")
    );
}

#[test]
fn schemas_stand_on_their_own() {
    let with = |file: &str| format!("[[contracts]]\ntools = ['x']\nschema = '{file}'\n");
    assert!(read(&with("ok.json")).is_ok());
    for (file, why) in [
        ("none.json", "no such file"),
        ("twice.json", "the key `type` is given twice"),
        ("remote.json", ""),
        ("file.json", ""),
        ("bad.json", ""),
        (
            "torn.json",
            "the text ends in the middle of a value at byte 1",
        ),
        ("look.json", ""),
    ] {
        let found = errors(&with(file));
        let start = format!("3:10: the schema `{file}` cannot be used: {why}");
        assert!(
            found.len() == 1 && found[0].starts_with(&start),
            "{found:?}"
        );
    }
}

#[test]
fn doubts_are_warnings() {
    let warnings = |text: &str| -> Vec<String> {
        let policy = read(text).expect(text);
        let show = |w: &gate::policy::PolicyWarning| {
            format!(
                "{}:{} {}: {}",
                w.place.line, w.place.column, w.code, w.message
            )
        };
        policy.warnings.iter().map(show).collect()
    };
    assert_eq!(
        warnings("[dcbf.barriers.safety]\npairs = [[\"sql_query\", \"send_emial\"]]\n"),
        ["2:24 similar_name: `send_emial` is close to `send_email`, which the policy names too"]
    );
    // Two names that look the same and are two, however short they are.
    assert_eq!(
        warnings("gates.allow = [\"caf\u{e9}\"]\ngates.per_tool = { \"cafe\u{301}\" = 9 }\n"),
        [
            "2:20 similar_name: `cafe\\u{301}` differs from `caf\\u{e9}`, which the policy names too, in Unicode form alone"
        ]
    );
    assert_eq!(
        warnings("[dcbf.barriers.safety]\npairs = [[\"x\", \"x\"]]\n"),
        ["2:10 self_pair: `x` is paired with itself: every call of it is refused"]
    );
    assert_eq!(
        warnings(
            "[privilege.agents.a]\ntools = [\"*\", \"send_email\"]\ndeny_tools = [\"send_*\"]\n"
        ),
        ["2:15 allowed_and_denied: `send_email` is both allowed and denied: it is denied"]
    );
    assert_eq!(
        warnings("[dcbf.barriers.privacy]\nkappa = 0.3\n"),
        [
            "1:16 never_admissible: `privacy` admits no call of `send_email`, `http_request`: the first would take it down by more than its class-K function allows"
        ]
    );
    assert_eq!(warnings("[dcbf.barriers.privacy]\nkappa = 0.4\n"), [""; 0]);
    assert_eq!(warnings("[dcbf.barriers.scope]\nmargin = 1.0\n").len(), 1);
    assert_eq!(
        warnings("[dcbf.barriers.resource]\nlimit_usd = 0.00000000005\n"),
        ["2:13 rounded_amount: `dcbf.barriers.resource.limit_usd` is rounded to `0`"]
    );
}
