//! Options as JavaScript gives them, handed to the kit as what they are.
//!
//! Names, ranges, units and the words of a refusal are the kit's; this module only tells it which kind
//! of thing a value is. An object of options comes as a flat array of names and values.
use crate::{
    call::Call,
    js::{Env, Kind, Value},
};
use posthouse_kit::{Dialect, Given, Result};

pub(crate) const JAVASCRIPT: Dialect = Dialect::JAVASCRIPT;

/// Hands a value over as what it is.
pub(crate) fn given<R>(
    env: Env,
    value: Value,
    set: impl FnOnce(Given<'_>) -> Result<R>,
) -> Result<R> {
    match env.kind(value) {
        Kind::Undefined | Kind::Null => set(Given::Absent),
        Kind::Boolean => set(Given::Flag(env.to_flag(value).unwrap_or_default())),
        Kind::Number => match env.to_number(value).unwrap_or(f64::NAN) {
            whole if whole.fract() == 0.0 && whole.abs() < 9e15 => {
                set(Given::Integer(whole as i64))
            }
            number => set(Given::Float(number)),
        },
        Kind::String => set(Given::Text(&env.to_text(value).unwrap_or_default())),
        Kind::Function => set(Given::Callback),
        Kind::Object => set(Given::Object),
        Kind::Array => {
            let texts: Option<Vec<String>> =
                (0..env.length(value)).map(|at| env.to_text(env.element(value, at))).collect();
            match &texts {
                Some(texts) => {
                    set(Given::Texts(&texts.iter().map(String::as_str).collect::<Vec<_>>()))
                }
                None => set(Given::Other("a list of other things")),
            }
        }
        Kind::Other(what) => set(Given::Other(what)),
    }
}

/// Sets every option of the flat array in argument `index`.
pub(crate) fn each(
    call: &Call<'_>,
    index: usize,
    mut set: impl FnMut(&str, Given<'_>) -> Result<()>,
) -> Result<()> {
    let all = call.value(index);
    for pair in 0..call.env.length(all) / 2 {
        let name = call.env.to_text(call.env.element(all, 2 * pair)).unwrap_or_default();
        given(call.env, call.env.element(all, 2 * pair + 1), |given| set(&name, given))?;
    }
    Ok(())
}
