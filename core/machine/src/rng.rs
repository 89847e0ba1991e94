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
