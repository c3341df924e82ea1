//! Numbers and texts in few bytes, for what is put away until it is asked for again.

/// What has been written so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Writer {
    pub(super) bytes: Vec<u8>,
}

impl Writer {
    /// A number, in seven bits a byte.
    pub(super) fn number(&mut self, number: u64) {
        write(&mut self.bytes, number);
    }

    /// A number that may be less than zero.
    pub(super) fn signed(&mut self, number: i128) {
        // The sign goes last, so that what is near zero is short.
        let folded = (number << 1 ^ number >> 127) as u128;
        self.number(folded as u64);
        self.number((folded >> 64) as u64);
    }

    /// A number as it stands in memory, where it may be any.
    pub(super) fn hash(&mut self, hash: u64) {
        self.bytes.extend_from_slice(&hash.to_le_bytes());
    }

    /// Whether there is something, and then what.
    pub(super) fn maybe<T>(&mut self, some: Option<T>, put: impl FnOnce(&mut Writer, T)) {
        self.number(some.is_some().into());
        if let Some(value) = some {
            put(self, value);
        }
    }

    /// Bytes, with their number.
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
    }
}

/// A number, in seven bits a byte.
#[inline]
pub(super) fn write(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads what was written, in the same order. Where there is nothing left it reads zeros.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'b>(pub(super) &'b [u8]);

impl<'b> Reader<'b> {
    fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        first
    }

    /// See [`Writer::number`].
    #[inline]
    pub(super) fn number(&mut self) -> u64 {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = self.byte();
            number |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
            if byte < 0x80 {
                return number;
            }
            shift += 7;
        }
    }

    /// The same, where it is a place or a count.
    pub(super) fn size(&mut self) -> usize {
        self.number() as usize
    }

    /// See [`Writer::signed`].
    pub(super) fn signed(&mut self) -> i128 {
        let low = u128::from(self.number());
        let folded = u128::from(self.number()) << 64 | low;
        (folded >> 1) as i128 ^ -((folded & 1) as i128)
    }

    /// So many bytes as they stand.
    fn array<const N: usize>(&mut self) -> [u8; N] {
        let Some((first, rest)) = self.0.split_first_chunk() else {
            return [0; N];
        };
        self.0 = rest;
        *first
    }

    /// See [`Writer::hash`].
    pub(super) fn hash(&mut self) -> u64 {
        u64::from_le_bytes(self.array())
    }

    /// Half of one.
    pub(super) fn short(&mut self) -> u32 {
        u32::from_le_bytes(self.array())
    }

    /// See [`Writer::maybe`].
    pub(super) fn maybe<T>(&mut self, get: impl FnOnce(&mut Self) -> T) -> Option<T> {
        (self.number() > 0).then(|| get(self))
    }

    /// See [`Writer::bytes`].
    pub(super) fn bytes(&mut self) -> &'b [u8] {
        let length = self.size().min(self.0.len());
        let (bytes, rest) = self.0.split_at(length);
        self.0 = rest;
        bytes
    }

    /// The same, written as text.
    pub(super) fn text(&mut self) -> &'b str {
        std::str::from_utf8(self.bytes()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let numbers = [0, 1, 127, 128, 1 << 32, u64::MAX - 1, u64::MAX];
        let signed = [0, 1, -1, 1 << 62, -1 << 70, i128::MAX, i128::MIN];
        let mut writer = Writer::default();
        for number in numbers {
            writer.number(number);
            writer.hash(number);
            writer.maybe(Some(number), Writer::number);
            writer.maybe(None, Writer::number);
        }
        signed.into_iter().for_each(|number| writer.signed(number));
        writer.bytes("añ".as_bytes());
        let mut reader = Reader(&writer.bytes);
        for number in numbers {
            assert_eq!((reader.number(), reader.hash()), (number, number));
            assert_eq!(reader.maybe(Reader::number), Some(number));
            assert_eq!(reader.maybe(Reader::number), None);
        }
        for number in signed {
            assert_eq!(reader.signed(), number);
        }
        assert_eq!(reader.text(), "añ");
        assert_eq!((reader.number(), reader.text()), (0, ""));
        assert_eq!(Reader(&[0xff; 30]).number(), u64::MAX);
    }
}
