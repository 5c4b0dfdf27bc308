//! Numbers in bits: Golomb-Rice codes for distances whose mean is known, Elias gamma codes for small counts.

use super::Damaged;

/// Appends bits, the highest first.
#[derive(Default)]
pub(super) struct Writer {
    out: Vec<u8>,
    /// The bits of the last byte that are still free.
    free: u32,
}

impl Writer {
    /// The lowest `bits` of a number, at most 56.
    pub(super) fn put(&mut self, number: u64, mut bits: u32) {
        while bits > 0 {
            if self.free == 0 {
                self.out.push(0);
                self.free = 8;
            }
            let now = bits.min(self.free);
            let part = number >> (bits - now) & ((1 << now) - 1);
            if let Some(last) = self.out.last_mut() {
                *last |= (part << (self.free - now)) as u8;
            }
            self.free -= now;
            bits -= now;
        }
    }

    fn put_unary(&mut self, mut number: u64) {
        while number >= 32 {
            self.put(0, 32);
            number -= 32;
        }
        self.put(1, number as u32 + 1);
    }

    /// A number in the Golomb-Rice code of a parameter.
    pub(super) fn put_rice(&mut self, number: u64, parameter: u32) {
        self.put_unary(number >> parameter);
        self.put(number, parameter);
    }

    /// A number from 1 on in the Elias gamma code.
    pub(super) fn put_gamma(&mut self, number: u64) {
        let bits = number.ilog2();
        self.put_unary(bits.into());
        self.put(number, bits);
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.out
    }
}

/// Takes bits from the front.
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    /// Bits taken.
    at: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Reader { bytes, at: 0 }
    }

    /// The next 57 bits or more, with zeros behind the end.
    fn peek(&self) -> u64 {
        let rest = self.bytes.get(self.at / 8..).unwrap_or_default();
        let word = match rest.first_chunk() {
            Some(chunk) => u64::from_be_bytes(*chunk),
            None => {
                let mut chunk = [0; 8];
                chunk[..rest.len()].copy_from_slice(rest);
                u64::from_be_bytes(chunk)
            }
        };
        word << (self.at % 8)
    }

    fn skip(&mut self, bits: u32) -> Result<(), Damaged> {
        self.at += bits as usize;
        if self.at <= self.bytes.len() * 8 { Ok(()) } else { Err(Damaged) }
    }

    /// A number of at most 56 bits.
    pub(super) fn get(&mut self, bits: u32) -> Result<u64, Damaged> {
        let number = self.peek().checked_shr(64 - bits).unwrap_or(0);
        self.skip(bits)?;
        Ok(number)
    }

    fn get_unary(&mut self) -> Result<u64, Damaged> {
        let mut number = 0;
        loop {
            let zeros = self.peek().leading_zeros();
            if zeros < 56 {
                self.skip(zeros + 1)?;
                return Ok(number + u64::from(zeros));
            }
            self.skip(56)?;
            number += 56;
        }
    }

    /// A number in the Golomb-Rice code of a parameter, at most 56.
    pub(super) fn get_rice(&mut self, parameter: u32) -> Result<u64, Damaged> {
        let high = self.get_unary()?;
        let low = self.get(parameter)?;
        high.checked_mul(1 << parameter).map(|high| high | low).ok_or(Damaged)
    }

    /// A number in the Elias gamma code.
    pub(super) fn get_gamma(&mut self) -> Result<u64, Damaged> {
        let bits = u32::try_from(self.get_unary()?).ok().filter(|bits| *bits <= 32).ok_or(Damaged)?;
        Ok(1 << bits | self.get(bits)?)
    }
}

/// The Golomb-Rice parameter of distances between `count` places in `range`, as these are geometrically distributed.
pub(super) fn parameter(range: u64, count: u64) -> u32 {
    // ln 2 of the mean distance.
    (range / count.max(1) * 11 / 16).max(1).ilog2()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_come_back(numbers in proptest::collection::vec((any::<u64>(), 0_u32..=56, 0_u64..3_000), 0..40)) {
            let mut writer = Writer::default();
            for &(number, bits, small) in &numbers {
                writer.put(number, bits);
                writer.put_rice(small, bits % 12);
                writer.put_gamma(small + 1);
            }
            let bytes = writer.into_bytes();
            let mut reader = Reader::new(&bytes);
            for &(number, bits, small) in &numbers {
                prop_assert_eq!(reader.get(bits), Ok(number & ((1_u64 << bits) - 1)));
                prop_assert_eq!(reader.get_rice(bits % 12), Ok(small));
                prop_assert_eq!(reader.get_gamma(), Ok(small + 1));
            }
            prop_assert_eq!(reader.get(8), Err(Damaged));
        }

        #[test]
        fn any_bytes_end(bytes in proptest::collection::vec(prop_oneof![Just(0), any::<u8>()], 0..40), parameter in 0_u32..=56) {
            let mut reader = Reader::new(&bytes);
            while reader.get_rice(parameter).is_ok() && reader.get_gamma().is_ok() {}
        }
    }
}
