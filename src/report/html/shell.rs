//! The page around its sections: its head with what it may load, which is nothing, and its end.
//!
//! Style and script are texts of this program, without anything of an input, and the policy of the page
//! lets those two be used by their hashes. Everything else is forbidden, the attribute `style` too.

use super::Sheet;
use super::markup::Html;
use sha2::{Digest, Sha256};

const STYLE: &str = include_str!("style.css");

const SCRIPT: &str = include_str!("script.js");

pub(super) fn head(out: &mut Html, sheet: &Sheet<'_>) {
    let exit = &sheet.summary.exit;
    out.raw(concat!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-",
    ))
    .text(&hash(STYLE))
    .raw("'; script-src 'sha256-")
    .text(&hash(SCRIPT))
    .raw(concat!(
        "'; base-uri 'none'; form-action 'none'\">\n",
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
        "<meta name=\"color-scheme\" content=\"light dark\">\n",
        "<meta name=\"referrer\" content=\"no-referrer\">\n",
        "<meta name=\"generator\" content=\"gate ",
        env!("CARGO_PKG_VERSION"),
        "\">\n<title>gate: exit ",
    ))
    .number(exit.status.code().into())
    .raw(", ")
    .title(&exit.reason)
    .raw("</title>\n<style>")
    .raw(STYLE)
    .raw("</style>\n</head>\n<body>\n")
    .raw("<p id=\"cut\">This page is cut off: its end is missing.</p>\n<main>\n");
}

/// Appends the ways to the sections.
pub(super) fn contents(out: &mut Html, sheet: &Sheet<'_>) {
    out.raw("<nav aria-label=\"Sections\"><ul>\n");
    let empty = sheet.summary.counts.calls == 0;
    for (id, title, of_calls) in [
        ("counted", "Counted", false),
        ("runs", "Runs", true),
        ("decided", "Decisions", true),
        ("rates", "Rates", true),
        ("calls", "Calls", true),
        ("notices", "Faults and warnings", false),
        ("again", "Reproduce", false),
    ] {
        if of_calls && empty {
            continue;
        }
        out.raw("<li><a href=\"#").raw(id).raw("\">");
        out.raw(title).raw("</a></li>\n");
    }
    out.raw("</ul></nav>\n");
}

pub(super) fn end(out: &mut Html, _: &Sheet<'_>) {
    out.raw("</main>\n<footer id=\"end\"><p>")
        .raw("Names, ids, reasons and messages are the inputs\u{2019} own words: data, not to be trusted.")
        .raw("</p></footer>\n<script>")
        .raw(SCRIPT)
        .raw("</script>\n</body>\n</html>\n");
}

/// How a policy of a page names a text: its SHA-256 in base64.
fn hash(text: &str) -> String {
    base64(&Sha256::digest(text.as_bytes()))
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for three in bytes.chunks(3) {
        let byte = |place: usize| u32::from(three.get(place).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let digit = (bits >> (18 - 6 * place)) as usize % DIGITS.len();
            let there = place <= three.len();
            out.push(if there { DIGITS[digit].into() } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_as_browsers_spell_them() {
        for (text, coded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
        ] {
            assert_eq!(base64(text.as_bytes()), coded);
        }
        // From the specification of Content Security Policy.
        assert_eq!(
            hash("alert('Hello, world.');"),
            "qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng="
        );
    }

    /// A text between the tags ends where its element does, and nothing is fetched or evaluated.
    #[test]
    fn style_and_script_stay_within_their_elements() {
        for text in [STYLE, SCRIPT] {
            assert!(!text.contains("</") && !text.contains("<!--"));
        }
        for word in ["url(", "@import", "http:", "https:"] {
            assert!(!STYLE.contains(word), "{word}");
        }
        for word in [
            "innerHTML",
            "eval",
            "fetch",
            "http",
            "document.write",
            ".style",
        ] {
            assert!(!SCRIPT.contains(word), "{word}");
        }
    }
}
