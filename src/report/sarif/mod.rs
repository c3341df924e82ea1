//! SARIF 2.1.0: findings with their rules, for code hosts, editors and whatever else reads results of
//! analyses. Results are written as they come; what is known at the end stands behind them.

mod baseline;
mod codes;
mod earlier;
mod end;
mod fingerprint;
mod model;
mod results;
mod rules;
mod text;

use super::args::Secrets;
use super::finding::{self, Finding};
use super::json::v1::NoticeRecord;
use super::json::v1::decision;
use super::json::write;
use super::rendering::Blocks;
use super::{Format, Header, Report};
use crate::audit::summary::Summary;
use crate::engine::decision::Decision;
use crate::policy::PolicyWarning;
use crate::trace::fault::Notice;
pub use baseline::Baseline;
use baseline::Compared;
use fingerprint::Fingerprint;
use results::{Placed, Places, Results};
use std::io::{self, Write};

/// The format.
pub const FORMAT: Format = Format {
    id: "sarif",
    doc: "SARIF 2.1.0: a result for every call that is not simply allowed, batch hazard, fault and \
          warning, with rules, places and fingerprints",
    lists: false,
    open,
};

fn open<'w>(header: Header, out: Box<dyn Write + Send + 'w>) -> Box<dyn Report + 'w> {
    Box::new(Log {
        records: decision::Records::new(&header),
        results: Results::new(),
        compared: header.baseline.clone().map(Compared::with),
        secrets: None,
        out: Blocks::new(out),
        begun: false,
        first: true,
        header,
    })
}

/// A log under way.
struct Log<'w> {
    header: Header,
    records: decision::Records,
    results: Results,
    /// The earlier report, where there is one.
    compared: Option<Compared>,
    /// Made when the first arguments are to be shown.
    secrets: Option<Secrets>,
    out: Blocks<'w>,
    /// Whether what stands before the results is written.
    begun: bool,
    /// Whether no result is written yet.
    first: bool,
}

impl Log<'_> {
    /// Writes what stands before the results.
    fn begin(&mut self) -> io::Result<()> {
        if std::mem::replace(&mut self.begun, true) {
            return Ok(());
        }
        let out = &mut self.out.bytes;
        let head = format!(
            "{{\"$schema\":\"{}\",\"version\":\"2.1.0\",\"runs\":[\n{{\"tool\":",
            end::SCHEMA
        );
        out.extend_from_slice(head.as_bytes());
        write::append(&end::tool(self.results.rules().list()), out)?;
        out.extend_from_slice(b",\n\"results\":[");
        Ok(())
    }

    /// Whether an earlier report has the finding; absent where there is none. To be asked of every
    /// finding, listed or not: one that is left out is not gone.
    fn state(&mut self, fingerprint: Fingerprint) -> Option<&'static str> {
        self.compared
            .as_mut()
            .map(|compared| compared.state(fingerprint))
    }

    /// Writes a finding about a call, with the record of the call.
    fn of_call(&mut self, found: &Finding, decision: &Decision, listed: bool) -> io::Result<()> {
        if !listed && self.compared.is_none() {
            return Ok(());
        }
        let fingerprint = Fingerprint::of_decision(found, decision, &self.header);
        let state = self.state(fingerprint);
        if !listed {
            return Ok(());
        }
        let placed = Placed {
            found,
            fingerprint,
            state,
            places: Places::of_decision(decision, &self.header),
        };
        let shown = decision.args.as_ref().map(|args| {
            let secrets = self.secrets.get_or_insert_with(Secrets::new);
            decision::Shown::of(args, decision, secrets)
        });
        self.begin()?;
        lead(&mut self.first, &mut self.out.bytes);
        let (records, header) = (&mut self.records, &self.header);
        let record = |out: &mut Vec<u8>| {
            records.append(decision, header, shown, out);
            Ok(())
        };
        self.results.append(placed, record, &mut self.out.bytes)?;
        self.out.pass_on()
    }

    /// Writes a doubt about the policy.
    fn of_doubt(&mut self, doubt: &PolicyWarning) -> io::Result<()> {
        let found = finding::of_doubt(doubt);
        let fingerprint = Fingerprint::of_doubt(&found);
        let placed = Placed {
            found: &found,
            fingerprint,
            state: self.state(fingerprint),
            places: Places::of_doubt(doubt, &self.header),
        };
        lead(&mut self.first, &mut self.out.bytes);
        self.results.append(placed, |_| Ok(()), &mut self.out.bytes)
    }
}

/// Appends what stands before a result.
fn lead(first: &mut bool, out: &mut Vec<u8>) {
    let lead: &[u8] = match std::mem::replace(first, false) {
        true => b"\n",
        false => b",\n",
    };
    out.extend_from_slice(lead);
}

impl Report for Log<'_> {
    fn decision(&mut self, decision: &Decision, listed: bool) -> io::Result<()> {
        if let Some(found) = finding::of_decision(decision) {
            self.of_call(&found, decision, listed)?;
        }
        if let Some(found) = finding::of_hazard(decision, &self.header) {
            self.of_call(&found, decision, listed)?;
        }
        Ok(())
    }

    fn notice(&mut self, notice: &Notice) -> io::Result<()> {
        let found = finding::of_notice(notice);
        let fingerprint = Fingerprint::of_notice(&found, notice, &self.header);
        let placed = Placed {
            found: &found,
            fingerprint,
            state: self.state(fingerprint),
            places: Places::of_notice(notice, &self.header),
        };
        self.begin()?;
        lead(&mut self.first, &mut self.out.bytes);
        let record = NoticeRecord::new(notice, &self.header);
        let properties = |out: &mut Vec<u8>| write::append(&record, out);
        self.results
            .append(placed, properties, &mut self.out.bytes)?;
        self.out.pass_on()
    }

    fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        self.begin()?;
        for doubt in &summary.policy.warnings {
            self.of_doubt(doubt)?;
        }
        if let Some(compared) = &self.compared {
            let (first, out) = (&mut self.first, &mut self.out);
            compared.absent(self.results.rules(), |old| {
                lead(first, &mut out.bytes);
                write::append(old, &mut out.bytes)?;
                out.pass_on()
            })?;
        }
        let out = &mut self.out.bytes;
        out.extend_from_slice(b"\n],\n");
        let from = out.len();
        write::append(&end::end(summary, &self.header), out)?;
        // The members go on in the object that is open already.
        out.remove(from);
        out.extend_from_slice(b"\n]}\n");
        self.out.finish()
    }
}
