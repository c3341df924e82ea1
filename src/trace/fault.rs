//! What can be wrong with an input, each kind with its code, its place and a plain message.

use std::fmt;

/// A kind of input fault: the line or the run is not trusted, and the exit status is 2.
///
/// The codes are part of every machine format and do not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FaultCode {
    /// The line is not JSON.
    MalformedJson,
    /// The line is JSON but not an object.
    NotAnObject,
    /// Bytes that are not UTF-8.
    InvalidUtf8,
    /// `type` names no kind of record.
    UnknownType,
    /// A required field is absent.
    MissingField,
    /// A field has the wrong type or a value out of range.
    BadField,
    /// A known field is given twice.
    DuplicateKey,
    /// Nested deeper than 128 levels.
    TooDeep,
    /// Longer than the line limit.
    LineTooLong,
    /// The input ends in the middle of a record, or its compressed stream is damaged.
    TruncatedInput,
    /// One id, two different calls, or two different results of one call.
    DuplicateCallId,
}

impl FaultCode {
    /// Every code, in the order of the documentation.
    pub const ALL: &[FaultCode] = &[
        FaultCode::MalformedJson,
        FaultCode::NotAnObject,
        FaultCode::InvalidUtf8,
        FaultCode::UnknownType,
        FaultCode::MissingField,
        FaultCode::BadField,
        FaultCode::DuplicateKey,
        FaultCode::TooDeep,
        FaultCode::LineTooLong,
        FaultCode::TruncatedInput,
        FaultCode::DuplicateCallId,
    ];

    /// The code as machine formats spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            FaultCode::MalformedJson => "malformed_json",
            FaultCode::NotAnObject => "not_an_object",
            FaultCode::InvalidUtf8 => "invalid_utf8",
            FaultCode::UnknownType => "unknown_type",
            FaultCode::MissingField => "missing_field",
            FaultCode::BadField => "bad_field",
            FaultCode::DuplicateKey => "duplicate_key",
            FaultCode::TooDeep => "too_deep",
            FaultCode::LineTooLong => "line_too_long",
            FaultCode::TruncatedInput => "truncated_input",
            FaultCode::DuplicateCallId => "duplicate_call_id",
        }
    }
}

/// A kind of warning: the record was used, and the exit status is left alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WarningCode {
    /// A lone surrogate escape was read as U+FFFD.
    RepairedText,
    /// A result for a call that the run does not have.
    OrphanResult,
    /// An approval for a call that the run does not have.
    OrphanApproval,
    /// A byte order mark at the start of a line that is not the first.
    StrayBom,
    /// A NUL character in a text.
    NulCharacter,
    /// A key repeated inside arguments; rules see the text of both.
    RepeatedArgument,
    /// An unknown field whose name is close to a known one.
    SimilarField,
    /// A field of runs on a call.
    MisplacedField,
    /// A tool whose name looks like one the policy names.
    LookalikeTool,
    /// A name that differs from another, or from one of the policy, in Unicode form alone.
    UnicodeForm,
    /// Arguments given as a string that looks like an object but is none.
    UnparsedArguments,
    /// Calls whose arguments the recording does not tell.
    UnknownArguments,
    /// An amount of money with more than nine decimals.
    RoundedCost,
    /// A number that a float cannot hold exactly.
    InexactNumber,
    /// An embedding of zeros, which has no direction to compare.
    ZeroEmbedding,
    /// A call repeating an id with the same content; evaluated once.
    RepeatedCall,
    /// The same result for one call a second time.
    RepeatedResult,
    /// A result that stands before its call.
    EarlyResult,
    /// Calls without a result in a run that has results.
    UnansweredCall,
    /// A time before that of the call before.
    ClockBackwards,
    /// Times in a run that may be on different scales.
    MixedTimes,
    /// A leap second, or a time before 1970 or after the year 9999.
    OddTime,
    /// A `ts` that is no time, where no rule asks for it.
    UnreadableTime,
    /// States of a states file that do not follow each other.
    StateGap,
    /// Records without a run in an input whose other records have one.
    MissingRun,
    /// One run id in two inputs; they are two runs.
    SharedRunId,
    /// A torn last line that `--allow-torn-tail` lets pass.
    TornTail,
    /// Zero bytes after the end of a compressed stream.
    Padding,
    /// An input named twice; audited once.
    RepeatedInput,
    /// Something a foreign format does not say clearly; the message tells what was assumed.
    Assumed,
}

