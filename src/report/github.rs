//! Workflow commands of GitHub Actions: the first findings as annotations, counts of the rest, and what the
//! audit came to.
//!
//! GitHub shows ten annotations of a kind for a step, so that no more are written. Every line begins with a
//! command of gate's own; what is untrusted stands behind that, and cannot end it.

use super::finding::{self, Finding, Level};
use super::table::text;
use super::{Format, Header, Report, verdict};
use crate::audit::summary::Summary;
use crate::engine::decision::Decision;
use crate::escape::visible;
use crate::number::count;
use crate::trace::fault::Notice;
use std::io::{self, Write};

/// The format.
pub const FORMAT: Format = Format {
    id: "github",
    doc: "workflow commands of GitHub Actions: annotations of the first ten errors and the first ten \
          warnings, counts of the rest, and the verdict",
    lists: false,
    open,
};

/// Most annotations of a kind.
const MOST: u64 = 10;

fn open<'w>(header: Header, out: Box<dyn Write + Send + 'w>) -> Box<dyn Report + 'w> {
    Box::new(Commands {
        header,
        out,
        errors: 0,
        warnings: 0,
    })
}

struct Commands<'w> {
    header: Header,
    out: Box<dyn Write + Send + 'w>,
    /// Errors met so far.
    errors: u64,
    /// Warnings met so far.
    warnings: u64,
}

/// Where a finding is: a file, and line and column where they are known, else 0.
struct Place<'a> {
    file: &'a str,
    line: u64,
    column: u64,
}

impl Commands<'_> {
    /// Writes a finding, if fewer of its kind were written than are shown.
    fn found(&mut self, found: &Finding, place: Option<&Place<'_>>) -> io::Result<()> {
        self.annotate(found.level, &found.rule.to_string(), &found.message, place)
    }

    fn annotate(
        &mut self,
        level: Level,
        title: &str,
        message: &str,
        place: Option<&Place<'_>>,
    ) -> io::Result<()> {
        let met = match level {
            Level::Error => &mut self.errors,
            Level::Warning => &mut self.warnings,
        };
        *met += 1;
        if *met > MOST {
            return Ok(());
        }
        let mut properties = Vec::new();
        if let Some(place) = place {
            properties.push(("file", place.file.to_owned()));
            let numbers = [("line", place.line), ("col", place.column)];
            let known = numbers.into_iter().take_while(|(_, number)| *number > 0);
            properties.extend(known.map(|(name, number)| (name, number.to_string())));
        }
        properties.push(("title", format!("gate {title}")));
        self.out
            .write_all(command(level.as_str(), &properties, message).as_bytes())
    }

    fn remark(&mut self, title: &str, message: &str) -> io::Result<()> {
        let properties = [("title", title.to_owned())];
        self.out
            .write_all(command("notice", &properties, message).as_bytes())
    }
}

/// A command on a line of its own.
fn command(kind: &str, properties: &[(&str, String)], message: &str) -> String {
    let told = properties.iter().map(|(name, value)| {
        let value = data(&visible(value))
            .replace(':', "%3A")
            .replace(',', "%2C");
        format!("{name}={value}")
    });
    let told = told.collect::<Vec<_>>().join(",");
    format!("::{kind} {told}::{}\n", data(&visible(message)))
}

/// A text in which nothing ends the command.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

impl Report for Commands<'_> {
    fn decision(&mut self, decision: &Decision, listed: bool) -> io::Result<()> {
        if !listed {
            return Ok(());
        }
        let found = [
            finding::of_decision(decision),
            finding::of_hazard(decision, &self.header),
        ];
        for found in found.into_iter().flatten() {
            let file = self.header.input(decision.input).to_owned();
            let place = Place {
                file: &file,
                line: decision.line,
                column: 0,
            };
            self.found(&found, Some(&place))?;
        }
        Ok(())
    }

    fn notice(&mut self, notice: &Notice) -> io::Result<()> {
        let file = self.header.input(notice.place.input).to_owned();
        let place = Place {
            file: &file,
            line: notice.place.line,
            column: notice.place.column,
        };
        self.found(&finding::of_notice(notice), Some(&place))
    }

    fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        let policy = self.header.policy.clone();
        for doubt in &summary.policy.warnings {
            let place = self.header.policy_is_file.then_some(Place {
                file: &policy,
                line: doubt.place.line as u64,
                column: doubt.place.column as u64,
            });
            self.found(&finding::of_doubt(doubt), place.as_ref())?;
        }
        for input in &summary.inputs {
            let Some(why) = input.unreadable() else {
                continue;
            };
            let place = Place {
                file: &input.name,
                line: 0,
                column: 0,
            };
            self.annotate(
                Level::Error,
                "unread input",
                &text::prose(&why),
                Some(&place),
            )?;
        }
        let kinds = [
            (self.errors, "more error", "more errors"),
            (self.warnings, "more warning", "more warnings"),
        ];
        for (met, one, many) in kinds {
            let more = met.saturating_sub(MOST);
            if more > 0 {
                let more = count(more, one, many);
                self.remark(
                    "gate",
                    &format!("{more} not shown here: --sarif and --jsonl have all"),
                )?;
            }
        }
        let exit = &summary.exit;
        let reason = match exit.reason.as_str() {
            "" => String::new(),
            reason => format!(": {}", text::prose(reason)),
        };
        let (word, counts) = (verdict::word(summary), verdict::counts(summary));
        let code = exit.status.code();
        self.remark("gate", &format!("{word}: {counts}; exit {code}{reason}"))?;
        self.out.flush()
    }
}
