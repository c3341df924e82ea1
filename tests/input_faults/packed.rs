//! Compressed inputs, and inputs of another kind.

use crate::support::*;
use crate::testing::Random;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).expect("to memory");
    encoder.finish().expect("to memory")
}

/// Text that does not compress well, so that cutting the stream cuts it in the middle.
fn many_calls() -> String {
    let mut random = Random::new(1);
    (0..2000)
        .map(|_| call(&format!("t{:x}", random.next())))
        .collect()
}

#[test]
fn gzip_is_read_whatever_the_name() {
    let bytes = gzip(&call("a"));
    let seen = seen_from(Box::new(&bytes[..]), "t.jsonl", &options());
    assert_eq!(seen.tools(), ["a"]);
    assert_eq!(seen.report.raw_bytes, bytes.len() as u64);
    assert_eq!(seen.report.bytes, 13);
    assert!(seen.notices.is_empty() && seen.report.complete);
}

#[test]
fn plain_content_under_a_gzip_name_is_read() {
    let text = call("a");
    let seen = seen_from(Box::new(text.as_bytes()), "t.jsonl.gz", &options());
    assert_eq!(seen.tools(), ["a"]);
    assert!(seen.notices.is_empty());
}

#[test]
fn every_member_of_a_gzip_file_is_read() {
    let seen = seen([gzip(&call("a")), gzip(""), gzip(&call("b"))].concat());
    assert_eq!(seen.tools(), ["a", "b"]);
    assert!(seen.notices.is_empty() && seen.report.complete);
}

#[test]
fn a_cut_gzip_file_gives_its_good_prefix() {
    let text = many_calls();
    let whole = gzip(&text);
    for cut in [whole.len() / 2, whole.len() - 4] {
        let seen = seen(&whole[..cut]);
        assert!(seen.calls.len() > 500, "{}", seen.calls.len());
        assert_eq!(
            seen.codes().last().map(String::as_str),
            Some("0:0 truncated_input")
        );
        assert!(!seen.report.complete);
        assert_eq!(seen.report.raw_bytes, cut as u64);
    }
    let header = seen(&whole[..5]);
    assert_eq!(header.codes(), ["0:0 truncated_input"]);
}

#[test]
fn a_wrong_checksum_keeps_the_records_and_is_a_fault() {
    let mut bytes = gzip(&call("a"));
    let crc = bytes.len() - 8;
    bytes[crc] ^= 1;
    let seen = seen(&bytes);
    assert_eq!(seen.tools(), ["a"]);
    assert_eq!(seen.codes(), ["0:0 truncated_input"]);
    assert!(!seen.report.complete);
}

#[test]
fn garbage_after_the_last_member_is_a_fault() {
    for garbage in [&b"hello"[..], b"\0\0x", b"\x1fnot a member"] {
        let seen = seen([&gzip(&call("a"))[..], garbage].concat());
        assert_eq!(seen.tools(), ["a"]);
        assert_eq!(seen.codes(), ["0:0 truncated_input"]);
        assert!(!seen.report.complete);
    }
}

#[test]
fn zeros_after_the_last_member_are_padding() {
    let bytes = [gzip(&call("a")), vec![0; 300_000]].concat();
    let seen = seen(&bytes);
    assert_eq!(seen.tools(), ["a"]);
    assert_eq!(seen.codes(), ["0:0 padding"]);
    assert!(seen.notices[0].message.starts_with("300000 zero bytes"));
    assert!(seen.report.complete);
    assert_eq!(seen.report.raw_bytes, bytes.len() as u64);
}

#[test]
fn a_bomb_stops_at_the_byte_limit() {
    let mut options = options();
    options.max_bytes = Some(13 * 100);
    let bomb = gzip(&call("a").repeat(100_000));
    let seen = seen_with(&bomb, &options);
    assert_eq!(seen.calls.len(), 100);
    assert_eq!(seen.codes(), ["0:0 truncated_input"]);
    assert!(!seen.report.complete);
    let exact = seen_with(gzip(&call("a").repeat(100)), &options);
    assert!(exact.notices.is_empty() && exact.report.complete);
}

