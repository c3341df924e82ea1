//! Where a format keeps what gate knows of a call, and what it cannot know.

/// Where each part of a trace comes from in a format, in Markdown; empty where the format does not
/// record it.
#[derive(Clone, Copy, Debug)]
pub struct Mapping {
    /// Name of the run.
    pub run: &'static str,
    /// Who acts.
    pub agent: &'static str,
    /// What the user asked for.
    pub intent: &'static str,
    /// What else is known of the run.
    pub meta: &'static str,
    /// What makes calls one turn: they are in flight together.
    pub turn: &'static str,
    /// Id of a call.
    pub id: &'static str,
    /// Arguments of a call.
    pub args: &'static str,
    /// What a call returned.
    pub result: &'static str,
    /// Whether a call failed.
    pub error: &'static str,
    /// What a call cost.
    pub cost: &'static str,
    /// Tokens of a result, where the recording counts them.
    pub tokens: &'static str,
    /// What somebody decided about a call.
    pub approval: &'static str,
    /// What the live system decided about a call.
    pub decision: &'static str,
    /// Ground truth of the run.
    pub label: &'static str,
    /// How the run ended.
    pub end: &'static str,
    /// When a call was made.
    pub ts: &'static str,
}

impl Mapping {
    /// Nothing is recorded.
    pub const NOTHING: Mapping = Mapping {
        run: "",
        agent: "",
        intent: "",
        meta: "",
        turn: "",
        id: "",
        args: "",
        result: "",
        error: "",
        cost: "",
        tokens: "",
        approval: "",
        decision: "",
        label: "",
        end: "",
        ts: "",
    };

    /// Each part by its name, what it is, and where it comes from.
    pub fn parts(&self) -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
        [
            ("run", "name of the run", self.run),
            ("agent", "who acts", self.agent),
            ("intent", "what the user asked for", self.intent),
            ("meta", "what else is known of the run", self.meta),
            (
                "turn",
                "what makes calls one turn: they are in flight together",
                self.turn,
            ),
            ("id", "id of a call", self.id),
            ("args", "arguments of a call", self.args),
            ("result", "what a call returned", self.result),
            ("error", "whether a call failed", self.error),
            ("cost", "what a call cost", self.cost),
            (
                "tokens",
                "tokens of a result, where the recording counts them",
                self.tokens,
            ),
            (
                "approval",
                "what somebody decided about a call",
                self.approval,
            ),
            (
                "decision",
                "what the live system decided about a call",
                self.decision,
            ),
            ("label", "ground truth of the run", self.label),
            ("end", "how the run ended", self.end),
            ("ts", "when a call was made", self.ts),
        ]
        .into_iter()
    }

    /// The names of the parts that the format does not record.
    pub fn unknown(&self) -> impl Iterator<Item = &'static str> {
        let missing = self.parts().filter(|(_, _, from)| from.is_empty());
        missing.map(|(part, _, _)| part)
    }
}
