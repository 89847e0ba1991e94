//! Texts out of a seed: numbers near every border, every way of escaping, integer-like and repeated keys, depth, size,
//! and texts that are broken.
use posthouse_core::rng::Rng;
use std::fmt::Write as _;

/// What a text is made to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Values of every kind, with repeated keys.
    Plain,
    /// One number.
    Number,
    /// One object of many members.
    Object,
    /// Nested far.
    Deep,
    /// Near the limit of size.
    Large,
    /// With what the rules forbid, some of it in values that a repeated key replaces.
    Forbidden,
    /// A text with some characters changed.
    Broken,
}

/// Gives texts for ever.
pub struct Corpus {
    rng: Rng,
    made: u64,
    /// Whether what is forbidden may come.
    forbidden: bool,
}

const SPACE: [&str; 8] = ["", "", "", "", " ", "\n", "\t\r\n", "  "];
const KEYS: [&str; 32] = [
    "",
    "a",
    "b",
    "c",
    "A",
    "aa",
    "0",
    "00",
    "1",
    "2",
    "10",
    "9",
    "01",
    "-1",
    "-0",
    "1.0",
    "1e3",
    "4294967293",
    "4294967294",
    "4294967295",
    "4294967296",
    "18446744073709551616",
    "__proto__",
    "constructor",
    "toString",
    "length",
    "$",
    "$句",
    "句柄",
    "é",
    "\u{2028}",
    "😀",
];
const NUMBERS: [&str; 34] = [
    "0",
    "-0",
    "0.0",
    "-0.0e9",
    "1.0",
    "9007199254740991",
    "9007199254740992",
    "9007199254740993",
    "-9007199254740993",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "999999999999999999999",
    "1e21",
    "1e20",
    "123456789012345680000",
    "1000000000000000128",
    "0.000001",
    "0.0000001",
    "1e-7",
    "1.5e-7",
    "5e-324",
    "2.4703282292062327e-324",
    "2.4703282292062328e-324",
    "2.2250738585072011e-308",
    "1.7976931348623157e308",
    "1.7976931348623158e308",
    "1.00000000000000011102230246251565404236316680908203125",
    "1e-400",
    "-1e-999",
    "4.35",
    "0.1e1",
    "100E-2",
];

impl Corpus {
    pub fn new(seed: u64) -> Self {
        Self { rng: Rng::new(seed), made: 0, forbidden: false }
    }

    fn below(&mut self, n: u64) -> u64 {
        self.rng.below(n)
    }

    fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.rng.below(all.len() as u64) as usize]
    }

    fn space(&mut self, out: &mut String) {
        out.push_str(self.pick(&SPACE));
    }

    fn digits(&mut self, most: u64, out: &mut String) {
        for _ in 0..=self.below(most) {
            let digit = b'0' + self.below(10) as u8;
            out.push(digit as char);
        }
    }

    fn number(&mut self, out: &mut String) {
        if self.forbidden && self.below(12) == 0 {
            out.push_str(self.pick(&[
                "1e309",
                "-1e999",
                "1.7976931348623159e308",
                "9e99999999999999999999",
            ]));
            return;
        }
        let bits = f64::from_bits(self.rng.next_u64());
        let any = if bits.is_finite() { bits } else { 0.5 };
        match self.below(12) {
            0 | 1 => out.push_str(self.pick(&NUMBERS)),
            2 => write!(out, "{any:e}").unwrap(),
            3 => write!(out, "{any:.17e}").unwrap(),
            4 => write!(out, "{any:.19e}").unwrap(),
            5 => {
                // Between two doubles, and next to that.
                let near = (self.below(1 << 54) as f64) / 2_f64.powi(self.below(80) as i32);
                write!(out, "{near:.40}").unwrap();
            }
            6 => {
                let whole = self.rng.next_u64() >> self.below(64);
                write!(out, "{whole}").unwrap();
            }
            7 => {
                let first = b'1' + self.below(9) as u8;
                out.push(first as char);
                self.digits(30, out);
            }
            8 => {
                let exponent = self.below(60).cast_signed() - 30;
                write!(out, "{}", self.below(1000)).unwrap();
                out.push('.');
                self.digits(18, out);
                let sign = if exponent < 0 { "" } else { self.pick(&["", "+", "+0", "00"]) };
                write!(out, "{}{sign}{exponent}", self.pick(&["e", "E"])).unwrap();
            }
            9 => {
                out.push_str(self.pick(&["0.", "-0.", "1."]));
                for _ in 0..self.below(12) {
                    out.push('0');
                }
                self.digits(20, out);
            }
            10 => write!(out, "{}.{:02}", self.below(2000).cast_signed() - 1000, self.below(100))
                .unwrap(),
            _ => write!(out, "{}", self.below(1000).cast_signed() - 500).unwrap(),
        }
    }

    fn character(&mut self, out: &mut String) {
        match self.below(14) {
            0 => {
                out.push_str(
                    self.pick(&[r"\n", r#"\""#, r"\\", r"\/", r"\b", r"\f", r"\r", r"\t"]),
                );
            }
            1 => write!(out, "\\u{:04x}", self.below(0x80)).unwrap(),
            2 => write!(out, "\\u{:04X}", self.below(0xD800)).unwrap(),
            3 => {
                let (high, low) = (0xD800 + self.below(0x400), 0xDC00 + self.below(0x400));
                write!(out, "\\u{high:04x}\\u{low:04X}").unwrap();
            }
            4 => write!(out, "\\u{:04x}", 0xE000 + self.below(0x2000)).unwrap(),
            5 => out.extend(char::from_u32(0x7f + self.below(0x10_FF00) as u32)),
            6 => out.push_str(self.pick(&[
                "\u{7f}", "\u{2028}", "\u{2029}", "\u{feff}", "\u{fffd}", "/", "<", "é", "名",
            ])),
            _ => out.push((b'a' + self.below(26) as u8) as char),
        }
    }

    fn string(&mut self, out: &mut String) {
        out.push('"');
        for _ in 0..self.below(12) {
            self.character(out);
        }
        if self.forbidden && self.below(16) == 0 {
            write!(out, "\\u{:04x}", 0xD800 + self.below(0x800)).unwrap();
            if self.below(2) == 0 {
                self.character(out);
            }
        }
        out.push('"');
    }

    fn key(&mut self, out: &mut String) {
        out.push('"');
        if self.forbidden && self.below(12) == 0 {
            out.push_str(self.pick(&[
                "$句柄",
                "$未定义",
                "$大整数",
                "$数字",
                r"\u0024句柄",
                r"\u0024\u6570字",
                r"\uD83D",
            ]));
        } else {
            let key = if self.below(6) == 0 {
                self.below(1 << 33).to_string()
            } else {
                self.pick(&KEYS).to_owned()
            };
            for c in key.chars() {
                if self.below(8) == 0 {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        write!(out, "\\u{unit:04x}").unwrap();
                    }
                } else {
                    out.push(c);
                }
            }
            if self.below(6) == 0 {
                self.character(out);
            }
        }
        out.push('"');
    }

    fn scalar(&mut self, out: &mut String) {
        match self.below(6) {
            0 => out.push_str(self.pick(&["null", "true", "false"])),
            1..4 => self.number(out),
            _ => self.string(out),
        }
    }

    /// A container of about so many items, each of depth up to `depth`.
    fn container(&mut self, object: bool, items: u64, depth: u64, out: &mut String) {
        out.push(if object { '{' } else { '[' });
        for index in 0..items {
            if index > 0 {
                out.push(',');
            }
            self.space(out);
            if object {
                self.key(out);
                self.space(out);
                out.push(':');
                self.space(out);
            }
            self.value(depth, out);
            self.space(out);
        }
        out.push(if object { '}' } else { ']' });
    }

    fn value(&mut self, depth: u64, out: &mut String) {
        if depth == 0 || self.below(3) == 0 {
            return self.scalar(out);
        }
        let (object, items) = (self.below(5) < 3, self.below(6));
        self.container(object, items, depth - 1, out);
    }

    fn deep(&mut self, out: &mut String) {
        let levels = match self.below(8) {
            0 => 25 + self.below(2_000),
            _ => 18 + self.below(12),
        };
        let mut ends = Vec::new();
        for _ in 0..levels {
            if self.below(2) == 0 {
                out.push('[');
                ends.push("]");
            } else {
                // In order, out of order, or repeated.
                out.push_str(self.pick(&[
                    "{\"b\":1,\"a\":",
                    "{\"5\":",
                    "{\"a\":[1e20],\"a\":",
                    "{\"x\":",
                ]));
                ends.push(self.pick(&["}", ",\"4\":1}", ",\"c\":2}"]));
            }
        }
        if self.below(3) > 0 {
            self.value(1, out);
        } else {
            out.push_str(self.pick(&["[]", "{}", "0"]));
        }
        out.extend(ends.into_iter().rev());
    }

    fn large(&mut self, out: &mut String) {
        // How far a text grows or shrinks differs, so that both limits are met.
        let bytes = [30_000, 60_000, 100_000, 120_000, 127_900, 128_100][self.below(6) as usize];
        let growing = self.below(3) == 0;
        let unit = match self.below(3) {
            0 if growing => "1e20,",
            1 if growing => "1.0e15 ,",
            _ => "",
        };
        out.push('[');
        while out.len() < bytes {
            if unit.is_empty() || self.below(10) == 0 {
                self.value(3, out);
                out.push(',');
            } else {
                out.push_str(unit);
            }
        }
        out.push_str("0]");
    }

    fn broken(&mut self, out: &mut String) {
        self.value(3, out);
        let mut text: Vec<char> = out.chars().collect();
        for _ in 0..=self.below(2) {
            let at = self.below(text.len() as u64 + 1) as usize;
            let all: Vec<char> =
                "{}[]\",:\\0123456789.eE+-tfnu \n\u{1f}'\u{feff}\u{a0}".chars().collect();
            let c = all[self.below(all.len() as u64) as usize];
            match self.below(3) {
                0 if at < text.len() => text[at] = c,
                1 if at < text.len() => drop(text.remove(at)),
                _ => text.insert(at, c),
            }
        }
        *out = text.into_iter().collect();
    }
}

impl Iterator for Corpus {
    type Item = (Kind, String);

    fn next(&mut self) -> Option<Self::Item> {
        self.made += 1;
        let kind = match self.below(100) {
            _ if self.made.is_multiple_of(1_000) => Kind::Large,
            0..30 => Kind::Plain,
            30..50 => Kind::Number,
            50..60 => Kind::Object,
            60..65 => Kind::Deep,
            65..80 => Kind::Forbidden,
            _ => Kind::Broken,
        };
        self.forbidden = kind == Kind::Forbidden;
        let mut out = String::new();
        self.space(&mut out);
        match kind {
            Kind::Plain => self.value(4, &mut out),
            Kind::Number => self.number(&mut out),
            Kind::Object => {
                let items = self.below(40);
                self.container(true, items, 1, &mut out);
            }
            Kind::Deep => self.deep(&mut out),
            Kind::Large => self.large(&mut out),
            Kind::Forbidden => {
                let items = self.below(6);
                let object = self.below(2) == 0;
                self.container(object, items, 3, &mut out);
            }
            Kind::Broken => self.broken(&mut out),
        }
        self.space(&mut out);
        Some((kind, out))
    }
}
