//! Descriptions of harm and of harmless work that an action is compared with.

/// Descriptions, one a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exemplars {
    /// What harm looks like; never empty.
    pub harm: Vec<String>,
    /// What harmless work looks like; may be empty.
    pub benign: Vec<String>,
}

impl Exemplars {
    /// The built-in descriptions.
    pub fn built_in() -> Exemplars {
        Exemplars {
            harm: parse(include_str!("harm.txt")),
            benign: parse(include_str!("benign.txt")),
        }
    }
}

/// The descriptions of a file: one a line, white space around them ignored, as are blank lines and
/// those that begin with `#`.
pub fn parse(text: &str) -> Vec<String> {
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
    let kept = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    kept.map(str::to_owned).collect()
}
