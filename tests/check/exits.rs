//! Exits that are told: which are a call's, which need states of their own, and which are not known.

use super::{policy, report, row};
use gate::check::check;
use gate::verify::reach::{Limits, explore};
use gate::verify::soundness::{Exit, Soundness};

fn warning(text: &str) -> String {
    let found = report(text).findings;
    let found = found.into_iter().find(|f| f.code == "unsound_alpha");
    found.unwrap_or_else(|| panic!("{text}")).message
}

/// Embeddings that a call brings belong to both of its states: no call moves scope below zero. The
/// warning stays, since states of a file may differ in them.
#[test]
fn an_exit_of_scope_is_one_between_states() {
    let text = "[dcbf.barriers.scope]\nkappa = 1.5\n";
    let found = row(text, "scope").soundness;
    assert!(matches!(found, Some(Soundness::Between(_))), "{found:?}");
    let said = warning(text);
    assert!(
        said.contains("between states (states files, live monitors)"),
        "{said}"
    );
    assert!(!said.contains("a call that takes it"), "{said}");
}

/// What an expression comes to is not known, and no exit is said to happen.
#[test]
fn an_exit_of_an_expression_is_one_that_could_be() {
    let text = "[dcbf.barriers.c]\nexpr = 'seen(\"a\") ? -1.0 : 0.5'\nkappa = 2\n";
    let found = row(text, "c").soundness;
    assert_eq!(
        found,
        Some(Soundness::Possible(Exit { h: 1.0, next: -1.0 }))
    );
    let said = warning(text);
    assert!(
        said.contains("if it comes to such values, would be admitted"),
        "{said}"
    );
}

/// Where everything that decides an expression was gone along, what was found there is what is said.
#[test]
fn an_exploration_knows_whether_an_expression_exits() {
    let explored = |text: &str| {
        let policy = policy(text);
        let reach = explore(&policy, Limits::default());
        let rows = check(&policy, Some(reach)).barriers;
        rows.into_iter()
            .find(|row| row.name == "c")
            .and_then(|row| row.soundness)
    };
    let barrier = "[dcbf.barriers.c]\nkappa = 2\n";
    let kept = explored(&format!("{barrier}expr = 'seen(\"a\") ? -1.0 : 0.4'\n"));
    assert!(
        matches!(kept, Some(Soundness::Unreachable { .. })),
        "{kept:?}"
    );
    let left = explored(&format!("{barrier}expr = 'seen(\"a\") ? -1.0 : 1.0'\n"));
    assert!(matches!(left, Some(Soundness::Possible(_))), "{left:?}");
}
