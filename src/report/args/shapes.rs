//! Shapes of secrets: what gives itself away without a name. The group `s`, where there is one, is
//! the secret; the whole match is it otherwise.

use regex::{Regex, RegexSet};
use std::ops::Range;

/// What stands before a shape that ordinary words may end with: no letter, or an escape such as `\n`.
macro_rules! begins {
    ($shape:literal) => {
        concat!(r"(?:(?-u:\b)|\\[nrt])(?<s>", $shape, ")")
    };
}

const SHAPES: &[&str] = &[
    // Private keys in PEM and OpenPGP armour; without an end everything that follows is the key.
    r"(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\z)",
    r"(?s)PuTTY-User-Key-File-\d.*",
    r"(?i)AGE-SECRET-KEY-[A-Z0-9]{16,}",
    // AWS access key ids.
    r"(?:AKIA|ASIA|ABIA|ACCA|AGPA|AIDA|AIPA|ANPA|ANVA|AROA)[A-Z0-9]{16,}",
    // GitHub, GitLab, registries of packages and images, Hugging Face.
    r"gh[pousr]_[A-Za-z0-9]{20,}",
    r"github_pat_[A-Za-z0-9_]{20,}",
    r"gl(?:pat|dt|rt|ptt|soat|cbt|agent)-[A-Za-z0-9_.-]{16,}",
    r"(?:npm|hf)_[A-Za-z0-9]{30,}",
    begins!(r"pypi-[A-Za-z0-9_-]{16,}"),
    r"dckr_pat_[A-Za-z0-9_-]{16,}",
    r"rubygems_[a-f0-9]{32,}",
    // OpenAI, Anthropic and others of the same make; Groq, xAI, Replicate, NVIDIA, Perplexity.
    begins!(r"sk-[A-Za-z0-9_-]{16,}"),
    begins!(r"(?:gsk_|xai-|r8_|nvapi-|pplx-)[A-Za-z0-9_-]{24,}"),
    // Stripe, SendGrid, Mailgun, Twilio, Shopify, Square.
    r"[rs]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/=]{16,}",
    begins!(r"SG\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}|SG\.[A-Za-z0-9_-]{20,}"),
    begins!(r"key-[0-9a-f]{32}|SK[0-9a-f]{32}"),
    r"shp(?:at|ca|pa|ss)_[A-Za-z0-9]{16,}|sq0(?:atp|csp)-[A-Za-z0-9_-]{16,}",
    // Slack, Discord and Telegram.
    r"xox[a-z]-[A-Za-z0-9-]{8,}|xoxe\.[A-Za-z0-9.-]{8,}|xapp-[A-Za-z0-9-]{8,}",
    r"hooks\.slack\.com/services/(?<s>[A-Za-z0-9/_+-]+)",
    r"discord(?:app)?\.com/api/webhooks/(?<s>[0-9]+/[A-Za-z0-9_-]+)",
    begins!(r"[0-9]{8,10}:[A-Za-z0-9_-]{35}"),
    // Google, Azure, Cloudflare's and HashiCorp's kind, Atlassian, Databricks and others.
    r"AIza[A-Za-z0-9_-]{30,}|ya29\.[A-Za-z0-9_-]{16,}|GOCSPX-[A-Za-z0-9_-]{16,}",
    r"(?i)[?&](?:sig|signature|x-amz-signature|x-goog-signature|x-amz-credential)=(?<s>[^&\s\x22']+)",
    begins!(r"hv[sbr]\.[A-Za-z0-9_-]{20,}"),
    r"ATATT3[A-Za-z0-9_=-]{16,}|[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{16,}",
    begins!(
        r"(?:dapi|dop_v1_|doo_v1_|dor_v1_|sbp_|pul-|sntrys_|glsa_|lin_api_|ntn_|PMAK-|NRAK-|tfp_)[A-Za-z0-9_=-]{20,}"
    ),
    // JSON web tokens.
    r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?",
    // Credentials of HTTP, and of URLs.
    r"(?i)bearer(?:\s|\\[nrt])+(?<s>[A-Za-z0-9._~+/=-]{8,})",
    r#"://[^/\s:@"\\]*:(?<s>[^@\s"/\\]+)@"#,
    r#"://(?<s>[^/\s:@"\\]{20,})@"#,
    // Hashes of passwords, as `crypt` writes them.
    r"\$(?:2[abxy]|5|6|y|argon2id?)\$[A-Za-z0-9./$=,+]{20,}",
];

/// The shapes, compiled.
#[derive(Debug)]
pub struct Shapes {
    /// Tells in one pass which of them a text has at all.
    any: Option<RegexSet>,
    each: Vec<Regex>,
}

impl Shapes {
    /// Compiles the shapes.
    pub fn new() -> Self {
        Shapes {
            any: RegexSet::new(SHAPES).ok(),
            each: SHAPES.iter().filter_map(|s| Regex::new(s).ok()).collect(),
        }
    }

    /// Adds where in the text a shape is.
    pub fn find(&self, text: &str, found: &mut Vec<Range<usize>>) {
        let Some(any) = &self.any else { return };
        for shape in any.matches(text) {
            let Some(regex) = self.each.get(shape) else {
                continue;
            };
            for captures in regex.captures_iter(text) {
                let secret = captures.name("s").or(captures.get(0));
                found.extend(secret.map(|secret| secret.range()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_compiles() {
        let shapes = Shapes::new();
        assert_eq!(shapes.each.len(), SHAPES.len());
        assert!(shapes.any.is_some());
    }
}
