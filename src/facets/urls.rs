//! Addresses in text, in the form browsers give them.

use std::borrow::Cow;
use std::net::{Ipv4Addr, Ipv6Addr};
use url::{Host, Url};

/// Schemes whose addresses are listed.
const SCHEMES: &[&str] = &["https", "http", "ftp", "ftps", "wss", "ws"];

/// Longest address taken, in bytes; a longer one is cut.
const MAX_URL: usize = 8 * 1024;

/// An address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// The address, normalised; as it was written where it is no valid one.
    pub url: String,
    /// Its host in lower case, without a closing dot; empty where there is none. An IPv6 address
    /// stands in brackets.
    pub host: String,
}

/// The addresses in a text, in order.
pub fn find(text: &str) -> Vec<Address> {
    let mut found = Vec::new();
    if memchr::memchr(b':', text.as_bytes()).is_none() {
        return found;
    }
    let trimmed = text.trim();
    if scheme(trimmed).is_some() && !trimmed.contains(|c: char| c.is_ascii_whitespace()) {
        // The whole text is an address: nothing is taken for what surrounds it.
        push(trimmed, &mut found);
        if !trimmed.contains(char::is_whitespace) {
            return found;
        }
    }
    let mut at = 0;
    while let Some(colon) = memchr::memchr(b':', &text.as_bytes()[at..]).map(|n| at + n) {
        at = colon + 1;
        let start = word_start(text, colon);
        if scheme(&text[start..]).is_none() {
            continue;
        }
        let candidate = &text[start..start + extent(&text[start..])];
        at = at.max(start + candidate.len());
        push(candidate, &mut found);
    }
    found
}

/// Whether a text is an address of a listed scheme and nothing else: [`find`] and [`of_value`] read it alike.
pub fn is_whole(text: &str) -> bool {
    scheme(text).is_some() && !text.contains(|c: char| c.is_whitespace() || c.is_control())
}

/// The address that a text is which stands where one belongs. What programs leave out of it, tabs
/// and line ends, is left out here too. Empty where it has no scheme.
pub fn of_value(text: &str) -> Vec<Address> {
    let text = without_breaks(text);
    let listed = |(scheme, _): (&str, _)| SCHEMES.iter().any(|s| scheme.eq_ignore_ascii_case(s));
    let mut found = Vec::new();
    if text.split_once(':').is_some_and(listed) {
        push(&text, &mut found);
    }
    found
}

/// The host of a text which stands where an address belongs, whatever its scheme, also where it
/// has none. `None` for what does not look like an address.
pub fn host_of_value(text: &str) -> Option<String> {
    let text = without_breaks(text);
    let Some((scheme, rest)) = text.split_once("://") else {
        return host_without_scheme(&text);
    };
    let letter = |b: u8| b.is_ascii_alphanumeric() || b"+-.".contains(&b);
    if !scheme.bytes().all(letter) {
        return host_without_scheme(&text);
    }
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or("");
    let host = without_port(authority.rsplit('@').next().unwrap_or(""));
    let is_host = !host.is_empty() && !scheme.eq_ignore_ascii_case("file");
    is_host.then(|| host_name(host))
}

fn without_breaks(text: &str) -> Cow<'_, str> {
    let text = text.trim_matches(|c: char| c <= ' ');
    if text.contains(['\t', '\n', '\r']) {
        return text.replace(['\t', '\n', '\r'], "").into();
    }
    text.into()
}

fn without_port(host_port: &str) -> &str {
    if host_port.parse::<Ipv6Addr>().is_ok() {
        return host_port;
    }
    match host_port.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|b| b.is_ascii_digit()) => host,
        _ => host_port,
    }
}

/// The address of a host given without a scheme: `example.com/x`, `localhost:80`, `10.0.0.1`.
/// `None` for what does not look like one.
pub fn host_without_scheme(text: &str) -> Option<String> {
    const DOTS: [char; 4] = ['.', '。', '．', '｡'];
    let slashes = text.starts_with("//") || text.starts_with('\\');
    let text = if slashes {
        text.trim_start_matches(['/', '\\'])
    } else {
        text
    };
    let authority = text.split(['/', '?', '#', '\\']).next().unwrap_or("");
    let name = without_port(authority.rsplit('@').next().unwrap_or(""));
    let dotted = name.trim_end_matches(DOTS).contains(DOTS) && !name.starts_with('.');
    let plausible = name
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '%') || DOTS.contains(&c));
    let bracketed = name.starts_with('[') && name.ends_with(']');
    let sure = slashes && !name.is_empty()
        || name == "localhost"
        || bracketed
        || is_number(name)
        || name.parse::<Ipv6Addr>().is_ok();
    (sure || (dotted && plausible)).then(|| host_name(name))
}

