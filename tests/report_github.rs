//! Annotations for GitHub Actions, and the summary of a step.

mod program;
mod report_samples;

use gate::engine::decision::Decision;
use gate::policy::{PolicyPlace, PolicyWarning};
use gate::report::Header;
use program::{Ran, Scratch, ran};
use report_samples::*;

#[test]
fn findings_are_annotations() {
    let header = Header {
        policy: "p,q.toml".to_owned(),
        policy_is_file: true,
        ..header()
    };
    let mut summary = summary();
    summary.policy.warnings.push(PolicyWarning {
        code: "unsound_alpha",
        place: PolicyPlace { line: 3, column: 5 },
        message: "100%".to_owned(),
    });
    let out = write("github", &header, &items(), &summary);
    assert_eq!(
        out,
        "\
::error file=t.jsonl,line=7,title=gate dcbf/forward_invariance::call of `send_email` is blocked: privacy would \
fall from 0.1 to -0.1: third outbound call (run `r1`, call `c3`)
::error file=t.jsonl,line=8,col=13,title=gate fault/malformed_json::malformed_json: expected `,` or `}`; help: one \
record a line
::error file=t.jsonl,line=9,title=gate dcbf/outside_safe_set::call of `send_email` is blocked, as the run is outside \
already: privacy stands at -0.1 (run `r1`, call `c4`)
::warning file=t.jsonl,line=10,title=gate warning/orphan_result::orphan_result: result for `c9`, which the run does \
not have (run `r1`)
::warning file=p%2Cq.toml,line=3,col=5,title=gate policy/unsound_alpha::unsound_alpha: 100%25
::notice title=gate::block: 2 of 3 calls refused, 1 input fault; exit 1: 2 calls blocked
"
    );
}

/// GitHub shows ten of a kind; what is beyond is counted.
#[test]
fn ten_of_a_kind_are_shown() {
    let call = |n: u64| {
        Item::Call(Box::new(Decision {
            line: n,
            ..blocked()
        }))
    };
    let mut items: Vec<Item> = (1..=25).map(call).collect();
    items.extend(vec![Item::Notice(warning()); 11]);
    let out = write("github", &header(), &items, &summary());
    let lines = |kind: &str| out.lines().filter(|line| line.starts_with(kind)).count();
    assert_eq!(
        (lines("::error "), lines("::warning "), lines("::notice ")),
        (10, 10, 3)
    );
    assert!(
        out.contains("::15 more errors not shown here: --sarif and --jsonl have all\n"),
        "{out}"
    );
    assert!(
        out.contains("::1 more warning not shown here: --sarif and --jsonl have all\n"),
        "{out}"
    );
}

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.file(
        "t.jsonl",
        "{\"tool\":\"send_email\",\"run\":\"a\",\"id\":\"1\"}\n",
    );
    scratch.file("p.toml", "[gates]\nallow = [\"read\"]\n");
    scratch
}

fn in_actions(scratch: &Scratch, args: &str, summary: &str) -> Ran {
    let mut command = scratch.command(&format!("replay t.jsonl --policy p.toml {args}"));
    command
        .env("GITHUB_ACTIONS", "true")
        .env("GITHUB_STEP_SUMMARY", summary);
    ran(command.output().expect("the program runs"))
}

/// Standard output is that of anywhere else; annotations and summary come beside it.
#[test]
fn a_workflow_gets_annotations_and_a_summary() {
    let scratch = scratch();
    // Its last line is not ended.
    scratch.file("s.md", "before");
    let plain = scratch
        .gate("replay t.jsonl --policy p.toml --format jsonl")
        .ends(1);
    assert!(!plain.err.contains("::"), "{}", plain.err);
    let ran = in_actions(&scratch, "--format jsonl", "s.md").ends(1);
    assert_eq!(ran.out, plain.out);
    let annotated = ran.err.lines().filter(|line| line.starts_with("::"));
    assert_eq!(annotated.count(), 2, "{}", ran.err);
    let told = scratch.read("s.md").expect("a summary");
    assert!(told.starts_with("before\n## gate: block\n"), "{told}");
    // The next one stands behind it.
    in_actions(&scratch, "", "s.md").ends(1);
    let told = scratch.read("s.md").expect("a summary");
    assert_eq!(told.matches("\n## gate: block\n").count(), 2, "{told}");
}

#[test]
fn it_can_be_switched_off() {
    let scratch = scratch();
    let ran = in_actions(&scratch, "--no-github --format jsonl", "s.md").ends(1);
    assert!(!ran.err.contains("::"), "{}", ran.err);
    assert_eq!(scratch.read("s.md"), None);
    let mut elsewhere = scratch.command("replay t.jsonl --policy p.toml");
    elsewhere
        .env("GITHUB_ACTIONS", "false")
        .env("GITHUB_STEP_SUMMARY", "s.md");
    elsewhere.output().expect("the program runs");
    assert_eq!(scratch.read("s.md"), None);
}

