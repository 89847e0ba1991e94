//! Every call in TypeScript, against the declarations of the package.
use super::{CODES, MARK, Use, calls, options_of};
use crate::{
    generate::{BANNER, camel},
    table::Table,
};
use std::fmt::Write as _;

pub const PATH: &str = "tests/parity/node/uses.ts";

pub fn text(table: &Table) -> String {
    let mut all = calls(table, "javascript");
    for group in table.given_groups() {
        let options = match group.name.as_str() {
            "hub" => "hubOptions".to_owned(),
            "subscription" => "subscribeOptions".to_owned(),
            "request" => "requestOptions".to_owned(),
            "request_many" => "requestManyOptions".to_owned(),
            "publish" => "publishOptions".to_owned(),
            "drain" => "drainOptions".to_owned(),
            held => format!("hubOptions.{held}?"),
        };
        for option in group.options.iter().filter(|option| option.is_in("javascript")) {
            let call = format!("{options}.{}", camel(&option.name));
            all.push(Use { case: options_of(&group.name), call });
        }
    }
    for code in &table.codes {
        all.push(Use { case: CODES.to_owned(), call: format!("ErrorCode.{}", code.name) });
    }
    let mut out = format!(
        "// {BANNER}\nimport {{ ErrorCode, Headers, Hub, version }} from \"posthouse\";\nimport type {{ Lamp }} from \"./given.js\";\n"
    );
    for (index, one) in all.iter().enumerate() {
        _ = write!(
            out,
            "\n// {MARK}{}\nexport const use{index} = async () => {{\n  void ({});\n}};\n",
            one.case, one.call
        );
    }
    out
}
