//! Bytes of words, told from others by a look at a table: whole texts are gone along.

/// What a byte is to a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An ASCII letter or digit.
    Part,
    /// Other ASCII.
    Gap,
    /// Part of another character.
    Other,
}

static KINDS: [Kind; 256] = {
    let mut kinds = [Kind::Gap; 256];
    let mut byte = 0;
    while byte < 256 {
        if byte > 0x7f {
            kinds[byte] = Kind::Other;
        } else if (byte as u8).is_ascii_alphanumeric() {
            kinds[byte] = Kind::Part;
        }
        byte += 1;
    }
    kinds
};

/// What a byte is.
pub(super) fn kind(byte: u8) -> Kind {
    KINDS[usize::from(byte)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_those_of_characters() {
        for byte in 0..=u8::MAX {
            let is_part = byte.is_ascii_alphanumeric();
            assert_eq!(kind(byte) == Kind::Part, is_part, "{byte}");
            assert_eq!(kind(byte) == Kind::Other, !byte.is_ascii(), "{byte}");
        }
    }
}
