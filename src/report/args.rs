//! Arguments of calls, where the audit was asked to show them: secrets masked, then cut.

use regex::Regex;

/// Most characters shown of a call's arguments.
pub const SHOWN: usize = 200;

/// What stands where a secret was.
pub const MASK: &str = "[masked]";

/// Shapes of secrets, each with what is kept of it. In JSON a secret may follow an escape such as
/// `\n` directly, so none of them asks for a word boundary before it.
const SHAPES: &[(&str, &str)] = &[
    // Private keys in PEM and OpenPGP armour; without an end everything that follows is the key.
    (
        r"(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\z)",
        "",
    ),
    // AWS access key ids.
    (
        r"(?:AKIA|ASIA|ABIA|ACCA|AGPA|AIDA|AIPA|ANPA|ANVA|AROA)[A-Z0-9]{16,}",
        "",
    ),
    // GitHub, GitLab, npm, Hugging Face.
    (r"gh[pousr]_[A-Za-z0-9]{20,}", ""),
    (r"github_pat_[A-Za-z0-9_]{20,}", ""),
    (r"glpat-[A-Za-z0-9_.-]{16,}", ""),
    (r"(?:npm|hf)_[A-Za-z0-9]{30,}", ""),
    // OpenAI, Anthropic and others of the same make; Stripe.
    (r"sk-[A-Za-z0-9_-]{16,}", ""),
    (r"[rs]k_(?:live|test)_[A-Za-z0-9]{16,}", ""),
    // Slack tokens and web hooks.
    (r"xox[a-z]-[A-Za-z0-9-]{8,}|xapp-[A-Za-z0-9-]{8,}", ""),
    (r"hooks\.slack\.com/services/[A-Za-z0-9/_+-]+", ""),
    // Google API keys, JSON web tokens.
    (r"AIza[A-Za-z0-9_-]{30,}", ""),
    (
        r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?",
        "",
    ),
    // Credentials of HTTP, and of URLs.
    (
        r#"(?i)(bearer(?:\s|\\[nrt])+)[A-Za-z0-9._~+/=-]{8,}"#,
        "${1}",
    ),
    (
        r#"(?i)(authorization(?:\\?["'])?\s*[:=]\s*(?:\\?["'])?(?:basic|token|digest)\s+)[^\s"'\\,]+"#,
        "${1}",
    ),
    (r#"(://[^/\s:@"\\]*:)[^@\s"/\\]+@"#, "${1}"),
    // Values whose name says that they are secret: `"password": "x"`, `PASSWORD=x`, `--token x`.
    (
        r#"(?i)((?:passw(?:or)?d|passphrase|pwd|secret|credential|api[_-]?key|access[_-]?key|private[_-]?key)[A-Za-z0-9_-]*(?:\\?["'])?\s*[:=]\s*)(?:"(?:[^"\\]|\\.)*"?|\\"(?:[^"\\]|\\[^"])*(?:\\")?|'[^']*'?|\[[^\]]*\]?|\{[^}]*\}?|[^\s"'\\&,;{}\[\]]+)"#,
        "${1}",
    ),
    (
        r#"(?i)((?:token|auth|pass)(?:\\?["'])?\s*[:=]\s*)(?:"(?:[^"\\]|\\.)*"?|\\"(?:[^"\\]|\\[^"])*(?:\\")?|'[^']*'?|[^\s"'\\&,;{}\[\]]+)"#,
        "${1}",
    ),
    (
        r#"(?i)(--?(?:[a-z]+-)*(?:passw(?:or)?d|passphrase|pwd|secret|token|api-?key)\s+)(?:\\?["'][^"'\\]*|[^\s"'\\-][^\s"'\\]*)"#,
        "${1}",
    ),
];

/// Finds secrets in arguments. Made once a report: it compiles a regex for every shape.
#[derive(Debug)]
pub struct Secrets(Vec<(Regex, String)>);

impl Default for Secrets {
    fn default() -> Self {
        Secrets::new()
    }
}

impl Secrets {
    /// Compiles the shapes.
    pub fn new() -> Self {
        let compiled = SHAPES.iter().filter_map(|(shape, kept)| {
            let regex = Regex::new(shape).ok()?;
            Some((regex, format!("{kept}{MASK}")))
        });
        Secrets(compiled.collect())
    }

    /// The arguments with known shapes of secrets masked, at most [`SHOWN`] characters of them,
    /// with `…` where there was more. Hidden characters stay: the format escapes them its own way.
    pub fn shown(&self, args_json: &str) -> String {
        cut(self.masked(args_json).0)
    }

    /// The text that was made of the arguments, masked and cut like these. Absent where they hold a
    /// secret that the text does not show to be one, such as the value of a key `password`: the text
    /// has no keys.
    pub fn shown_text(&self, text: &str, args_json: &str) -> Option<String> {
        let (masked, found) = self.masked(text);
        (found >= self.masked(args_json).1).then(|| cut(masked))
    }

    /// The text with secrets masked, and how many there were.
    fn masked(&self, text: &str) -> (String, usize) {
        let (mut text, mut found) = (text.to_owned(), 0);
        for (regex, with) in &self.0 {
            if regex.is_match(&text) {
                found += regex.find_iter(&text).count();
                text = regex.replace_all(&text, with.as_str()).into_owned();
            }
        }
        (text, found)
    }
}

fn cut(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(SHOWN) {
        text.truncate(end);
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_compiles() {
        assert_eq!(Secrets::new().0.len(), SHAPES.len());
    }

    #[test]
    fn secrets_are_masked() {
        let secrets = Secrets::new();
        let key = "AbCdEfGhIjKlMnOpQrSt0123456789";
        for text in [
            format!(r#"{{"k":"x\nAKIA{}"}}"#, "ABCDEFGHIJKLMNOP"),
            format!(r#"{{"k":"ghp_{key}"}}"#),
            format!(r#"{{"k":"sk-proj-{key}"}}"#),
            format!(r#"{{"k":"xoxb-1234-{key}"}}"#),
            format!(r#"{{"h":"Authorization: Bearer {key}"}}"#),
            format!(r#"{{"h":"Authorization: Basic {key}=="}}"#),
            format!(r#"{{"u":"postgres://bob:{key}@db/x"}}"#),
            format!(r#"{{"password":"a\"b{key}","n":1}}"#),
            format!(r#"{{"c":"curl -d password={key}&x=1"}}"#),
            format!(r#"{{"c":"login --password {key} --now"}}"#),
            format!(r#"{{"c":"echo '{{\"api_key\": \"{key}\"}}'"}}"#),
            format!(r#"{{"AWS_SECRET_ACCESS_KEY":"{key}/x+y"}}"#),
            format!(r#"{{"secrets":["{key}","{key}"]}}"#),
            format!(r#"{{"token": "{key}"}}"#),
            format!(r"-----BEGIN RSA PRIVATE KEY-----\n{key}\n-----END RSA PRIVATE KEY-----"),
            format!(r"-----BEGIN OPENSSH PRIVATE KEY-----\n{key}"),
        ] {
            let shown = secrets.shown(&text);
            assert!(shown.contains(MASK), "{shown}");
            assert!(!shown.contains("GhIjKl"), "{shown}");
            assert!(!shown.contains("EFGHIJ"), "{shown}");
        }
    }

    #[test]
    fn ordinary_arguments_stay() {
        for text in [
            r#"{"query":"select 1","max_tokens":500}"#,
            r#"{"path":"/tmp/passwords.txt","url":"https://example.org:8080/a"}"#,
            r#"{"author":"bob","to":"a@example.org"}"#,
            "{}",
        ] {
            assert_eq!(Secrets::new().shown(text), text);
        }
    }

    #[test]
    fn a_secret_that_only_its_key_tells_is_not_shown_without_the_key() {
        let secrets = Secrets::new();
        let key = format!("ghp_{}", "a".repeat(30));
        let told = |text: &str, args: &str| secrets.shown_text(text, args);
        assert_eq!(told("login hunter2", r#"{"password":"hunter2"}"#), None);
        let shown = told(&format!("push {key}"), &format!(r#"{{"c":"push {key}"}}"#));
        assert_eq!(shown.as_deref(), Some("push [masked]"));
        assert_eq!(told("ls a", r#"{"c":"ls a"}"#).as_deref(), Some("ls a"));
    }

    #[test]
    fn masking_comes_before_cutting() {
        let text = format!("{}sk-{}", "é".repeat(190), "a".repeat(40));
        let shown = Secrets::new().shown(&text);
        assert_eq!(shown, format!("{}{MASK}", "é".repeat(190)));
        let long = Secrets::new().shown(&"é".repeat(300));
        assert_eq!(long, format!("{}…", "é".repeat(200)));
    }
}
