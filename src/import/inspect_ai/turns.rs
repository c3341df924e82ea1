//! What was done in a sample, agent by agent: turns of calls, each put together of all that tells
//! of it.

use crate::trace::json::Json;
use std::collections::{HashMap, VecDeque};

/// A call, as the parts of a log tell of it.
#[derive(Debug, Default)]
pub struct Call<'j> {
    /// As the model wrote it, or an approver saw it.
    pub asked: Option<&'j Json<'j>>,
    /// The event of the model that asked.
    pub asked_in: Option<&'j Json<'j>>,
    /// The event of the tool.
    pub event: Option<&'j Json<'j>>,
    /// What approvers decided, in order.
    pub approvals: Vec<&'j Json<'j>>,
    /// What reviewers of its result decided, in order.
    pub reviews: Vec<&'j Json<'j>>,
    /// The message with its result; only looked for where there is no event.
    pub message: Option<&'j Json<'j>>,
}

/// The calls of one answer of the model.
#[derive(Debug, Default)]
pub struct Turn<'j> {
    /// What the answer cost, in dollars.
    pub cost: Option<&'j Json<'j>>,
    /// Its calls, in order.
    pub calls: Vec<Call<'j>>,
}

/// What one agent did.
#[derive(Debug, Default)]
pub struct Agent<'j> {
    /// What its run is called behind that of the sample; `None` is the run of the sample.
    pub behind: Option<String>,
    /// Its name.
    pub name: Option<String>,
    /// Its turns, in order.
    pub turns: Vec<Turn<'j>>,
    /// How many of them play again what another agent did.
    pub played_again: usize,
}

/// Where a call stands: its agent, its turn and its number in it.
type At = (usize, usize, usize);

/// Who did what in a sample. The agent of number 0 is that of the sample itself.
#[derive(Debug)]
pub struct Turns<'j> {
    agents: Vec<Agent<'j>>,
    /// How many agents have been given a name.
    named: HashMap<String, usize>,
    /// Calls without an event, by agent and id.
    open: HashMap<(usize, &'j str), VecDeque<At>>,
    /// The agent that last made a call of that id.
    made: HashMap<&'j str, usize>,
    /// The last call of that id that got its event.
    settled: HashMap<&'j str, At>,
    /// The call that got the event of that name: an event that comes again replaces it.
    events: HashMap<&'j str, At>,
}

fn id<'j>(call: &'j Json<'j>) -> Option<&'j str> {
    call.get("id").and_then(Json::as_str)
}

impl Default for Turns<'_> {
    fn default() -> Self {
        Turns {
            agents: vec![Agent::default()],
            named: HashMap::new(),
            open: HashMap::new(),
            made: HashMap::new(),
            settled: HashMap::new(),
            events: HashMap::new(),
        }
    }
}

