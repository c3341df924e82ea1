//! The tables of well-known tools, and of the keys of their arguments.
//!
//! Names are separated by single spaces, in the spelling of [`crate::facets::names`].

use foldhash::HashMap;
use std::sync::LazyLock;

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

/// No name that is listed is longer: the ends of a long one are looked up one by one, and need not be hashed.
const LONGEST: usize = 40;

/// What the tool of that very name does; `None` if it is not listed.
pub(super) fn find(name: &str) -> Option<Access> {
    if name.len() > LONGEST {
        return None;
    }
    static ROWS: LazyLock<HashMap<&str, Access>> = LazyLock::new(|| {
        let rows = TOOLS.iter();
        let names = rows.flat_map(|(access, names)| names.split(' ').map(|name| (name, *access)));
        names.collect()
    });
    ROWS.get(name).copied()
}

/// Tools by what they do.
const TOOLS: &[(Access, &str)] = &[
    (
        Access::Read,
        "read read_file file_read read_text_file read_media_file read_multiple_files read_files \
         read_notebook notebook_read read_resource view view_file file_view open_file file_open \
         cat load_file get_file get_file_contents get_file_info file_get fetch_file file_search \
         list_directory list_directory_with_sizes list_dir list_files directory_tree ls grep \
         grep_search search_files search_file_content file_exists file_info view_image \
         upload_file send_file attach_file share_file browser_file_upload open list search \
         search_dir search_file get_file_by_id git_status git_diff git_diff_unstaged \
         git_diff_staged git_log git_show git_branch git_add view_file_outline codebase_search",
    ),
    (
        Access::Glob,
        "glob glob_file_search find_files find read_many_files find_by_name",
    ),
    (
        Access::Write,
        "write write_file file_write write_text_file create_file file_create save_file file_save \
         append_file append_to_file file_append edit edit_file file_edit multi_edit multiedit \
         notebook_edit edit_notebook edit_notebook_file edit_block str_replace replace \
         replace_in_file replace_file_content replace_string_in_file search_replace \
         insert_in_file insert create update_file file_update patch_file create_directory \
         make_directory mkdir create_or_update_file write_to_file download_file push_files \
         insert_edit_into_file write_pdf browser_take_screenshot take_screenshot browser_pdf_save \
         git_checkout git_reset git_init git_commit git_create_branch git_clone",
    ),
    (
        Access::Delete,
        "delete_file file_delete remove_file file_remove delete_files delete_directory \
         remove_directory delete_path remove_path delete remove rm rmdir unlink trash_file",
    ),
    (Access::Copy, "copy_file file_copy copy_directory"),
    (
        Access::Move,
        "move_file file_move rename_file file_rename move_directory rename",
    ),
    (
        Access::Editor,
        "str_replace_editor str_replace_based_edit_tool text_editor edit_anthropic file_editor \
         memory",
    ),
    (Access::Patch, "apply_patch applypatch patch"),
];

/// Words that name a server of files or an agent in front of the name of a tool.
pub(super) const SERVERS: &str = "mcp fs filesystem file system files disk local workspace desktop commander \
    repo opencode codex claude code gemini cli openhands agent tool tools server default api";

/// Words of a name that say what a tool not listed does, if a word of [`NOUNS`] is there too.
pub(super) const VERBS: &[(Access, &str)] = &[
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

/// Words of a name that say that a tool is about files.
pub(super) const NOUNS: &str = "file files directory directories dir folder folders notebook path";

/// Keys whose values name files.
pub(super) const PATHS: &str = "file_path path paths file files filename file_name filepath file_paths \
    notebook_path absolute_path relative_path abs_path target_file target_path directory \
    directories dir dir_path directory_path folder folder_path file_uri file_id file_ids repo_path \
    relative_workspace_path search_path search_directory target_directory target_directories \
    root_path";

/// Keys whose values name the source of a copy or move.
pub(super) const SOURCES: &str = "source sources src from source_path src_path from_path old_path \
    source_file old_name";

/// Keys whose values name the destination of a copy or move.
pub(super) const DESTINATIONS: &str = "destination dest dst to target destination_path dest_path dst_path \
    to_path target_path new_path destination_file new_name";

/// Keys that hold the patch of a patch tool.
pub(super) const PATCHES: &str = "patch input diff patch_text";

/// Whether the value under a key names the working directory.
pub(super) fn is_workdir(key: &str) -> bool {
    matches!(
        key,
        "workdir"
            | "work_dir"
            | "working_dir"
            | "working_directory"
            | "cwd"
            | "current_dir"
            | "current_directory"
            | "current_working_directory"
    )
}

/// Whether it does so for a shell.
pub(super) fn is_shell_workdir(key: &str) -> bool {
    matches!(key, "dir" | "dir_path" | "directory" | "dirpath" | "chdir")
}

/// Words of a name that tell a shell.
pub(super) const SHELL_WORDS: &str =
    "bash sh zsh shell terminal console powershell pwsh cmd command commands";

/// Tools whose `command` is a name of something of their own, though theirs holds one of those words.
pub(super) const NO_SHELLS: &str = "skill slash_command";

/// Further words of a name that tell that a `command` of one word is run.
pub(super) const RUNNING: &str = "exec execute run runner ssh process spawn";

/// Programs that do something without further words and are in no other table.
pub(super) const PROGRAM_WORDS: &str = "env printenv set id whoami hostname uname pwd ps top kill history \
    reboot shutdown halt poweroff crontab sudo su npm yarn pnpm pip cargo docker kubectl powershell pwsh cmd";

/// Programs that do what their words say, under whose names tools are offered.
pub(super) const WORDED: &str = "ansible ansible-playbook argocd aws az cargo cdk chmod chown consul cp curl dd docker \
    doctl eksctl find firebase flux flyctl gcloud gh git glab go gsutil helm heroku ibmcloud kubectl make mv netlify \
    nomad npm oc oci openstack packer pip pnpm podman pulumi rabbitmqctl rclone redis-cli restic rm rsync scp sed \
    serverless ssh supabase systemctl tar terraform terragrunt tofu vault velero vercel wget wrangler yarn";

/// Words that stand beside the name of a program in that of a tool.
pub(super) const CALLING: &str = "run exec execute call invoke use cli command cmd tool";

/// Names of shells that hold none of those words.
pub(super) const SHELL_TOOLS: &str = "exec run execute subprocess";

/// Words of a name that tell an interpreter of another language.
pub(super) const OTHER_LANGUAGES: &str = "python py ipython javascript js node sql query browser \
    page playwright puppeteer evaluate notebook applescript lua ruby java";

/// Tools that type into a program which runs already, which may be a shell, and the key of what
/// they type.
pub(super) const TYPING: &[(&str, &str)] = &[
    ("write_stdin", "chars"),
    ("interact_with_process", "input"),
    ("send_command_input", "input"),
];

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
}
