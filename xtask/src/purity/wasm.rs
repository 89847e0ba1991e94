//! As much of the WebAssembly format as it takes to list a module's imports.

/// What the module imports, each as `module.name`; `None` where the bytes are no such module.
pub fn imports(bytes: &[u8]) -> Option<Vec<String>> {
    let mut reader = Reader(bytes.strip_prefix(b"\0asm\x01\0\0\0")?);
    let mut found = Vec::new();
    while !reader.0.is_empty() {
        let kind = reader.byte()?;
        let length = reader.number()?;
        let mut section = Reader(reader.take(length)?);
        if kind != 2 {
            continue;
        }
        for _ in 0..section.number()? {
            let length = section.number()?;
            let module = String::from_utf8_lossy(section.take(length)?).into_owned();
            let length = section.number()?;
            let name = String::from_utf8_lossy(section.take(length)?).into_owned();
            found.push(format!("{module}.{name}"));
            section.description()?;
        }
    }
    Some(found)
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }
    /// An unsigned LEB128 number.
    fn number(&mut self) -> Option<usize> {
        let mut number = 0usize;
        for shift in (0..usize::BITS).step_by(7) {
            let byte = self.byte()?;
            number |= usize::from(byte & 0x7f).checked_shl(shift)?;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }
    /// What an import is: a function, a table, a memory or a global.
    fn description(&mut self) -> Option<()> {
        match self.byte()? {
            0 => _ = self.number()?,
            1 => {
                self.byte()?;
                self.limits()?;
            }
            2 => self.limits()?,
            3 => _ = self.take(2)?,
            _ => return None,
        }
        Some(())
    }
    fn limits(&mut self) -> Option<()> {
        let flags = self.byte()?;
        self.number()?;
        if flags & 1 == 1 {
            self.number()?;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_found() {
        let empty = b"\0asm\x01\0\0\0";
        assert_eq!(imports(empty), Some(Vec::new()));
        let mut module = empty.to_vec();
        // A custom section, then one import of a function and one of a memory.
        module.extend(b"\x00\x03\x01xy");
        module.extend(b"\x02\x16\x02\x03env\x03now\x00\x00\x03env\x03mem\x02\x00\x01");
        assert_eq!(imports(&module), Some(vec!["env.now".to_owned(), "env.mem".to_owned()]));
        assert_eq!(imports(b"not a module"), None);
        assert_eq!(imports(&module[..module.len() - 1]), None);
    }
}
