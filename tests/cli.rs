//! Every command line shown in the README, the documentation and the cases, run and compared, and the
//! help of every command.
//!
//! To take over new output after looking at it: `TRYCMD=overwrite cargo test --test cli`.

use std::path::Path;

#[test]
fn documented_commands_print_what_is_shown() {
    let gate = Path::new(env!("CARGO_BIN_EXE_gate"));
    let shim = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shim/cargo");
    let path = std::env::var("PATH").unwrap_or_default();
    let built = gate
        .parent()
        .expect("the program lies in a directory")
        .display();
    trycmd::TestCases::new()
        .register_bin("gate", gate)
        .register_bin("cargo", shim.as_path())
        .env("PATH", format!("{built}:{path}"))
        .env("NO_COLOR", "1")
        .env("COLUMNS", "100")
        .env("GITHUB_ACTIONS", "false")
        .case("README.md")
        .case("docs/*.md")
        .case("tests/cases/*.md")
        .case("tests/help/*.trycmd");
}

/// A command that is not in `tests/help` would have a help that nobody has read.
#[test]
fn the_help_of_every_command_is_shown_and_has_examples() {
    let gate = std::process::Command::new(env!("CARGO_BIN_EXE_gate"));
    let mut commands = commands(gate);
    commands.push("gate".to_owned());
    commands.sort();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/help");
    let mut shown = Vec::new();
    for entry in std::fs::read_dir(folder).expect("tests/help") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().expect("a name").to_string_lossy();
        let text = std::fs::read_to_string(&path).expect("text");
        assert_eq!(text.matches("\nExamples:\n").count(), 2, "{name}");
        let wide = text.lines().find(|line| line.chars().count() > 100);
        assert_eq!(wide, None, "{name}: as wide as it was asked for");
        shown.push(name.into_owned());
    }
    shown.sort();
    assert_eq!(shown, commands);
}

/// The commands that the program's own help lists, but `help`.
fn commands(mut gate: std::process::Command) -> Vec<String> {
    let help = gate.arg("--help").output().expect("gate runs").stdout;
    let help = String::from_utf8(help).expect("UTF-8");
    let list = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let list = list.take_while(|line| !line.is_empty());
    // What goes on on a further line is indented further.
    let names = list.filter_map(|line| line.strip_prefix("  ").filter(|l| !l.starts_with(' ')));
    let names = names.filter_map(|line| line.split(' ').next());
    names
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}
