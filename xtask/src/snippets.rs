//! Code in Markdown pages, cut from programs that CI runs.
//!
//! A line `<!-- cut from PATH -->` says that the fenced block after it is the text between the lines
//! of that file that end in `[cut]` and `[/cut]`, without their common indent, or the whole file
//! where it has no such lines. `gen` writes the blocks, `lint` compares.
use crate::{output::File, root::root};
use std::{fs, process::Command};

const MARK: &str = "<!-- cut from ";

/// Every page with such blocks, as it should be.
pub fn files() -> Result<Vec<File>, String> {
    let listed = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard", "*.md"])
        .current_dir(root())
        .output()
        .map_err(|error| format!("git ls-files: {error}"))?;
    let mut files = Vec::new();
    for path in String::from_utf8_lossy(&listed.stdout).lines() {
        let Ok(text) = fs::read_to_string(root().join(path)) else { continue };
        if text.contains(MARK) {
            let text = renew(&text).map_err(|what| format!("{path}: {what}"))?;
            files.push(File { path: path.to_owned(), text });
        }
    }
    Ok(files)
}

/// The page with each block cut anew.
fn renew(page: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        out.push_str(line);
        out.push('\n');
        let Some(path) = line.trim().strip_prefix(MARK) else { continue };
        let path = path.trim_end_matches("-->").trim();
        let fence = lines
            .next()
            .filter(|line| line.starts_with("```"))
            .ok_or_else(|| format!("no fenced block follows the line that cuts from {path}"))?;
        if !lines.by_ref().any(|line| line == "```") {
            return Err(format!("the block cut from {path} does not end"));
        }
        let source =
            fs::read_to_string(root().join(path)).map_err(|error| format!("{path}: {error}"))?;
        out.push_str(fence);
        out.push('\n');
        out.push_str(&cut(&source));
        out.push_str("```\n");
    }
    Ok(out)
}

/// The marked part of a program, or all of it.
fn cut(source: &str) -> String {
    let mut part: Vec<&str> = source.lines().collect();
    let ends = |mark: &str| source.lines().position(|line| line.trim_end().ends_with(mark));
    if let (Some(first), Some(last)) = (ends("[cut]"), ends("[/cut]")) {
        part = part.drain(first + 1..last).collect();
    }
    let indent = |line: &str| line.len() - line.trim_start().len();
    let common = part.iter().filter(|line| !line.trim().is_empty()).map(|line| indent(line)).min();
    let mut text = String::new();
    for line in part {
        text.push_str(line.get(common.unwrap_or(0)..).unwrap_or(""));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_marked_part_is_cut_without_its_indent() {
        let source = "head\n    // [cut]\n    one\n\n      two\n    // [/cut]\ntail\n";
        assert_eq!(cut(source), "one\n\n  two\n");
        assert_eq!(cut("all\n  of it\n"), "all\n  of it\n");
    }

    #[test]
    fn a_mark_needs_its_block() {
        assert!(renew("<!-- cut from README.md -->\ntext\n").is_err());
        assert!(renew("<!-- cut from README.md -->\n```\ntext\n").is_err());
        assert_eq!(renew("no mark\n"), Ok("no mark\n".to_owned()));
    }
}
