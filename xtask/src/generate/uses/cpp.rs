//! Every call in C++.
use super::{CODES, MARK, Use, calls, options_of};
use crate::{
    generate::{BANNER, c_options, camel, pascal},
    table::Table,
};
use std::fmt::Write as _;

pub const PATH: &str = "tests/parity/cpp/uses.cpp";

pub fn text(table: &Table) -> String {
    let mut all = calls(table, "cpp");
    for (name, type_name) in c_options::GROUPS {
        let Some(group) = table.group(name) else { continue };
        for option in group.options.iter().filter(|option| option.is_in("cpp")) {
            let own = format!("{type_name}().{}", camel(&option.name));
            let held = option.group.as_deref().and_then(|name| table.group(name));
            for member in held.into_iter().flat_map(|held| &held.options) {
                all.push(Use {
                    case: options_of(option.group.as_deref().unwrap_or_default()),
                    call: format!("{own}.{}", camel(&member.name)),
                });
            }
            all.push(Use { case: options_of(name), call: own });
        }
    }
    for code in &table.codes {
        all.push(Use {
            case: CODES.to_owned(),
            call: format!("ErrorCode::{}", pascal(&code.name)),
        });
    }
    let mut out = format!("// {BANNER}\n// clang-format off\n#include \"given.hpp\"\n");
    for (index, one) in all.iter().enumerate() {
        _ = write!(
            out,
            "\n// {MARK}{}\nvoid use_{index}();\nvoid use_{index}() {{\n    static_cast<void>({});\n}}\n",
            one.case, one.call
        );
    }
    out
}