impl<'j> Turns<'j> {
    /// The agents, that of the sample first, without what they played again.
    pub fn into_agents(self) -> impl Iterator<Item = Agent<'j>> {
        self.agents.into_iter().map(|mut agent| {
            agent
                .turns
                .drain(..agent.played_again.min(agent.turns.len()));
            agent
        })
    }

    /// Whether nobody called anything.
    pub fn are_empty(&self) -> bool {
        let mut turns = self.agents.iter().flat_map(|agent| &agent.turns);
        turns.all(|turn| turn.calls.is_empty())
    }

    /// The number of another agent, of that name.
    pub fn enter(&mut self, name: &str) -> usize {
        let count = self.named.entry(name.to_owned()).or_default();
        *count += 1;
        let behind = match *count {
            1 => name.to_owned(),
            n => format!("{name}#{n}"),
        };
        self.agents.push(Agent {
            behind: Some(behind),
            name: Some(name.to_owned()),
            ..Agent::default()
        });
        self.agents.len() - 1
    }

    /// Names the agent of the sample. False if it has another name, or has called something before
    /// it had one.
    pub fn name_first(&mut self, name: &str) -> bool {
        let Some(first) = self.agents.first_mut() else {
            return false;
        };
        match &first.name {
            Some(known) => known == name,
            None if !first.turns.is_empty() => false,
            None => {
                first.name = Some(name.to_owned());
                true
            }
        }
    }

    /// All that the agent has done so far plays again what another one did.
    pub fn plays_again(&mut self, agent: usize) {
        if let Some(agent) = self.agents.get_mut(agent) {
            agent.played_again = agent.turns.len();
        }
    }

    /// Begins a turn of the agent.
    pub fn turn(&mut self, agent: usize, cost: Option<&'j Json<'j>>) {
        if let Some(agent) = self.agents.get_mut(agent) {
            agent.turns.push(Turn {
                cost,
                calls: Vec::new(),
            });
        }
    }

    fn push(&mut self, agent: usize, call: Call<'j>) -> At {
        let Some(of) = self.agents.get_mut(agent) else {
            return (agent, 0, 0);
        };
        if of.turns.is_empty() {
            of.turns.push(Turn::default());
        }
        let turn = of.turns.len() - 1;
        let mut number = 0;
        if let Some(last) = of.turns.last_mut() {
            number = last.calls.len();
            last.calls.push(call);
        }
        (agent, turn, number)
    }

    fn at(&mut self, (agent, turn, number): At) -> Option<&mut Call<'j>> {
        let turn = self.agents.get_mut(agent)?.turns.get_mut(turn)?;
        turn.calls.get_mut(number)
    }

    /// Adds a call that the model asked for to the turn that was begun last.
    pub fn ask(&mut self, agent: usize, asked: &'j Json<'j>, asked_in: Option<&'j Json<'j>>) {
        let call = Call {
            asked: Some(asked),
            asked_in,
            ..Call::default()
        };
        let at = self.push(agent, call);
        let Some(id) = id(asked) else { return };
        let open = self.open.entry((agent, id)).or_default();
        // An id may come back in another turn; then it is another call.
        if open.back().is_some_and(|before| before.1 != at.1) {
            open.clear();
        }
        open.push_back(at);
        self.made.insert(id, agent);
    }

    /// The first call of that id without an event: of the agent, or else of the one that made it.
    fn waiting(&mut self, agent: usize, id: &'j str) -> Option<&mut VecDeque<At>> {
        let has = |turns: &Self, agent| turns.open.get(&(agent, id)).is_some_and(|o| !o.is_empty());
        let agent = if has(self, agent) {
            agent
        } else {
            self.made.get(id).copied()?
        };
        self.open
            .get_mut(&(agent, id))
            .filter(|open| !open.is_empty())
    }

    /// Takes the event of a tool.
    pub fn event(&mut self, agent: usize, event: &'j Json<'j>) {
        let uuid = event.get("uuid").and_then(Json::as_str);
        let again = uuid.and_then(|uuid| self.events.get(uuid).copied());
        let waits = id(event).and_then(|id| self.waiting(agent, id)?.pop_front());
        let at = match again.or(waits) {
            Some(at) => at,
            None => {
                self.turn(agent, None);
                self.push(agent, Call::default())
            }
        };
        if let Some(call) = self.at(at) {
            call.event = Some(event);
        }
        if let Some(id) = id(event) {
            self.settled.insert(id, at);
        }
        if let Some(uuid) = uuid {
            self.events.insert(uuid, at);
        }
    }

    /// Takes what an approver decided about a call that has no event yet.
    pub fn approval(&mut self, agent: usize, approval: &'j Json<'j>) {
        let Some(asked) = approval.get("call") else {
            return;
        };
        let waits = |turns: &mut Self| {
            let open = turns.waiting(agent, id(asked)?)?;
            open.front().copied()
        };
        let at = waits(self).or_else(|| {
            self.turn(agent, None);
            self.ask(agent, asked, None);
            waits(self)
        });
        if let Some(call) = at.and_then(|at| self.at(at)) {
            call.approvals.push(approval);
        }
    }

    /// Takes what a reviewer decided about the result of a call.
    pub fn review(&mut self, review: &'j Json<'j>) {
        let at = review.get("call").and_then(id);
        let at = at.and_then(|id| self.settled.get(id).copied());
        if let Some(call) = at.and_then(|at| self.at(at)) {
            call.reviews.push(review);
        }
    }

    /// Gives the messages of tools to the calls that have neither an event nor one of them. Of
    /// several messages for one id the first counts.
    pub fn results(&mut self, messages: impl Iterator<Item = &'j Json<'j>>) {
        let mut by_id: HashMap<&str, &Json<'_>> = HashMap::new();
        for message in messages {
            let is_tool = message.get("role").and_then(Json::as_str) == Some("tool");
            let id = message.get("tool_call_id").and_then(Json::as_str);
            if let Some(id) = id.filter(|id| is_tool && !id.is_empty()) {
                by_id.entry(id).or_insert(message);
            }
        }
        let turns = self.agents.iter_mut().flat_map(|agent| &mut agent.turns);
        for call in turns.flat_map(|turn| &mut turn.calls) {
            if call.event.is_none() && call.message.is_none() {
                let id = call.asked.and_then(id);
                call.message = id.and_then(|id| by_id.remove(id));
            }
        }
    }

    /// Reads the history of a sample that has no events, in which the results stand in order.
    pub fn history(&mut self, messages: &'j [Json<'j>]) {
        for message in messages {
            match message.get("role").and_then(Json::as_str) {
                Some("assistant") => {
                    let calls = message.get("tool_calls").and_then(Json::as_array);
                    self.turn(0, None);
                    for call in calls.unwrap_or_default() {
                        self.ask(0, call, None);
                    }
                }
                Some("tool") => {
                    let id = message.get("tool_call_id").and_then(Json::as_str);
                    let at = id.and_then(|id| self.waiting(0, id)?.pop_front());
                    if let Some(call) = at.and_then(|at| self.at(at)) {
                        call.message = Some(message);
                    }
                }
                _ => {}
            }
        }
    }
}
