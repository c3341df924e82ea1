//! What codes of faults and warnings mean, in a sentence each.

/// Faults of inputs, by code.
pub const FAULTS: &[(&str, &str)] = &[
    (
        "malformed_json",
        "The line is no JSON, holds NUL bytes, or the input is of another kind.",
    ),
    ("not_an_object", "The record is JSON, but no object."),
    (
        "invalid_utf8",
        "Bytes that are no UTF-8; in a name or an id the record is not used.",
    ),
    (
        "unknown_type",
        "The type names no kind of record, or the input is JSON of no known format.",
    ),
    ("missing_field", "A required field is absent."),
    (
        "bad_field",
        "A field has the wrong type or is out of range.",
    ),
    (
        "duplicate_key",
        "A known field is given twice, or two spellings of it differ.",
    ),
    (
        "too_deep",
        "The record has more than 128 levels of nesting.",
    ),
    (
        "line_too_long",
        "The line is longer than --max-line, or the recording holds more than --max-hold.",
    ),
    (
        "truncated_input",
        "The input ends in the middle of a record, or its compressed data are damaged.",
    ),
    (
        "duplicate_call_id",
        "One id has two different calls, or one call two different results.",
    ),
];

/// Warnings about inputs, by code.
pub const WARNINGS: &[(&str, &str)] = &[
    (
        "repaired_text",
        "Half of a surrogate pair was read as U+FFFD.",
    ),
    (
        "orphan_result",
        "A result for a call that the run does not have.",
    ),
    (
        "orphan_approval",
        "An approval for a call that the run does not have.",
    ),
    (
        "stray_bom",
        "A byte order mark that does not begin the input was taken away.",
    ),
    (
        "nul_character",
        "A NUL character in a name or in arguments.",
    ),
    (
        "repeated_argument",
        "A key is given twice inside the arguments; rules see the text of both.",
    ),
    (
        "similar_field",
        "An unknown field whose name is close to a known one is ignored.",
    ),
    (
        "misplaced_field",
        "A field of runs stands on a call and is ignored.",
    ),
    (
        "lookalike_tool",
        "A tool whose name looks like one that the policy names and is another.",
    ),
    (
        "unicode_form",
        "A name that differs from another in Unicode form alone.",
    ),
    (
        "unparsed_arguments",
        "Arguments that should be an object and are none.",
    ),
    (
        "unknown_arguments",
        "Calls whose arguments the recording does not tell.",
    ),
    ("rounded_cost", "An amount with more than nine decimals."),
    (
        "inexact_number",
        "A number that a float cannot hold exactly.",
    ),
    (
        "zero_embedding",
        "An embedding that is empty or all zeros, which the scope barrier cannot compare.",
    ),
    (
        "repeated_call",
        "A call repeated with the same content was evaluated once.",
    ),
    ("repeated_result", "The same result for a call came again."),
    ("early_result", "A result stands before its call."),
    (
        "unanswered_call",
        "Calls have no result in a run where others have one.",
    ),
    (
        "clock_backwards",
        "A call has a time before that of the call before.",
    ),
    ("mixed_times", "Times in a run may be on different scales."),
    (
        "odd_time",
        "A leap second, or a time before 1970 or after 9999.",
    ),
    (
        "unreadable_time",
        "A time cannot be read, where no rule asks for it.",
    ),
    (
        "state_gap",
        "States of a states file do not follow each other.",
    ),
    ("missing_run", "Records name no run among others that do."),
    (
        "shared_run_id",
        "An earlier input has a run of that id too; they are two runs.",
    ),
    (
        "torn_tail",
        "The last line is torn, and --allow-torn-tail lets it pass.",
    ),
    (
        "padding",
        "Zero bytes stand after the end of compressed data.",
    ),
    (
        "repeated_input",
        "A file that was named before is audited once.",
    ),
    (
        "assumed",
        "A foreign format leaves something open; the message says what was assumed.",
    ),
];

/// Doubts about the policy, by code.
pub const DOUBTS: &[(&str, &str)] = &[
    (
        "similar_name",
        "A name in the policy is a letter or two away from another one.",
    ),
    ("self_pair", "A pair of a name with itself."),
    (
        "allowed_and_denied",
        "A tool of an agent is both allowed and denied.",
    ),
    (
        "never_admissible",
        "The privacy barrier admits no outbound call, not even the first.",
    ),
    (
        "unsafe_at_start",
        "A barrier is negative before the first call: everything is refused.",
    ),
    (
        "unversioned_features",
        "A model does not say which list of features it was trained on.",
    ),
    (
        "other_parameters",
        "A model was trained on features that count by other settings.",
    ),
    (
        "unsound_alpha",
        "A class-K function does not keep the safe set invariant: calls that leave it may be admitted.",
    ),
    (
        "reachable_deadlock",
        "There are runs in which every call is refused while calls are left.",
    ),
    ("reachable_exit", "Admitted calls lead out of the safe set."),
    (
        "reachable_unknown",
        "Not everything that the policy permits was explored.",
    ),
    (
        "empty_schema",
        "Any arguments fit the schema of a contract.",
    ),
    (
        "rounded_amount",
        "An amount of the policy has more than nine decimals.",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::fault::{FaultCode, WarningCode};

    #[test]
    fn every_code_of_inputs_is_told() {
        let told =
            |list: &[(&'static str, &str)]| list.iter().map(|(code, _)| *code).collect::<Vec<_>>();
        let faults: Vec<&str> = FaultCode::ALL.iter().map(|code| code.as_str()).collect();
        let warnings: Vec<&str> = WarningCode::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!((told(FAULTS), told(WARNINGS)), (faults, warnings));
    }
}
