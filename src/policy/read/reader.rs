//! Typed reading of values. A value of the wrong type or out of range is noted and read as absent;
//! reading goes on, so that all mistakes of a policy are told at once.

use super::embedders::Embedders;
use super::table::{Item, Table};
use crate::diag::{Diagnostic, nearest};
use crate::policy::PolicyWarning;
use crate::policy::expr::Compiler;
use crate::policy::matcher::Matchers;
use crate::policy::toml::Source;
use crate::trace::money::{MoneyError, Nano};
use ::toml::de::DeValue;

/// Reads a file that a policy names: the bytes, or why they cannot be read.
pub type Load<'t> = dyn Fn(&str) -> Result<Vec<u8>, String> + 't;

/// What a number may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Any finite number.
    Any,
    /// 0 or more.
    NotNegative,
    /// More than 0.
    Positive,
}

/// A tool name or label that the policy speaks of.
#[derive(Clone, Debug)]
pub struct Named {
    /// The name, never a glob.
    pub name: String,
    /// Offset in the file; absent for the defaults.
    pub at: Option<usize>,
    /// Whether it stands where a mistyped name silently protects nothing.
    pub checked: bool,
    /// The list of tools that it stands in, by its offset: its names are not compared with each other.
    pub list: Option<usize>,
}

/// Reads the values of one policy.
pub struct Reader<'t> {
    /// The file.
    pub source: &'t Source<'t>,
    /// Reads the files that the policy names.
    pub load: &'t Load<'t>,
    /// These files, as it names them, also those that are not opened.
    pub files: Vec<String>,
    /// What is wrong.
    pub errors: Vec<Diagnostic>,
    /// What is doubtful.
    pub warnings: Vec<PolicyWarning>,
    /// The tool patterns so far.
    pub matchers: Matchers,
    /// The names so far.
    pub names: Vec<Named>,
    /// Globs and regexes so far.
    pub patterns: usize,
    /// Compiles expressions.
    pub compiler: Compiler,
    /// Whether a barrier is a model, whose features go by what the others count by.
    pub takes_features: bool,
    /// Whether models of barriers are opened; else those barriers are left out.
    pub opens_models: bool,
    /// The embedders so far.
    pub embedders: Embedders,
}