impl WarningCode {
    /// Every code, in the order of the documentation.
    pub const ALL: &[WarningCode] = &[
        WarningCode::RepairedText,
        WarningCode::OrphanResult,
        WarningCode::OrphanApproval,
        WarningCode::StrayBom,
        WarningCode::NulCharacter,
        WarningCode::RepeatedArgument,
        WarningCode::SimilarField,
        WarningCode::MisplacedField,
        WarningCode::LookalikeTool,
        WarningCode::UnicodeForm,
        WarningCode::UnparsedArguments,
        WarningCode::UnknownArguments,
        WarningCode::RoundedCost,
        WarningCode::InexactNumber,
        WarningCode::ZeroEmbedding,
        WarningCode::RepeatedCall,
        WarningCode::RepeatedResult,
        WarningCode::EarlyResult,
        WarningCode::UnansweredCall,
        WarningCode::ClockBackwards,
        WarningCode::MixedTimes,
        WarningCode::OddTime,
        WarningCode::UnreadableTime,
        WarningCode::StateGap,
        WarningCode::MissingRun,
        WarningCode::SharedRunId,
        WarningCode::TornTail,
        WarningCode::Padding,
        WarningCode::RepeatedInput,
        WarningCode::Assumed,
    ];

    /// The code as machine formats spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            WarningCode::RepairedText => "repaired_text",
            WarningCode::OrphanResult => "orphan_result",
            WarningCode::OrphanApproval => "orphan_approval",
            WarningCode::StrayBom => "stray_bom",
            WarningCode::NulCharacter => "nul_character",
            WarningCode::RepeatedArgument => "repeated_argument",
            WarningCode::SimilarField => "similar_field",
            WarningCode::MisplacedField => "misplaced_field",
            WarningCode::LookalikeTool => "lookalike_tool",
            WarningCode::UnicodeForm => "unicode_form",
            WarningCode::UnparsedArguments => "unparsed_arguments",
            WarningCode::UnknownArguments => "unknown_arguments",
            WarningCode::RoundedCost => "rounded_cost",
            WarningCode::InexactNumber => "inexact_number",
            WarningCode::ZeroEmbedding => "zero_embedding",
            WarningCode::RepeatedCall => "repeated_call",
            WarningCode::RepeatedResult => "repeated_result",
            WarningCode::EarlyResult => "early_result",
            WarningCode::UnansweredCall => "unanswered_call",
            WarningCode::ClockBackwards => "clock_backwards",
            WarningCode::MixedTimes => "mixed_times",
            WarningCode::OddTime => "odd_time",
            WarningCode::UnreadableTime => "unreadable_time",
            WarningCode::StateGap => "state_gap",
            WarningCode::MissingRun => "missing_run",
            WarningCode::SharedRunId => "shared_run_id",
            WarningCode::TornTail => "torn_tail",
            WarningCode::Padding => "padding",
            WarningCode::RepeatedInput => "repeated_input",
            WarningCode::Assumed => "assumed",
        }
    }
}

/// Where something stands in the inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Index of the input among those of this audit.
    pub input: usize,
    /// Line, from 1; 0 means the input as a whole.
    pub line: u64,
    /// Byte column, from 1; 0 means the line as a whole.
    pub column: u64,
}

impl Place {
    /// As it stands behind the name of the input: the line, and the column where it is known; absent for
    /// the input as a whole.
    pub fn told(&self) -> Option<String> {
        match (self.line, self.column) {
            (0, _) => None,
            (line, 0) => Some(line.to_string()),
            (line, column) => Some(format!("{line}:{column}")),
        }
    }
}

/// A fault or a warning at its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// What it is.
    pub kind: NoticeKind,
    /// Where it is.
    pub place: Place,
    /// The run it is known to belong to.
    pub run: Option<String>,
    /// Plain words: lowercase, no full stop, the input's own words in backticks.
    pub message: String,
    /// What to do about it, where that is known.
    pub help: Option<String>,
}

impl Notice {
    /// The input of that index is one that was named before.
    pub fn repeated_input(input: usize) -> Notice {
        Notice {
            kind: NoticeKind::Warning(WarningCode::RepeatedInput),
            place: Place {
                input,
                ..Place::default()
            },
            run: None,
            message: "the same file was named before; it is audited once".into(),
            help: None,
        }
    }
}

/// Faults and warnings as they come: all are counted, the first of each are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Noted {
    /// How many faults came.
    pub faults: u64,
    /// How many warnings came.
    pub warnings: u64,
    /// The first [`Noted::KEPT`] faults and as many warnings, in order.
    pub kept: Vec<Notice>,
}

impl Noted {
    /// Most faults, and most warnings, that are kept.
    pub const KEPT: u64 = 50;

    /// Adds one.
    pub fn add(&mut self, notice: Notice) {
        let count = match notice.kind {
            NoticeKind::Fault(_) => &mut self.faults,
            NoticeKind::Warning(_) => &mut self.warnings,
        };
        *count += 1;
        if *count <= Noted::KEPT {
            self.kept.push(notice);
        }
    }
}

/// Fault or warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NoticeKind {
    /// The run is not trusted.
    Fault(FaultCode),
    /// The record was used.
    Warning(WarningCode),
}

impl NoticeKind {
    /// The code as machine formats spell it.
    pub fn code(self) -> &'static str {
        match self {
            NoticeKind::Fault(code) => code.as_str(),
            NoticeKind::Warning(code) => code.as_str(),
        }
    }

    /// Whether it makes a run inconclusive.
    pub fn is_fault(self) -> bool {
        matches!(self, NoticeKind::Fault(_))
    }
}

impl fmt::Display for NoticeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}
