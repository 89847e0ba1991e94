//! The outermost frame of a binding: no panic passes it.
use posthouse_core::{Code, Error, Result};
use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
};

/// Runs `f`; a panic in it becomes the error `INTERNAL` with what the panic said.
///
/// A panic is a fault of the library. One in the middle of an operation ends the hub that it was
/// about; others go on.
///
/// # Errors
/// Those of `f`, and `INTERNAL`.
pub fn guard<T>(f: impl FnOnce() -> Result<T>) -> Result<T> {
    // What `f` has touched is either the hub's, which looks after itself, or the caller's frame.
    catch_unwind(AssertUnwindSafe(f)).unwrap_or_else(|panic| Err(internal(&*panic)))
}

fn internal(panic: &(dyn Any + Send)) -> Error {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let text = text.unwrap_or("it did not say why");
    Error::new(
        Code::Internal,
        format!(
            "the library failed inside, which is a fault of Posthouse: please report it ({text})"
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error_with_its_text() {
        assert_eq!(guard(|| Ok(7)), Ok(7));
        let refused = guard(|| Err::<(), _>(Error::new(Code::Closed, "no")));
        assert_eq!(refused.map_err(|e| e.code()), Err(Code::Closed));
        let wanted = 3;
        for error in [
            guard(|| -> Result<()> { panic!("index {wanted} of nothing") }),
            guard(|| -> Result<()> { std::panic::panic_any("index 3 of nothing") }),
        ] {
            let error = error.expect_err("the panic");
            assert_eq!(error.code(), Code::Internal);
            assert!(error.message().contains("index 3 of nothing"), "{error}");
        }
        let odd = guard(|| -> Result<()> { std::panic::panic_any(7_u8) });
        assert_eq!(odd.expect_err("the panic").code(), Code::Internal);
    }
}
