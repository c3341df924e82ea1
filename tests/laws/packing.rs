//! How the bytes come does not matter: packed or plain, at once or in drops, with what line ends.

use super::policies::{self, policies};
use super::replay::{Replay, replay_bytes, replay_from, varied};
use super::testing::Random;
use super::trial::{Shape, lines, trial};
use std::io::{self, Read, Write};

/// Gives a few bytes at a time, now and then interrupted.
struct Drops<'a>(&'a [u8], Random);

impl Read for Drops<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.1.chance(5) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let n = (1 + self.1.below(40)).min(buffer.len()).min(self.0.len());
        buffer[..n].copy_from_slice(&self.0[..n]);
        self.0 = &self.0[n..];
        Ok(n)
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let level = flate2::Compression::fast();
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), level);
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

/// Two members, cut in the middle of a record.
fn gzip_twice(bytes: &[u8]) -> Vec<u8> {
    let (a, b) = bytes.split_at(bytes.len() / 2);
    [gzip(a), gzip(b)].concat()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).expect("memory")
}

fn with_line_ends(bytes: &[u8]) -> Vec<u8> {
    let text = String::from_utf8(bytes.to_vec()).expect("UTF-8");
    format!("\u{feff}{}", text.replace('\n', "\r\n")).into_bytes()
}

fn equal(what: &str, a: &Replay, b: &Replay) -> Result<(), String> {
    if a.decided != b.decided {
        return super::replay::same(
            what,
            &a.decided
                .iter()
                .map(|d| d.decision.clone())
                .collect::<Vec<_>>(),
            &b.decided
                .iter()
                .map(|d| d.decision.clone())
                .collect::<Vec<_>>(),
        );
    }
    if (&a.runs, &a.counted) != (&b.runs, &b.counted) {
        return Err(format!("{what}: other runs or counts"));
    }
    let codes = |r: &Replay| -> Vec<String> {
        let notice = |n: &gate::trace::fault::Notice| format!("{} {}", n.place.line, n.kind);
        r.notices.iter().map(notice).collect()
    };
    if codes(a) != codes(b) {
        return Err(format!("{what}: other notices"));
    }
    Ok(())
}

#[test]
fn packed_and_plain_give_the_same_decisions() {
    let policies = policies(policies::ALL);
    trial(70, Shape::ANY, 80, |case, trace| {
        let policy = &policies[case as usize % policies.len()];
        let plain = lines(trace);
        let expected = replay_bytes(policy, varied(case), &plain);
        let packed: [(&str, Vec<u8>); 5] = [
            ("gzip", gzip(&plain)),
            ("gzip in two members", gzip_twice(&plain)),
            ("zstd", zstd(&plain)),
            ("byte order mark and carriage returns", {
                with_line_ends(&plain)
            }),
            ("no last line end", plain[..plain.len() - 1].to_vec()),
        ];
        for (what, bytes) in packed {
            equal(what, &expected, &replay_bytes(policy, varied(case), &bytes))?;
        }
        Ok(())
    });
}

#[test]
fn bytes_in_drops_give_the_same_decisions() {
    let policies = policies(policies::ALL);
    trial(70, Shape::ANY, 80, |case, trace| {
        let policy = &policies[case as usize % policies.len()];
        let plain = lines(trace);
        let expected = replay_bytes(policy, varied(case), &plain);
        for bytes in [&plain, &gzip(&plain), &zstd(&plain)] {
            let drops = Box::new(Drops(bytes, Random::new(case)));
            equal(
                "drops",
                &expected,
                &replay_from(policy, varied(case), drops),
            )?;
        }
        Ok(())
    });
}

#[test]
fn blank_lines_change_nothing_but_line_numbers() {
    let policies = policies(policies::ALL);
    trial(70, Shape::ANY, 60, |case, trace| {
        let policy = &policies[case as usize % policies.len()];
        let plain = lines(trace);
        let mut random = Random::new(case);
        let mut spaced = Vec::new();
        for line in plain.split_inclusive(|&b| b == b'\n') {
            if random.chance(30) {
                let blank = *random.pick(&["\n", "  \t\n", "\r\n"]);
                spaced.extend_from_slice(blank.as_bytes());
            }
            spaced.extend_from_slice(line);
        }
        let anywhere = |r: &Replay| -> Vec<_> {
            let decisions = r.decided.iter();
            decisions
                .map(|d| super::replay::anywhere(&d.decision))
                .collect()
        };
        let a = anywhere(&replay_bytes(policy, varied(case), &plain));
        let b = anywhere(&replay_bytes(policy, varied(case), &spaced));
        super::replay::same("blank lines", &a, &b)
    });
}
