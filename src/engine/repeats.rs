//! How often in a row the same tool was called with equal arguments.

use super::digest;
use crate::trace::event::ToolCall;

/// The calls that came last, as far as they may be one call over and over; nothing where no rule asks.
#[derive(Clone, Debug, Default)]
pub(super) struct Repeats(Option<Box<Row>>);

/// Calls in a row.
///
/// Arguments that the recording does not tell may be any: a call without them goes on with whatever
/// call of its tool came before, and the next one with it. The count is the greatest that is
/// possible.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Row {
    /// Hash of the tool.
    pub(super) tool: u64,
    /// Hash of the arguments that the calls share; absent while none of them is known.
    pub(super) args: Option<u64>,
    /// How many calls in a row may be equal.
    pub(super) in_a_row: u64,
    /// How many of them, at the end, have arguments that are not known.
    pub(super) unknown: u64,
}

impl Repeats {
    /// What is known of them already.
    pub(super) fn of(row: Option<Row>) -> Repeats {
        Repeats(row.map(Box::new))
    }

    /// What is known of them; absent where nothing was counted.
    pub(super) fn row(&self) -> Option<Row> {
        self.0.as_deref().copied()
    }

    /// Counts a call.
    pub(super) fn count(&mut self, call: &ToolCall<'_>) -> u64 {
        let tool = digest::id(&call.tool);
        let args = (!call.args_unknown).then(|| digest::args(call));
        self.0.get_or_insert_default().count(tool, args)
    }
}

impl Row {
    /// Counts a call of that tool with these arguments, absent where they are not known.
    fn count(&mut self, tool: u64, args: Option<u64>) -> u64 {
        if tool != self.tool {
            *self = Row {
                tool,
                ..Row::default()
            };
        }
        match (args, self.args) {
            (None, _) => self.unknown += 1,
            (Some(args), before) => {
                if before.is_some_and(|before| before != args) {
                    self.in_a_row = self.unknown;
                }
                (self.args, self.unknown) = (Some(args), 0);
            }
        }
        self.in_a_row += 1;
        self.in_a_row
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::event::RawJson;

    /// Calls as tool and arguments, `a1`, or `a?` where these are not known.
    fn counted(calls: &str) -> Vec<u64> {
        let mut repeats = Repeats::default();
        let count = |call: &str| {
            let (tool, args) = call.split_at(1);
            repeats.count(&ToolCall {
                tool: tool.into(),
                args: RawJson::from_text(args.replace('?', "{}")).expect("JSON"),
                args_unknown: args == "?",
                ..ToolCall::default()
            })
        };
        calls.split_whitespace().map(count).collect()
    }

    #[test]
    fn arguments_that_are_not_known_may_be_any() {
        for (calls, counts) in [
            ("a1 a1 a2 a2 a2", vec![1, 2, 1, 2, 3]),
            ("a1 b1 a1", vec![1, 1, 1]),
            ("a? a? a?", vec![1, 2, 3]),
            ("a1 a? a1 a1", vec![1, 2, 3, 4]),
            ("a1 a? a2 a2", vec![1, 2, 2, 3]),
            ("a1 a1 a? a? a2 a1", vec![1, 2, 3, 4, 3, 1]),
            ("a? a1 a? a2", vec![1, 2, 3, 2]),
            ("a? b? a?", vec![1, 1, 1]),
        ] {
            assert_eq!(counted(calls), counts, "{calls}");
        }
    }
}
