//! Random numbers out of a seed that the driver hands in: the same seed gives the same run. For jitter,
//! choices and identifiers; not for keys.
use alloc::string::String;

/// A xoshiro256** generator.
#[derive(Clone, Debug)]
pub struct Rng([u64; 4]);

impl Rng {
    /// A generator whose whole sequence `seed` determines.
    pub fn new(seed: u64) -> Self {
        // splitmix64 spreads the seed; its outputs are never all zero.
        let mut state = seed;
        Self([(); 4].map(|()| {
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut mixed = state;
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            mixed ^ (mixed >> 31)
        }))
    }

    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        let state = &mut self.0;
        let result = state[1].wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let carry = state[1] << 17;
        state[2] ^= state[0];
        state[3] ^= state[1];
        state[1] ^= state[2];
        state[0] ^= state[3];
        state[2] ^= carry;
        state[3] = state[3].rotate_left(45);
        result
    }

    /// A number below `n`, every one equally likely; 0 for `n` = 0.
    pub fn below(&mut self, n: u64) -> u64 {
        // The high half of a product is below n; the lowest few products would favour some numbers.
        let unfair = n.wrapping_neg().checked_rem(n).unwrap_or(0);
        loop {
            let product = u128::from(self.next_u64()) * u128::from(n);
            if product as u64 >= unfair {
                return (product >> 64) as u64;
            }
        }
    }

    /// A fresh identifier: 22 of `0–9 A–Z a–z`, 131 bits.
    pub fn id(&mut self) -> String {
        const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
        (0..22).map(|_| char::from(DIGITS[self.below(62) as usize])).collect()
    }

    /// A fresh UUID, version 4, as lowercase text.
    pub fn uuid(&mut self) -> String {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut bits = u128::from(self.next_u64()) << 64 | u128::from(self.next_u64());
        bits = bits & !(0xF << 76) | 0x4 << 76;
        bits = bits & !(0x3 << 62) | 0x2 << 62;
        let mut text = String::with_capacity(36);
        for place in 0..32 {
            if matches!(place, 8 | 12 | 16 | 20) {
                text.push('-');
            }
            text.push(char::from(DIGITS[(bits >> (124 - 4 * place) & 0xF) as usize]));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;

    #[test]
    fn the_published_algorithm() {
        // splitmix64 from 0 begins e220a8397b1dcdaf, 6e789e6aa1b965f4, 06c45d188009454f, f88bb8a8724c81ec.
        let mut rng = Rng::new(0);
        assert_eq!(
            rng.0,
            [
                0xE220_A839_7B1D_CDAF,
                0x6E78_9E6A_A1B9_65F4,
                0x06C4_5D18_8009_454F,
                0xF88B_B8A8_724C_81EC
            ]
        );
        // xoshiro256** from state 1, 2, 3, 4, as published implementations test it.
        rng.0 = [1, 2, 3, 4];
        let first: [u64; 4] = [(); 4].map(|()| rng.next_u64());
        assert_eq!(first, [11_520, 0, 1_509_978_240, 1_215_971_899_390_074_240]);
    }

    #[test]
    fn a_seed_gives_one_sequence() {
        let (mut a, mut b, mut c) = (Rng::new(1), Rng::new(1), Rng::new(2));
        let mut differs = false;
        for _ in 0..100 {
            let number = a.next_u64();
            assert_eq!(number, b.next_u64());
            differs |= number != c.next_u64();
        }
        assert!(differs);
        assert_eq!(a.id(), b.id());
        assert_eq!(a.uuid(), b.uuid());
    }

    #[test]
    fn below_is_below_and_even() {
        let mut rng = Rng::new(3);
        assert_eq!(rng.below(0), 0);
        assert_eq!(rng.below(1), 0);
        for n in [2, 3, 62, 1 << 40, u64::MAX] {
            for _ in 0..200 {
                assert!(rng.below(n) < n);
            }
        }
        let mut counts = [0_u32; 6];
        for _ in 0..60_000 {
            counts[rng.below(6) as usize] += 1;
        }
        assert!(counts.iter().all(|count| (9_500..10_500).contains(count)), "{counts:?}");
    }

    #[test]
    fn ids_and_uuids_have_their_form() {
        let mut rng = Rng::new(4);
        let mut seen = BTreeSet::new();
        for _ in 0..1_000 {
            let id = rng.id();
            assert_eq!(id.len(), 22);
            assert!(id.bytes().all(|byte| byte.is_ascii_alphanumeric()));
            crate::name::check_id(&id).unwrap();
            let uuid = rng.uuid();
            crate::name::check_id(&uuid).unwrap();
            assert_eq!(uuid.len(), 36);
            for (at, byte) in uuid.bytes().enumerate() {
                let good = match at {
                    8 | 13 | 18 | 23 => byte == b'-',
                    14 => byte == b'4',
                    19 => matches!(byte, b'8' | b'9' | b'a' | b'b'),
                    _ => byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'),
                };
                assert!(good, "{uuid}");
            }
            assert!(seen.insert(id) && seen.insert(uuid));
        }
    }
}
