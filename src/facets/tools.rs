//! Well-known tools: which of their arguments name files, and which tools are shells.
//!
//! Tools and keys are compared in the spelling of [`super::names`]. To add a tool, add its name to
//! a row of `TOOLS`; tools not listed there are told by the words of their names.

use super::options::is_in;

/// What a tool does with the files its arguments name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Nothing that is known.
    Unknown,
    /// Reads, lists or searches them.
    Read,
    /// As `Read`, and its pattern is a path too.
    Glob,
    /// Creates or changes them.
    Write,
    /// Deletes them.
    Delete,
    /// Reads the source, writes the destination.
    Copy,
    /// As `Copy`, and the source is gone afterwards.
    Move,
    /// Reads or writes, as its `command` says.
    Editor,
    /// Writes the files that the headers of a patch name.
    Patch,
}

const TOOLS: &[(Access, &str)] = &[
    (
        Access::Read,
        "read read_file file_read read_text_file read_media_file read_multiple_files read_files \
         read_notebook notebook_read read_resource view view_file file_view open_file file_open \
         cat load_file get_file get_file_contents get_file_info file_get fetch_file file_search \
         list_directory list_directory_with_sizes list_dir list_files directory_tree ls grep \
         grep_search search_files search_file_content file_exists file_info read_many_files \
         upload_file send_file attach_file",
    ),
    (Access::Glob, "glob glob_file_search find_files"),
    (
        Access::Write,
        "write write_file file_write write_text_file create_file file_create save_file file_save \
         append_file append_to_file file_append edit edit_file file_edit multi_edit notebook_edit \
         edit_notebook str_replace replace replace_in_file search_replace insert_in_file \
         update_file file_update patch_file create_directory make_directory mkdir \
         create_or_update_file write_to_file download_file insert_edit_into_file",
    ),
    (
        Access::Delete,
        "delete_file file_delete remove_file file_remove delete_files delete_directory \
         remove_directory delete_path delete remove rm rmdir unlink trash_file",
    ),
    (Access::Copy, "copy_file file_copy copy_directory"),
    (
        Access::Move,
        "move_file file_move rename_file file_rename move_directory",
    ),
    (
        Access::Editor,
        "str_replace_editor str_replace_based_edit_tool text_editor edit_anthropic file_editor",
    ),
    (Access::Patch, "apply_patch applypatch"),
];

/// Words of a name that say what a tool not listed does, if a word of [`NOUNS`] is there too.
const VERBS: &[(Access, &str)] = &[
    (Access::Move, "move rename"),
    (Access::Copy, "copy"),
    (Access::Delete, "delete remove unlink rm erase trash"),
    (
        Access::Write,
        "write create save append edit update replace insert put patch overwrite truncate touch \
         make modify",
    ),
    (
        Access::Read,
        "read get view open load list cat search find show download fetch stat info",
    ),
];

const NOUNS: &str = "file files directory directories dir folder folders notebook path";

/// Keys whose values name files.
const PATHS: &str = "file_path path paths file files filename file_name filepath file_paths \
    notebook_path absolute_path relative_path abs_path target_file target_path directory \
    directories dir dir_path directory_path folder folder_path file_uri";

/// Keys whose values name the source of a copy or move.
const SOURCES: &str = "source sources src from source_path src_path from_path old_path \
    source_file old_name";

/// Keys whose values name the destination of a copy or move.
const DESTINATIONS: &str = "destination dest dst to target destination_path dest_path dst_path \
    to_path target_path new_path destination_file new_name";

/// Keys that hold the patch of a patch tool.
const PATCHES: &str = "patch input diff patch_text";

/// What `tool`, in snake case, does with files.
pub fn access(tool: &str) -> Access {
    if let Some((access, _)) = TOOLS.iter().find(|(_, names)| is_in(names, tool)) {
        return *access;
    }
    let has = |list: &str| tool.split('_').any(|word| is_in(list, word));
    if !has(NOUNS) {
        return Access::Unknown;
    }
    let verb = VERBS.iter().find(|(_, verbs)| has(verbs));
    verb.map_or(Access::Unknown, |(access, _)| *access)
}

/// What an editor's call does, by its `command`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Shows a file.
    View,
    /// Removes it.
    Delete,
    /// Moves it.
    Rename,
    /// Changes or creates it, or something that is not known.
    Change,
}

