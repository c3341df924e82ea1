//! What the semantic stage adds to a replay, and how fast it is ready.
//!
//! `cargo bench --bench semantic` measures; `cargo test --bench semantic` runs everything once.

mod common;

use common::quick;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use gate::embed::find;
use gate::facets::{self, Facets};
use gate::firewall::{Action, Exemplars, Firewall, Preparer, bands};
use gate::trace::json::{self, Json};
use std::hint::black_box;

const INTENT: &str = "Summarise last week's orders of the Lisbon shop and mail the report to Dana";

/// Calls of different kinds.
const CALLS: [(&str, &str); 5] = [
    (
        "send_email",
        r#"{"to":"dana@corp.example","subject":"Orders of last week","body":"Hello Dana, please find the report on the orders of the Lisbon shop below. Regards, Erin"}"#,
    ),
    (
        "run_sql",
        r#"{"query":"SELECT day, count(*), sum(total) FROM orders JOIN shops ON shops.id = orders.shop_id WHERE shops.city = 'Lisbon' AND day > '2026-01-04' GROUP BY day ORDER BY day"}"#,
    ),
    (
        "Bash",
        r#"{"command":"cd reports && sort -k2 orders.csv | uniq -c > /tmp/orders.txt && python3 plot.py --input /tmp/orders.txt --output lisbon.png; git add lisbon.png","description":"Plot the orders"}"#,
    ),
    (
        "http_request",
        r#"{"method":"POST","url":"https://api.shop.example/v2/reports?week=2","headers":{"accept":"application/json"},"body":{"title":"Orders of week 2","shop":"Lisbon","rows":31}}"#,
    ),
    (
        "write_file",
        r##"{"path":"/home/erin/reports/week2.md","content":"# Orders of week 2\n\nThe Lisbon shop sold 214 boxes, 12 more than in the week before. Two orders were sent back."}"##,
    ),
];

struct Call {
    tool: &'static str,
    args: Json<'static>,
    text: String,
    facets: Facets,
}

impl Call {
    fn action(&self) -> Action<'_> {
        Action {
            tool: self.tool,
            args: &self.args,
            text: &self.text,
            facets: &self.facets,
        }
    }
}

fn calls() -> Vec<Call> {
    let call = |(tool, args): (&'static str, &'static str)| {
        let args = json::parse(args.as_bytes()).expect("arguments");
        let (text, facets) = (args.leaves(), facets::of_call(tool, &args));
        Call {
            tool,
            args,
            text,
            facets,
        }
    };
    CALLS.into_iter().map(call).collect()
}

fn stage(c: &mut Criterion) {
    let calls = calls();
    let definition = find("static").expect("an embedder");
    let embedder = (definition.open)(&|_| Err("no model".to_owned())).expect("an embedder");
    let firewall = Firewall::new(embedder, &Exemplars::built_in(), bands("static"));
    let preparer = Preparer::default();
    let mut group = c.benchmark_group("semantic");
    group.throughput(Throughput::Elements(calls.len() as u64));
    let mut part = |name: &str, run: &dyn Fn(&Call)| {
        group.bench_function(BenchmarkId::from_parameter(name), |b| {
            b.iter(|| calls.iter().for_each(run));
        });
    };
    part("facets", &|call| {
        drop(black_box(facets::of_call(call.tool, &call.args)));
    });
    part("text and gloss", &|call| {
        drop(black_box(preparer.prepare(&call.action(), Some(INTENT))));
    });
    part("score", &|call| {
        let ready = preparer.prepare(&call.action(), Some(INTENT));
        drop(black_box(firewall.score(&ready, Some(INTENT))));
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = quick();
    targets = stage
}
criterion_main!(benches);
