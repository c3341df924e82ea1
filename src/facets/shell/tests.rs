//! What the reader finds in command lines, before wrappers are taken off.

use super::*;

fn first(line: &str) -> Simple {
    let script = read(line, 0);
    assert!(script.complete, "{line}");
    script.commands.into_iter().next().unwrap_or_default()
}

#[test]
fn words_lose_their_quotes_and_keep_their_borders() {
    let words = first(r#"a"b c"'d e'\ f $'\x67\n' "\$\x" "" ~/h *.t"#).words;
    assert_eq!(words, ["ab cd e f", "g\n", "$\\x", "", "~/h", "*.t"]);
}

#[test]
fn assignments_stand_apart_only_in_front() {
    let command = first("A=1 B+=2 C[0]=3 'D'=4 E=5");
    assert_eq!(command.assignments, ["A=1", "B+=2", "C[0]=3"]);
    assert_eq!(command.words, ["D=4", "E=5"]);
}

#[test]
fn here_documents_belong_to_their_commands() {
    let script = read("a <<X; b <<-'Y'\n1\nX\n\t2\n\tY\nc", 0);
    let inputs: Vec<_> = script.commands.iter().map(|c| c.input.as_str()).collect();
    assert_eq!(inputs, ["1\n", "2\n", ""]);
    assert_eq!(first("a <<< 'x y'").input, "x y\n");
}

#[test]
fn redirections_tell_files_from_descriptors() {
    let redirects = first("a 2>&1 <&3 >&- 2>e <>rw").redirects;
    let told: Vec<_> = redirects
        .iter()
        .map(|r| (r.target.as_str(), r.reads, r.writes))
        .collect();
    assert_eq!(told, [("e", false, true), ("rw", true, true)]);
}

#[test]
fn nesting_has_a_limit() {
    let nest = |n: usize| format!("{}rm x{}", "$(".repeat(n), ")".repeat(n));
    assert!(read(&nest(MAX_NESTING), 0).complete);
    let deep = read(&nest(MAX_NESTING + 1), 0);
    assert!(!deep.complete);
    assert_eq!(
        deep.commands.last().map(Simple::text),
        Some(nest(MAX_NESTING + 1))
    );
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