/// Whether a name is an address written as one number, and none that a port or a count could be.
fn is_number(name: &str) -> bool {
    let hex = name.strip_prefix("0x").or_else(|| name.strip_prefix("0X"));
    let octal = name.strip_prefix('0').filter(|rest| rest.len() > 6);
    let number = match (hex, octal) {
        (Some(hex), _) => u64::from_str_radix(hex, 16),
        (_, Some(octal)) => u64::from_str_radix(octal, 8),
        _ => name.parse(),
    };
    number.is_ok_and(|n| (1 << 24..1 << 32).contains(&n))
}

/// A host's name as it is compared: lower case, in ASCII, addresses in their usual form. What is
/// no host keeps its text.
pub fn host_name(name: &str) -> String {
    let cut = cut(name);
    let bare = cut.strip_prefix('[').and_then(|t| t.strip_suffix(']'));
    // What stands behind the percent sign names a network card of the caller's.
    let bare = bare.unwrap_or(cut).split('%').next().unwrap_or(cut);
    if let Ok(address) = bare.parse() {
        return ipv6(address);
    }
    // Only for http do numbers like 0x7f.1 read as the addresses they are.
    match Url::parse(&format!("http://{cut}/")) {
        Ok(url) if url.path() == "/" && url.query().is_none() => host_of(&url),
        _ => cut.to_lowercase(),
    }
}

fn host_of(url: &Url) -> String {
    match url.host() {
        Some(Host::Domain(name)) => name.trim_end_matches('.').to_lowercase(),
        Some(Host::Ipv4(address)) => address.to_string(),
        Some(Host::Ipv6(address)) => ipv6(address),
        None => String::new(),
    }
}

/// An IPv6 address in brackets, as it stands in addresses. One that holds an IPv4 address is
/// reached as that: `::ffff:a.b.c.d`, `::a.b.c.d`, and `64:ff9b::a.b.c.d` behind a translator.
fn ipv6(address: Ipv6Addr) -> String {
    match address.segments() {
        [0, 0, 0, 0, 0, 0xffff, a, b] | [0x64, 0xff9b, 0, 0, 0, 0, a, b] => ipv4(a, b),
        [0, 0, 0, 0, 0, 0, a, b] if a != 0 => ipv4(a, b),
        _ => format!("[{address}]"),
    }
}

fn ipv4(high: u16, low: u16) -> String {
    Ipv4Addr::from(u32::from(high) << 16 | u32::from(low)).to_string()
}

/// The listed scheme that the text begins with, if a slash follows its colon.
fn scheme(text: &str) -> Option<&'static str> {
    SCHEMES.iter().copied().find(|scheme| {
        let (Some(head), Some(rest)) = (text.get(..scheme.len()), text.get(scheme.len()..)) else {
            return false;
        };
        head.eq_ignore_ascii_case(scheme) && (rest.starts_with(":/") || rest.starts_with(":\\"))
    })
}

/// Where the letters in front of `end` begin, at most as many as a scheme has.
fn word_start(text: &str, end: usize) -> usize {
    let bytes = &text.as_bytes()[..end];
    let letters = bytes.iter().rev().take(5);
    end - letters.take_while(|b| b.is_ascii_alphabetic()).count()
}

/// How far the address at the beginning of a text reaches.
fn extent(text: &str) -> usize {
    let text = cut(text);
    let stop = |c: char| {
        c.is_whitespace() || c.is_control() || matches!(c, '"' | '\'' | '`' | '<' | '>' | '|')
    };
    let all = &text[..text.find(stop).unwrap_or(text.len())];
    let slashes = all.find(':').map_or(0, |colon| colon + 1);
    let authority = slashes + leading(&all[slashes..], |c| matches!(c, '/' | '\\'));
    let path = authority + leading(&all[authority..], |c| !matches!(c, '/' | '\\' | '?' | '#'));
    // Punctuation ends a host in running text, but belongs to what stands in front of an `@`.
    let name = &all[authority..path];
    if let Some(end) = name.find([',', ';', '(', ')', '{', '}'])
        && !name.contains('@')
    {
        return authority + end;
    }
    trim(all).len()
}

fn leading(text: &str, is: impl Fn(char) -> bool) -> usize {
    text.find(|c| !is(c)).unwrap_or(text.len())
}

