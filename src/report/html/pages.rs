//! Explanations of rules, within the page, and the ways to them.
//!
//! They are written in a little Markdown: paragraphs, fenced blocks, words in backticks, links. A test holds
//! that no page has more.

use super::markup::Html;
use crate::rules::{self, Rule};

/// Every rule with its page.
pub(super) struct Pages(Vec<Rule>);

impl Pages {
    pub(super) fn new() -> Pages {
        Pages(rules::all())
    }

    /// The rule of that id.
    pub(super) fn find(&self, id: &str) -> Option<&Rule> {
        self.0.iter().find(|rule| rule.id == id)
    }

    /// Appends what stands for a rule, and leads to its explanation if there is one.
    pub(super) fn link(&self, out: &mut Html, id: &str, shown: impl FnOnce(&mut Html)) {
        match self.find(id) {
            None => shown(out),
            Some(_) => {
                out.raw("<a href=\"#rule-").text(id).raw("\">");
                shown(out);
                out.raw("</a>");
            }
        }
    }

    /// Appends the explanations of those rules, in the order of the list.
    pub(super) fn articles(&self, out: &mut Html, ids: &[String]) {
        for rule in self.0.iter().filter(|rule| ids.contains(&rule.id)) {
            out.raw("<article id=\"rule-")
                .text(&rule.id)
                .raw("\"><h4><code>");
            out.text(&rule.id).raw("</code></h4>\n<p class=\"asks\">");
            inline(out, &rule.summary);
            out.raw("</p>\n");
            blocks(out, &rule.page);
            out.raw("</article>\n");
        }
    }
}

/// Appends blocks that have blank lines between them.
fn blocks(out: &mut Html, markdown: &str) {
    for (place, part) in markdown.split("```").enumerate() {
        if place % 2 == 1 {
            // The first line says what language it is.
            let code = part.split_once('\n').map_or("", |(_, code)| code);
            out.raw("<pre tabindex=\"0\"><code>");
            for line in code.trim_end().lines() {
                out.text(line).raw("\n");
            }
            out.raw("</code></pre>\n");
            continue;
        }
        let paragraphs = part.split("\n\n").map(str::trim);
        for paragraph in paragraphs.filter(|paragraph| !paragraph.is_empty()) {
            out.raw("<p>");
            inline(out, &paragraph.replace('\n', " "));
            out.raw("</p>\n");
        }
    }
}

/// Appends a line of text: words in backticks as code, links as what they are called, for there is nothing
/// outside of the page that they could lead to.
pub(super) fn inline(out: &mut Html, text: &str) {
    for (place, part) in text.split('`').enumerate() {
        match place % 2 {
            1 => out.raw("<code>").text(part).raw("</code>"),
            _ => out.text(&unlinked(part)),
        };
    }
}

/// The text with what links are called in place of them.
fn unlinked(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, link)) = rest.split_once('[') {
        let Some((name, after)) = link.split_once("](") else {
            break;
        };
        let Some((_, after)) = after.split_once(')') else {
            break;
        };
        out += before;
        out += name;
        rest = after;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is not understood would be shown as it is written.
    #[test]
    fn pages_have_only_what_is_understood() {
        for rule in rules::all() {
            let parts = rule.page.split("```").step_by(2);
            for line in parts.flat_map(str::lines) {
                let begins = ["#", "- ", "* ", "|", ">", "    "];
                assert!(!begins.iter().any(|sign| line.starts_with(sign)), "{line}");
                let plain = line.split('`').step_by(2).collect::<String>();
                assert!(!plain.contains("**") && !plain.contains('<'), "{line}");
            }
            assert_eq!(rule.page.matches("```").count() % 2, 0, "{}", rule.id);
            assert_eq!(rule.page.matches('`').count() % 2, 0, "{}", rule.id);
        }
    }

    #[test]
    fn links_are_what_they_are_called() {
        assert_eq!(unlinked("a [b c](d.md#e) f"), "a b c f");
        assert_eq!(unlinked("a[0] and [b"), "a[0] and [b");
    }
}
