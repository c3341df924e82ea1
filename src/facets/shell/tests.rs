//! What the reader finds in command lines, before wrappers are taken off.

use super::*;

fn first(line: &str) -> Command {
    let script = read(line, 0);
    assert!(script.complete, "{line}");
    script.commands.into_iter().next().unwrap_or_default()
}

fn texts(words: &[Word]) -> Vec<&str> {
    words.iter().map(|word| word.text.as_str()).collect()
}

fn input(command: &Command) -> &str {
    match command.inputs.as_slice() {
        [] => "",
        [Input::Word(word), ..] => &word.text,
        [Input::Text { text, .. }, ..] => text,
    }
}

#[test]
fn words_lose_their_quotes_and_keep_their_borders() {
    let words = first(r#"a"b c"'d e'\ f $'\x67\n' "\$\x" "" ~/h *.t"#).words;
    assert_eq!(
        texts(&words),
        ["ab cd e f", "g\n", "$\\x", "", "~/h", "*.t"]
    );
}

#[test]
fn assignments_stand_apart_only_in_front() {
    let command = first("A=1 B+=2 C[0]=3 'D'=4 E=5");
    let assigned: Vec<_> = command.assignments.iter().map(|a| &*a.word.text).collect();
    assert_eq!(assigned, ["A=1", "B+=2", "C[0]=3"]);
    assert_eq!(texts(&command.words), ["D=4", "E=5"]);
}

#[test]
fn here_documents_belong_to_their_commands() {
    let script = read("a <<X; b <<-'Y'\n1\nX\n\t2\n\tY\nc", 0);
    let inputs: Vec<_> = script.commands.iter().map(input).collect();
    assert_eq!(inputs, ["1\n", "2\n", ""]);
    assert_eq!(input(&first("a <<< 'x y'")), "x y");
}

#[test]
fn redirections_tell_files_from_descriptors() {
    let redirects = first("a 2>&1 <&3 >&- 2>e <>rw").redirects;
    let told: Vec<_> = redirects
        .iter()
        .map(|r| (r.target.text.as_str(), r.reads, r.writes))
        .collect();
    assert_eq!(told, [("e", false, true), ("rw", true, true)]);
}

#[test]
fn words_tell_their_parts() {
    let command = first(r#"a$B"c$D ${E:-f}"'$G'$(h)\i$$ ~/j"#);
    let pieces: Vec<_> = command.words[0].pieces().collect();
    let quoted = Some(PartKind::Quoted);
    assert_eq!(
        pieces,
        [
            (None, "a"),
            (Some(PartKind::Variable), "$B"),
            (quoted, "c"),
            (Some(PartKind::QuotedVariable), "$D"),
            (quoted, " "),
            (Some(PartKind::QuotedVariable), "${E:-f}"),
            (quoted, "$G"),
            (Some(PartKind::Substitution), "$(h)"),
            (quoted, "i"),
            (Some(PartKind::Substitution), "$$"),
        ]
    );
    assert_eq!(
        command.words[1].pieces().collect::<Vec<_>>(),
        [(None, "~/j")]
    );
}

#[test]
fn marks_tell_how_commands_hang_together() {
    use Mark::{And, Block, Close, Else, End, Enter, Function, Leave, Loop, Or, Pipe};
    let marks = |line: &str| {
        let found = read(line, 0).marks.into_iter();
        found
            .filter(|mark| !matches!(mark, Mark::Command(_)))
            .collect::<Vec<_>>()
    };
    let (brace, cond, case) = (Keyword::Brace, Keyword::If, Keyword::Case);
    for (line, expected) in [
        (
            "a && b || c | d; e & f",
            vec![And, Or, Pipe, End, Mark::Background],
        ),
        ("(a; b) |& c", vec![Enter, End, Leave, Pipe]),
        ("a $(b) `c`", vec![Enter, Leave, Enter, Leave]),
        (
            "if a; then b; else c; fi",
            vec![
                Block(cond),
                End,
                Mark::Then,
                End,
                Else(cond),
                End,
                Close(cond),
            ],
        ),
        (
            "f() { a; }",
            vec![Function(0), Block(brace), End, Close(brace)],
        ),
        (
            "for x in y; do a; done",
            vec![
                Block(Keyword::Loop),
                Loop(0),
                End,
                End,
                End,
                Close(Keyword::Loop),
            ],
        ),
        (
            "case x in a) b;; *) c;& d) e; esac",
            vec![Block(case), Else(case), Mark::Fall, End, Close(case)],
        ),
    ] {
        assert_eq!(marks(line), expected, "{line}");
    }
    assert_eq!(
        read("f() { :; }; function g { :; }", 0).functions,
        ["f", "g"]
    );
    let found = read("for x in y 'z w'; do a; done", 0);
    assert_eq!(found.loops[0].name, "x");
    assert_eq!(texts(&found.loops[0].words), ["y", "z w"]);
}

#[test]
fn nesting_has_a_limit() {
    let nest = |n: usize| format!("{}rm x{}", "$(".repeat(n), ")".repeat(n));
    assert!(read(&nest(MAX_NESTING), 0).complete);
    let deep = read(&nest(MAX_NESTING + 1), 0);
    assert!(!deep.complete);
    let last = deep.commands.last().map(|command| texts(&command.words));
    assert_eq!(last, Some(vec![nest(MAX_NESTING + 1).as_str()]));
}

#[test]
fn every_prefix_of_a_script_can_be_read() {
    let script = "a=(1 2) if [[ x ]]; then `b \\` c` $(d ${e:-\"f $'g'\"}) <<'H' 2>&1\ni\nH\n\
                  case é in j|k) ((l + $((m)))) ;; esac; fi & n() { o; } > p # q\n";
    for (end, _) in script.char_indices() {
        for start in 0..end.min(40) {
            if let Some(part) = script.get(start..end) {
                let found = read(part, 0).commands;
                assert!(!found.is_empty() || part.trim().is_empty(), "{part}");
            }
        }
    }
}
