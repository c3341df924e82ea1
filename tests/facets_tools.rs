//! What calls of well-known tools come to, agent by agent and server by server.

use gate::facets;
use gate::trace::json;

/// A tool, its arguments, then commands, reads, writes, deletes and hosts.
type Row = (&'static str, &'static str, [&'static str; 5]);

#[track_caller]
fn check(rows: &[Row]) {
    for (tool, args, expected) in rows {
        let args_json = json::parse(args.as_bytes()).expect("valid JSON");
        let f = facets::of_call(tool, &args_json);
        let got = [&f.commands, &f.reads, &f.writes, &f.deletes, &f.hosts].map(|l| l.join(" | "));
        assert_eq!(
            got.each_ref().map(String::as_str),
            *expected,
            "{tool} {args}"
        );
    }
}

#[test]
#[rustfmt::skip]
fn claude_code() {
    check(&[
        ("Bash", r#"{"command":"rm a","description":"x"}"#, ["rm a", "", "a", "a", ""]),
        ("Read", r#"{"file_path":"/a","limit":5}"#, ["", "/a", "", "", ""]),
        ("Write", r#"{"file_path":"/a","content":"x"}"#, ["", "", "/a", "", ""]),
        ("Edit", r#"{"file_path":"/a","old_string":"b","new_string":"c"}"#, ["", "", "/a", "", ""]),
        ("MultiEdit", r#"{"file_path":"/a","edits":[]}"#, ["", "", "/a", "", ""]),
        ("NotebookEdit", r#"{"notebook_path":"/a.ipynb","new_source":"rm x"}"#, ["", "", "/a.ipynb", "", ""]),
        ("Glob", r#"{"pattern":"**/*.rs"}"#, ["", "**/*.rs", "", "", ""]),
        ("Grep", r#"{"pattern":"x","path":"src","glob":"*.rs"}"#, ["", "src", "", "", ""]),
        ("LS", r#"{"path":"/srv/"}"#, ["", "/srv", "", "", ""]),
        ("WebFetch", r#"{"url":"https://e.com/","prompt":"x"}"#, ["", "", "", "", "e.com"]),
        ("WebSearch", r#"{"query":"rm"}"#, ["", "", "", "", ""]),
        ("Task", r#"{"description":"x","prompt":"look at /etc","subagent_type":"y"}"#, ["", "", "", "", ""]),
        ("TodoWrite", r#"{"todos":[{"content":"rm x"}]}"#, ["", "", "", "", ""]),
    ]);
}

#[test]
#[rustfmt::skip]
fn codex() {
    check(&[
        ("exec_command", r#"{"cmd":"rm a"}"#, ["rm a", "", "a", "a", ""]),
        ("shell", r#"{"command":["bash","-lc","cat a > b"]}"#, ["cat a", "a", "b", "", ""]),
        ("shell_command", r#"{"command":"cat a"}"#, ["cat a", "a", "", "", ""]),
        ("local_shell", r#"{"action":{"type":"exec","command":["rm","a"],"env":{}}}"#, ["rm a", "", "a", "a", ""]),
        ("functions.apply_patch", r#"{"input":"*** Begin Patch\n*** Add File: a\n*** Delete File: b\n*** End Patch"}"#, ["", "", "a | b", "b", ""]),
        ("write_stdin", r#"{"session_id":1,"chars":"rm a\n"}"#, ["rm a", "", "a", "a", ""]),
        ("write_stdin", r#"{"session_id":1,"chars":""}"#, ["", "", "", "", ""]),
        ("view_image", r#"{"path":"a.png"}"#, ["", "a.png", "", "", ""]),
        ("update_plan", r#"{"plan":[{"step":"rm a","status":"pending"}]}"#, ["", "", "", "", ""]),
    ]);
}

#[test]
#[rustfmt::skip]
fn gemini_cli() {
    check(&[
        ("run_shell_command", r#"{"command":"rm a"}"#, ["rm a", "", "a", "a", ""]),
        ("read_file", r#"{"absolute_path":"/a"}"#, ["", "/a", "", "", ""]),
        ("write_file", r#"{"file_path":"/a","content":"x"}"#, ["", "", "/a", "", ""]),
        ("replace", r#"{"file_path":"/a","old_string":"b","new_string":"c"}"#, ["", "", "/a", "", ""]),
        ("glob", r#"{"pattern":"*.md","dir_path":"docs"}"#, ["", "*.md | docs", "", "", ""]),
        ("search_file_content", r#"{"pattern":"x","dir_path":"docs"}"#, ["", "docs", "", "", ""]),
        ("list_directory", r#"{"dir_path":"docs"}"#, ["", "docs", "", "", ""]),
        ("read_many_files", r#"{"include":["a","b/*"]}"#, ["", "a | b/*", "", "", ""]),
        ("web_fetch", r#"{"prompt":"summarise https://e.com/x, please"}"#, ["", "", "", "", "e.com"]),
        ("save_memory", r#"{"fact":"rm x"}"#, ["", "", "", "", ""]),
    ]);
}

#[test]
#[rustfmt::skip]
fn opencode_and_pi() {
    check(&[
        ("bash", r#"{"command":"rm a","description":"x"}"#, ["rm a", "", "a", "a", ""]),
        ("read", r#"{"filePath":"/a"}"#, ["", "/a", "", "", ""]),
        ("write", r#"{"filePath":"/a","content":"x"}"#, ["", "", "/a", "", ""]),
        ("edit", r#"{"filePath":"/a","oldString":"b","newString":"c"}"#, ["", "", "/a", "", ""]),
        ("multiedit", r#"{"filePath":"/a","edits":[]}"#, ["", "", "/a", "", ""]),
        ("patch", r#"{"patchText":"*** Begin Patch\n*** Delete File: a\n*** End Patch"}"#, ["", "", "a", "a", ""]),
        ("webfetch", r#"{"url":"https://e.com","format":"text"}"#, ["", "", "", "", "e.com"]),
        ("list", r#"{"path":"/a"}"#, ["", "/a", "", "", ""]),
        ("grep", r#"{"pattern":"x","path":"/a","include":"*.rs"}"#, ["", "/a", "", "", ""]),
        ("glob", r#"{"pattern":"*.rs","path":"/a"}"#, ["", "*.rs | /a", "", "", ""]),
        ("edit", r#"{"path":"a","oldText":"b","newText":"c"}"#, ["", "", "a", "", ""]),
        ("find", r#"{"pattern":"*.rs","path":"a"}"#, ["", "*.rs | a", "", "", ""]),
        ("ls", r#"{"path":"a"}"#, ["", "a", "", "", ""]),
    ]);
}

#[test]
#[rustfmt::skip]
fn openhands_and_swe_agent() {
    check(&[
        ("execute_bash", r#"{"command":"rm a","is_input":"false"}"#, ["rm a", "", "a", "a", ""]),
        ("str_replace_editor", r#"{"command":"view","path":"/a"}"#, ["", "/a", "", "", ""]),
        ("str_replace_editor", r#"{"command":"undo_edit","path":"/a"}"#, ["", "", "/a", "", ""]),
        ("browse", r#"{"url":"http://e.com"}"#, ["", "", "", "", "e.com"]),
        ("browser", r#"{"code":"goto(\"http://e.com/x\")"}"#, ["", "", "", "", "e.com"]),
        ("execute_ipython_cell", r#"{"code":"get('http://e.com/x')"}"#, ["", "", "", "", "e.com"]),
        ("open", r#"{"path":"a","line_number":3}"#, ["", "a", "", "", ""]),
        ("create", r#"{"filename":"a"}"#, ["", "", "a", "", ""]),
        ("edit", r#"{"search":"a","replace":"b"}"#, ["", "", "", "", ""]),
        ("search_dir", r#"{"search_term":"x","dir":"a"}"#, ["", "a", "", "", ""]),
        ("submit", r#"{}"#, ["", "", "", "", ""]),
    ]);
}

#[test]
#[rustfmt::skip]
fn servers() {
    check(&[
        ("mcp__filesystem__read_text_file", r#"{"path":"a"}"#, ["", "a", "", "", ""]),
        ("filesystem.read_multiple_files", r#"{"paths":["a","b"]}"#, ["", "a | b", "", "", ""]),
        ("filesystem_write_file", r#"{"path":"a","content":"x"}"#, ["", "", "a", "", ""]),
        ("mcp_filesystem_edit_file", r#"{"path":"a","edits":[]}"#, ["", "", "a", "", ""]),
        ("filesystem__move_file", r#"{"source":"a","destination":"b"}"#, ["", "a", "a | b", "a", ""]),
        ("mcp__filesystem__search_files", r#"{"path":"a","pattern":"x"}"#, ["", "a", "", "", ""]),
        ("mcp__fetch__fetch", r#"{"url":"http://e.com"}"#, ["", "", "", "", "e.com"]),
        ("mcp__git__git_add", r#"{"repo_path":"/r","files":["a"]}"#, ["", "/r | a", "", "", ""]),
        ("mcp__git__git_checkout", r#"{"repo_path":"/r","branch_name":"x"}"#, ["", "", "/r", "", ""]),
        ("mcp__github__create_or_update_file", r#"{"owner":"o","repo":"r","path":"a","content":"x"}"#, ["", "", "a", "", ""]),
        ("github_push_files", r#"{"files":[{"path":"a","content":"x"}]}"#, ["", "", "a", "", ""]),
        ("mcp__github__delete_file", r#"{"path":"a"}"#, ["", "", "a", "a", ""]),
        ("mcp__memory__create_entities", r#"{"entities":[{"name":"rm x"}]}"#, ["", "", "", "", ""]),
        ("mcp__playwright__browser_navigate", r#"{"url":"file:///etc/passwd"}"#, ["", "/etc/passwd", "", "", ""]),
        ("browser_navigate", r#"{"url":"e.com/x"}"#, ["", "", "", "", "e.com"]),
        ("puppeteer_navigate", r#"{"url":"http://e.com"}"#, ["", "", "", "", "e.com"]),
        ("browser_file_upload", r#"{"paths":["/a"]}"#, ["", "/a", "", "", ""]),
        ("browser_take_screenshot", r#"{"filename":"a.png"}"#, ["", "", "a.png", "", ""]),
        ("puppeteer_evaluate", r#"{"script":"fetch('http://e.com/x')"}"#, ["", "", "", "", "e.com"]),
    ]);
}

#[test]
#[rustfmt::skip]
fn cloud_drives() {
    check(&[
        ("create_file", r#"{"filename":"a","content":"x"}"#, ["", "", "a", "", ""]),
        ("delete_file", r#"{"file_id":"13"}"#, ["", "", "13", "13", ""]),
        ("append_to_file", r#"{"file_id":"13","content":"x"}"#, ["", "", "13", "", ""]),
        ("share_file", r#"{"file_id":"13","email":"a@e.com","permission":"r"}"#, ["", "13", "", "", ""]),
        ("search_files_by_filename", r#"{"filename":"a"}"#, ["", "a", "", "", ""]),
        ("send_email", r#"{"recipients":["a@e.com"],"subject":"x"}"#, ["", "", "", "", ""]),
    ]);
}

#[test]
fn shells_of_other_systems_are_never_complete() {
    for tool in ["PowerShell", "run_pwsh", "cmd"] {
        let args = br#"{"command":"echo a; Remove-Item C:\\b"}"#;
        let args = json::parse(args).expect("valid JSON");
        let f = facets::of_call(tool, &args);
        assert!(!f.complete, "{tool}");
        assert_eq!(
            f.commands.last().map(String::as_str),
            Some(r"echo a; Remove-Item C:\b")
        );
        assert_eq!(f.deletes, ["C:/b"], "{tool}");
    }
}

/// Rationale: a tool that is a program by its name runs what its words say.
#[test]
#[rustfmt::skip]
fn tools_with_the_names_of_programs() {
    check(&[
        ("aws", r#"{"args":["s3","rb","--force","s3://x"]}"#, ["aws s3 rb --force s3://x", "", "", "", ""]),
        ("mcp__k8s__kubectl", r#"{"args":["delete","ns","prod"]}"#, ["kubectl delete ns prod", "", "", "", ""]),
        ("run_kubectl", r#"{"arguments":"delete ns prod"}"#, ["kubectl delete ns prod", "", "", "", ""]),
        ("terraform", r#"{"args":["terraform","destroy"]}"#, ["terraform destroy", "", "", "", ""]),
        ("terraform", r#"{"command":"destroy"}"#, ["terraform destroy", "", "", "", ""]),
        ("kubectl", r#"{"args":["ns","prod"],"command":"delete"}"#, ["delete ns prod | kubectl delete ns prod", "", "", "", ""]),
        ("find", r#"{"args":["/srv","-name","it's","-delete"]}"#, ["find /srv -name it's -delete", "/srv", "/srv", "/srv", ""]),
        ("bash", r#"{"args":["-c","rm a"]}"#, ["rm a", "", "a", "a", ""]),
        ("tool", r#"{"command":"aws","args":["s3","rb","s3://x"]}"#, ["aws s3 rb s3://x", "", "", "", ""]),
        ("git_log", r#"{"args":["-3"]}"#, ["", "", "", "", ""]),
        ("search", r#"{"args":["rm","x"]}"#, ["", "", "", "", ""]),
        ("aws", r#"{"arguments":"{\"service\":\"s3\"}"}"#, ["", "", "", "", ""]),
        ("kubectl", r#"{"params":["x"],"namespace":"prod"}"#, ["", "", "", "", ""]),
    ]);
}
