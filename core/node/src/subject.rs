//! Rules for subjects: levels separated by dots, `*` for one level, `>` for the rest.

/// The levels of a subject.
pub(crate) fn levels(subject: &[u8]) -> impl Iterator<Item = &[u8]> {
    subject.split(|b| *b == b'.')
}

/// Whether a subscription may use the subject: no empty level, `>` only as the last one.
pub(crate) fn is_pattern(subject: &[u8]) -> bool {
    let mut closed = false;
    levels(subject).all(|level| {
        let fine = !closed && !level.is_empty();
        closed = level == b">";
        fine
    })
}

/// Whether no level is empty. Messages on other subjects reach nobody.
pub(crate) fn has_no_empty_level(subject: &[u8]) -> bool {
    levels(subject).all(|level| !level.is_empty())
}

/// Whether the subject has a wildcard level.
pub(crate) fn has_wildcard(subject: &[u8]) -> bool {
    levels(subject).any(|level| level == b"*" || level == b">")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for good in ["a", "a.b", "*", ">", "a.*", "a.>", "*.>", "a*", "a>b.c", "a.*x.b", "\u{e9}.x"]
        {
            assert!(is_pattern(good.as_bytes()), "{good}");
        }
        for bad in ["", ".", ".a", "a.", "a..b", ">.a", "a.>.b", ">.>"] {
            assert!(!is_pattern(bad.as_bytes()), "{bad}");
        }
    }

    #[test]
    fn wildcards_are_whole_levels() {
        assert!(has_wildcard(b"a.*.b") && has_wildcard(b">") && has_wildcard(b"a.>"));
        assert!(!has_wildcard(b"a*.b>") && !has_wildcard(b"a.**"));
        assert!(has_no_empty_level(b"a.*") && !has_no_empty_level(b"a..b"));
    }
}
