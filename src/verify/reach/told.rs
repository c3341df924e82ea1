//! What was found, in words. Names of tools stand in them as they are: whoever shows the words has to
//! escape them.

use super::{ClassRow, Cut, Kind, More, Out, Reach, Refusal, Step, Tool};
use crate::number::count;
use crate::policy::{Policy, PolicyPlace, PolicyWarning};

/// Code of the warning about a deadlock.
pub const DEADLOCK: &str = "reachable_deadlock";
/// Code of the warning about a path out of the safe set.
pub const EXIT: &str = "reachable_exit";
/// Code of the warning that not everything was explored.
pub const UNKNOWN: &str = "reachable_unknown";

/// Most parts of a path that are told.
const PARTS: usize = 12;

impl Tool {
    /// What it is called.
    pub fn told(&self) -> String {
        let name = match (self.kind, self.names.as_slice()) {
            (Kind::Named, names) => quoted(names, ", "),
            (Kind::Glob, [one]) => format!("a name like {}", quoted(std::slice::from_ref(one), "")),
            (Kind::Glob, many) => format!("a name like {}", quoted(many, " and ")),
            (Kind::Other, _) if self.labels.is_empty() => "any other tool".into(),
            (Kind::Other, _) => "any tool".into(),
        };
        match self.labels.as_slice() {
            [] => name,
            labels => format!("{name} labelled {}", quoted(labels, " and ")),
        }
    }
}

fn quoted(names: &[String], between: &str) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(between)
}

impl ClassRow {
    /// What it is called: its first tool.
    pub fn told(&self) -> String {
        self.tools.first().map(Tool::told).unwrap_or_default()
    }
}

impl More {
    /// The number.
    pub fn told(self) -> String {
        match self {
            More::Calls(n) => n.to_string(),
            More::AtLeast(n) => format!("at least {n}"),
        }
    }
}

impl Refusal {
    /// What of the policy refuses.
    pub fn told(&self) -> String {
        match (self.stage, self.rule) {
            ("gates", "budget") => "`gates.max_tokens`".into(),
            ("gates", "per_tool_budget") => {
                format!(
                    "the budget of {} in `gates.per_tool`",
                    quoted(&self.names, ", ")
                )
            }
            ("gates", _) => "`gates.allow`".into(),
            ("semantic", _) => "`semantic.block`".into(),
            ("privilege", _) => "`privilege`".into(),
            ("dfa", "max_steps") => "`dfa.max_steps`".into(),
            ("dfa", "max_loops") => "`dfa.max_loops`".into(),
            ("dfa", _) => "the phase of the run".into(),
            ("contracts", _) if self.names.is_empty() => "a contract".into(),
            ("contracts", _) => format!("contract {}", quoted(&self.names, ", ")),
            _ => quoted(&self.names, " and "),
        }
    }
}

impl Cut {
    /// How far it went.
    pub fn told(self) -> String {
        match self {
            Cut::States(most) => {
                format!("after {}", count(most as u64, "state", "states"))
            }
            Cut::Transitions(most) => {
                let calls = count(most as u64, "call", "calls");
                format!("after {calls} between states")
            }
            Cut::Work(most) => format!("after {} of work", count(most, "step", "steps")),
            Cut::Calls(most) => format!("after {} in a row", count(most, "call", "calls")),
            Cut::Names(most) => {
                let names = count(most as u64, "name or set", "names and sets");
                format!("with {names} of labels, and others left out")
            }
        }
    }

    /// Whether it is not for the number of states, or of calls between them.
    pub(super) fn is_work(&self) -> bool {
        matches!(self, Cut::Work(_) | Cut::Names(_))
    }

    fn warning(self) -> PolicyWarning {
        let told = self.told();
        PolicyWarning {
            code: UNKNOWN,
            place: PolicyPlace::default(),
            message: format!(
                "the exploration was cut off {told}: what was not found may be there all the same"
            ),
        }
    }

    /// The doubt that is left where nobody asked for an exploration.
    pub(super) fn warning_near(self) -> PolicyWarning {
        let told = self.told();
        PolicyWarning {
            code: UNKNOWN,
            place: PolicyPlace::default(),
            message: format!(
                "the search for a deadlock was cut off {told}: `--reach` looks farther"
            ),
        }
    }
}

impl Reach {
    /// The calls of a path, those in a row that are alike told once, and of a long path the first.
    pub fn told(&self, path: &[Step]) -> String {
        let mut parts: Vec<(Step, usize)> = Vec::new();
        for &step in path {
            match parts.last_mut() {
                Some((last, times)) if *last == step => *times += 1,
                _ => parts.push((step, 1)),
            }
        }
        let told = parts.iter().take(PARTS).map(|&(step, times)| {
            let name = self.classes.get(step.class).map(ClassRow::told);
            let failed = if step.failed { " with an error" } else { "" };
            let times = if times > 1 {
                format!(" x {times}")
            } else {
                String::new()
            };
            format!("{}{failed}{times}", name.unwrap_or_default())
        });
        let mut told: Vec<String> = told.collect();
        let more: usize = parts.iter().skip(PARTS).map(|(_, times)| times).sum();
        if more > 0 {
            told.push(format!("and {more} more"));
        }
        told.join(", ")
    }

    /// When it is, at the end of a path.
    pub fn told_after(&self, path: &[Step]) -> String {
        match path {
            [] => "at the start".into(),
            path => format!("after {}", self.told(path)),
        }
    }

    /// Doubts about the policy: a way out of the safe set, a deadlock, and that there may be others.
    pub fn warnings(&self, policy: &Policy) -> Vec<PolicyWarning> {
        let exit = self.out.as_ref().map(|out| PolicyWarning {
            code: EXIT,
            place: place(policy, out.barriers.first()),
            message: self.told_out(out),
        });
        exit.into_iter()
            .chain(self.deadlock_warning(policy))
            .chain(self.cut.map(Cut::warning))
            .collect()
    }

    /// The doubt about a deadlock.
    pub fn deadlock_warning(&self, policy: &Policy) -> Option<PolicyWarning> {
        let deadlock = self.deadlock.as_ref()?;
        let after = self.told_after(&deadlock.path);
        let barrier = deadlock.refusals.iter().find(|by| by.stage == "dcbf");
        Some(PolicyWarning {
            code: DEADLOCK,
            place: place(policy, barrier.and_then(|by| by.names.first())),
            message: format!("{after} every call is refused while calls are left"),
        })
    }

    /// Where a path out leads, and how.
    pub fn told_out(&self, out: &Out) -> String {
        let barriers = quoted(&out.barriers, " and ");
        let is = if out.barriers.len() == 1 { "is" } else { "are" };
        format!("{barriers} {is} negative {}", self.told_after(&out.path))
    }
}

fn place(policy: &Policy, barrier: Option<&String>) -> PolicyPlace {
    let mut barriers = policy.dcbf.barriers.iter();
    let spec = barriers.find(|spec| Some(&spec.name) == barrier);
    spec.map_or_else(PolicyPlace::default, |spec| spec.place)
}
