//! Labels and rules of `mcp-default`.

use super::{labelled, pass, refused, tools_labelled};

#[test]
fn sending_is_told_by_its_name() {
    tools_labelled(
        "mcp-default",
        "send",
        "sendEmail send_email mcp__mail__sendEmail mcp__mail__send_email sendMessage replyToEmail
        postMessage chat_postMessage slack_post_message conversations_add_message shareFile share_file
        httpPost http_post createComment add_issue_comment create_issue create_pull_request create_gist
        push_files createPost create_message mcp__gmail__reply mcp__drive__share mail.send sendmail
        trigger_webhook upload_file forward_email forwardMessage publish notify_user read_and_send
        search__send_email",
        "list_webhooks get_send_status list_uploads is_published list_forward_rules list_share_links
        get_sender sender_info mcp__send__list_messages browser_forward delete_post getPost postpone
        draft_reply list_issues create_directory read_file unshare",
    );
}

#[test]
fn web_requests_are_told_by_their_name() {
    tools_labelled(
        "mcp-default",
        "http_request",
        "fetch WebFetch webFetch web_fetch httpGet httpRequest http_request getUrl read_url openUrl
        browserNavigate browser_navigate mcp__playwright__navigate navigate_page new_page fetch_webpage
        server.fetch mcp__fetch__fetch web_search WebSearch brave_web_search tavily_extract fetch_json
        puppeteer_navigate scrape_page firecrawl_crawl",
        "prefetch fetch_issue git_fetch mcp__git__git_fetch fetch_emails url_encode new_pages read_file
        https_only_setting get_page_count",
    );
}

#[test]
fn queries_are_told_by_name_and_text() {
    tools_labelled(
        "mcp-default",
        "sql_query",
        "executeSql executeSQL execute_sql runQuery run_query executeQuery apply_migration
        mcp__pg__execute mcp__postgres__query sql_query",
        "docs__search_query context7__query search_query memory_query query_docs execute_plan",
    );
    labelled(
        "mcp-default",
        "sql_query",
        &[
            r#"{"tool":"query","args":{"text":"select a from b"}}"#,
            r#"{"tool":"data__query","args":{"q":"DELETE FROM carts"}}"#,
        ],
        &[r#"{"tool":"search_query","args":{"query":"how to drop table"}}"#],
    );
}

#[test]
fn removing_is_told_by_its_name() {
    tools_labelled(
        "mcp-default",
        "delete",
        "DeleteFile delete_file deleteFile dropTable drop_table bulkDelete drop-collection bulk_delete
        mcp__drive__remove empty_trash trash_message purge destroyInstance",
        "list_deleted undelete undelete_file untrash get_trash drop_down dropdown_select list_removed
        browser_drag_and_drop restore_trash",
    );
}

#[test]
fn addresses_inside_are_refused_where_they_are_asked() {
    refused(
        "mcp-default/private-host",
        &[
            r#"{"tool":"WebFetch","args":{"url":"http://127.0.0.1/","prompt":"x"}}"#,
            r#"{"tool":"WebFetch","args":{"url":"http://0x7f.1/","prompt":"like http://127.0.0.1/"}}"#,
            r#"{"tool":"httpGet","args":{"url":"http://[::1]/"}}"#,
            r#"{"tool":"navigate_page","args":{"url":"http://10.0.0.1/"}}"#,
        ],
    );
    refused(
        "mcp-default/cloud-metadata",
        &[
            r#"{"tool":"get_thing","args":{"url":"http://169.254.169.254/"}}"#,
            r#"{"tool":"WebFetch","args":{"url":"http://[fd00:ec2::254]/","prompt":"x"}}"#,
        ],
    );
    pass(
        "mcp-default",
        &[
            r#"{"tool":"WebFetch","args":{"url":"https://docs.example.org/","prompt":"what is http://127.0.0.1:8080/ for?"}}"#,
            r#"{"tool":"WebFetch","args":{"url":"https://docs.example.org/","prompt":"what is http://169.254.169.254/?"}}"#,
            r#"{"tool":"WebSearch","args":{"query":"http://169.254.169.254/ imds"}}"#,
        ],
    );
}

#[test]
fn files_of_the_system_are_refused() {
    refused(
        "mcp-default/system-path",
        &[
            r#"{"tool":"read_file","args":{"path":"~/.ssh/id_rsa"}}"#,
            r#"{"tool":"read_file","args":{"path":"/private/etc/passwd"}}"#,
            r#"{"tool":"read_file","args":{"path":"C:\\Windows\\System32\\config\\SAM"}}"#,
            r#"{"tool":"write_file","args":{"path":"/var/run/docker.sock","content":"x"}}"#,
            r#"{"tool":"read_file","args":{"path":"/root/.ssh/id_rsa"}}"#,
        ],
    );
    pass(
        "mcp-default",
        &[
            r#"{"tool":"read_file","args":{"path":"/root/project/a.md"}}"#,
            r#"{"tool":"write_file","args":{"path":"/root/project/a.md","content":"x"}}"#,
            r#"{"tool":"read_file","args":{"path":"C:\\Users\\me\\a.md"}}"#,
        ],
    );
}

#[test]
fn statements_that_destroy_are_refused() {
    refused(
        "mcp-default/sql-destroy",
        &[
            r#"{"tool":"executeSql","args":{"sql":"drop materialized view v"}}"#,
            r#"{"tool":"query","args":{"sql":"alter table if exists a drop column b"}}"#,
            r#"{"tool":"query","args":{"sql":"truncate users"}}"#,
            r#"{"tool":"query","args":{"sql":"DROP/**/TABLE users"}}"#,
            r#"{"tool":"query","args":{"sql":"delete from users"}}"#,
        ],
    );
    pass(
        "mcp-default",
        &[
            r#"{"tool":"query","args":{"sql":"select truncate(1.5,1) from t"}}"#,
            r#"{"tool":"query","args":{"sql":"insert into log values ('please truncate it')"}}"#,
        ],
    );
}
