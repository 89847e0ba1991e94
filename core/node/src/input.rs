//! Frames out of a stream of bytes, however it was cut. Whole frames are read where they lie; only a
//! frame that spans two reads is copied, into a buffer that grows to exactly its length.

use crate::frame::{self, Frame, Scan};
use crate::violation::Violation;

/// A buffer larger than this is given back after use.
const KEPT: usize = 64 * 1024;

/// What is left of a client's bytes between two reads.
#[derive(Debug, Default)]
pub(crate) struct Input {
    held: Vec<u8>,
    /// The length of the frame in `held`, once its control line is complete.
    total: usize,
    /// `held` was handed out as a frame and is spent.
    spent: bool,
}

impl Input {
    /// The next frame of what is held and of `bytes`, which moves on past it. `None` once all
    /// of `bytes` is used up.
    #[inline]
    pub fn next<'a, 'b: 'a>(
        &'a mut self,
        bytes: &mut &'b [u8],
        max_payload: usize,
    ) -> Option<Result<Frame<'a>, Violation>> {
        if self.spent {
            self.spent = false;
            self.total = 0;
            self.held.clear();
            if self.held.capacity() > KEPT {
                self.held = Vec::new();
            }
        }
        if bytes.is_empty() {
            return None;
        }
        if self.held.is_empty() {
            return match frame::scan(bytes, max_payload) {
                Ok(Scan::Frame(frame, used)) => {
                    *bytes = &bytes[used..];
                    Some(Ok(frame))
                }
                Ok(Scan::Line) => {
                    self.held.extend_from_slice(bytes);
                    self.held.truncate(frame::needed(bytes));
                    *bytes = b"";
                    None
                }
                Ok(Scan::Payload(total)) => {
                    self.expect(total, bytes);
                    None
                }
                Err(violation) => Some(Err(violation)),
            };
        }
        self.resume(bytes, max_payload)
    }

    /// Whether the next byte begins a frame.
    pub fn at_start(&self) -> bool {
        self.spent || self.held.is_empty()
    }

    fn expect(&mut self, total: usize, bytes: &mut &[u8]) {
        self.total = total;
        self.held.reserve_exact(total - self.held.len());
        self.held.extend_from_slice(bytes);
        *bytes = b"";
    }

    #[cold]
    fn resume<'a>(
        &'a mut self,
        bytes: &mut &[u8],
        max_payload: usize,
    ) -> Option<Result<Frame<'a>, Violation>> {
        while !bytes.is_empty() {
            let wanted = if self.total > 0 {
                // The two bytes that end a frame are looked at as they come.
                let left = self.total - self.held.len();
                if left > 2 { left - 2 } else { 1 }
            } else {
                memchr::memchr(b'\n', bytes).map_or(bytes.len(), |end| end + 1)
            };
            let (now, later) = bytes.split_at(wanted.min(bytes.len()));
            self.held.extend_from_slice(now);
            *bytes = later;
            if self.total > 0 && self.held.len() + 2 < self.total {
                continue;
            }
            match frame::scan(&self.held, max_payload) {
                Err(violation) => return Some(Err(violation)),
                Ok(Scan::Line) => self.held.truncate(frame::needed(&self.held)),
                Ok(Scan::Payload(total)) => {
                    self.total = total;
                    self.held.reserve_exact(total - self.held.len());
                }
                Ok(Scan::Frame(..)) => {
                    self.spent = true;
                    break;
                }
            }
        }
        if !self.spent {
            return None;
        }
        match frame::scan(&self.held, max_payload) {
            Ok(Scan::Frame(frame, _)) => Some(Ok(frame)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(chunks: &[&[u8]]) -> Vec<String> {
        let mut input = Input::default();
        let mut seen = Vec::new();
        for chunk in chunks {
            let mut bytes = *chunk;
            while let Some(frame) = input.next(&mut bytes, 100) {
                let failed = frame.is_err();
                // The tail is an optimisation that depends on nothing but the bytes of the frame.
                seen.push(format!("{frame:?}"));
                if failed {
                    return seen;
                }
            }
        }
        seen
    }

    #[test]
    fn every_split_gives_the_same_frames() {
        let scripts: [&[u8]; 5] = [
            b"CONNECT {\"a\":1}\r\nPING\r\nSUB a.b 1\r\nPUB a r 5\r\nhe\r\no\r\nUNSUB 1 4\r\nPONG\r\n",
            b"ping   garbage\r\nHPUB a 12 14\r\nNATS/1.0\r\n\r\nhi\r\nsub   a\t q  7\nPUB a 0\r\n\r\n",
            b"+OK\r\nINFO {}\r\nPUB a 3\r\nabcd\r\nPING\r\n",
            b"PUB a 3\r\nabc\rxPING\r\n",
            b"PING\r\nPUB a 101\r\n",
        ];
        for script in scripts {
            let whole = texts(&[script]);
            let bytewise: Vec<&[u8]> = script.chunks(1).collect();
            assert_eq!(texts(&bytewise), whole);
            for first in 0..script.len() {
                for second in first..script.len() {
                    let cut = [&script[..first], &script[first..second], &script[second..]];
                    assert_eq!(texts(&cut), whole, "cut at {first} and {second}");
                }
            }
        }
    }
}