impl<'t> Reader<'t> {
    /// The bytes of a file that the policy names.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub fn file(&mut self, file: &str) -> Result<Vec<u8>, String> {
        self.files.push(file.to_owned());
        (self.load)(file)
    }

    /// Notes an error at an offset.
    pub fn error(&mut self, at: usize, message: impl Into<String>, help: Option<String>) {
        let mut diagnostic = self.source.diagnostic(at, message);
        diagnostic.help = help;
        self.errors.push(diagnostic);
    }

    /// Notes a warning at an offset.
    pub fn warn(&mut self, code: &'static str, at: usize, message: impl Into<String>) {
        self.warnings.push(PolicyWarning {
            code,
            place: self.source.place(at),
            message: message.into(),
        });
    }

    /// A string by itself, or the elements of a list, of whatever type. `wanted` is what has to stand
    /// there, in words.
    pub fn one_or_several(&mut self, item: Item<'t>, wanted: &str) -> Vec<Item<'t>> {
        if item.value.get_ref().is_str() {
            return vec![item];
        }
        item.elements().unwrap_or_else(|| {
            self.wrong(&item, wanted);
            Vec::new()
        })
    }

    /// Notes that a value is of the wrong type.
    pub fn wrong(&mut self, item: &Item<'t>, wanted: &str) {
        let value = item.value.get_ref();
        let message = format!("`{}` has to be {wanted}, not {}", item.path, kind(value));
        let help = match value {
            DeValue::String(text) if wanted.contains("number") => number_in(text),
            DeValue::String(_) if wanted.contains("list") => {
                Some("write the value in brackets: `[\"..\"]`".to_owned())
            }
            DeValue::Float(_) if wanted.contains("whole") => {
                Some("write it without a decimal point".to_owned())
            }
            _ => None,
        };
        self.error(item.span().start, message, help);
    }

    /// Reads a table; an absent one reads like an empty one. Keys that `read` does not ask for are
    /// errors.
    pub fn table<T>(
        &mut self,
        item: Option<Item<'t>>,
        path: &str,
        read: impl FnOnce(&mut Self, &mut Table<'t>) -> T,
    ) -> T {
        let (at, map) = match &item {
            None => (0, None),
            Some(item) => match item.value.get_ref().as_table() {
                Some(map) => (item.at, Some(map)),
                None => {
                    self.wrong(item, "a table");
                    (item.at, None)
                }
            },
        };
        let mut table = Table::new(path, at, map);
        let result = read(self, &mut table);
        self.unknown_keys(&table);
        result
    }

    /// Reads a list of tables.
    pub fn tables<T>(
        &mut self,
        item: Option<Item<'t>>,
        mut read: impl FnMut(&mut Self, &mut Table<'t>) -> Option<T>,
    ) -> Vec<T> {
        let Some(item) = item else {
            return Vec::new();
        };
        let Some(elements) = item.elements() else {
            let message = format!("`{}` has to be a list of tables", item.path);
            let help = format!("write `[[{}]]`", item.path);
            self.error(item.at, message, Some(help));
            return Vec::new();
        };
        let path = item.path.as_str();
        elements
            .into_iter()
            .filter_map(|element| self.table(Some(element), path, &mut read))
            .collect()
    }

    /// Notes the keys of a table that nothing asked for.
    pub fn unknown_keys(&mut self, table: &Table<'t>) {
        let (items, known) = table.unknown();
        for item in items {
            let place = match table.path.as_str() {
                "" => String::new(),
                path => format!(" in `[{path}]`"),
            };
            let message = format!("unknown key `{}`{place}", item.key);
            let help = match (nearest(item.key, known.iter().copied()), table.note) {
                (Some(meant), _) => format!("did you mean `{meant}`?"),
                (None, Some(note)) => note.to_owned(),
                (None, None) => format!("the keys are {}", known.join(", ")),
            };
            self.error(item.at, message, Some(help));
        }
    }

    /// Reads `true` or `false`.
    pub fn boolean(&mut self, item: Option<Item<'t>>) -> Option<bool> {
        let item = item?;
        let value = item.value.get_ref().as_bool();
        if value.is_none() {
            self.wrong(&item, "`true` or `false`");
        }
        value
    }

    /// Reads a text, which may not be empty.
    pub fn text(&mut self, item: Option<Item<'t>>) -> Option<&'t str> {
        let item = item?;
        match item.value.get_ref() {
            DeValue::String(text) if text.is_empty() => {
                self.error(item.span().start, format!("`{}` is empty", item.path), None);
                None
            }
            DeValue::String(text) => Some(text),
            _ => {
                self.wrong(&item, "a string");
                None
            }
        }
    }

    /// Reads one of a few words; gives its index.
    pub fn word(&mut self, item: Option<Item<'t>>, words: &[&str]) -> Option<usize> {
        let item = item?;
        let text = self.text(Some(item.clone()))?;
        let found = words.iter().position(|word| *word == text);
        if found.is_none() {
            let message = format!("`{}` cannot be `{text}`", item.path);
            let help = match nearest(text, words.iter().copied()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("it is one of {}", words.join(", ")),
            };
            self.error(item.span().start, message, Some(help));
        }
        found
    }

    /// Reads a list of texts, each with its place. Empty texts are errors.
    pub fn texts(&mut self, item: Option<Item<'t>>) -> Option<Vec<(Item<'t>, &'t str)>> {
        let item = item?;
        let Some(elements) = item.elements() else {
            self.wrong(&item, "a list of strings");
            return None;
        };
        let read = |element: Item<'t>| Some((element.clone(), self.text(Some(element))?));
        Some(elements.into_iter().filter_map(read).collect())
    }

    /// Reads a finite number.
    pub fn number(&mut self, item: Option<Item<'t>>, bound: Bound) -> Option<f64> {
        let item = item?;
        let (number, lexeme) = match item.value.get_ref() {
            DeValue::Float(f) => (f.as_str().parse().ok(), f.as_str().to_owned()),
            DeValue::Integer(_) => {
                let lexeme = integer(item.value.get_ref())?;
                (lexeme.parse().ok(), lexeme)
            }
            _ => {
                self.wrong(&item, "a number");
                return None;
            }
        };
        let (fits, wanted) = match (number, bound) {
            (Some(n), Bound::NotNegative) if f64::is_finite(n) => (n >= 0.0, "at least 0"),
            (Some(n), Bound::Positive) if f64::is_finite(n) => (n > 0.0, "greater than 0"),
            (Some(n), Bound::Any) if f64::is_finite(n) => (true, ""),
            _ => (false, "a finite number"),
        };
        if !fits {
            let message = format!("`{}` has to be {wanted}, not `{lexeme}`", item.path);
            self.error(item.span().start, message, None);
            return None;
        }
        // A zero has no sign here: it is shown to people.
        number.map(|n: f64| if n == 0.0 { 0.0 } else { n })
    }

    /// Reads a whole number that is at least `least`.
    pub fn count(&mut self, item: Option<Item<'t>>, least: u64) -> Option<u64> {
        let item = item?;
        let Some(lexeme) = integer(item.value.get_ref()) else {
            self.wrong(&item, "a whole number");
            return None;
        };
        let count = lexeme
            .parse::<i128>()
            .ok()
            .and_then(|n| u64::try_from(n).ok());
        let count = count.filter(|&n| n >= least);
        if count.is_none() {
            let wanted = match lexeme.starts_with('-') || lexeme.len() < 20 {
                true => format!("at least {least}"),
                false => format!("at most {}", u64::MAX),
            };
            let message = format!("`{}` has to be {wanted}, not `{lexeme}`", item.path);
            self.error(item.span().start, message, None);
        }
        count
    }

    /// Reads an amount of dollars, 0 or more.
    pub fn money(&mut self, item: Option<Item<'t>>) -> Option<Nano> {
        self.decimal(item, "a number of dollars")
    }

    /// Reads a decimal to the ninth place, 0 or more.
    pub fn decimal(&mut self, item: Option<Item<'t>>, wanted: &str) -> Option<Nano> {
        let item = item?;
        let lexeme = match item.value.get_ref() {
            DeValue::Float(f) => f.as_str().to_owned(),
            value => match integer(value) {
                Some(lexeme) => lexeme,
                None => {
                    self.wrong(&item, wanted);
                    return None;
                }
            },
        };
        let problem = match Nano::parse(&lexeme) {
            Ok((amount, _)) if amount < Nano::ZERO => "at least 0",
            Ok((amount, rounded)) => {
                if rounded {
                    let message = format!("`{}` is rounded to `{amount}`", item.path);
                    self.warn("rounded_amount", item.span().start, message);
                }
                return Some(amount);
            }
            Err(MoneyError::NotANumber) => "a finite number",
            Err(MoneyError::OutOfRange) => "at most 1e18",
        };
        let message = format!("`{}` has to be {problem}, not `{lexeme}`", item.path);
        self.error(item.span().start, message, None);
        None
    }
}

/// The decimal digits of an integer value, its sign before them.
fn integer(value: &DeValue<'_>) -> Option<String> {
    let integer = value.as_integer()?;
    let lexeme = match integer.radix() {
        10 => integer.as_str().trim_start_matches('+').to_owned(),
        // Too many digits for 128 bits are too many for anything a policy counts.
        radix => i128::from_str_radix(integer.as_str(), radix)
            .unwrap_or(i128::MAX)
            .to_string(),
    };
    Some(lexeme)
}

/// What messages call a value.
fn kind(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("the string `{}`", crate::policy::pattern::shorten(text)),
        DeValue::Integer(_) => "a whole number".into(),
        DeValue::Float(f) => format!("`{}`", f.as_str()),
        DeValue::Boolean(b) => format!("`{b}`"),
        DeValue::Datetime(_) => "a date".into(),
        DeValue::Array(_) => "a list".into(),
        DeValue::Table(_) => "a table".into(),
    }
}

/// Advice for a text that holds a number.
fn number_in(text: &str) -> Option<String> {
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || ".-+_eE".contains(c)))
        .unwrap_or(text.len());
    let number: f64 = text[..end].trim_end_matches(['e', 'E']).parse().ok()?;
    let (number, unit) = match text[end..].trim() {
        "%" => (number / 100.0, " as a fraction"),
        "" => (number, " without quotes"),
        _ => (number, " without quotes and unit"),
    };
    Some(format!("write `{number}`{unit}"))
}