#[test]
fn every_frame_of_a_zstd_file_is_read() {
    let frame = |text: String| zstd::encode_all(text.as_bytes(), 3).expect("to memory");
    let two = [frame(call("a")), frame(call("b"))].concat();
    let whole = seen(&two);
    assert_eq!(whole.tools(), ["a", "b"]);
    assert!(whole.notices.is_empty() && whole.report.complete);

    let cut = seen(&two[..two.len() - 3]);
    assert_eq!(cut.tools()[0], "a");
    assert!(cut.codes().contains(&"0:0 truncated_input".to_owned()));
    assert!(!cut.report.complete);

    let garbage = seen([&two[..], b"garbage"].concat());
    assert_eq!(garbage.tools(), ["a", "b"]);
    assert_eq!(garbage.codes(), ["0:0 truncated_input"]);
}

#[test]
fn what_was_good_before_damage_is_read() {
    let text = many_calls();
    let mut encoder = zstd::Encoder::new(Vec::new(), 3).expect("to memory");
    encoder.include_checksum(true).expect("supported");
    encoder.write_all(text.as_bytes()).expect("to memory");
    let zstd = encoder.finish().expect("to memory");
    for packed in [gzip(&text), zstd] {
        // The last four bytes are the length or the checksum: all of the text comes before them.
        let mut end = packed.clone();
        *end.last_mut().expect("not empty") ^= 1;
        let seen = seen(&end);
        assert_eq!(seen.calls.len(), 2000, "{:x?}", &packed[..4]);
        assert_eq!(seen.codes(), ["0:0 truncated_input"]);
        assert!(!seen.report.complete);
        assert_eq!(seen.report.raw_bytes, packed.len() as u64);
    }
    let mut middle = gzip(&text);
    let half = middle.len() / 2;
    middle[half..half + 64].fill(0xff);
    let seen = seen(&middle);
    assert!(seen.calls.len() > 900, "{}", seen.calls.len());
    assert!(!seen.report.complete);
}

#[test]
fn archives_and_other_files_name_the_command_that_unpacks_them() {
    let mut tar = vec![b'a'];
    tar.resize(257, 0);
    tar.extend_from_slice(b"ustar\x0000");
    for (bytes, command) in [
        (&b"\xfd7zXZ\0\0\x04"[..], "xz -dc t.bin"),
        (b"BZh91AY&SY", "bzip2 -dc t.bin"),
        (b"PK\x03\x04\x14\0", "unzip -p t.bin"),
        (b"PAR1\x15", "duckdb"),
        (&tar, "tar -xOf t.bin"),
        (&gzip("\u{1f}"), ""),
    ] {
        let seen = seen_from(Box::new(bytes), "t.bin", &options());
        assert_eq!(seen.codes().len(), 1, "{command}");
        assert_eq!(seen.notices[0].kind.code(), "malformed_json");
        if !command.is_empty() {
            assert!(seen.help().contains(command), "{}", seen.help());
            assert!(seen.help().ends_with("| gate replay -`"));
            assert_eq!(counts(&seen), [0; 4]);
            assert!(!seen.report.complete);
        }
    }
    let picture = seen(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    assert_eq!(picture.codes(), ["0:0 malformed_json"]);
    assert!(picture.notices[0].message.contains("PNG"));
}

#[test]
fn a_packed_archive_is_named_as_what_it_holds() {
    let mut tar = "a".to_owned();
    tar.push_str(&"\0".repeat(256));
    tar.push_str("ustar");
    let seen = seen(gzip(&tar));
    assert_eq!(seen.codes(), ["0:0 malformed_json"]);
    assert!(seen.notices[0].message.contains("tar archive"));
}
