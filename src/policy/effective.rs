//! The effective form of a policy: the whole of it as one TOML text, every default spelled out. Two
//! files that mean the same have the same effective form, and its SHA-256 names the policy.

use super::expr::Expr;
use super::matcher::MatcherId;
use super::read::RECORDED;
use super::semantic::{Descriptions, Semantic};
use super::{Agent, BARRIER_IDS, BarrierSpec, Measure, Policy, Tokenizer};
use crate::embed::Embedder;
use crate::escape::is_hidden;
use crate::trace::money::Nano;
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// The SHA-256 of some bytes, in lower-case hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        let _ = write!(out, "{byte:02x}");
    }
    out
}

/// The effective form. Reading it gives a policy that decides the same and has the same form.
pub fn text(policy: &Policy) -> String {
    let mut w = Writer {
        policy,
        out: String::new(),
    };
    w.labels();
    w.table("pipeline");
    let disabled: Vec<String> = policy.disabled.iter().map(|id| quote(id)).collect();
    w.list("disable", &disabled);
    w.gates();
    w.privilege();
    w.resources();
    w.dfa();
    w.contracts();
    w.dcbf();
    if let Some(semantic) = &policy.semantic {
        w.semantic(semantic);
    }
    // Written only where there are any, so that the digest of policies without stays.
    if !policy.models.is_empty() {
        w.table("embedders");
        for model in &policy.models {
            w.line(model.embedder, quote(&model.folder));
        }
    }
    if let Some(tools) = policy.boundary {
        w.table("boundary");
        w.patterns("tools", Some(tools));
    }
    w.out
}

struct Writer<'p> {
    policy: &'p Policy,
    out: String,
}

