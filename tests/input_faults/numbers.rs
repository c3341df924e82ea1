//! Numbers: money, counts and floats.

use crate::support::*;

/// What reading `"field": value` of a call tells, without the places.
fn told(field: &str, value: &str) -> Vec<String> {
    let seen = seen(format!("{{\"tool\":\"a\",\"{field}\":{value}}}"));
    let faulty = seen.notices.iter().any(|n| n.kind.is_fault());
    assert_eq!(seen.calls.is_empty(), faulty, "{field} {value}");
    let code = |n: &gate::trace::fault::Notice| n.kind.code().to_owned();
    seen.notices.iter().map(code).collect()
}

#[test]
fn numbers_beyond_every_range_are_bad_fields() {
    for field in [
        "cost_usd",
        "estimated_cost_usd",
        "tokens",
        "turn",
        "semantic_score",
    ] {
        for value in ["1e999", "-1e999"] {
            assert_eq!(told(field, value), ["bad_field"], "{field} {value}");
        }
    }
    assert_eq!(told("context_embedding", "[0,1e999]"), ["bad_field"]);
    assert_eq!(told("turn", "18446744073709551616"), ["bad_field"]);
}

#[test]
fn the_column_of_a_bad_field_is_that_of_its_value() {
    let seen =
        seen("{\"tool\":\"a\", \"turn\": 1.5}\n{\"tool\":\"a\",\"action_embedding\":[1, \"x\"]}");
    assert_eq!(seen.codes(), ["1:22 bad_field", "2:36 bad_field"]);
    assert!(
        seen.notices[0]
            .message
            .contains("`turn` is not a whole number")
    );
    assert!(
        seen.notices[1]
            .message
            .contains("`action_embedding[1]` is a string")
    );
}

#[test]
fn minus_zero_is_zero() {
    for value in ["-0", "-0.0", "-0e5"] {
        assert!(told("cost_usd", value).is_empty());
        assert!(told("turn", value).is_empty());
    }
    let seen = seen("{\"tool\":\"a\",\"context_embedding\":[-0.0],\"cost_usd\":-0}");
    let embedding = seen.calls[0].context_embedding.as_ref().expect("embedding");
    assert!(embedding[0].is_sign_positive());
}

#[test]
fn negative_money_tokens_and_turns_are_bad_fields() {
    for field in [
        "cost_usd",
        "estimated_cost_usd",
        "estimated_cost",
        "tokens",
        "turn",
    ] {
        assert_eq!(told(field, "-1"), ["bad_field"], "{field}");
    }
    assert_eq!(told("cost_usd", "-1e-30"), ["bad_field"]);
    assert_eq!(told("metadata", "{\"estimated_cost\":-1}"), ["bad_field"]);
    assert!(told("context_embedding", "[-1]").is_empty());
}

#[test]
fn money_with_too_many_decimals_is_rounded_and_told() {
    assert!(told("cost_usd", "0.123456789").is_empty());
    assert_eq!(told("cost_usd", "0.1234567891"), ["rounded_cost"]);
    assert_eq!(told("cost_usd", "1e-999"), ["rounded_cost"]);
    let seen = seen("{\"tool\":\"a\",\"cost_usd\":0.0000000025}");
    let outcome = seen.calls[0].outcome.as_ref().expect("outcome");
    assert_eq!(outcome.cost.expect("cost").0, 2);
}

#[test]
fn money_keeps_what_a_float_would_lose() {
    let seen = seen("{\"tool\":\"a\",\"cost_usd\":9007199254740993}");
    let cost = seen.calls[0].outcome.as_ref().and_then(|o| o.cost);
    assert_eq!(cost.expect("cost").to_string(), "9007199254740993");
    assert!(seen.notices.is_empty());
}

#[test]
fn an_integer_that_a_float_rounds_is_told_once() {
    let big = "[9007199254740993,9007199254740995]";
    assert_eq!(told("context_embedding", big), ["inexact_number"]);
    assert!(told("context_embedding", "[9007199254740992, 0.1]").is_empty());
    assert_eq!(
        told("semantic_score", "9007199254740993"),
        ["inexact_number"]
    );
}

#[test]
fn integral_floats_are_integers() {
    let seen = seen("{\"tool\":\"a\",\"turn\":1.0,\"tokens\":1e2}");
    assert_eq!(seen.calls[0].turn, Some(1));
    assert_eq!(
        seen.calls[0].outcome.as_ref().and_then(|o| o.tokens),
        Some(100)
    );
    assert!(seen.notices.is_empty());
}

#[test]
fn numbers_in_strings_are_bad_fields() {
    for (field, value) in [
        ("cost_usd", "\"1.0\""),
        ("tokens", "\"1\""),
        ("turn", "true"),
    ] {
        assert_eq!(told(field, value), ["bad_field"]);
    }
}
