//! Every command line shown in the README, the documentation and the cases, run and compared.
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
        .env("GITHUB_ACTIONS", "false")
        .case("README.md")
        .case("docs/*.md")
        .case("tests/cases/*.md");
}
