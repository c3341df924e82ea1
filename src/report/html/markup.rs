//! HTML as it is put together: markup that stands in this program, and text of anybody's, which has no
//! way into it but escaped.

use crate::escape;
use crate::number::rounded;
use crate::report::number::{exact, percent};
use crate::report::table::text::{cut, width};
use std::borrow::Cow;

/// Most columns of a name.
const NAME: usize = 80;

/// Most columns of a name that is not broken into lines.
const SHORT: usize = 24;

/// Most columns of a sentence; the machine formats have all of it.
const PROSE: usize = 400;

/// A piece of a page. Whatever is put into it leaves every element closed that it opens, or is markup
/// that was written down here.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Html(Vec<u8>);

impl Html {
    /// Appends markup of this program: what was made of any input is not `'static`.
    pub(super) fn raw(&mut self, markup: &'static str) -> &mut Self {
        self.0.extend_from_slice(markup.as_bytes());
        self
    }

    /// Appends another piece.
    pub(super) fn piece(&mut self, piece: &Html) -> &mut Self {
        self.0.extend_from_slice(&piece.0);
        self
    }

    /// Appends a text, whole: hidden characters shown, and nothing of it markup, neither between tags
    /// nor in an attribute that stands in quotes.
    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        self.exact(&escape::visible(text))
    }

    /// Appends a text that machines read: the same, but that hidden characters are what they are once the
    /// page is read.
    fn exact(&mut self, text: &str) -> &mut Self {
        for c in text.chars() {
            match c {
                '&' => self.0.extend_from_slice(b"&amp;"),
                '<' => self.0.extend_from_slice(b"&lt;"),
                '>' => self.0.extend_from_slice(b"&gt;"),
                '"' => self.0.extend_from_slice(b"&quot;"),
                '\'' => self.0.extend_from_slice(b"&#39;"),
                c if escape::is_hidden(c) => {
                    let reference = format!("&#x{:x};", u32::from(c));
                    self.0.extend_from_slice(reference.as_bytes());
                }
                c => {
                    self.0
                        .extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
            }
        }
        self
    }

    /// Appends a name of unknown making: cut where it is endless, apart from the text around it in
    /// whichever direction it is written, its blanks kept.
    pub(super) fn name(&mut self, name: &str) -> &mut Self {
        let shown = match name {
            "" => "\"\"".to_owned(),
            name => cut(&escape::visible(name), NAME),
        };
        // A short one stays in one line.
        let class = if width(&shown) <= SHORT {
            "u short"
        } else {
            "u"
        };
        self.raw("<bdi class=\"")
            .raw(class)
            .raw("\">")
            .text(&shown)
            .raw("</bdi>")
    }

    /// Appends a sentence that may hold text of unknown making, cut where it is endless.
    pub(super) fn prose(&mut self, text: &str) -> &mut Self {
        self.raw("<bdi>").title(text).raw("</bdi>")
    }

    /// Appends a whole number that names something, such as a line.
    pub(super) fn number(&mut self, number: u64) -> &mut Self {
        self.text(&number.to_string())
    }

    /// Appends a whole number of things.
    pub(super) fn count(&mut self, count: u64) -> &mut Self {
        self.text(&grouped(count))
    }

    /// Appends so many things, in words.
    pub(super) fn counted(
        &mut self,
        count: u64,
        one: &'static str,
        many: &'static str,
    ) -> &mut Self {
        self.count(count)
            .raw(" ")
            .raw(if count == 1 { one } else { many })
    }

    /// Appends a value of the summary: for machines with all its digits, and where the summary in JSON
    /// has it (a JSON Pointer, RFC 6901).
    fn data(&mut self, pointer: &str, value: &str, shown: &str) -> &mut Self {
        self.raw("<data data-json=\"")
            .exact(&pointed(pointer))
            .raw("\" value=\"")
            .text(value)
            .raw("\">")
            .text(shown)
            .raw("</data>")
    }

    /// Appends a count of the summary.
    pub(super) fn total(&mut self, pointer: &str, count: u64) -> &mut Self {
        self.data(pointer, &count.to_string(), &grouped(count))
    }

    /// Appends a value of the summary.
    pub(super) fn value(&mut self, pointer: &str, value: f64) -> &mut Self {
        self.data(pointer, &exact(value), &minus(&rounded(value)))
    }

    /// Appends a value of the summary, of which people are told one digit after the point.
    pub(super) fn tenths(&mut self, pointer: &str, value: f64) -> &mut Self {
        self.data(pointer, &exact(value), &format!("{value:.1}"))
    }

    /// Appends a proportion of the summary.
    pub(super) fn share(&mut self, pointer: &str, value: f64) -> &mut Self {
        self.data(pointer, &exact(value), &percent(value))
    }

    /// Appends a value for people.
    pub(super) fn float(&mut self, value: f64) -> &mut Self {
        self.text(&minus(&rounded(value)))
    }

    /// Appends the text of the page's title, cut where it is endless.
    pub(super) fn title(&mut self, text: &str) -> &mut Self {
        self.text(&cut(&escape::visible(text), PROSE))
    }

    /// Appends a paragraph in muted words.
    pub(super) fn note(&mut self, note: &'static str) -> &mut Self {
        self.raw("<p class=\"note\">").raw(note).raw("</p>\n")
    }

    /// Begins a section: its heading, known by its id.
    pub(super) fn section(&mut self, id: &'static str, title: &'static str) -> &mut Self {
        self.raw("<section id=\"")
            .raw(id)
            .raw("\" aria-labelledby=\"")
            .raw(id)
            .raw("-h\">\n<h2 id=\"")
            .raw(id)
            .raw("-h\">")
            .raw(title)
            .raw("</h2>\n")
    }

    /// Begins a table that may be wider than the page and is then moved by itself: what it is, and its
    /// columns, those of numbers marked with `#`.
    pub(super) fn table(
        &mut self,
        class: &'static str,
        caption: &'static str,
        columns: &[&'static str],
    ) -> &mut Self {
        self.raw("<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"")
            .raw(caption)
            .raw("\"><table class=\"")
            .raw(class)
            .raw("\">\n<caption>")
            .raw(caption)
            .raw("</caption>\n<thead><tr>");
        for column in columns {
            match column.strip_prefix('#') {
                Some(column) => self.raw("<th scope=\"col\" class=\"n\">").raw(column),
                None => self.raw("<th scope=\"col\">").raw(column),
            };
            self.raw("</th>");
        }
        self.raw("</tr></thead>\n<tbody>\n")
    }

    /// Ends a table.
    pub(super) fn end_table(&mut self) -> &mut Self {
        self.raw("</tbody></table></div>\n")
    }

    /// The page so far, which begins anew.
    pub(super) fn move_to(&mut self, out: &mut Vec<u8>) {
        out.append(&mut self.0);
    }
}

/// A token of a JSON Pointer.
pub(super) fn token(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// A JSON Pointer as HTML can hold it: itself, or as a fragment of a URI, which begins with `#`, where it
/// has characters that are read as others however they are written.
fn pointed(pointer: &str) -> Cow<'_, str> {
    if !pointer.contains(|c| matches!(c, '\0' | '\u{80}'..='\u{9f}')) {
        return Cow::Borrowed(pointer);
    }
    let mut fragment = "#".to_owned();
    for byte in pointer.bytes() {
        match byte {
            byte if byte.is_ascii_alphanumeric() || b"/~_-.".contains(&byte) => {
                fragment.push(byte.into());
            }
            byte => fragment.push_str(&format!("%{byte:02X}")),
        }
    }
    Cow::Owned(fragment)
}

/// A whole number, its thousands apart.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number with a minus that is as wide as a digit, and not a hyphen.
pub(super) fn minus(number: &str) -> String {
    number.replace('-', "\u{2212}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(make: impl FnOnce(&mut Html)) -> String {
        let mut html = Html::default();
        make(&mut html);
        String::from_utf8(html.0).expect("UTF-8")
    }

    #[test]
    fn text_is_no_markup() {
        let text = made(|html| _ = html.text("</style><script>'\"&amp;\u{202e}\n"));
        assert_eq!(
            text,
            r"&lt;/style&gt;&lt;script&gt;&#39;&quot;&amp;amp;\u{202e}\u{a}"
        );
        assert_eq!(
            made(|html| _ = html.name("")),
            "<bdi class=\"u short\">&quot;&quot;</bdi>"
        );
        let long = made(|html| _ = html.name(&"<".repeat(1000)));
        assert_eq!(long.matches("&lt;").count(), NAME - 1);
    }

    #[test]
    fn thousands_stand_apart() {
        let cases = [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (1_234_567, "1,234,567"),
        ];
        for (number, shown) in cases {
            assert_eq!(grouped(number), shown);
        }
        assert_eq!(token("a/b~c"), "a~1b~0c");
    }
}
