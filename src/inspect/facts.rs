//! What a recording can tell of a call.

/// Something that is known of a call, or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fact {
    /// Its arguments.
    Args,
    /// Who called: the call says so, or its run.
    Agent,
    /// When it was made, in a form that can be read.
    Time,
    /// What it was expected to cost.
    Estimate,
    /// What it touches: the record says so, or its arguments are known.
    Resources,
    /// What the agent was asked to do and what it does, as embeddings that have a direction: the
    /// call's own, or the latest of its run.
    Embeddings,
    /// A score of the live system's semantic firewall.
    Score,
    /// What the user of its run asked for.
    Intent,
    /// What else is known of its run.
    Meta,
    /// How it came out: any part of an outcome.
    Outcome,
    /// What it returned.
    Result,
    /// That it failed.
    Failure,
    /// A result, or the tokens of one: what an observation is made of.
    Observation,
    /// What it cost.
    Cost,
    /// The tokens of its result.
    Tokens,
    /// What somebody decided about it.
    Approval,
    /// What the live system decided about it.
    Decision,
}

impl Fact {
    /// Every fact, its name in machine formats, and what it is in words.
    pub const ALL: &[(Fact, &'static str, &'static str)] = &[
        (Fact::Args, "args", "arguments"),
        (Fact::Agent, "agent", "an agent"),
        (Fact::Time, "time", "times"),
        (Fact::Estimate, "estimate", "estimated costs"),
        (Fact::Resources, "resources", "resources or arguments"),
        (Fact::Embeddings, "embeddings", "embeddings"),
        (Fact::Score, "semantic_score", "semantic scores"),
        (Fact::Intent, "intent", "the intent of the run"),
        (Fact::Meta, "meta", "the meta of the run"),
        (Fact::Outcome, "outcome", "outcomes"),
        (Fact::Result, "result", "results"),
        (Fact::Failure, "failure", "failures"),
        (Fact::Observation, "observation", "results or tokens"),
        (Fact::Cost, "cost", "costs"),
        (Fact::Tokens, "tokens", "tokens"),
        (Fact::Approval, "approval", "approvals"),
        (Fact::Decision, "decision", "recorded decisions"),
    ];

    /// Its name in machine formats.
    pub fn as_str(self) -> &'static str {
        let found = Fact::ALL.iter().find(|(fact, ..)| *fact == self);
        found.map_or("", |(_, name, _)| name)
    }

    /// What it is, in words.
    pub fn words(self) -> &'static str {
        let found = Fact::ALL.iter().find(|(fact, ..)| *fact == self);
        found.map_or("", |(.., words)| words)
    }
}

/// A set of facts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts(u32);

impl Facts {
    /// Adds a fact if it is known.
    pub fn add(&mut self, fact: Fact, known: bool) {
        self.0 |= u32::from(known) << fact as u32;
    }

    /// Whether a fact is among them.
    pub fn has(self, fact: Fact) -> bool {
        self.0 >> fact as u32 & 1 == 1
    }

    /// The same with those of another set.
    pub fn and(self, more: Facts) -> Facts {
        Facts(self.0 | more.0)
    }

    /// Those that are not in another set.
    pub fn without(self, others: Facts) -> Facts {
        Facts(self.0 & !others.0)
    }

    /// Each of them.
    pub fn iter(self) -> impl Iterator<Item = Fact> {
        let all = Fact::ALL.iter().map(|(fact, ..)| *fact);
        all.filter(move |fact| self.has(*fact))
    }
}

/// How many calls have each fact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FactCounts([u64; Fact::ALL.len()]);

impl FactCounts {
    /// Counts a call that has these.
    pub fn add(&mut self, facts: Facts) {
        for fact in facts.iter() {
            self.0[fact as usize] += 1;
        }
    }

    /// Calls that have the fact.
    pub fn of(&self, fact: Fact) -> u64 {
        self.0[fact as usize]
    }

    /// Adds the counts of other calls.
    pub fn merge(&mut self, other: &FactCounts) {
        for (sum, more) in self.0.iter_mut().zip(other.0) {
            *sum += more;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_counted_by_call() {
        for (index, (fact, name, words)) in Fact::ALL.iter().enumerate() {
            let of_fact = (*fact as usize, fact.as_str(), fact.words());
            assert_eq!(of_fact, (index, *name, *words));
        }
        let mut facts = Facts::default();
        facts.add(Fact::Args, true);
        facts.add(Fact::Cost, false);
        facts.add(Fact::Decision, true);
        assert!(facts.iter().eq([Fact::Args, Fact::Decision]));
        let mut counts = FactCounts::default();
        counts.add(facts);
        counts.merge(&counts.clone());
        assert_eq!((counts.of(Fact::Args), counts.of(Fact::Cost)), (2, 0));
    }
}