impl Writer<'_> {
    fn table(&mut self, name: &str) {
        self.header(&format!("[{name}]"));
    }

    fn header(&mut self, header: &str) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out.push_str(header);
        self.out.push('\n');
    }

    fn line(&mut self, key: &str, value: impl std::fmt::Display) {
        let _ = writeln!(self.out, "{key} = {value}");
    }

    /// A setting that may be absent; a comment says so, since it has no value to show.
    fn optional(&mut self, key: &str, value: Option<impl std::fmt::Display>) {
        match value {
            Some(value) => self.line(key, value),
            None => {
                let _ = writeln!(self.out, "# {key}: not set");
            }
        }
    }

    fn list(&mut self, key: &str, items: &[String]) {
        self.line(key, format!("[{}]", items.join(", ")));
    }

    fn patterns(&mut self, key: &str, id: Option<MatcherId>) {
        let list = id.map(|id| self.quoted(id));
        self.optional(key, list);
    }

    /// The patterns of a list as a TOML list.
    fn quoted(&self, id: MatcherId) -> String {
        let patterns = &self.policy.matchers.get(id).patterns;
        let quoted: Vec<String> = patterns.iter().map(|p| quote(p)).collect();
        format!("[{}]", quoted.join(", "))
    }

    fn expressions(&mut self, key: &str, list: &[Expr]) {
        let quoted: Vec<String> = list.iter().map(|e| quote(e.source())).collect();
        self.list(key, &quoted);
    }

    fn labels(&mut self) {
        for rule in &self.policy.labels {
            self.header("[[labels]]");
            self.line("label", quote(&rule.label));
            self.patterns("tools", rule.tools);
            self.optional("when", rule.when.as_ref().map(|e| quote(e.source())));
        }
    }

    fn gates(&mut self) {
        let gates = &self.policy.gates;
        self.table("gates");
        self.patterns("allow", gates.allow);
        let refuse: Vec<_> = gates
            .refuse
            .iter()
            .map(|p| quote(p.regex.as_str()))
            .collect();
        self.list("refuse", &refuse);
        self.optional("window", gates.window);
        self.optional("max_tokens", gates.max_tokens);
        self.line("tokenizer", quote(Tokenizer::name(gates.tokenizer)));
        self.table("gates.per_tool");
        for budget in &gates.per_tool {
            self.line(&quote(&budget.name), budget.max_tokens);
        }
    }

    fn privilege(&mut self) {
        let Some(privilege) = &self.policy.privilege else {
            return;
        };
        self.table("privilege");
        let unknown = if privilege.allow_unknown {
            "allow"
        } else {
            "deny"
        };
        self.line("unknown_agent", quote(unknown));
        for agent in &privilege.agents {
            self.agent(agent);
        }
    }

    fn agent(&mut self, agent: &Agent) {
        self.table(&format!("privilege.agents.{}", quote(&agent.name)));
        self.patterns("tools", agent.tools);
        self.patterns("deny_tools", agent.deny_tools);
        let patterns: Vec<_> = agent.resource_patterns.iter().map(|p| quote(p)).collect();
        let list = format!("[{}]", patterns.join(", "));
        self.optional("resources", agent.resources.as_ref().map(|_| list));
        self.optional("max_call_cost_usd", agent.max_call_cost);
        self.optional("max_total_cost_usd", agent.max_total_cost);
    }

    fn resources(&mut self) {
        self.table("resources");
        let mut rules = self.policy.resources.iter().peekable();
        while let Some(rule) = rules.next() {
            let path = |keys: &[String]| {
                let steps: Vec<&str> = std::iter::once("args")
                    .chain(keys.iter().map(String::as_str))
                    .collect();
                quote(&steps.join("."))
            };
            let mut paths = vec![path(&rule.path)];
            while let Some(next) = rules.next_if(|next| next.tools == rule.tools) {
                paths.push(path(&next.path));
            }
            let pattern = self.policy.matchers.get(rule.tools).patterns.first();
            let key = quote(pattern.map_or("", String::as_str));
            self.list(&key, &paths);
        }
    }

    fn dfa(&mut self) {
        let dfa = &self.policy.dfa;
        self.table("dfa");
        self.line("max_steps", dfa.max_steps);
        self.line("max_loops", dfa.max_loops);
        self.optional("max_repeats", dfa.max_repeats);
        self.optional("max_refusals", dfa.max_refusals);
        self.optional("timeout_seconds", dfa.timeout_ns.map(Nano));
    }

    fn contracts(&mut self) {
        for contract in &self.policy.contracts {
            self.header("[[contracts]]");
            // Written only where there is one, so that the digest of policies without stays.
            if let Some(id) = &contract.id {
                self.line("id", quote(id));
            }
            self.patterns("tools", Some(contract.tools));
            self.expressions("require", &contract.require);
            self.expressions("ensure", &contract.ensure);
            self.optional("schema", contract.schema.as_ref().map(|s| quote(&s.file)));
            if let Some(schema) = &contract.schema {
                let _ = writeln!(self.out, "# schema sha256: {}", schema.sha256);
            }
            self.optional("message", contract.message.as_deref().map(quote));
        }
    }

    fn dcbf(&mut self) {
        let dcbf = &self.policy.dcbf;
        self.table("dcbf");
        self.line("verify", dcbf.verify);
        let accounting = if dcbf.record_costs {
            "recorded"
        } else {
            "none"
        };
        self.line("cost_accounting", quote(accounting));
        let policy_is_neural = self.policy.neural().next().is_some();
        for (&id, five) in BARRIER_IDS.iter().zip(dcbf.features.five()) {
            match dcbf.barriers.iter().find(|b| b.name == id) {
                Some(spec) => self.barrier(spec),
                None => {
                    self.table(&format!("dcbf.barriers.{id}"));
                    self.line("enabled", false);
                    if policy_is_neural {
                        self.measure(&five);
                    } else if id == "resource" {
                        self.line("per_call_cost_usd", dcbf.per_call_cost);
                    }
                }
            }
        }
        for spec in &dcbf.barriers {
            if !BARRIER_IDS.contains(&spec.name.as_str()) {
                self.barrier(spec);
            }
        }
    }

    fn semantic(&mut self, semantic: &Semantic) {
        self.table("semantic");
        match semantic.computed() {
            None => self.line("embedder", quote(RECORDED)),
            Some(computed) => {
                self.line("embedder", quote(computed.embedder.id()));
                self.data(&*computed.embedder);
                self.descriptions("exemplars", &computed.harm);
                self.descriptions("benign", &computed.benign);
                self.line("intent_weight", float(computed.bands.intent_weight));
                self.line("benign_weight", float(computed.bands.benign_weight));
                self.line("harm_floor", float(computed.bands.harm_floor));
            }
        }
        self.line("escalate", float(semantic.escalate));
        self.line("block", float(semantic.block));
        if let Some(computed) = semantic.computed() {
            let without_intent = computed.bands.without_intent;
            self.table("semantic.without_intent");
            self.line("escalate", float(without_intent.escalate));
            self.line("block", float(without_intent.block));
        }
    }

    /// What an embedder goes by, where it goes by anything.
    fn data(&mut self, embedder: &dyn Embedder) {
        if let Some(sha256) = embedder.sha256() {
            let _ = writeln!(self.out, "# {} sha256: {sha256}", embedder.id());
        }
    }

    fn descriptions(&mut self, key: &str, from: &Descriptions) {
        if let Some(sha256) = &from.built_in {
            let _ = writeln!(self.out, "# {key}: built in, sha256: {sha256}");
        }
        for file in &from.files {
            self.line(file.key, quote(&file.file));
            let _ = writeln!(self.out, "# {} sha256: {}", file.key, file.sha256);
        }
    }

    fn barrier(&mut self, spec: &BarrierSpec) {
        self.table(&format!("dcbf.barriers.{}", quote_key(&spec.name)));
        self.line("enabled", true);
        self.line("weight", float(spec.weight));
        self.line("margin", float(spec.margin));
        self.line("kappa", float(spec.alpha.kappa));
        self.line("power", float(spec.alpha.power));
        self.measure(&spec.measure);
    }

    fn measure(&mut self, measure: &Measure) {
        match measure {
            Measure::Safety { window, pairs } => {
                self.line("window", window);
                let first = |id: MatcherId| {
                    let pattern = self.policy.matchers.get(id).patterns.first();
                    quote(pattern.map_or("", String::as_str))
                };
                let pairs = pairs
                    .iter()
                    .map(|(a, b)| format!("[{}, {}]", first(*a), first(*b)));
                let pairs: Vec<String> = pairs.collect();
                self.list("pairs", &pairs);
            }
            Measure::Privacy {
                budget,
                per_call,
                outbound,
            } => {
                self.line("budget", float(*budget));
                self.line("per_call", float(*per_call));
                self.patterns("outbound", Some(*outbound));
            }
            Measure::Resource { limit } => {
                self.line("limit_usd", limit);
                self.line("per_call_cost_usd", self.policy.dcbf.per_call_cost);
            }
            Measure::Scope { max_drift, embed } => {
                self.line("max_drift", float(*max_drift));
                if let Some(embedder) = embed {
                    self.line("embed", quote(embedder.id()));
                    self.data(&**embedder);
                }
            }
            Measure::Stability { step_budget } => self.line("step_budget", step_budget),
            Measure::Custom(expr) => self.line("expr", quote(expr.source())),
            Measure::Neural(neural) => {
                self.line("model", quote(&neural.file));
                let _ = writeln!(self.out, "# model sha256: {}", neural.sha256);
                let names = neural.features.iter().map(|f| quote(f.described().name));
                self.list("features", &names.collect::<Vec<_>>());
                if let Some(activation) = neural.model.network.activation {
                    self.line("activation", quote(activation.as_str()));
                }
            }
        }
    }
}

/// A key as it is, where it can stand without quotes.
fn quote_key(key: &str) -> String {
    let bare = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    match !key.is_empty() && key.bytes().all(bare) {
        true => key.to_owned(),
        false => quote(key),
    }
}

/// A TOML string. What a terminal would hide or act on is escaped.
fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if is_hidden(c) => {
                let _ = write!(out, "\\U{:08X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// The fewest digits that read back the same.
fn float(number: f64) -> String {
    format!("{number:?}")
}
