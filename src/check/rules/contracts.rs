//! Contracts that are never reached or add nothing to an earlier one, and contracts that contradict
//! each other.

use super::lists::{BUT_LABELS, unmatched};
use super::{MOST, negates, plain};
use crate::check::codes::{Code, Findings, line};
use crate::check::patterns::List;
use crate::check::tools::Tools;
use crate::policy::expr::Expr;
use crate::policy::matcher::MatcherId;
use crate::policy::{Contract, Policy};

/// A contract as it is compared with others.
struct Read<'p> {
    contract: &'p Contract,
    tools: List,
    require: Vec<String>,
    ensure: Vec<String>,
}

impl<'p> Read<'p> {
    fn of(policy: &Policy, contract: &'p Contract) -> Read<'p> {
        let plain = |list: &[Expr]| list.iter().map(|expr| plain(expr.source())).collect();
        Read {
            tools: List::of(policy, contract.tools),
            require: plain(&contract.require),
            ensure: plain(&contract.ensure),
            contract,
        }
    }

    /// Whether it refuses every call that it is for.
    fn refuses_all(&self) -> bool {
        self.require.iter().any(|condition| condition == "false")
    }

    /// Whether it demands whatever the other one does.
    fn demands(&self, other: &Read<'_>) -> bool {
        let all = |own: &[String], others: &[String]| others.iter().all(|c| own.contains(c));
        let digest = |read: &Read<'_>| read.contract.schema.as_ref().map(|s| s.sha256.clone());
        let schema = digest(other).is_none_or(|schema| Some(schema) == digest(self));
        schema && all(&self.require, &other.require) && all(&self.ensure, &other.ensure)
    }
}

pub(super) fn look(policy: &Policy, tools: &Tools, findings: &mut Findings) {
    if !policy.runs("contracts") {
        return;
    }
    let contracts = policy.contracts.iter().take(MOST);
    let read: Vec<Read<'_>> = contracts.map(|c| Read::of(policy, c)).collect();
    for (n, one) in read.iter().enumerate() {
        let earlier = &read[..n];
        vacuous(one, findings);
        if !tools.may_match(policy, one.contract.tools) {
            let message =
                "the contract is for no call: `gates.allow` lets none of its tools through";
            let place = one.contract.place;
            findings.add(
                Code::UnreachableContract,
                place,
                message.into(),
                Some(BUT_LABELS),
            );
            continue;
        }
        if !tools.are_open() {
            let place = |_: usize| one.contract.place;
            unmatched(policy, one.contract.tools, tools, &place, findings);
            asked(policy, one, tools, findings);
        }
        if !shadowed(one, earlier, findings) {
            contradicted(one, earlier, findings);
        }
        if one.refuses_all() {
            allowed(policy, one, findings);
        }
    }
}

/// Notes what its conditions ask of the history that no call can match.
fn asked(policy: &Policy, one: &Read<'_>, tools: &Tools, findings: &mut Findings) {
    let conditions = one.contract.require.iter().chain(&one.contract.ensure);
    let mut ids: Vec<MatcherId> = conditions
        .flat_map(|expr| expr.queries())
        .map(|query| query.tools())
        .collect();
    ids.sort_unstable();
    ids.dedup();
    for id in ids {
        unmatched(policy, id, tools, &|_| one.contract.place, findings);
    }
}

fn vacuous(one: &Read<'_>, findings: &mut Findings) {
    let mut conditions = one.require.iter().chain(&one.ensure);
    if conditions.any(|condition| condition == "true") {
        let message = "the condition `true` always holds".to_owned();
        let help = "leave it out";
        findings.add(
            Code::VacuousCondition,
            one.contract.place,
            message,
            Some(help),
        );
    }
}

/// Notes a contract that an earlier one leaves nothing to decide.
fn shadowed(one: &Read<'_>, earlier: &[Read<'_>], findings: &mut Findings) -> bool {
    let hides = |other: &&Read<'_>| {
        (other.refuses_all() || other.demands(one)) && other.tools.covers_list(&one.tools)
    };
    let Some(other) = earlier.iter().find(hides) else {
        return false;
    };
    let by = line(other.contract.place);
    let message = match other.refuses_all() {
        true => format!("the contract decides nothing: that {by} refuses every call it is for"),
        false => format!(
            "the contract decides nothing: that {by} demands the same of every call it is for"
        ),
    };
    let help = "leave it out, or put the narrower contract first where its message matters";
    findings.add(
        Code::ShadowedContract,
        one.contract.place,
        message,
        Some(help),
    );
    true
}

/// Notes a contract that demands the negation of what it, or an earlier one for the same calls, does.
fn contradicted(one: &Read<'_>, earlier: &[Read<'_>], findings: &mut Findings) {
    let found = earlier.iter().chain([one]).find_map(|other| {
        let same = other.tools.covers_list(&one.tools) || one.tools.covers_list(&other.tools);
        let mut conditions = one.contract.require.iter().zip(&one.require);
        let denied = |(_, a): &(&Expr, &String)| other.require.iter().any(|b| negates(a, b));
        let condition = conditions.find(denied).filter(|_| same)?;
        Some((other, condition.0))
    });
    let Some((other, condition)) = found else {
        return;
    };
    let by = match std::ptr::eq(other.contract, one.contract) {
        true => "and so is its negation".to_owned(),
        false => format!(
            "and its negation by the contract {}",
            line(other.contract.place)
        ),
    };
    let shown = crate::policy::pattern::shorten(condition.source());
    let message =
        format!("every call of the tools of both is refused: `{shown}` is demanded here, {by}");
    let help = "write `require = [\"false\"]` where that is meant";
    findings.add(
        Code::ContradictoryContracts,
        one.contract.place,
        message,
        Some(help),
    );
}

/// Notes tools that a list allows by name and a contract refuses altogether.
fn allowed(policy: &Policy, one: &Read<'_>, findings: &mut Findings) {
    let gates = policy.gates.allow.filter(|_| policy.runs("gates"));
    let gates = gates.map(|id| (id, "`gates.allow`".to_owned()));
    let agents = policy.privilege.iter().flat_map(|all| &all.agents);
    let agents = agents.filter(|_| policy.runs("privilege"));
    let agents = agents.filter_map(|agent| {
        let id = agent.tools?;
        Some((id, format!("the `tools` of agent `{}`", agent.name)))
    });
    for (id, list) in gates.into_iter().chain(agents) {
        let patterns = List::of(policy, id).patterns;
        let mut named = patterns.iter().filter(|p| p.is_name());
        if let Some(tool) = named.find(|p| one.tools.covers(p)) {
            let tool = &tool.text;
            let message =
                format!("`{tool}` is in {list}, and this contract refuses every call of it");
            let help = "take it out of one of them";
            findings.add(
                Code::AllowedAndRefused,
                one.contract.place,
                message,
                Some(help),
            );
        }
    }
}
