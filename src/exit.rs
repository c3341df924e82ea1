//! The exit status: a documented enum, the only place that knows the numbers.

use std::process::ExitCode;

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// No finding that `--fail-on` names.
    Clean,
    /// At least one finding that `--fail-on` names.
    Findings,
    /// Wrong usage, unusable policy, unreadable input, an input fault, nothing to audit, or output
    /// that could not be written.
    Unusable,
    /// Stopped by a signal of that number: 130 for an interrupt.
    Signal(u8),
}

impl Exit {
    /// The number the shell sees.
    pub fn code(self) -> u8 {
        match self {
            Exit::Clean => 0,
            Exit::Findings => 1,
            Exit::Unusable => 2,
            Exit::Signal(number) => 128u8.saturating_add(number),
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}

/// A kind of finding that can make the status 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Finding {
    /// A call was blocked.
    Block,
    /// A call was escalated.
    Escalate,
    /// A result was withheld.
    Withhold,
    /// A stage could not be evaluated.
    Error,
    /// A barrier refused a call.
    Violation,
    /// Calls in flight together that barriers refuse jointly.
    Hazard,
    /// The recorded decision differs.
    Drift,
    /// A class-K function that does not keep the safe set invariant.
    Unsound,
}

impl Finding {
    /// Every kind, with the word `--fail-on` takes.
    pub const ALL: &[(Finding, &'static str)] = &[
        (Finding::Block, "block"),
        (Finding::Escalate, "escalate"),
        (Finding::Withhold, "withhold"),
        (Finding::Error, "error"),
        (Finding::Violation, "violation"),
        (Finding::Hazard, "hazard"),
        (Finding::Drift, "drift"),
        (Finding::Unsound, "unsound"),
    ];

    /// What is counted, for help.
    pub fn doc(self) -> &'static str {
        match self {
            Finding::Block => "Calls that a stage refused",
            Finding::Escalate => "Calls that somebody had to decide about, admitted or not",
            Finding::Withhold => "Calls whose result is kept from the agent",
            Finding::Error => "Calls for which a condition could not be evaluated",
            Finding::Violation => "Calls, or transitions, that a barrier refused",
            Finding::Hazard => "Admitted calls that barriers refuse jointly with calls in flight",
            Finding::Drift => "Calls whose recorded decision differs from gate's",
            Finding::Unsound => "Barriers that do not keep the safe set",
        }
    }

    /// So many of them, in words.
    pub fn counted(self, count: u64) -> String {
        let (one, many) = match self {
            Finding::Block => ("block", "blocks"),
            Finding::Escalate => ("escalation", "escalations"),
            Finding::Withhold => ("withheld result", "withheld results"),
            Finding::Error => ("error", "errors"),
            Finding::Violation => ("violation", "violations"),
            Finding::Hazard => ("batch hazard", "batch hazards"),
            Finding::Drift => ("drift", "drifts"),
            Finding::Unsound => ("unsound class-K function", "unsound class-K functions"),
        };
        format!("{count} {}", if count == 1 { one } else { many })
    }

    /// The word `--fail-on` takes.
    pub fn as_str(self) -> &'static str {
        Finding::ALL
            .iter()
            .find(|(f, _)| *f == self)
            .map_or("", |(_, word)| word)
    }
}
