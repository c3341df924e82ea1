//! A look at an expression's text before it is parsed: how deep and how long it is. The parser and
//! the interpreter recurse, so what they are given is bounded here.

use super::ExprError;

/// Longest expression, in bytes.
pub const MAX_LENGTH: usize = 16 << 10;
/// Most brackets open at once.
pub const MAX_BRACKETS: usize = 32;
/// Most operators, dots and brackets altogether.
pub const MAX_OPERATORS: usize = 1000;

/// Checks that an expression is within the limits. Returns how many operators, dots and brackets it has.
///
/// # Errors
/// The first place where it is not.
pub fn check(source: &str) -> Result<usize, ExprError> {
    if source.trim().is_empty() {
        return Err(ExprError::new(0, "the expression is empty"));
    }
    if source.len() > MAX_LENGTH {
        let message = format!("the expression is longer than {MAX_LENGTH} bytes");
        return Err(ExprError::new(0, message));
    }
    let bytes = source.as_bytes();
    let (mut at, mut open, mut operators) = (0, 0usize, 0usize);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' | b'\'' => {
                at = string_end(bytes, at);
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at += bytes[at..].iter().take_while(|&&b| b != b'\n').count();
                continue;
            }
            // A name in backticks is no comment, whatever it holds.
            b'`' => {
                let end = bytes[at + 1..]
                    .iter()
                    .position(|b| matches!(b, b'`' | b'\n'));
                at += end.unwrap_or(0) + 1;
            }
            b'(' | b'[' | b'{' => open += 1,
            b')' | b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        operators += usize::from(b".+-*/%!<>=&|?([{".contains(&byte) || is_in(bytes, at));
        if open > MAX_BRACKETS {
            return Err(too_deep(at));
        }
        if operators > MAX_OPERATORS {
            let message = format!("the expression has more than {MAX_OPERATORS} operators");
            return Err(ExprError::new(at, message));
        }
        at += 1;
    }
    Ok(operators)
}

/// Whether the operator `in` stands there, as far as can be seen without taking the text apart.
fn is_in(bytes: &[u8], at: usize) -> bool {
    let within = |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    let before = at.checked_sub(1).and_then(|at| bytes.get(at));
    let begins = !before.is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_');
    begins && bytes[at..].starts_with(b"in") && !within(bytes.get(at + 2))
}

/// The error for an expression that nests too deep at an offset.
pub fn too_deep(offset: usize) -> ExprError {
    let message = format!("the expression is nested deeper than {MAX_BRACKETS} levels");
    ExprError::new(offset, message)
}

/// Offset behind a string literal that begins at `start`, or the end of the text.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let quote = bytes[start];
    let raw = start > 0 && matches!(bytes[start - 1], b'r' | b'R');
    let triple = bytes[start..].starts_with(&[quote; 3]);
    let width = if triple { 3 } else { 1 };
    let mut at = start + width;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if !raw => at += 2,
            b'\n' if !triple => return at,
            b if b == quote && (!triple || bytes[at..].starts_with(&[quote; 3])) => {
                return at + width;
            }
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bombs_are_refused_and_strings_do_not_count() {
        let deep = "(".repeat(100_000) + "1" + &")".repeat(100_000);
        assert!(check(&deep).is_err());
        assert!(check(&("[".repeat(40) + &"]".repeat(40))).is_err());
        assert!(check(&format!("1{}", "+1".repeat(2000))).is_err());
        assert!(
            check(&format!(
                "'{}' == \"{}\"",
                "(.".repeat(2000),
                "[+".repeat(2000)
            ))
            .is_ok()
        );
        assert!(check("'a\\'(((' == '''(''(''' // ((((").is_ok());
        assert!(check(&format!("1{}", "in 1".repeat(2000))).is_err());
        assert_eq!(check("inn in x.in_ && min"), Ok(4));
        assert!(check(&format!("a.`//` == {}", "(".repeat(40))).is_err());
        assert!(check("  ").is_err());
        assert!(check("'unterminated").is_ok());
    }
}
