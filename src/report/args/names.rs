//! Names that say that what they name is secret: keys, headers, variables, options.

use super::fold::Folded;

/// What such a name holds somewhere, without case and without what separates its words.
const HOLDS: &[&str] = &[
    "passwor",
    "passwd",
    "passphrase",
    "passcode",
    "pwd",
    "secret",
    "credential",
    "apikey",
    "accesskey",
    "accountkey",
    "privatekey",
    "signingkey",
    "encryptionkey",
    "masterkey",
    "sharedkey",
    "storagekey",
    "sessionkey",
    "authkey",
    "hmackey",
    "authorization",
    "bearer",
    "cookie",
];

/// What such a name ends with.
const ENDS: &[&str] = &["token", "auth", "pass", "storepass", "keypass"];

/// Its last word, where that is the whole of a word.
const LAST: &[&str] = &[
    "pw", "pin", "otp", "totp", "cvv", "cvc", "sid", "jwt", "psk", "cred", "creds", "mnemonic",
];

/// Last words of names that say something about a secret and not the secret itself.
const ABOUT: &[&str] = &[
    "name", "names", "arn", "length", "policy", "path", "file", "filename", "type", "version",
    "count", "ttl", "required", "enabled", "stdin", "rotation",
];

/// Ordinary words that look like one of the above.
const ORDINARY: &[&str] = &[
    "secretar",
    "compass",
    "bypass",
    "overpass",
    "underpass",
    "trespass",
];

/// Keys whose value is the name of something else in the same object.
const NAMING: &[&str] = &[
    "name",
    "key",
    "field",
    "header",
    "variable",
    "env",
    "param",
    "parameter",
    "element",
    "selector",
    "locator",
    "placeholder",
];

/// Keys of the value of what is named so.
const VALUES: &[&str] = &[
    "value",
    "val",
    "values",
    "text",
    "content",
    "data",
    "default",
    "stringvalue",
];

/// Longest name that is one, in bytes; what is longer is prose.
const LONGEST: usize = 200;

/// Whether a name says that its value is secret.
pub fn is_secret(name: &str) -> bool {
    if name.len() > LONGEST {
        return false;
    }
    let folded = Folded::new(name);
    let last = last_word(&folded.text);
    if ABOUT.contains(&last.as_str()) {
        return false;
    }
    let mut all = squashed(&folded.text);
    for word in ORDINARY {
        if all.contains(word) {
            all = all.replace(word, "-");
        }
    }
    HOLDS.iter().any(|part| all.contains(part))
        || ENDS.iter().any(|end| all.ends_with(end))
        || LAST.contains(&last.as_str())
}

/// Whether the value of a key names what another key of the object has.
pub fn names_another(key: &str) -> bool {
    is_one_of(key, NAMING)
}

/// Whether a key has the value of what another key of the object names.
pub fn is_named(key: &str) -> bool {
    is_one_of(key, VALUES)
}

/// Whether a name is that of a header with several values in one line: cookies, or a scheme and its
/// credentials.
pub fn is_header(name: &str) -> bool {
    let all = squashed(name);
    all.ends_with("cookie") || all.ends_with("authorization")
}

fn is_one_of(key: &str, names: &[&str]) -> bool {
    key.len() <= LONGEST && names.contains(&squashed(&Folded::new(key).text).as_str())
}

fn squashed(name: &str) -> String {
    let letters = name.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// The last word of a name, in lower case; capitals and signs begin words.
fn last_word(name: &str) -> String {
    let name = name.trim_end_matches(|c: char| !c.is_alphanumeric());
    let (mut word, mut was_lower) = (String::new(), false);
    for c in name.chars() {
        if !c.is_alphanumeric() || (was_lower && c.is_uppercase()) {
            word.clear();
        }
        was_lower = c.is_lowercase();
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However the words of a name are joined, spaced or disguised, it says the same.
    #[test]
    fn secret_names_are_known() {
        for name in [
            "password",
            "PASSWORD ",
            "DB_PASSWORD",
            "pass\u{200b}word",
            "ｐａｓｓｗｏｒｄ",
            "userPassword",
            "bearer",
            "signing_key",
            "signingKey",
            "Signing-Key",
            "authorization",
            "Proxy-Authorization",
            "Cookie",
            "set-cookie",
            "AccountKey",
            "x-api-key",
            "API key",
            "AWS_SECRET_ACCESS_KEY",
            "accessToken",
            "refresh_token",
            "auth",
            "user_pass",
            "--password",
            "client.secret",
            "connect.sid",
            "otp",
            "credentials",
        ] {
            assert!(is_secret(name), "{name}");
        }
    }

    /// Names that only look like it, or that say where a secret is and not what it is.
    #[test]
    fn ordinary_names_are_not() {
        for name in [
            "max_tokens",
            "token_count",
            "author",
            "secretary",
            "compass",
            "passenger",
            "key",
            "primary_key",
            "public_key",
            "keyboard",
            "monkey",
            "secret_name",
            "secretName",
            "password_file",
            "cookie_policy",
            "token_type",
            "--password-stdin",
            "spin",
            "session",
        ] {
            assert!(!is_secret(name), "{name}");
        }
    }
}
