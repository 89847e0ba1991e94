//! Headers on their way out: a flat array of names and values, which the JavaScript half has made of
//! whatever the program gave.
use crate::{
    call::Call,
    js::{Kind, Value},
};
use posthouse_kit::{Code, Error, Headers, Result};

/// The headers of argument `index`; none for undefined.
pub(crate) fn read(call: &Call<'_>, index: usize) -> Result<Option<Headers>> {
    let given = call.value(index);
    if call.env.kind(given) != Kind::Array {
        return Ok(None);
    }
    let mut headers = Headers::new();
    for pair in 0..call.env.length(given) / 2 {
        let name = text(call, call.env.element(given, 2 * pair), "a header's name")?;
        let value = text(call, call.env.element(given, 2 * pair + 1), "a header's value")?;
        headers.append(&name, &value)?;
    }
    Ok((!headers.is_empty()).then_some(headers))
}

fn text(call: &Call<'_>, value: Value, what: &str) -> Result<String> {
    call.env.to_text(value).ok_or_else(|| {
        Error::new(Code::InvalidHeaders, format!("{what} is no string; give strings only"))
    })
}
