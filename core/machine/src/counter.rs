//! The counter of a version: a decimal number of up to 40 digits, so past any machine integer.
use core::{cmp::Ordering, fmt};

const DIGITS: usize = 40;

/// A positive decimal number of at most 40 digits, compared as a number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Counter {
    len: u8,
    digits: [u8; DIGITS],
}

impl Counter {
    /// Before the first write.
    pub const ZERO: Self = Self { len: 0, digits: [0; DIGITS] };

    /// Reads `[1-9][0-9]{0,39}`; anything else is `None`.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let plain = matches!(bytes.first(), Some(b'1'..=b'9')) && bytes.len() <= DIGITS;
        if !plain || !bytes.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let mut digits = [0; DIGITS];
        digits[..bytes.len()].copy_from_slice(bytes);
        Some(Self { len: bytes.len() as u8, digits })
    }

    /// The number after this one; `None` past 40 digits.
    pub fn next(&self) -> Option<Self> {
        let mut n = *self;
        for at in (0..n.len as usize).rev() {
            if n.digits[at] < b'9' {
                n.digits[at] += 1;
                return Some(n);
            }
            n.digits[at] = b'0';
        }
        let len = n.len as usize;
        if len == DIGITS {
            return None;
        }
        n.digits.copy_within(0..len, 1);
        n.digits[0] = b'1';
        n.len += 1;
        Some(n)
    }

    /// The digits; empty for [`Counter::ZERO`].
    pub fn as_str(&self) -> &str {
        core::str::from_utf8(&self.digits[..self.len as usize]).unwrap_or_default()
    }
}

impl Ord for Counter {
    fn cmp(&self, other: &Self) -> Ordering {
        self.len.cmp(&other.len).then_with(|| self.digits.cmp(&other.digits))
    }
}

impl PartialOrd for Counter {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl serde::Serialize for Counter {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl fmt::Debug for Counter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_compares_as_numbers() {
        let n = |s| Counter::parse(s).unwrap();
        assert_eq!(Counter::ZERO.next(), Some(n("1")));
        assert_eq!(n("9").next(), Some(n("10")));
        assert_eq!(n("199").next(), Some(n("200")));
        assert_eq!(n("18446744073709551615").next(), Some(n("18446744073709551616")));
        assert!(n("10") > n("9") && n("2") > n("1") && Counter::ZERO < n("1"));
        let most = "9".repeat(40);
        assert_eq!(n(&most).next(), None);
        for bad in ["", "0", "01", "-1", "1.0", " 1", &"1".repeat(41)] {
            assert_eq!(Counter::parse(bad), None, "{bad}");
        }
    }
    extern crate std;
}
