//! ATIF, the agent trajectory interchange format of Harbor: one document a trajectory.
//!
//! **Runs.** A trajectory is a run, named by its session. Trajectories of subagents that are kept in
//! it are runs of their own behind it, `<session>/<trajectory>`. Those in other files, and the rest of
//! a trajectory that is continued in another file, are read where those files are.
//!
//! **Turns.** A step of the agent that calls is a turn. The results of its calls stand in the same step.
//! A result that names no call is that of the only call of its step; where there are several, it is the
//! result of none.
//!
//! **Copied steps** repeat what another trajectory has, and are left out.
//!
//! **Agents without function calling** record no calls: what they do stands in the text of their
//! messages, in a form that is the agent's own. It is not read, and a warning says so.

mod trajectory;

use super::foreign::{Out, Told, check_bytes, open};
use super::{Format, Importer, Mapping, Opening, Record, Sign, Sink};
use crate::trace::json::Json;

/// ATIF.
pub const FORMAT: Format = Format {
    id: "atif",
    title: "ATIF",
    doc: "ATIF: trajectories of agents, as Harbor writes them",
    seen: "ATIF-v1.5, by OpenHands and Terminus 2",
    mapping: Mapping {
        run: "`session_id`, else `trajectory_id`; a subagent that is kept in the document is a run of its own behind it, `<session>/<trajectory_id>`",
        agent: "`agent.name`",
        intent: "the message of the first step of the user",
        meta: "`model`, `version` of the agent, `schema_version`, `trajectory_id`",
        turn: "a step of the agent",
        id: "`tool_call_id`",
        args: "`arguments`",
        result: "`observation.results[].content`, by `source_call_id`",
        cost: "`metrics.cost_usd` of the step, borne by the next result",
        end: "answered, where the last step is the agent's, calls nothing and has no results, and the trajectory is not continued elsewhere",
        ts: "`timestamp` of the step",
        ..Mapping::NOTHING
    },
    notes: &[
        "A result without `source_call_id` belongs to the only call of its step; with several calls it is the result of none.",
        "Steps with `is_copied_context` repeat another trajectory and are left out, their costs too.",
        "A trajectory with `continued_trajectory_ref` goes on in another file, which is another run.",
        "Agents without function calling record no calls. What they did stands in the text of their messages and is not read; a warning says so.",
    ],
    recognise,
    importer: |opening| Box::new(Atif::new(opening)),
};

fn recognise(sample: &[Json<'_>]) -> Option<Sign> {
    let is_ours = |record: &Json<'_>| {
        let version = record.get("schema_version").and_then(Json::as_str);
        version.is_some_and(|version| version.starts_with("ATIF-"))
    };
    if sample.iter().any(is_ours) {
        return Some(Sign::decisive(
            "a record whose `schema_version` begins with `ATIF-`",
        ));
    }
    let sign = "a record of an `agent` and `steps` with `step_id` and `source`";
    sample.iter().any(is_alike).then(|| Sign::likely(sign))
}

/// Whether it is built alike: there are writers with version numbers of their own.
fn is_alike(record: &Json<'_>) -> bool {
    let steps = record
        .get("steps")
        .and_then(Json::as_array)
        .unwrap_or_default();
    let is_step = |step: &Json<'_>| {
        let has = |field: &str| step.get(field).is_some();
        has("step_id") && has("source") && has("message")
    };
    record
        .get("agent")
        .is_some_and(|agent| agent.get("name").is_some())
        && !steps.is_empty()
        && steps.iter().all(is_step)
}

/// Reader of one input.
pub struct Atif {
    stem: String,
    records: u64,
    told: Told,
}

impl Atif {
    /// Begins an input.
    pub fn new(opening: Opening<'_>) -> Self {
        Atif {
            stem: opening.stem.to_owned(),
            records: 0,
            told: Told::default(),
        }
    }
}

impl Importer for Atif {
    fn record(&mut self, record: Record<'_>, sink: &mut dyn Sink) {
        self.records += 1;
        let mut out = Out::new(sink, record.place);
        if let Some(json) = open(&record, &mut out) {
            check_bytes(&record, &mut out);
            let unnamed = format!("{}-{}", self.stem, self.records);
            trajectory::read(&json, unnamed, &mut self.told, &mut out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::json::parse;

    #[test]
    fn the_version_is_decisive_and_the_build_is_likely() {
        let sign = |text: &str| {
            let sign = recognise(&[parse(text.as_bytes()).expect("valid")]);
            sign.map(|sign| sign.is_decisive)
        };
        assert_eq!(
            sign(r#"{"steps":[],"schema_version":"ATIF-v1.5"}"#),
            Some(true)
        );
        let alike = r#"{"schema_version":"1.4","agent":{"name":"a"},"steps":[{"step_id":1,"source":"user","message":"x"}]}"#;
        assert_eq!(sign(alike), Some(false));
        for other in [
            r#"{"schema_version":"1.4","steps":[]}"#,
            r#"{"agent":{"name":"a"},"steps":[]}"#,
            r#"{"conversations":[{"role":"user","content":"x"}],"agent":"a","model":"m","run_id":"r"}"#,
        ] {
            assert_eq!(sign(other), None, "{other}");
        }
    }
}
