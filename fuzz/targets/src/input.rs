//! Reads choices out of a fuzzer's bytes, front to back, so that seeds can be written by hand. Past the
//! end everything is zero or empty.

/// What is left of the bytes.
pub(crate) struct Input<'a>(pub &'a [u8]);

impl<'a> Input<'a> {
    /// The next byte, if there is one.
    pub fn next(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    /// The next byte, or zero.
    pub fn byte(&mut self) -> u8 {
        self.next().unwrap_or(0)
    }

    /// A number below `count`, which must not be zero.
    pub fn below(&mut self, count: usize) -> usize {
        usize::from(self.byte()) % count
    }

    /// One of `all`.
    pub fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    /// The next `count` bytes, or as many as there are.
    pub fn take(&mut self, count: usize) -> &'a [u8] {
        let (now, later) = self.0.split_at(count.min(self.0.len()));
        self.0 = later;
        now
    }

    /// Bytes whose number the next byte tells.
    pub fn some(&mut self) -> &'a [u8] {
        let count = usize::from(self.byte());
        self.take(count)
    }

    /// Eight bytes as a number.
    pub fn u64(&mut self) -> u64 {
        self.take(8).iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
    }

    /// Text out of [`Self::some`]; what is no UTF-8 is replaced.
    pub fn text(&mut self) -> String {
        String::from_utf8_lossy(self.some()).into_owned()
    }
}

/// Cuts `bytes` into pieces whose lengths are taken from `lengths`, again and again.
pub(crate) fn pieces<'a>(mut bytes: &'a [u8], lengths: &[u8]) -> Vec<&'a [u8]> {
    let mut all = Vec::new();
    let mut lengths = lengths.iter().map(|n| usize::from(*n)).cycle();
    while !bytes.is_empty() {
        let wanted = lengths.next().unwrap_or(1);
        let (piece, rest) = bytes.split_at(wanted.clamp(1, bytes.len()));
        all.push(piece);
        bytes = rest;
    }
    all
}
