//! What `--show-args` hides of calls, and what it leaves to be read.

use gate::report::args::{MASK, SHOWN, Secrets};
use std::sync::LazyLock;

const SECRET: &str = "SuperS3cretPw";

static SECRETS: LazyLock<Secrets> = LazyLock::new(Secrets::new);

fn shown(args: &serde_json::Value) -> String {
    SECRETS.shown(&args.to_string())
}

/// Asserts that of each of these nothing of the secret is shown.
#[track_caller]
fn hidden(all: &[serde_json::Value]) {
    for args in all {
        let shown = shown(args);
        assert!(shown.contains(MASK), "{args}: {shown}");
        assert!(!shown.contains("S3cret"), "{args}: {shown}");
    }
}

/// A key says what its value is, however it is spelled, spaced or disguised.
#[test]
fn values_of_secret_keys_are_masked() {
    for key in [
        "password",
        "PASSWORD ",
        "pass\u{200b}word",
        "ｐａｓｓｗｏｒｄ",
        "bearer",
        "signing_key",
        "authorization",
        "Cookie",
        "AccountKey",
        "x-api-key",
        "clientSecret",
        "refreshToken",
    ] {
        hidden(&[
            serde_json::json!({ key: SECRET }),
            serde_json::json!({ "a": [{ key: { "b": [SECRET, SECRET] } }] }),
            serde_json::json!({ key: format!("one \"{SECRET}\" two\n{SECRET}") }),
        ]);
    }
    let number = shown(&serde_json::json!({ "password": 12345678, "otp": 991 }));
    assert_eq!(number, r#"{"otp":"[masked]","password":"[masked]"}"#);
}

/// One field names, another one has the value: lists of variables and headers, forms of browsers.
#[test]
fn values_named_by_another_field_are_masked() {
    hidden(&[
        serde_json::json!({"env": [{"name": "DB_PASSWORD", "value": SECRET}]}),
        serde_json::json!({"Key": "api_key", "Value": SECRET}),
        serde_json::json!({"element": "Password field", "ref": "e3", "text": SECRET}),
        serde_json::json!({"selector": "#password", "value": SECRET}),
        serde_json::json!({"headers": [["Cookie", SECRET], ["Accept", "*/*"]]}),
    ]);
    let other = serde_json::json!({"name": "HOME", "value": "/root"});
    assert_eq!(shown(&other), other.to_string());
}

/// JSON inside strings, to any depth, and inside a command that quotes it.
#[test]
fn json_inside_strings_is_read() {
    let mut body = format!(r#"{{"password":"{SECRET}"}}"#);
    for _ in 0..3 {
        hidden(&[
            serde_json::json!({ "body": body }),
            serde_json::json!({ "c": format!("curl -d {} x", serde_json::json!(body)) }),
        ]);
        body = serde_json::json!({ "a": body }).to_string();
    }
    hidden(&[
        serde_json::json!({"c": format!("{{\"n\":1}}\n{{\"token\":\"{SECRET}\"}}")}),
        serde_json::json!({"c": format!("curl -d \"{{\\\"password\\\":\\\"{SECRET}\\\"}}\" x")}),
    ]);
}

/// Assignments in text: headers, variables, connection strings, elements, several languages.
#[test]
fn assignments_in_text_are_masked() {
    for text in [
        "Cookie: sid={}",
        "Cookie: theme=dark; sid={}",
        "curl -H 'Cookie: a=b; sid={}' x",
        "Authorization: Basic {}",
        "authorization: {}",
        "Authorization: AWS4-HMAC-SHA256 Credential=a, Signature={}",
        "AccountName=a;AccountKey={};EndpointSuffix=b",
        "export DB_PASSWORD='{}'",
        "PASSWORD={} run",
        "password: \"a\\\"{}\"",
        "api key: {}",
        "token := \"{}\"",
        "'secret' => '{}'",
        "password = \"\"\"\n{}\n\"\"\"",
        "<password>{}</password>",
        "<Secret a=\"b\">{}</Secret>",
        "https://x.example/?access_token={}&a=b",
        "pass\u{200b}word={}",
        "ｐａｓｓｗｏｒｄ：{}",
        "credentials: [a, {}]",
    ] {
        hidden(&[serde_json::json!({ "t": text.replace("{}", SECRET) })]);
    }
}

/// What a program takes as secret, in one string and cut into words.
#[test]
fn secrets_of_commands_are_masked() {
    for command in [
        "mysql --password {}",
        "tool --api-key {}",
        "tool --api-key=\"{}\"",
        "curl -u admin:{} https://x.example",
        "curl -sSu admin:{} https://x.example",
        "curl --user admin:{} x",
        "curl -uadmin:{} x",
        "curl -b sid={} x",
        "sshpass -p {} ssh host",
        "sshpass -p{} ssh host",
        "/usr/bin/sshpass -p '{}' ssh host",
        "docker login -u bob -p {} registry.example",
        "sudo docker login -p {}",
        "mysql -uroot -p{} db",
        "mysqldump -p'a {}' db",
        "redis-cli -a {} ping",
        "unzip -P {} a.zip",
        "smbclient -U bob%{} //h/s",
        "echo {} | sudo -S id",
        "echo '{}' | sudo -S id",
        "printf '%s' {}|sudo -kS id",
        "sudo -S id <<< {}",
        "echo root:{} | chpasswd",
        "echo {} | docker login -u bob --password-stdin",
        "openssl enc -pass pass:{} -in a",
        "cd a && curl 'https://x.example/?a=1&b=2' -u bob:{}",
        "bash -c \"echo {} | sudo -S id\"",
        "bash -c \"sshpass -p {} ssh host\"",
        "sshpass -p \"{}\" ssh host",
    ] {
        hidden(&[serde_json::json!({ "c": command.replace("{}", SECRET) })]);
    }
    hidden(&[
        serde_json::json!({"argv": ["mysql", "--password", SECRET]}),
        serde_json::json!({"argv": ["mysql", "--password", format!("two {SECRET}")]}),
        serde_json::json!({"argv": ["curl", "-u", format!("bob:{SECRET}"), "https://x.example"]}),
        serde_json::json!({"argv": ["sshpass", "-p", SECRET, "ssh", "host"]}),
        serde_json::json!({"argv": ["docker", "login", "-p", SECRET]}),
        serde_json::json!({"argv": ["bash", "-c", format!("mysql -p{SECRET} db")]}),
        serde_json::json!({"argv": ["run", "-e", format!("API_KEY={SECRET}")]}),
    ]);
}

/// What gives itself away by its form alone.
#[test]
fn shapes_are_masked() {
    let tail = "S3cretS3cretS3cretS3cretS3cretS3cret";
    for shape in [
        "AGE-SECRET-KEY-1{}",
        "pypi-AgEIcHlwaS5vcmc{}",
        "SG.{}.{}",
        "ghp_{}",
        "sk-proj-{}",
        "glpat-{}",
        "dckr_pat_{}",
        "xoxb-1-{}",
        "hvs.{}",
        "GOCSPX-{}",
        "postgres://bob:{}@db/x",
        "https://{}@host/x",
        "bearer {}",
        "https://a.example/x?sv=1&sig={}",
        "-----BEGIN PRIVATE KEY-----\n{}\n",
        "whsec_{}",
    ] {
        hidden(&[serde_json::json!({ "t": format!("a {} b", shape.replace("{}", tail)) })]);
    }
    // A letter that cannot be seen does not break the form.
    hidden(&[serde_json::json!({ "t": format!("gh\u{200b}p_{tail}") })]);
}

/// Text that speaks of secrets, and options that look like those of other programs, stay readable.
#[test]
fn ordinary_arguments_stay() {
    for text in [
        "docker run -p 8080:80 nginx",
        "mkdir -p a/b && cp -u a b",
        "ssh -p 22 host",
        "mysql -p db -e 'select 1'",
        "the password policy asks for twelve letters",
        "reset your password in the settings",
        "curl https://x.example/a:b -o out",
        "echo hello | sudo tee /etc/motd",
        "git log --author bob",
        "task-management-and-more-words-to-come",
        "let n = map.get(key): Option<u8>",
        "max_tokens=500&page=2",
        "don't pass it on; it's the author's",
        "cat secrets.txt > out",
        "grep -rn \"token_count\" src",
        "password: null",
        "docker login --username bob --password-stdin",
        "tool --password-file /run/x --no-token",
        "sort -u a | uniq -c",
    ] {
        let args = serde_json::json!({ "t": text });
        assert_eq!(shown(&args), args.to_string());
    }
    for args in [
        serde_json::json!({"max_tokens": 500, "author": "bob", "key": "a", "primary_key": "id"}),
        serde_json::json!({"auth": true, "password": null, "secret_name": "prod/db"}),
        serde_json::json!({"argv": ["docker", "run", "-p", "80:80", "nginx"]}),
        serde_json::json!({"a": "{\"b\": [1, 2]}", "c": "[not json"}),
    ] {
        assert_eq!(shown(&args), args.to_string());
    }
    // What stands around a secret is still there.
    let args = serde_json::json!({"c": format!("curl -u bob:{SECRET} https://x.example/a")});
    let expected = r#"{"c":"curl -u bob:[masked] https://x.example/a"}"#;
    assert_eq!(shown(&args), expected);
}

/// The text made of the arguments hides what they hide; where it cannot, it is not shown.
#[test]
fn texts_are_masked_like_arguments() {
    let text = |text: &str, args: &serde_json::Value| SECRETS.shown_text(text, &args.to_string());
    let argv = serde_json::json!({"argv": ["mysql", "--password", SECRET]});
    let masked = text(&format!("x mysql --password {SECRET}"), &argv);
    assert_eq!(masked.as_deref(), Some("x mysql --password [masked]"));
    // A copy of the intent went, and with it what told the secret.
    assert_eq!(text(&format!("x   {SECRET}"), &argv), None);
    // Cut in the middle.
    assert_eq!(text("x mysql tail S3cretPw", &argv), None);
    let named = serde_json::json!({"name": "DB_PASSWORD", "value": SECRET});
    assert_eq!(text(&format!("x DB_PASSWORD {SECRET}"), &named), None);
    let plain = serde_json::json!({"c": "ls a"});
    assert_eq!(text("x ls a", &plain).as_deref(), Some("x ls a"));
}

/// A secret that is cut off is still one.
#[test]
fn masking_comes_before_cutting() {
    for at in SHOWN - 60..SHOWN + 10 {
        let args =
            serde_json::json!({"c": format!("{} --token {SECRET}{SECRET}", "é ".repeat(at / 2))});
        let shown = shown(&args);
        assert!(!shown.contains("Super"), "{shown}");
        assert!(shown.chars().count() <= SHOWN + 1, "{shown}");
    }
}

/// Hostile texts cost no more than a few passes: each of these, quadratic, would take minutes.
#[test]
fn the_work_is_linear() {
    const MANY: usize = 50_000;
    let started = std::time::Instant::now();
    for piece in [
        "\\",
        "\"",
        "'",
        "\\\"",
        "password=",
        "password:\"",
        "a=",
        "echo a|",
        "-p\"",
        "<password ",
        "a ",
        " ",
        "{\"a\":",
        "://a:",
        "Cookie: ",
        "Cookie: a=",
        "Authorization: basic ",
        "-----BEGIN PRIVATE KEY-----",
        "é\u{200b}",
        "sudo -S <<< ",
        "[",
        "key ",
        "<a>",
    ] {
        let args = serde_json::json!({ "t": piece.repeat(MANY / piece.len()) });
        let _ = shown(&args);
        let _ = shown(
            &serde_json::json!({ "t": format!("password=\"{}", piece.repeat(MANY / piece.len())) }),
        );
    }
    let spent = started.elapsed();
    assert!(spent.as_secs() < 60, "{spent:?}");
}
