//! Well-known tools: which of their arguments name files, and which tools are shells.
//!
//! Tools and keys are compared in the spelling of [`super::names`]. To add a tool, add its name to
//! a row of `table::TOOLS`; tools not listed there are told by the words of their names.

mod table;

use super::options::is_in;
use super::wrappers::is_shell;
use super::{names, paths, programs};
use std::sync::Arc;
use table::{
    Access, CALLING, DESTINATIONS, NO_SHELLS, NOUNS, OTHER_LANGUAGES, PATCHES, PATHS,
    PROGRAM_WORDS, RUNNING, SERVERS, SHELL_TOOLS, SHELL_WORDS, SOURCES, TYPING, VERBS, WORDED,
    is_shell_workdir, is_workdir,
};

/// What an editor's call does, by its `command`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    View,
    Delete,
    Rename,
    /// Changes or creates a file, or something that is not known.
    Change,
}

/// What a call does with the file a key names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Touch {
    /// It is read.
    pub reads: bool,
    /// It is created, changed or removed.
    pub writes: bool,
    /// It is removed or moved away.
    pub deletes: bool,
}

/// What a tool's name says. Whoever looks at a call several times makes it once.
#[derive(Debug)]
pub struct ToolName {
    /// Its own name in snake case.
    name: String,
    access: Access,
    is_shell: bool,
    /// The program that it has the name of.
    program: Option<String>,
}

impl ToolName {
    /// What that name says, as recorded.
    pub fn new(name: &str) -> ToolName {
        let name = names::tool(name);
        let shell = is_in(SHELL_TOOLS, &name) || has(&name, SHELL_WORDS);
        ToolName {
            access: access(&name),
            is_shell: shell && !is_in(NO_SHELLS, &name),
            program: program(&name),
            name,
        }
    }
}

/// The tool of a call.
#[derive(Debug)]
pub struct Tool {
    named: Arc<ToolName>,
    action: Action,
}

/// Whether a name has one of these words.
fn has(name: &str, words: &str) -> bool {
    name.split('_').any(|word| is_in(words, word))
}

impl Tool {
    /// The tool of that name. `command` is the text under that key, by which editors tell what they
    /// do; absent where the call has none.
    pub fn new(named: Arc<ToolName>, command: Option<&str>) -> Tool {
        Tool {
            named,
            action: match command {
                Some("view") => Action::View,
                Some("delete") => Action::Delete,
                Some("rename") => Action::Rename,
                _ => Action::Change,
            },
        }
    }

    /// What the call does with the file that `text`, the value under a key, names.
    pub fn touches(&self, key: &str, text: &str) -> Touch {
        // An address of another kind is no file.
        let path = || {
            is_in(PATHS, key)
                || (key == "uri" && (!text.contains("://") || paths::is_file_address(text)))
        };
        let access = match (self.named.access, self.action) {
            (Access::Editor, Action::View) => Access::Read,
            (Access::Editor, Action::Change) => Access::Write,
            (Access::Editor, Action::Delete) => Access::Delete,
            (Access::Editor, Action::Rename) => Access::Move,
            (access, _) => access,
        };
        // A name of one word says little: only what can be nothing but a path counts.
        let moves = matches!(access, Access::Copy | Access::Move)
            && (self.named.name.contains('_') || key.contains("path"));
        let telling =
            moves || (self.named.name.contains('_') && self.named.access != Access::Editor);
        let source = || path() || (telling && is_in(SOURCES, key));
        let destination = || telling && is_in(DESTINATIONS, key);
        let (reads, writes, deletes) = match access {
            Access::Unknown | Access::Patch | Access::Editor => (false, false, false),
            Access::Read => (source(), false, false),
            Access::Glob => (path() || matches!(key, "pattern" | "include"), false, false),
            Access::Write => (false, source() || destination(), false),
            Access::Delete => {
                let deletes = source() || destination();
                (false, deletes, deletes)
            }
            Access::Copy | Access::Move => {
                let (source, destination) = (source(), destination());
                let only_source = source && !destination;
                match access {
                    Access::Copy => (only_source, destination, false),
                    _ => (only_source, source || destination, only_source),
                }
            }
        };
        // Whoever fetches such an address reads the file.
        let fetched = is_address(key) && !writes && paths::is_file_address(text);
        Touch {
            reads: reads || fetched,
            writes,
            deletes,
        }
    }

    /// Whether the value under a key, absent for arguments that are a plain string, is a patch.
    pub fn is_patch(&self, key: Option<&str>) -> bool {
        self.named.access == Access::Patch && key.is_none_or(|key| is_in(PATCHES, key))
    }

    /// Whether it runs command lines.
    pub fn is_shell(&self) -> bool {
        self.named.is_shell
    }

    /// Whether it runs command lines of a shell that is not read here: what is made of them is a
    /// guess.
    pub fn is_other_shell(&self) -> bool {
        let name = &*self.named.name;
        name == "cmd" || self.has("powershell pwsh") || name.contains("power_shell")
    }

    /// Whether a text under `key` is a command line.
    pub fn is_command_line(&self, key: &str) -> bool {
        match key {
            "chars" | "input" => TYPING
                .iter()
                .any(|(name, typed)| self.named.name.ends_with(name) && *typed == key),
            "command" | "cmd" | "commands" | "command_line" | "cmdline" | "shell_command"
            | "argv" => self.named.access != Access::Editor,
            "script" => self.is_shell() || !self.has(OTHER_LANGUAGES),
            "code" => self.is_shell(),
            _ => false,
        }
    }

