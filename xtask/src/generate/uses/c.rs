//! Every call in C.
use super::{CODES, MARK, Use, calls, options_of};
use crate::{
    generate::{BANNER, c_options},
    table::Table,
};
use std::fmt::Write as _;

pub const PATH: &str = "tests/parity/c/uses.c";

pub fn text(table: &Table) -> String {
    let mut all = calls(table, "c");
    for (name, _) in c_options::GROUPS {
        let Some(group) = table.group(name) else { continue };
        for field in c_options::fields(table, group) {
            let held = field.path.split_once('.').map_or(*name, |(held, _)| held);
            let call = format!("{name}_options.{}", field.name);
            all.push(Use { case: options_of(held), call });
        }
    }
    for code in &table.codes {
        all.push(Use { case: CODES.to_owned(), call: format!("POSTHOUSE_{}", code.name) });
    }
    let mut out = format!("/* {BANNER} */\n/* clang-format off */\n#include \"given.h\"\n");
    for (index, one) in all.iter().enumerate() {
        _ = write!(
            out,
            "\n/* {MARK}{} */\nvoid use_{index}(void);\nvoid use_{index}(void) {{\n    (void)({});\n}}\n",
            one.case, one.call
        );
    }
    out
}