/// Annotations on standard output are not given twice.
#[test]
fn annotations_come_once() {
    let scratch = scratch();
    let ran = in_actions(&scratch, "--format github", "").ends(1);
    assert_eq!((ran.out.lines().count(), ran.err.as_str()), (2, ""));
}

/// What is asked for by name is written, wherever gate runs.
#[test]
fn annotations_that_are_asked_for_stay() {
    let scratch = scratch();
    let shown = in_actions(
        &scratch,
        "--no-github --format github --github g.txt",
        "s.md",
    );
    let shown = shown.ends(1);
    assert_eq!((shown.out.lines().count(), shown.err.as_str()), (2, ""));
    assert_eq!(scratch.read("g.txt"), Some(shown.out));
    assert_eq!(scratch.read("s.md"), None);
    let plain = scratch.gate("replay t.jsonl --policy p.toml -q --github h.txt");
    plain.ends(1);
    assert_eq!(scratch.read("h.txt"), scratch.read("g.txt"));
    // `--quiet` is about listings.
    let quiet = in_actions(&scratch, "--quiet --format jsonl", "").ends(1);
    assert_eq!(quiet.err.lines().count(), 2, "{}", quiet.err);
}

/// The audit is what counts: a summary that cannot be written is told, and the status stays. An input
/// is never written to.
#[test]
fn a_summary_that_cannot_be_written_changes_no_status() {
    let scratch = scratch();
    let ran = in_actions(&scratch, "", "no/such/place.md").ends(1);
    ran.says("gate: the step summary `no/such/place.md` cannot be written: ");
    let trace = scratch.read("t.jsonl");
    in_actions(&scratch, "", "t.jsonl")
        .ends(1)
        .says("cannot be written: it is an input");
    assert_eq!(scratch.read("t.jsonl"), trace);
}

/// A report would take the place of the summary, by whatever name.
#[test]
fn a_summary_is_no_report() {
    let scratch = scratch();
    let refused = |report: &str, summary: &str| {
        let ran = in_actions(&scratch, &format!("--markdown {report} --force"), summary).ends(2);
        assert_eq!(ran.out, "", "nothing is read before");
        ran.says("is the summary of the step as well");
    };
    refused("new.md", "./new.md");
    assert_eq!(scratch.read("new.md"), None);
    scratch.file("s.md", "before");
    refused("s.md", "s.md");
    let absolute = scratch.path().join("s.md");
    refused("s.md", &absolute.to_string_lossy());
    #[cfg(unix)]
    {
        let at = |name: &str| scratch.path().join(name);
        std::fs::hard_link(at("s.md"), at("hard.md")).expect("a name");
        std::os::unix::fs::symlink("s.md", at("soft.md")).expect("a link");
        std::os::unix::fs::symlink("new.md", at("early.md")).expect("a link");
        refused("hard.md", "s.md");
        refused("soft.md", "s.md");
        refused("s.md", "soft.md");
        refused("new.md", "early.md");
    }
    assert_eq!(scratch.read("s.md").as_deref(), Some("before"));
    in_actions(&scratch, "--markdown s.md --force --no-github", "s.md").ends(1);
}

/// What an earlier report says is read as inputs are.
#[test]
fn a_summary_is_not_written_into_a_baseline() {
    let scratch = scratch();
    scratch
        .gate("replay t.jsonl --policy p.toml --sarif old.sarif")
        .ends(1);
    let old = scratch.read("old.sarif");
    in_actions(&scratch, "--format sarif --baseline old.sarif", "old.sarif")
        .ends(1)
        .says("cannot be written: it is an input");
    assert_eq!(scratch.read("old.sarif"), old);
}

/// A summary that is too long is none at all for GitHub.
#[test]
fn a_full_summary_is_not_filled_further() {
    let scratch = scratch();
    scratch.file("s.md", "x".repeat((1 << 20) - 1024 - 300));
    in_actions(&scratch, "", "s.md").ends(1);
    let told = scratch.read("s.md").expect("a summary");
    assert!(told.len() < 1 << 20);
    assert!(told.contains("## gate: block\n"));
    assert!(
        told.trim_end()
            .ends_with("are left out: a step summary holds 1 MiB.")
    );
}

/// Names of files stand at the start of messages: none of them is a command.
#[test]
fn a_name_is_no_command() {
    let scratch = scratch();
    scratch.file("::error::x.jsonl", "{\"tool\":\n");
    let mut command = scratch.command("replay ::error::x.jsonl --format jsonl");
    command.env("GITHUB_ACTIONS", "true");
    let ran = ran(command.output().expect("the program runs")).ends(2);
    let commands = ran
        .err
        .lines()
        .filter(|line| line.trim_start().starts_with("::"));
    for line in commands {
        let own = line.starts_with("::error file=") || line.starts_with("::notice title=gate::");
        assert!(own, "{line}");
    }
}