    /// Whether the text under such a key may be something else: a name of a skill or a subcommand. Of
    /// a tool that is no shell by its name, one plain word is which names no well-known program.
    pub fn is_other_command(&self, text: &str) -> bool {
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ':');
        is_in(NO_SHELLS, &self.named.name)
            || (!self.is_shell()
                && !self.has(RUNNING)
                && text.trim().chars().all(plain)
                && !is_program(text.trim()))
    }

    /// Whether a text under `key` names a program whose words stand in a list beside it.
    pub fn is_program(&self, key: &str) -> bool {
        self.named.access != Access::Editor
            && matches!(key, "command" | "cmd" | "program" | "executable")
    }

    /// The program that the tool has the name of, as `kubectl` and `run_aws` have, where it is one that does
    /// what its words say; those stand under keys that are [`is_own_words`].
    pub fn program(&self) -> Option<&str> {
        self.named.program.as_deref()
    }

    /// Whether the text under a key is the directory in which the call works.
    pub fn is_workdir(&self, key: &str) -> bool {
        is_workdir(key) || (self.is_shell() && is_shell_workdir(key))
    }

    fn has(&self, words: &str) -> bool {
        has(&self.named.name, words)
    }
}

/// Whether a word names a well-known program.
fn is_program(word: &str) -> bool {
    programs::find(word).is_some() || is_shell(word) || is_in(PROGRAM_WORDS, word)
}

/// Whether the words of a tool's own program stand under `key`, see [`Tool::program`].
pub fn is_own_words(key: &str) -> bool {
    matches!(
        key,
        "args"
            | "arguments"
            | "argv"
            | "command"
            | "cmd"
            | "command_line"
            | "cli_command"
            | "subcommand"
    )
}

/// The program that a tool of this name is.
fn program(name: &str) -> Option<String> {
    let words = name.split('_').filter(|word| !is_in(CALLING, word));
    let name = words.collect::<Vec<_>>().join("-");
    let known = !name.is_empty() && (is_in(WORDED, &name) || is_shell(&name));
    known.then_some(name)
}

/// Whether a list under `key` holds the words of the program beside it.
pub fn is_word_list(key: &str) -> bool {
    matches!(key, "args" | "arguments" | "argv" | "params")
}

/// Whether the object under a key holds the variables of an environment.
pub fn is_environment(key: &str) -> bool {
    matches!(
        key,
        "env" | "environment" | "env_vars" | "environment_variables"
    )
}

/// Whether the text under a key is a host.
pub fn is_host(key: &str) -> bool {
    matches!(key, "host" | "hostname" | "host_name")
}

/// Whether the text under a key is an address.
pub fn is_address(key: &str) -> bool {
    matches!(
        key,
        "url" | "urls" | "uri" | "uris" | "link" | "links" | "href" | "endpoint" | "website"
    ) || ["_url", "_uri", "_urls", "_link", "_endpoint"]
        .iter()
        .any(|end| key.ends_with(end))
}

/// What the tool of that name does with files.
fn access(tool: &str) -> Access {
    if let Some(access) = listed(tool) {
        return access;
    }
    if !has(tool, NOUNS) {
        return Access::Unknown;
    }
    let verb = VERBS.iter().find(|(_, verbs)| has(tool, verbs));
    verb.map_or(Access::Unknown, |(access, _)| *access)
}

/// What the table says of a tool, also with the name of a server in front. One word behind it is
/// the tool's name only where the server is known, since words such as `read` say little.
fn listed(tool: &str) -> Option<Access> {
    let mut name = tool;
    let mut of_server = true;
    loop {
        if let Some(access) = table::find(name).filter(|_| of_server || name.contains('_')) {
            return Some(access);
        }
        let (server, rest) = name.split_once('_')?;
        of_server &= is_in(SERVERS, server);
        name = rest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_tools_are_told_by_the_words_of_their_names() {
        assert_eq!(access("workspace_write_file"), Access::Write);
        assert_eq!(access("fs_list_dir_entries"), Access::Read);
        assert_eq!(access("rename_folder"), Access::Move);
        assert_eq!(access("remove_folder"), Access::Delete);
        assert_eq!(access("get_weather"), Access::Unknown);
        assert_eq!(access("profile_read"), Access::Unknown);
    }

    #[test]
    fn a_server_may_stand_in_front() {
        for (tool, expected) in [
            ("filesystem_read_file", Access::Read),
            ("fs_read", Access::Read),
            ("my_github_create_or_update_file", Access::Write),
            ("open_code_apply_patch", Access::Patch),
            ("drive_delete_file", Access::Delete),
            ("playwright_browser_file_upload", Access::Read),
            ("calendar_create", Access::Unknown),
            ("todo_write", Access::Unknown),
            ("mail_list", Access::Unknown),
        ] {
            assert_eq!(access(tool), expected, "{tool}");
        }
    }

    #[test]
    fn shells_are_told_by_their_names() {
        for tool in [
            "bash",
            "run_terminal_cmd",
            "local_shell",
            "exec_command",
            "exec",
        ] {
            assert!(ToolName::new(tool).is_shell, "{tool}");
        }
        for tool in ["exec_sql", "read_file", "publish", "dashboard"] {
            assert!(!ToolName::new(tool).is_shell, "{tool}");
        }
    }
}
