//! Results: a finding with all that is known of it.

use super::fingerprint::{Fingerprint, Met};
use super::model::{Artifact, Found, Location, Logical, Message, Prints};
use super::rules::Rules;
use crate::engine::decision::Decision;
use crate::escape::visible;
use crate::policy::PolicyWarning;
use crate::report::Header;
use crate::report::finding::Finding;
use crate::report::json::write;
use crate::trace::fault::Notice;
use std::io;

/// What results of one report have in common.
#[derive(Debug)]
pub struct Results {
    rules: Rules,
    met: Met,
}

/// A finding on its way to a result.
#[derive(Debug)]
pub struct Placed<'a> {
    /// What was found.
    pub found: &'a Finding,
    /// By what it is known again.
    pub fingerprint: Fingerprint,
    /// Whether an earlier report has it: `new` or `unchanged`; absent where there is none.
    pub state: Option<&'static str>,
    /// Where it is, and what that has to do with.
    pub places: Places,
}

/// Where a finding is.
#[derive(Debug, Default)]
pub struct Places {
    locations: Vec<Location>,
    related: Vec<Location>,
}

impl Places {
    /// Those of a call: its line, its run and itself, and the line of the policy that decided.
    pub fn of_decision(decision: &Decision, header: &Header) -> Places {
        let run = visible(&decision.run).into_owned();
        let call = visible(&decision.call).into_owned();
        let input = Artifact::input(header, decision.input);
        let location = Location {
            physical_location: input.map(|input| input.at(decision.line, 0)),
            logical_locations: vec![
                Logical {
                    fully_qualified_name: run.clone(),
                    name: run.clone(),
                    kind: "run",
                },
                Logical {
                    fully_qualified_name: format!("{run}/{call}"),
                    name: call,
                    kind: "call",
                },
            ],
            ..Location::default()
        };
        let policy = decision.policy_line.and_then(|line| {
            let policy = Artifact::policy(header)?;
            Some(Location {
                id: Some(1),
                physical_location: Some(policy.at(line as u64, 0)),
                message: Some(Message::plain("what decided, in the policy")),
                ..Location::default()
            })
        });
        Places {
            locations: vec![location],
            related: policy.into_iter().collect(),
        }
    }

    /// That of a fault or a warning.
    pub fn of_notice(notice: &Notice, header: &Header) -> Places {
        let place = notice.place;
        let input = Artifact::input(header, place.input);
        let run = notice.run.as_deref().map(|run| {
            let run = visible(run).into_owned();
            Logical {
                fully_qualified_name: run.clone(),
                name: run,
                kind: "run",
            }
        });
        let location = Location {
            physical_location: input.map(|input| input.at(place.line, place.column)),
            logical_locations: run.into_iter().collect(),
            ..Location::default()
        };
        Places {
            locations: vec![location],
            related: Vec::new(),
        }
    }

    /// That of a doubt about the policy; none where it is no file.
    pub fn of_doubt(doubt: &PolicyWarning, header: &Header) -> Places {
        let policy = Artifact::policy(header).map(|policy| {
            let place = doubt.place;
            Location {
                physical_location: Some(policy.at(place.line as u64, place.column as u64)),
                ..Location::default()
            }
        });
        Places {
            locations: policy.into_iter().collect(),
            related: Vec::new(),
        }
    }
}

impl Results {
    /// No result yet.
    pub fn new() -> Results {
        Results {
            rules: Rules::all(),
            met: Met::default(),
        }
    }

    /// The rules that results go by.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Appends a result. `properties` appends an object, or nothing.
    ///
    /// # Errors
    /// It cannot be told in JSON; none is like that.
    pub fn append(
        &mut self,
        placed: Placed<'_>,
        properties: impl FnOnce(&mut Vec<u8>) -> io::Result<()>,
        out: &mut Vec<u8>,
    ) -> io::Result<()> {
        let id = placed.found.rule.to_string();
        let own = placed.fingerprint.hex();
        let counted = format!("{own}:{}", self.met.again(placed.fingerprint));
        let object = Found {
            rule_index: self.rules.index(&id),
            rule_id: &id,
            level: placed.found.level.as_str(),
            baseline_state: placed.state,
            message: Message::plain(&placed.found.message),
            locations: placed.places.locations,
            related_locations: placed.places.related,
            partial_fingerprints: Prints { own, counted },
        };
        write::append(&object, out)?;
        // The object is left open for one thing more.
        out.pop();
        out.extend_from_slice(b",\"properties\":");
        let begun = out.len();
        properties(out)?;
        if out.len() == begun {
            out.extend_from_slice(b"{}");
        }
        out.push(b'}');
        Ok(())
    }
}
