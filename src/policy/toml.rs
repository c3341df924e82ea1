//! TOML with places: the parsed tables of a policy, and where in the text each value stands.

use crate::diag::Diagnostic;
use crate::policy::PolicyPlace;
use ::toml::Spanned;
use ::toml::de::DeTable;
use std::ops::Range;

/// The text of a policy file, behind which the preset that it extends is taken to stand: offsets
/// beyond the text are the preset's and have no place.
pub struct Source<'t> {
    /// The file as it was named.
    pub name: &'t str,
    /// The text, without byte order mark.
    pub text: &'t str,
    /// Where each line begins.
    starts: Vec<usize>,
}

impl<'t> Source<'t> {
    /// Takes a text. A byte order mark at its start is dropped and counts for no column.
    pub fn new(name: &'t str, text: &'t str) -> Source<'t> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        Source {
            name,
            text,
            starts: std::iter::once(0).chain(ends).collect(),
        }
    }

    /// The offset at which the preset begins.
    pub fn preset(&self) -> usize {
        self.text.len() + 1
    }

    /// Line and column of a byte offset; none for what is the preset's.
    pub fn place(&self, offset: usize) -> PolicyPlace {
        if offset >= self.preset() {
            return PolicyPlace::default();
        }
        let line = self.starts.partition_point(|&start| start <= offset);
        let start = self.starts.get(line.saturating_sub(1)).copied();
        PolicyPlace {
            line,
            column: offset - start.unwrap_or(0) + 1,
        }
    }

    /// A message about a byte offset, with the line it stands on.
    pub fn diagnostic(&self, offset: usize, message: impl Into<String>) -> Diagnostic {
        if offset >= self.preset() {
            return Diagnostic::new(self.name, format!("in the preset: {}", message.into()));
        }
        let place = self.place(offset);
        let line = self.text.lines().nth(place.line.saturating_sub(1));
        Diagnostic::new(self.name, message)
            .at(place.line, place.column)
            .source(line.unwrap_or_default())
    }

    /// Offset in the text of the byte `within` a string value that stands at `span`; the start of
    /// the value where escapes or line ends make the two differ.
    pub fn inside(&self, span: Range<usize>, value: &str, within: usize) -> usize {
        let raw = self.text.get(span.clone()).unwrap_or_default();
        let quote = ["\"\"\"", "'''", "\"", "'"]
            .into_iter()
            .find(|quote| raw.starts_with(quote) && raw.len() >= 2 * quote.len());
        let Some(quote) = quote else {
            return span.start;
        };
        let inner = &raw[quote.len()..raw.len() - quote.len()];
        let skip = match (quote.len(), inner.as_bytes()) {
            (3, [b'\n', ..]) => 1,
            (3, [b'\r', b'\n', ..]) => 2,
            _ => 0,
        };
        match &inner[skip..] == value {
            true => span.start + quote.len() + skip + within.min(value.len()),
            false => span.start,
        }
    }

    /// Parses the text.
    ///
    /// # Errors
    /// Everything that is no TOML, repeated keys among it.
    pub fn parse(&self) -> Result<Spanned<DeTable<'t>>, Vec<Diagnostic>> {
        let (table, errors) = DeTable::parse_recoverable(self.text);
        if errors.is_empty() {
            return Ok(table);
        }
        let diagnostic = |e: &::toml::de::Error| {
            let at = e.span().map_or(0, |span| span.start);
            self.diagnostic(at, e.message().lines().collect::<Vec<_>>().join(", "))
        };
        Err(errors.iter().map(diagnostic).collect())
    }
}
