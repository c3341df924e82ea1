//! What stands above a span: its agent, the call that it is a part of, the answer that it repeats.

use super::hold::{Node, Trace, merge};
use super::{Details, Kind};

/// What the spans below one take from it; each is an index into the spans of the trace.
#[derive(Clone, Copy, Debug, Default)]
pub struct Above {
    /// The nearest agent.
    pub agent: Option<usize>,
    /// The nearest call, told apart from other accounts of it; none beyond an agent or an answer.
    pub tool: Option<usize>,
    /// The nearest answer of a model; none beyond an agent.
    pub answer: Option<usize>,
}

/// The tree of a trace.
#[derive(Debug)]
pub struct Tree {
    /// For each span what stands above it.
    pub above: Vec<Above>,
    /// For each span whether it is another account of something above it.
    pub repeats: Vec<bool>,
}

/// Where the walk over a span is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Walk {
    New,
    Under,
    Done,
}

impl Tree {
    /// Draws the tree. What a call below another account of the same call says is added to that one.
    /// Each span is visited once, however deep it stands; spans that go round in a circle have
    /// nothing above them.
    pub fn of(trace: &mut Trace) -> Tree {
        let count = trace.nodes.len();
        let mut tree = Tree {
            above: vec![Above::default(); count],
            repeats: vec![false; count],
        };
        let mut walks = vec![Walk::New; count];
        let mut path = Vec::new();
        for start in 0..count {
            let mut next = Some(start);
            while let Some(at) = next.filter(|&at| walks.get(at) == Some(&Walk::New)) {
                walks[at] = Walk::Under;
                path.push(at);
                next = parent(trace, at);
            }
            while let Some(at) = path.pop() {
                let done = |&up: &usize| walks.get(up) == Some(&Walk::Done);
                let above = parent(trace, at)
                    .filter(done)
                    .map(|up| tree.below(up, &trace.nodes))
                    .unwrap_or_default();
                tree.enter(at, above, trace);
                walks[at] = Walk::Done;
            }
        }
        tree
    }

    /// What the spans right below `at` take from above.
    fn below(&self, at: usize, nodes: &[Node]) -> Above {
        let above = self.above.get(at).copied().unwrap_or_default();
        let kind = nodes.get(at).and_then(|node| node.kind);
        match kind {
            _ if self.repeats.get(at) == Some(&true) => above,
            // What an agent or a model calls in turn is a call of its own.
            Some(Kind::Agent) => Above {
                agent: Some(at),
                ..Above::default()
            },
            Some(Kind::Tool) => Above {
                tool: Some(at),
                ..above
            },
            Some(Kind::Answer) => Above {
                answer: Some(at),
                tool: None,
                ..above
            },
            _ => above,
        }
    }

    fn enter(&mut self, at: usize, above: Above, trace: &mut Trace) {
        let kind = trace.nodes.get(at).and_then(|node| node.kind);
        let outer = match kind {
            Some(Kind::Tool) => above.tool,
            Some(Kind::Answer) => above.answer,
            _ => None,
        };
        let repeats = outer.is_some_and(|outer| match kind {
            Some(Kind::Tool) => absorb(trace, outer, at),
            _ => says_more(&trace.nodes, outer),
        });
        if let (Some(slot), Some(flag)) = (self.above.get_mut(at), self.repeats.get_mut(at)) {
            (*slot, *flag) = (above, repeats);
        }
    }
}

fn parent(trace: &Trace, at: usize) -> Option<usize> {
    let id = trace.nodes.get(at)?.parent.as_deref()?;
    trace.ids.get(id).copied()
}

/// Whether an answer says itself what an account of it further below would.
fn says_more(nodes: &[Node], outer: usize) -> bool {
    let says = nodes.get(outer).and_then(Node::says);
    says.is_some_and(|says| !says.requests.is_empty() || says.cost.is_some())
}

/// Adds to the call `outer` what `inner` says, if that is another account of the same call.
fn absorb(trace: &mut Trace, outer: usize, inner: usize) -> bool {
    let says = |at: usize| trace.nodes.get(at).and_then(Node::says);
    let (Some(above), Some(below)) = (says(outer), says(inner)) else {
        return false;
    };
    if !is_same_call(above, below) {
        return false;
    }
    let below = below.clone();
    if let Some(details) = trace.nodes.get_mut(outer).and_then(|n| n.details.as_mut()) {
        let above = std::mem::take(&mut **details);
        **details = Details {
            name: above.name.clone(),
            is_served: above.is_served,
            ..merge(below, above)
        };
    }
    true
}

fn is_same_call(above: &Details, below: &Details) -> bool {
    let (Some(outer), Some(inner)) = (&above.name, &below.name) else {
        return false;
    };
    if !is_same_tool(outer, inner) {
        return false;
    }
    match (&above.call, &below.call) {
        (Some(outer), Some(inner)) => outer == inner,
        _ => below.is_served || below.args.is_none() || above.args == below.args,
    }
}

/// Whether two names are of one tool: clients put the name of the server before it.
fn is_same_tool(outer: &str, inner: &str) -> bool {
    outer
        .strip_suffix(inner)
        .is_some_and(|server| server.is_empty() || server.ends_with(['_', '.', '/', ':', '-']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_may_stand_before_the_name() {
        assert!(is_same_tool("read", "read"));
        assert!(is_same_tool("mcp__files__read", "read"));
        assert!(is_same_tool("files.read", "read"));
        assert!(!is_same_tool("spread", "read"));
        assert!(!is_same_tool("read", "files.read"));
    }
}
