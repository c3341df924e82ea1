//! Files that a patch changes, in the `*** Begin Patch` form or as a unified diff.

const HEADERS: &[&str] = &[
    "*** Add File: ",
    "*** Update File: ",
    "*** Delete File: ",
    "*** Move to: ",
    "rename from ",
    "rename to ",
];

/// The files a patch deletes, or moves away from, in order.
pub fn deleted(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut updated = None;
    let mut old = None;
    for line in text.lines() {
        if line.starts_with("+++ /dev/null") {
            found.extend(old);
        }
        old = line.strip_prefix("--- ").and_then(name);
        found.extend(line.strip_prefix("rename from ").map(str::trim));
        if let Some(file) = line.strip_prefix("*** Delete File: ") {
            found.push(file.trim());
        } else if line.starts_with("*** Move to: ") {
            found.extend(updated.take());
        } else if let Some(file) = line.strip_prefix("*** Update File: ") {
            updated = Some(file.trim());
        }
    }
    found
}

/// The files a patch adds, changes, deletes or moves to, in order.
pub fn files(text: &str) -> impl Iterator<Item = &str> {
    let mut old = None;
    text.lines().flat_map(move |line| {
        let header = |header: &&str| line.strip_prefix(*header);
        let before = std::mem::replace(&mut old, line.strip_prefix("--- "));
        let new = line.strip_prefix("+++ ").filter(|_| before.is_some());
        let both = [before.filter(|_| new.is_some()), new];
        let headed = HEADERS.iter().find_map(header).map(str::trim);
        let named = both.into_iter().flatten().filter_map(name);
        headed.into_iter().chain(named)
    })
}

/// The file that a header of a unified diff names; `None` for none.
fn name(text: &str) -> Option<&str> {
    let name = text.split('\t').next().unwrap_or(text).trim();
    let plain = name.strip_prefix("a/").or_else(|| name.strip_prefix("b/"));
    (!name.is_empty() && name != "/dev/null").then_some(plain.unwrap_or(name))
}

#[cfg(test)]
mod tests {
    #[test]
    fn headers_name_the_files() {
        let text = "*** Begin Patch\n*** Update File: a b.rs\n*** Move to: c\n+*** Add File: no\n\
                    *** Delete File: d\n*** End Patch";
        assert_eq!(super::files(text).collect::<Vec<_>>(), ["a b.rs", "c", "d"]);
        assert_eq!(super::deleted(text), ["a b.rs", "d"]);
    }
}
