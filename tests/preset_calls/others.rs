//! Rules of `strict` and `agentdojo`.

use super::{pass, refused};

#[test]
fn strict_only_looks() {
    refused(
        "strict/no-changes",
        &[
            r#"{"tool":"search_and_replace","args":{"find":"a"}}"#,
            r#"{"tool":"find_and_replace","args":{"find":"a"}}"#,
            r#"{"tool":"findOneAndDelete","args":{"id":1}}"#,
            r#"{"tool":"get_and_delete","args":{"id":1}}"#,
            r#"{"tool":"read_and_run","args":{"id":1}}"#,
            r#"{"tool":"get_query_result","args":{"sql":"delete from users"}}"#,
        ],
    );
    refused(
        "strict/no-secrets",
        &[
            r#"{"tool":"read_file","args":{"path":".pypirc"}}"#,
            r#"{"tool":"read_file","args":{"path":"x/secrets.yaml"}}"#,
            r#"{"tool":"read_file","args":{"path":".ENV"}}"#,
        ],
    );
    pass(
        "strict",
        &[
            r#"{"tool":"get_workflow_run","args":{"id":1}}"#,
            r#"{"tool":"search_brands","args":{"q":"and run"}}"#,
        ],
    );
}