impl Action {
    /// The action of that name; absent where the call has no `command`.
    pub fn of(command: Option<&str>) -> Action {
        match command {
            Some("view") => Action::View,
            Some("delete") => Action::Delete,
            Some("rename") => Action::Rename,
            _ => Action::Change,
        }
    }
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

/// What a call does with the file that the value under a key names. `action` is an editor's.
pub fn touches(access: Access, key: &str, action: Action) -> Touch {
    let path = is_in(PATHS, key);
    let source = path || is_in(SOURCES, key);
    let destination = is_in(DESTINATIONS, key);
    let only_source = source && !destination;
    let (reads, writes, deletes) = match access {
        Access::Unknown | Access::Patch => (false, false, false),
        Access::Read => (source, false, false),
        Access::Glob => (path || key == "pattern", false, false),
        Access::Write => (false, source || destination, false),
        Access::Delete => (false, source || destination, source || destination),
        Access::Copy => (only_source, destination, false),
        Access::Move => (only_source, source || destination, only_source),
        Access::Editor => match action {
            Action::View => (path, false, false),
            Action::Change => (false, path, false),
            Action::Delete => (false, path, path),
            Action::Rename => return touches(Access::Move, key, action),
        },
    };
    Touch {
        reads,
        writes,
        deletes,
    }
}

/// Whether the text under a key is a host.
pub fn is_host(key: &str) -> bool {
    is_in("host hostname host_name", key)
}

/// Whether the text under a key is an address.
pub fn is_address(key: &str) -> bool {
    is_in("url urls uri uris link links href endpoint website", key)
        || ["_url", "_uri", "_urls", "_link", "_endpoint"]
            .iter()
            .any(|end| key.ends_with(end))
}

/// Whether the value under a key, absent for arguments that are a plain string, is a patch.
pub fn is_patch(access: Access, key: Option<&str>) -> bool {
    access == Access::Patch && key.is_none_or(|key| is_in(PATCHES, key))
}

/// Words of a name that tell a shell.
const SHELL_WORDS: &str = "bash sh zsh shell terminal console powershell pwsh cmd command commands";

/// Names of shells that hold none of those words.
const SHELL_TOOLS: &str = "exec run execute subprocess";

/// Words of a name that tell an interpreter of another language.
const OTHER_LANGUAGES: &str = "python py ipython javascript js node sql query browser page \
    playwright puppeteer evaluate notebook applescript lua ruby java";

/// Whether `tool`, in snake case, runs command lines.
pub fn is_shell(tool: &str) -> bool {
    is_in(SHELL_TOOLS, tool) || tool.split('_').any(|word| is_in(SHELL_WORDS, word))
}

/// Whether a text under `key` is a command line of `tool`.
pub fn is_command_line(tool: &str, access: Access, key: &str) -> bool {
    match key {
        "command" | "cmd" | "commands" | "command_line" | "cmdline" | "shell_command" | "argv" => {
            access != Access::Editor
        }
        "script" => is_shell(tool) || !tool.split('_').any(|word| is_in(OTHER_LANGUAGES, word)),
        "code" => is_shell(tool),
        _ => false,
    }
}

/// Whether a text under `key` names a program whose words stand in a list beside it.
pub fn is_program(key: &str) -> bool {
    is_in("command cmd program executable", key)
}

/// Whether a list under `key` holds the words of the program beside it.
pub fn is_word_list(key: &str) -> bool {
    is_in("args arguments argv params", key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_tool_is_listed_once() {
        let mut seen = BTreeSet::new();
        for (_, names) in TOOLS {
            for name in names.split(' ') {
                assert!(!name.is_empty() && seen.insert(name), "`{name}` twice");
            }
        }
    }

    #[test]
    fn other_tools_are_told_by_the_words_of_their_names() {
        assert_eq!(access("workspace_write_file"), Access::Write);
        assert_eq!(access("fs_list_dir_entries"), Access::Read);
        assert_eq!(access("rename_folder"), Access::Move);
        assert_eq!(access("get_weather"), Access::Unknown);
        assert_eq!(access("profile_read"), Access::Unknown);
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
            assert!(is_shell(tool), "{tool}");
        }
        for tool in ["exec_sql", "read_file", "publish", "dashboard"] {
            assert!(!is_shell(tool), "{tool}");
        }
    }
}
