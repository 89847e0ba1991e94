//! The tables as a page for people.
use super::{
    check,
    schema::{Field, Kind, Need, Table},
    tables::FILE,
};
use std::fmt::Write as _;

/// The page, as the text of its file.
pub fn text() -> String {
    let mut page = String::from(
        "# The bridge's YAML file\n\n\
         <!-- Written by `posthouse_bridge --print-reference`. Do not edit. -->\n\n\
         One file says everything; [ROS](../ros.md) shows it at work. `posthouse_bridge --check FILE` finds what is \
         wrong with one, with lines, and `ros-bridge/config/posthouse_bridge.schema.json` lets editors complete it \
         (`# yaml-language-server: $schema=…`).\n",
    );
    let mut shown = Vec::new();
    section(&FILE, &mut page, &mut shown);
    page
}

fn section(table: &'static Table, page: &mut String, shown: &mut Vec<&'static str>) {
    if shown.contains(&table.name) {
        return;
    }
    shown.push(table.name);
    let _ = write!(page, "\n## {}\n\n{}\n\n", table.name, table.doc);
    page.push_str("| key | value | default | meaning |\n|---|---|---|---|\n");
    for field in table.all() {
        row(field, page);
    }
    for field in table.all() {
        if let Kind::Table(inner) | Kind::Items(inner) = field.kind {
            section(inner, page, shown);
        }
    }
}

fn row(field: &Field, page: &mut String) {
    let mut value = match field.kind {
        Kind::Choice(words) => {
            let words: Vec<String> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
            words.join(", ")
        }
        ref kind => check::kind(kind),
    };
    if let Some(direction) = field.only {
        let _ = write!(value, "; only `{direction}`");
    }
    let default = match field.need {
        Need::Required => "**required**".to_owned(),
        Need::Optional => "–".to_owned(),
        Need::Default(text) => format!("`{text}`"),
    };
    let mut meaning = field.doc.to_owned();
    if let Kind::Choice(words) = field.kind {
        let words: Vec<String> =
            words.iter().map(|(word, what)| format!("`{word}`: {what}")).collect();
        let _ = write!(meaning, " {}.", words.join("; "));
    }
    let escape = |text: &str| text.replace('|', "\\|");
    let _ = writeln!(
        page,
        "| `{}` | {} | {default} | {} |",
        field.name,
        escape(&value),
        escape(&meaning)
    );
}
