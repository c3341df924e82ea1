//! Splits a program's words into options, their values and operands, as far as its table of
//! options that take a value tells them apart.

/// What the value of an option is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// Nothing of interest.
    Skip,
    /// A file or directory that is read.
    Read,
    /// A file or directory that is written.
    Write,
    /// A text in which `@FILE`, or `NAME=@FILE`, is a file that is read.
    AtFile,
    /// A pattern or script that would otherwise be the first operand.
    Pattern,
    /// As `Pattern`, in a file.
    PatternFile,
    /// The directory that operands are written to.
    Target,
    /// An address to connect to.
    Host,
    /// A command line.
    Script,
    /// The directory to change to first.
    Dir,
    /// `HOST:PORT:ADDRESS`, where to connect to instead.
    Route,
}

/// Options that take a value, by what the value is. Each field lists options as they are written,
/// separated by single spaces.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "each field is the `Value` it is named after")]
pub struct Options {
    pub skip: &'static str,
    pub read: &'static str,
    pub write: &'static str,
    pub at_file: &'static str,
    pub pattern: &'static str,
    pub pattern_file: &'static str,
    pub target: &'static str,
    pub host: &'static str,
    pub script: &'static str,
    pub dir: &'static str,
    pub route: &'static str,
}

/// No option takes a value.
pub const NONE: Options = Options {
    skip: "",
    read: "",
    write: "",
    at_file: "",
    pattern: "",
    pattern_file: "",
    target: "",
    host: "",
    script: "",
    dir: "",
    route: "",
};

/// Whether `name` is one of the names in a list separated by spaces.
pub fn is_in(list: &str, name: &str) -> bool {
    let (list, name) = (list.as_bytes(), name.as_bytes());
    // Lists are long and asked of every key and word: only where one letter of the name stands is
    // looked, the one after the dashes that most options begin with.
    let dashes = name.iter().take_while(|byte| **byte == b'-').count();
    let lead = dashes.min(name.len().saturating_sub(1));
    let Some(letter) = name.get(lead).filter(|_| name.len() <= list.len()) else {
        return false;
    };
    memchr::memchr_iter(*letter, list).any(|found| {
        let Some(at) = found.checked_sub(lead) else {
            return false;
        };
        let begins = at == 0 || list.get(at - 1) == Some(&b' ');
        let ends = matches!(list.get(at + name.len()), None | Some(b' '));
        begins && ends && list.get(at..at + name.len()) == Some(name) && !name.contains(&b' ')
    })
}

impl Options {
    /// What the value of the option is; `None` if it takes none.
    pub fn value_of(&self, name: &str) -> Option<Value> {
        let lists = [
            (self.skip, Value::Skip),
            (self.read, Value::Read),
            (self.write, Value::Write),
            (self.at_file, Value::AtFile),
            (self.pattern, Value::Pattern),
            (self.pattern_file, Value::PatternFile),
            (self.target, Value::Target),
            (self.host, Value::Host),
            (self.script, Value::Script),
            (self.dir, Value::Dir),
            (self.route, Value::Route),
        ];
        let mut listed = lists.iter().filter(|(list, _)| !list.is_empty());
        let found = listed.find(|(list, _)| is_in(list, name));
        found.map(|&(_, value)| value)
    }
}

/// One part of a program's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arg<'w> {
    /// A one-letter option without a value.
    Short(char),
    /// Another option without a value, dashes included.
    Long(&'w str),
    /// An option's value.
    Value(&'w str, Value),
    /// An operand, with its index among the words.
    Operand(&'w str, usize),
}

/// Splits `words`, the program first. With `leading`, stops at the first operand, as programs do
/// that run another one.
pub fn split<'w>(words: &'w [String], table: &Options, leading: bool) -> Vec<Arg<'w>> {
    let mut args = Vec::new();
    let mut operands_only = false;
    let mut at = 1;
    while let Some(word) = words.get(at).map(String::as_str) {
        at += 1;
        let option = !operands_only && word.len() > 1 && word.starts_with('-');
        if !option {
            args.push(Arg::Operand(word, at - 1));
            if leading {
                break;
            }
        } else if word == "--" {
            operands_only = true;
        } else {
            let next = words.get(at).map(String::as_str);
            let took_next = push_option(word, next, table, &mut args);
            at += usize::from(took_next);
        }
    }
    args
}

/// Pushes an option; `true` if it took the next word for its value.
fn push_option<'w>(
    word: &'w str,
    next: Option<&'w str>,
    table: &Options,
    args: &mut Vec<Arg<'w>>,
) -> bool {
    let kind = |name: &str| table.value_of(name);
    if let Some(value) = kind(word) {
        args.push(Arg::Value(next.unwrap_or(""), value));
        return next.is_some();
    }
    if word.starts_with("--") {
        match word.split_once('=') {
            Some((name, text)) => match kind(name) {
                Some(value) => args.push(Arg::Value(text, value)),
                None => args.push(Arg::Long(name)),
            },
            None => args.push(Arg::Long(word)),
        }
        return false;
    }
    let mut name = String::from("-");
    for (offset, letter) in word.char_indices().skip(1) {
        name.truncate(1);
        name.push(letter);
        let Some(value) = kind(&name) else {
            args.push(Arg::Short(letter));
            continue;
        };
        let attached = &word[offset + letter.len_utf8()..];
        if attached.is_empty() {
            args.push(Arg::Value(next.unwrap_or(""), value));
            return next.is_some();
        }
        args.push(Arg::Value(attached, value));
        return false;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn options_take_their_values_attached_or_apart() {
        let table = &Options {
            write: "-o --out",
            ..NONE
        };
        let line = words("p -vo a -ob --out c --out=d --x=1 - -- -o");
        let write = |text| Arg::Value(text, Value::Write);
        assert_eq!(
            split(&line, table, false),
            [
                Arg::Short('v'),
                write("a"),
                write("b"),
                write("c"),
                write("d"),
                Arg::Long("--x"),
                Arg::Operand("-", 8),
                Arg::Operand("-o", 10),
            ]
        );
    }

    #[test]
    fn entries_of_a_list_are_whole_words() {
        for (name, found) in [
            ("ab", true),
            ("abc", true),
            ("c", true),
            ("a", false),
            ("b", false),
            ("bc", false),
            ("ab abc", false),
            ("abcd", false),
            ("c ", false),
            (" ", false),
            ("", false),
        ] {
            assert_eq!(is_in("ab abc c", name), found, "{name}");
        }
        assert!(!is_in("", "a") && !is_in("", ""));
    }

    #[test]
    fn leading_options_end_at_the_first_operand() {
        let line = words("p -a b -c");
        assert_eq!(
            split(&line, &NONE, true),
            [Arg::Short('a'), Arg::Operand("b", 2)]
        );
        assert_eq!(
            split(&words("p -n"), &Options { skip: "-n", ..NONE }, true),
            [Arg::Value("", Value::Skip)]
        );
    }
}
