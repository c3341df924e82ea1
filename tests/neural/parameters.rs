//! The hash of what features count by: it follows every setting that changes a number, and nothing else.

use gate::policy::{PolicySource, parse};

fn hash(text: &str) -> String {
    let none = |_: &str| Err("there is no such file".to_owned());
    let policy = parse(text, "gate.toml", PolicySource::BuiltIn, &none);
    let mut policy = policy.unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]));
    policy.count_default_features();
    policy.parameters_sha256()
}

/// The same features under other settings are other numbers; what they do not go by changes nothing.
#[test]
fn the_hash_of_what_features_count_by_follows_the_settings() {
    let own = hash("");
    for other in [
        "[dcbf.barriers.safety]\nwindow = 6\n",
        "[dcbf.barriers.safety]\npairs = [[\"a\", \"b\"]]\n",
        "[dcbf.barriers.privacy]\noutbound = [\"x\"]\n",
        "[dcbf.barriers.resource]\nlimit_usd = 9\n",
        "[dcbf.barriers.scope]\nembed = \"static\"\n",
        "[dcbf.barriers.stability]\nstep_budget = 9\n",
        "[dcbf]\ncost_accounting = \"none\"\n",
        "[gates]\ntokenizer = \"o200k_base\"\n",
        "[dcbf.barriers.resource]\nper_call_cost_usd = 0.5\n",
        "[[labels]]\nlabel = \"http_request\"\ntools = [\"WebFetch\"]\n",
        "[[labels]]\nlabel = \"http_request\"\n",
    ] {
        assert_ne!(hash(other), own, "{other}");
    }
    for same in [
        "[dcbf.barriers.safety]\nmargin = 0.5\n",
        "[dcbf.barriers.safety]\nexpr = \"1.0\"\n",
        "[dcbf.barriers.privacy]\nenabled = false\n",
        "[dcbf.barriers.scope]\nmax_drift = 0.1\n",
        "[[labels]]\nlabel = \"reading\"\ntools = [\"Read\"]\n",
        "[resources]\nRead = \"args.path\"\n",
    ] {
        assert_eq!(hash(same), own, "{same}");
    }
}

/// A label that a list names may hang on other labels, on the condition of a rule that reads them, and
/// on the resources that a condition asks for; what the lists do not go by in the end changes nothing.
#[test]
fn the_hash_follows_labels_wherever_they_come_from() {
    let net = |tool: &str| format!("[[labels]]\nlabel = \"net\"\ntools = [\"{tool}\"]\n");
    let by_tools = "[[labels]]\nlabel = \"http_request\"\ntools = [\"net\"]\n";
    let by_condition = "[[labels]]\nlabel = \"http_request\"\nwhen = '\"net\" in call.labels'\n";
    let by_resources = "[[labels]]\nlabel = \"http_request\"\nwhen = 'call.resources.size() > 0'\n";
    let twice = format!(
        "[[labels]]\nlabel = \"web\"\ntools = [\"net\"]\n{}",
        by_tools.replace("net", "web")
    );
    for rule in [by_tools, by_condition, &twice] {
        let own = hash(&format!("{}{rule}", net("curl")));
        assert_ne!(own, hash(&format!("{}{rule}", net("wget"))), "{rule}");
        let idle = "[[labels]]\nlabel = \"x\"\ntools = [\"a\"]\n";
        let alike = hash(&format!("{}{rule}{idle}", net("curl")));
        assert_eq!(own, alike, "{rule}");
    }
    let found = |by: &str, path: &str| {
        hash(&format!(
            "{}{by_resources}[resources]\n{by} = \"args.{path}\"\n",
            net("curl")
        ))
    };
    assert_ne!(found("a", "x"), found("a", "y"));
    assert_ne!(found("a", "x"), found("b", "x"));
    let through = |tool: &str| {
        hash(&format!(
            "{}{by_resources}[resources]\nnet = \"args.x\"\n",
            net(tool)
        ))
    };
    assert_ne!(
        through("curl"),
        through("wget"),
        "resources of labelled calls"
    );
}

/// Features do not know the order of a list or of the sides of a pair, nor what stands in it twice.
#[test]
fn the_hash_does_not_follow_an_order_that_means_nothing() {
    let outbound = |list: &str| hash(&format!("[dcbf.barriers.privacy]\noutbound = [{list}]\n"));
    assert_eq!(outbound("'a', 'b'"), outbound("'b', 'a'"));
    assert_ne!(outbound("'a', 'b'"), outbound("'a'"));
    let pairs = |list: &str| hash(&format!("[dcbf.barriers.safety]\npairs = [{list}]\n"));
    let own = pairs("['a', 'b'], ['c', 'd']");
    assert_eq!(own, pairs("['c', 'd'], ['a', 'b']"));
    assert_eq!(own, pairs("['b', 'a'], ['d', 'c']"));
    assert_ne!(own, pairs("['a', 'c'], ['b', 'd']"));
    let rule = |label: &str, tool: &str| {
        format!("[[labels]]\nlabel = \"{label}\"\ntools = [\"{tool}\"]\n")
    };
    let (a, b) = (rule("http_request", "curl"), rule("send_email", "mail"));
    assert_eq!(hash(&format!("{a}{b}")), hash(&format!("{b}{a}")));
    let chained = rule("send_email", "http_request");
    assert_ne!(
        hash(&format!("{a}{chained}")),
        hash(&format!("{chained}{a}")),
        "a rule sees the labels before it"
    );
}
