//! Ids of traces and spans, which are written in hexadecimal or, by protobuf's own JSON, in base64.

/// Bytes of the id of a trace.
const TRACE: usize = 16;

/// Bytes of the id of a span.
const SPAN: usize = 8;

/// An id in one spelling, so that a trace is one trace whoever exported its spans: lower-case
/// hexadecimal where it is an id of OpenTelemetry, else as it is written. `None` is no id: empty, or
/// all zeros.
pub fn normal(id: &str) -> Option<String> {
    let plain = id.replace('-', "");
    let is_hex = plain.bytes().all(|b| b.is_ascii_hexdigit());
    let id = if is_hex && matches!(plain.len(), 16 | 32) {
        plain.to_ascii_lowercase()
    } else {
        let bytes = base64(id).filter(|bytes| matches!(bytes.len(), SPAN | TRACE));
        bytes.map_or_else(|| id.to_owned(), |bytes| hex(&bytes))
    };
    let is_none = id.bytes().all(|b| b == b'0');
    (!is_none).then_some(id)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Reads base64 in either alphabet, with or without its padding.
fn base64(text: &str) -> Option<Vec<u8>> {
    let text = text.trim_end_matches('=');
    let mut out = Vec::new();
    let (mut bits, mut held) = (0_u32, 0);
    for byte in text.bytes() {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(digit);
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push((bits >> held) as u8);
            bits &= (1 << held) - 1;
        }
    }
    // What is left over has to be nothing, or two texts would be one id.
    (held < 6 && bits == 0).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_an_id_is_one() {
        let trace = Some("0af7651916cd43dd8448eb211c80319c".to_owned());
        for text in [
            "0af7651916cd43dd8448eb211c80319c",
            "0AF7651916CD43DD8448EB211C80319C",
            "0af76519-16cd-43dd-8448-eb211c80319c",
            "CvdlGRbNQ92ESOshHIAxnA==",
            "CvdlGRbNQ92ESOshHIAxnA",
        ] {
            assert_eq!(normal(text), trace, "{text}");
        }
        assert_eq!(normal("t61rcWkgMzE=").as_deref(), Some("b7ad6b7169203331"));
        assert_eq!(normal("run-17").as_deref(), Some("run-17"));
        assert_eq!(normal("1234").as_deref(), Some("1234"));
    }

    #[test]
    fn nothing_is_no_id() {
        for text in [
            "",
            "0000000000000000",
            "AAAAAAAAAAA=",
            "00000000000000000000000000000000",
        ] {
            assert_eq!(normal(text), None, "{text}");
        }
    }
}
