//! By what a finding is known again in a later report, wherever its line has gone.

use crate::engine::decision::Decision;
use crate::report::Header;
use crate::report::finding::Finding;
use crate::trace::fault::Notice;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fmt::Write;

/// The key that fingerprints stand under.
pub const KEY: &str = "gateFinding/v1";

/// A fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(pub [u8; 16]);

impl Fingerprint {
    /// That of a decision, or of its hazard: rule, run, call, tool and what was said, but for the numbers
    /// in the reason, which another budget changes.
    pub fn of_decision(found: &Finding, decision: &Decision, header: &Header) -> Fingerprint {
        let names = |barriers: &[usize]| {
            let names = barriers.iter().map(|&barrier| header.barrier(barrier));
            names.collect::<Vec<_>>().join("\0")
        };
        let reason = decision.reason.as_deref().unwrap_or_default();
        let reason = reason.replace(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'), "");
        Fingerprint::of(&[
            found.rule.0,
            found.rule.1,
            &decision.run,
            &decision.call,
            &decision.tool,
            decision.agent.as_deref().unwrap_or_default(),
            decision.kind.as_str(),
            &names(&decision.broken),
            &names(&decision.hazard),
            decision.policy_rule.as_deref().unwrap_or_default(),
            &reason,
        ])
    }

    /// That of a fault or a warning: its code, its run, or the input where it names none, and the
    /// message.
    pub fn of_notice(found: &Finding, notice: &Notice, header: &Header) -> Fingerprint {
        let (run, file) = match &notice.run {
            Some(run) => (run.as_str(), ""),
            None => ("", header.input(notice.place.input)),
        };
        Fingerprint::of(&[found.rule.0, found.rule.1, run, file, &notice.message])
    }

    /// That of a doubt about the policy: its code and message.
    pub fn of_doubt(found: &Finding) -> Fingerprint {
        Fingerprint::of(&[found.rule.0, found.rule.1, &found.message])
    }

    /// That of texts, which do not run into each other.
    fn of(texts: &[&str]) -> Fingerprint {
        let mut hash = Sha256::new();
        for text in texts {
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text.as_bytes());
        }
        let digest = hash.finalize();
        let mut first = [0; 16];
        for (to, from) in first.iter_mut().zip(digest.iter()) {
            *to = *from;
        }
        Fingerprint(first)
    }

    /// In hexadecimal.
    pub fn hex(self) -> String {
        let mut out = String::with_capacity(32);
        for byte in self.0 {
            // Writing to a string does not fail.
            let _ = write!(out, "{byte:02x}");
        }
        out
    }

    /// What [`Fingerprint::hex`] wrote; absent for any other text.
    pub fn parse(hex: &str) -> Option<Fingerprint> {
        let digits = |c: u8| c.is_ascii_digit() || (b'a'..=b'f').contains(&c);
        let known = hex.len() == 32 && hex.bytes().all(digits);
        let number = known
            .then(|| u128::from_str_radix(hex, 16).ok())
            .flatten()?;
        Some(Fingerprint(number.to_be_bytes()))
    }
}

/// How often each fingerprint was met.
#[derive(Debug, Default)]
pub struct Met(HashMap<Fingerprint, u32>);

impl Met {
    /// The how-manieth finding of that fingerprint this is, from 1.
    pub fn again(&mut self, fingerprint: Fingerprint) -> u32 {
        let met = self.0.entry(fingerprint).or_default();
        *met = met.saturating_add(1);
        *met
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_come_back() {
        let print = Fingerprint::of(&["a", "b"]);
        assert_eq!(Fingerprint::parse(&print.hex()), Some(print));
        assert_ne!(print, Fingerprint::of(&["ab", ""]));
        for text in [
            "",
            "+0000000000000000000000000000000",
            &print.hex().to_uppercase(),
        ] {
            assert_eq!(Fingerprint::parse(text), None);
        }
    }
}
