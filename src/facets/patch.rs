//! Files that a patch in the `*** Begin Patch` form changes.

const HEADERS: &[&str] = &[
    "*** Add File: ",
    "*** Update File: ",
    "*** Delete File: ",
    "*** Move to: ",
];

/// The files a patch deletes, or moves away from, in order.
pub fn deleted(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut updated = None;
    for line in text.lines() {
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
    text.lines().filter_map(|line| {
        let header = |header: &&str| line.strip_prefix(*header);
        HEADERS.iter().find_map(header).map(str::trim)
    })
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
