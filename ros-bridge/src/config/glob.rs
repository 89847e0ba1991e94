//! Patterns of ROS names: `?` is one character and `*` any number of one segment, `**` any number of
//! characters, slashes too. A pattern is also what a variable's template can become.

/// How many wildcards a pattern has; each is a `{1}`, `{2}`, … of a template.
pub fn wildcards(pattern: &str) -> usize {
    pieces(pattern).iter().filter(|piece| !matches!(piece, Piece::One(_))).count()
}

/// What the wildcards stand for in `name`; `None` if it does not match.
pub fn matches(pattern: &str, name: &str) -> Option<Vec<String>> {
    let (pieces, name) = (pieces(pattern), name.chars().collect::<Vec<char>>());
    // ends[p][n]: pieces from p match the name from n. From the back, so that no input takes long.
    let mut ends = vec![vec![false; name.len() + 1]; pieces.len() + 1];
    ends[pieces.len()][name.len()] = true;
    for (p, piece) in pieces.iter().enumerate().rev() {
        for n in (0..=name.len()).rev() {
            ends[p][n] = match piece {
                Piece::One(c) => name.get(n) == Some(c) && ends[p + 1][n + 1],
                Piece::Any => name.get(n).is_some_and(|c| *c != '/') && ends[p + 1][n + 1],
                Piece::Star => {
                    ends[p + 1][n] || (name.get(n).is_some_and(|c| *c != '/') && ends[p][n + 1])
                }
                Piece::Deep => ends[p + 1][n] || (n < name.len() && ends[p][n + 1]),
            };
        }
    }
    if !ends[0][0] {
        return None;
    }
    // The longest for each, from the left.
    let mut found = Vec::new();
    let mut n = 0;
    for (p, piece) in pieces.iter().enumerate() {
        let from = n;
        match piece {
            Piece::One(_) => {
                n += 1;
                continue;
            }
            Piece::Any => n += 1,
            Piece::Star | Piece::Deep => {
                let most = match piece {
                    Piece::Star => {
                        name[n..].iter().position(|c| *c == '/').map_or(name.len(), |len| n + len)
                    }
                    _ => name.len(),
                };
                n = (n..=most).rev().find(|end| ends[p + 1][*end]).unwrap_or(n);
            }
        }
        found.push(name[from..n].iter().collect());
    }
    Some(found)
}

/// A variable's name from its template, the topic's name and what its wildcards stood for.
pub fn fill(template: &str, topic: &str, found: &[String]) -> String {
    let dotted = |text: &str| text.trim_matches('/').replace('/', ".");
    let mut name = template.replace("{topic}", &dotted(topic));
    for (index, part) in found.iter().enumerate() {
        name = name.replace(&format!("{{{}}}", index + 1), &dotted(part));
    }
    name
}

/// Whether a template could become this name.
pub fn may_become(template: &str, topic: &str, name: &str) -> bool {
    if wildcards(topic) == 0 {
        return fill(template, topic, &[]) == name;
    }
    // Every place may become anything.
    let mut pieces = Vec::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        pieces.extend(before.chars().map(Piece::One));
        pieces.push(Piece::Deep);
        rest = after.split_once('}').map_or("", |(_, left)| left);
    }
    pieces.extend(rest.chars().map(Piece::One));
    let name: Vec<char> = name.chars().collect();
    let mut reached = vec![false; name.len() + 1];
    reached[0] = true;
    for piece in pieces {
        let mut next = vec![false; name.len() + 1];
        for n in 0..=name.len() {
            if reached[n] {
                match piece {
                    Piece::One(c) if name.get(n) == Some(&c) => next[n + 1] = true,
                    Piece::One(_) => {}
                    _ => next[n..].fill(true),
                }
            }
        }
        reached = next;
    }
    reached[name.len()]
}

/// Whether two patterns of message names have a name in common.
pub fn channels_overlap(one: &str, other: &str) -> bool {
    let (mut a, mut b) = (one.split('.'), other.split('.'));
    loop {
        match (a.next(), b.next()) {
            (None, None) | (Some(">"), Some(_)) | (Some(_), Some(">")) => return true,
            (Some(x), Some(y)) if x == y || x == "*" || y == "*" => {}
            _ => return false,
        }
    }
}

#[derive(Clone, Copy)]
enum Piece {
    One(char),
    Any,
    Star,
    Deep,
}

fn pieces(pattern: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut letters = pattern.chars().peekable();
    while let Some(c) = letters.next() {
        pieces.push(match c {
            '?' => Piece::Any,
            '*' => {
                let mut deep = false;
                while letters.next_if_eq(&'*').is_some() {
                    deep = true;
                }
                if deep { Piece::Deep } else { Piece::Star }
            }
            c => Piece::One(c),
        });
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_stay_in_their_segments() {
        let found = |pattern, name| matches(pattern, name).map(|found| found.join("|"));
        assert_eq!(found("/scan", "/scan").as_deref(), Some(""));
        assert_eq!(found("/scan", "/scan2"), None);
        assert_eq!(found("/*/image", "/left/image").as_deref(), Some("left"));
        assert_eq!(found("/*/image", "/a/b/image"), None);
        assert_eq!(found("/**/image", "/a/b/image").as_deref(), Some("a/b"));
        assert_eq!(found("/cam?/**", "/cam1/a/b").as_deref(), Some("1|a/b"));
        assert_eq!(found("/cam?/x", "/cam/x"), None);
        assert_eq!(found("/a*b*c", "/axbxbxc").as_deref(), Some("xbx|x"));
        assert_eq!(found("**", "/a").as_deref(), Some("/a"));
        // Exponential in a naive matcher.
        let long = "a".repeat(200);
        assert_eq!(matches(&format!("{}b", "*a".repeat(60)), &long), None);
    }

    #[test]
    fn templates_are_filled_and_foreseen() {
        assert_eq!(fill("r.{topic}", "/a/b", &[]), "r.a.b");
        assert_eq!(fill("{2}-{1}", "/a/b/c", &["a".into(), "b/c".into()]), "b.c-a");
        assert!(may_become("r.{topic}", "/cam/*", "r.cam.left"));
        assert!(!may_become("r.{topic}", "/cam/*", "s.cam.left"));
        assert!(may_become("{topic}", "/scan", "scan"));
        assert!(!may_become("{topic}", "/scan", "scans"));
    }

    #[test]
    fn channels() {
        for (a, b) in [("a.b", "a.b"), ("a.*", "a.b"), ("a.>", "a.b.c"), ("*.b", "a.*"), (">", "x")]
        {
            assert!(channels_overlap(a, b) && channels_overlap(b, a), "{a} {b}");
        }
        for (a, b) in
            [("a.b", "a.c"), ("a.*", "a"), ("a.>", "a"), ("a.*", "a.b.c"), ("a.b", "a.b.c")]
        {
            assert!(!channels_overlap(a, b) && !channels_overlap(b, a), "{a} {b}");
        }
    }
}