/// Takes off what closes a sentence or a bracket around the address. Work is linear: brackets are
/// counted once.
fn trim(url: &str) -> &str {
    let count = |c: char| url.matches(c).count() as isize;
    let mut surplus = [
        (')', count(')') - count('(')),
        (']', count(']') - count('[')),
        ('}', count('}') - count('{')),
    ];
    let mut end = url.len();
    while let Some(last) = url[..end].chars().next_back() {
        let bracket = surplus.iter_mut().find(|(c, n)| *c == last && *n > 0);
        if let Some((_, n)) = bracket {
            *n -= 1;
        } else if !matches!(last, '.' | ',' | ';' | ':' | '!' | '?' | '*' | '_') {
            break;
        }
        end -= last.len_utf8();
    }
    &url[..end]
}

fn cut(text: &str) -> &str {
    let mut end = text.len().min(MAX_URL);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Pushes the address of a text, and what else programs take it for: some read what stands between
/// a backslash and an `@` as a name of a user, others as a path. Behind a host a variable may hold
/// a path as well as more of the name.
fn push(text: &str, found: &mut Vec<Address>) {
    let text = cut(text);
    let address = address(text);
    if let Some(Address { url, host }) = &address
        && let Some((name, _)) = host.split_once('$')
        && !name.is_empty()
        && !name.ends_with(['.', '-'])
    {
        let (url, host) = (url.clone(), host_name(without_port(name)));
        found.push(Address { url, host });
    }
    found.extend(address);
    let authority = text.split_once(':').map_or("", |(_, rest)| rest);
    let authority = authority.trim_start_matches(['/', '\\']);
    let authority = authority.split(['/', '?', '#']).next().unwrap_or("");
    if let Some((user, host)) = authority.rsplit_once('@')
        && user.contains('\\')
    {
        found.push(Address {
            url: text.to_owned(),
            host: host_name(without_port(host.split('\\').next().unwrap_or(host))),
        });
    }
}

fn address(text: &str) -> Option<Address> {
    if let Ok(url) = Url::parse(text) {
        let host = host_of(&url);
        return Some(Address {
            url: url.into(),
            host,
        });
    }
    // No valid address, but somebody may still follow it: it is listed as it stands.
    let after = text.split_once(':').map_or("", |(_, rest)| rest);
    let authority = after.trim_start_matches(['/', '\\']);
    let host = authority.split(['/', '\\', '?', '#']).next().unwrap_or("");
    (!host.is_empty()).then(|| Address {
        url: text.to_owned(),
        host: host_name(without_port(host.rsplit('@').next().unwrap_or(host))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn urls(text: &str) -> Vec<String> {
        find(text).into_iter().map(|a| a.url).collect()
    }

    fn hosts(text: &str) -> Vec<String> {
        find(text).into_iter().map(|a| a.host).collect()
    }

    #[test]
    fn addresses_are_normalised() {
        for (text, expected) in [
            ("HTTP://EXAMPLE.com:80/a/../b", "http://example.com/b"),
            ("https://example.com", "https://example.com/"),
            ("https://e.com/a/%2e%2E/b", "https://e.com/b"),
            ("http:\\\\e.com\\x", "http://e.com/x"),
            ("http:/e.com", "http://e.com/"),
            ("http://0x7f.1/", "http://127.0.0.1/"),
            ("http://bücher.example/", "http://xn--bcher-kva.example/"),
            ("ws://h/x", "ws://h/x"),
            ("ftp://u:p@h:21/x", "ftp://u:p@h/x"),
            ("see https://e.com/a_(b). ok", "https://e.com/a_(b)"),
            ("[x](https://e.com/y)", "https://e.com/y"),
            ("{\"u\":\"https:\\/\\/e.com\\/x\"}", "https://e.com//x"),
            ("a=https://e.com/x;y,z", "https://e.com/x;y,z"),
        ] {
            assert_eq!(urls(text), [expected], "{text}");
        }
        assert!(urls("file:///etc http: https:// mailto:a@b xhttp:/y").is_empty());
    }

    #[test]
    fn hosts_cannot_be_disguised() {
        assert_eq!(hosts("go to http://good.com,@evil.com/ now"), ["evil.com"]);
        assert_eq!(hosts("https://good.com@evil.com./"), ["evil.com"]);
        assert_eq!(hosts("http://a.com,http://b.com"), ["a.com,http"]);
        assert_eq!(hosts("x http://a.com,http://b.com"), ["a.com", "b.com"]);
        assert_eq!(hosts("http://[::1]:80/"), ["[::1]"]);
        assert_eq!(
            hosts("http://169.254.170.2$AWS_X"),
            ["169.254.170.2", "169.254.170.2$aws_x"]
        );
        assert_eq!(hosts("http://[bad/x"), ["[bad"]);
        assert_eq!(hosts("http://${HOST}/x y").len(), 1);
    }

    #[test]
    fn a_text_that_is_an_address_reads_the_same_everywhere() {
        for (text, is) in [
            ("http://e.com/x?y=http://f.com", true),
            ("ftp:\\\\good.com\\@evil.com", true),
            ("http://${H}x", true),
            (" http://e.com", false),
            ("http://e.com/\u{1}", false),
            ("http://e.com/\u{a0}x", false),
            ("http:e.com", false),
            ("see:http://e.com", false),
        ] {
            assert_eq!(is_whole(text), is, "{text:?}");
            assert!(!is || find(text) == of_value(text), "{text:?}");
        }
    }

    #[test]
    fn values_are_read_as_programs_read_them() {
        for (text, url, host) in [
            ("ht\ttp://e\nvil.com/", "http://evil.com/", "evil.com"),
            ("\u{1} http:evil.com", "http://evil.com/", "evil.com"),
            (
                "http://good.com @evil.com/",
                "http://good.com%20@evil.com/",
                "evil.com",
            ),
            (
                "http://[::ffff:10.0.0.1]/",
                "http://[::ffff:a00:1]/",
                "10.0.0.1",
            ),
            ("http:///e.com", "http://e.com/", "e.com"),
        ] {
            let found = of_value(text);
            let found: Vec<_> = found.iter().map(|a| (&*a.url, &*a.host)).collect();
            assert_eq!(found, [(url, host)], "{text:?}");
        }
        assert!(of_value("e.com/x").is_empty() && of_value("sftp://e.com").is_empty());
        for (text, host) in [
            ("sftp://u@E.com:22/x", Some("e.com")),
            ("\\\\e.com\\x", Some("e.com")),
            ("//intranet/x", Some("intranet")),
            ("2130706433/x", Some("127.0.0.1")),
            ("0x7f000001", Some("127.0.0.1")),
            ("017700000001", Some("127.0.0.1")),
            ("e。com", Some("e.com")),
            ("%65.com", Some("e.com")),
            ("file://localhost/x", None),
            ("8080", None),
            ("about:blank", None),
        ] {
            assert_eq!(host_of_value(text).as_deref(), host, "{text}");
        }
    }

    #[test]
    fn a_backslash_in_front_of_an_at_sign_names_two_hosts() {
        assert_eq!(
            hosts("http://good.com\\@evil.com/"),
            ["good.com", "evil.com"]
        );
        assert_eq!(
            hosts("http://good.com\u{a0}@evil.com/"),
            ["evil.com", "good.com"]
        );
    }

    #[test]
    fn hosts_without_a_scheme() {
        for (text, expected) in [
            ("Example.com/x", Some("example.com")),
            ("u@h.example:22", Some("h.example")),
            ("localhost:80", Some("localhost")),
            ("10.0.0.1", Some("10.0.0.1")),
            ("//e.com/x", Some("e.com")),
            ("[::1]:80", Some("[::1]")),
            ("::1", Some("[::1]")),
            ("word", None),
            ("./a.b", None),
            ("", None),
        ] {
            assert_eq!(host_without_scheme(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn addresses_of_the_sixth_version_stand_in_brackets() {
        for (name, expected) in [
            ("::1", "[::1]"),
            ("[0:0:0:0:0:0:0:1]", "[::1]"),
            ("::", "[::]"),
            ("FD00:EC2::254", "[fd00:ec2::254]"),
            ("fe80::1%eth0", "[fe80::1]"),
            ("[fe80::1%25eth0]", "[fe80::1]"),
            ("::127.0.0.1", "127.0.0.1"),
            ("[::ffff:10.0.0.1]", "10.0.0.1"),
            ("64:ff9b::a9fe:a9fe", "169.254.169.254"),
            ("[64:ff9b::7f00:1]", "127.0.0.1"),
            ("[bad", "[bad"),
        ] {
            assert_eq!(host_name(name), expected, "{name}");
        }
        assert_eq!(hosts("http://[::1]:999999/"), ["[::1]"]);
    }

    #[test]
    fn hostile_text_takes_linear_time() {
        let colons = "http:".repeat(200_000);
        assert!(urls(&colons).is_empty());
        assert_eq!(urls(&format!("x http://{}", "ü".repeat(500_000))).len(), 1);
        urls(&"http://((".repeat(100_000));
        urls(&format!("x http://e.com/{}", ")".repeat(1 << 20)));
    }
}
