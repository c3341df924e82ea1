//! What an input is when its first bytes say that it is no JSON at all, and how to make it readable.

use super::fault::FaultCode;

/// An input of another kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// What it is.
    pub what: &'static str,
    /// The fault it is told as.
    pub code: FaultCode,
    /// A command that makes a trace of `FILE`, where there is one.
    command: Option<&'static str>,
}

impl Foreign {
    /// Whether it is a zip archive, which may hold a recording.
    pub fn is_zip(&self) -> bool {
        self.what == ZIP
    }

    /// The help line, for an input called `name`.
    pub fn help(&self, name: &str) -> Option<String> {
        // Only a name that a shell takes as it stands is put into a command to be copied.
        let plain = |b: u8| b.is_ascii_alphanumeric() || b"._/-".contains(&b);
        let name = match name {
            "" => "FILE",
            name if name.starts_with('-') || !name.bytes().all(plain) => "FILE",
            name => name,
        };
        let command = self.command?.replace("FILE", name);
        Some(format!("run `{command} | gate replay -`"))
    }
}

/// What it is, where its bytes stand, the bytes, the command.
type Magic = (&'static str, usize, &'static [u8], Option<&'static str>);

const ZIP: &str = "a zip archive";

const MAGICS: &[Magic] = &[
    ("xz data", 0, b"\xfd7zXZ\0", Some("xz -dc FILE")),
    ("bzip2 data", 0, b"BZh", Some("bzip2 -dc FILE")),
    ("lz4 data", 0, b"\x04\x22\x4d\x18", Some("lz4 -dc FILE")),
    (ZIP, 0, b"PK\x03\x04", Some("unzip -p FILE")),
    (ZIP, 0, b"PK\x05\x06", Some("unzip -p FILE")),
    (
        "a 7z archive",
        0,
        b"7z\xbc\xaf\x27\x1c",
        Some("7z x -so FILE"),
    ),
    (
        "gzip data packed once more",
        0,
        b"\x1f\x8b\x08",
        Some("gzip -dc FILE"),
    ),
    (
        "zstd data packed once more",
        0,
        b"\x28\xb5\x2f\xfd",
        Some("zstd -dc FILE"),
    ),
    (
        "a parquet file",
        0,
        b"PAR1",
        Some("duckdb -c \"COPY (FROM 'FILE') TO '/dev/stdout' (FORMAT json)\""),
    ),
    ("a PNG picture", 0, b"\x89PNG\r\n\x1a\n", None),
    ("an SQLite database", 0, b"SQLite format 3\0", None),
    ("a tar archive", 257, b"ustar", Some("tar -xOf FILE")),
];

/// What `head`, the first bytes of an input after decompression, is if it is no JSON.
pub fn foreign(head: &[u8]) -> Option<Foreign> {
    let found = MAGICS.iter().find(|(_, at, bytes, _)| {
        // A text may hold the word that marks a tar header; its name field always holds zeros.
        let header = *at == 0 || head.iter().take(*at).any(|&b| b == 0);
        header && head.get(*at..).is_some_and(|h| h.starts_with(bytes))
    });
    if let Some(&(what, _, _, command)) = found {
        return Some(Foreign {
            what,
            code: FaultCode::MalformedJson,
            command,
        });
    }
    let (what, command) = wide_text(head)?;
    Some(Foreign {
        what,
        code: FaultCode::InvalidUtf8,
        command: Some(command),
    })
}

/// Text in units of two or four bytes. JSON begins with ASCII, so that without a byte order mark
/// the zeros among the first four bytes tell.
fn wide_text(head: &[u8]) -> Option<(&'static str, &'static str)> {
    const UTF32: (&str, &str) = ("UTF-32 text", "iconv -f UTF-32 -t UTF-8 FILE");
    const UTF16: (&str, &str) = ("UTF-16 text", "iconv -f UTF-16 -t UTF-8 FILE");
    match head {
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => Some(UTF32),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Some(UTF16),
        [1..=255, 0, 1..=255, 0, ..] => Some((UTF16.0, "iconv -f UTF-16LE -t UTF-8 FILE")),
        [0, 1..=255, 0, 1..=255, ..] => Some((UTF16.0, "iconv -f UTF-16BE -t UTF-8 FILE")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_nothing_foreign() {
        for head in [
            &b"{\"tool\":1}"[..],
            b"",
            b"[",
            b"\xef\xbb\xbf{}",
            b"\0\0\0\0",
        ] {
            assert_eq!(foreign(head), None);
        }
        let mut text = vec![b' '; 257];
        text.extend_from_slice(b"ustar");
        assert_eq!(foreign(&text), None);
    }

    #[test]
    fn a_name_that_a_shell_would_read_is_not_put_into_a_command() {
        let xz = foreign(b"\xfd7zXZ\0").expect("xz");
        let help = |name| xz.help(name).expect("help");
        assert_eq!(help("a/t.xz"), "run `xz -dc a/t.xz | gate replay -`");
        assert_eq!(help("$(rm x).xz"), "run `xz -dc FILE | gate replay -`");
        assert_eq!(help("-"), "run `xz -dc FILE | gate replay -`");
    }
}
