//! What tests have in common: numbers that look random and are the same every time. It is a part of the
//! crate's own tests, and the tests and benches beside it take it in as a file.

#![allow(dead_code, reason = "each test file uses a part of it")]

/// The splitmix64 generator (Steele, Lea and Flood, OOPSLA 2014).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A whole number from 0 to below `n`, which is above 0.
    pub fn below<N: TryFrom<u64> + TryInto<u64>>(&mut self, n: N) -> N {
        let n: Option<u64> = n.try_into().ok();
        let below = n.and_then(|n| self.next().checked_rem(n));
        let below = below.and_then(|below| N::try_from(below).ok());
        below.expect("there are numbers below it")
    }

    /// True in `percent` of 100 cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}
