//! Option structures from C: their size, and each field as what the kit takes.
use crate::{error::refused, slice::Str};
use posthouse_kit::{Code, Given, Result};
use std::ptr;

/// A number that is not given.
pub const UNSET: i64 = i64::MIN;
/// A ratio that is not given.
pub const UNSET_RATIO: f64 = -1.0;
/// A flag that is not given.
pub const UNSET_FLAG: i32 = -1;

/// A structure that begins with its size, so that it may grow at its end.
pub trait Sized: Copy + Default {
    fn size(&self) -> u32;
    /// Hands each field that is given to `set`, by the name that the kit knows.
    fn each(&self, set: &mut dyn FnMut(&str, Given<'_>) -> Result<()>) -> Result<()>;
}

/// Copies a structure of the program's; one of an older header has defaults for what it lacks.
///
/// # Safety
/// It is NULL, or points at as many bytes as its first field says.
pub unsafe fn read<T: Sized>(given: *const T) -> Result<T> {
    let mut options = T::default();
    if given.is_null() {
        return Ok(options);
    }
    // SAFETY: the size is the first field of every such structure.
    let size = unsafe { given.cast::<u32>().read() };
    if size < 4 || size > options.size() {
        return Err(refused(
            Code::Unsupported,
            format!(
                "an option structure says that it has {size} bytes; this library knows {}: start from its INIT macro, and use the header of this library",
                options.size()
            ),
        ));
    }
    // SAFETY: as many bytes as the structure has, into one of ours that has at least as many.
    unsafe {
        ptr::copy_nonoverlapping(
            given.cast::<u8>(),
            (&raw mut options).cast::<u8>(),
            size as usize,
        );
    }
    Ok(options)
}

/// Hands fields on to the kit.
pub struct Fields<'a> {
    set: &'a mut dyn FnMut(&str, Given<'_>) -> Result<()>,
}

impl<'a> Fields<'a> {
    pub fn new(set: &'a mut dyn FnMut(&str, Given<'_>) -> Result<()>) -> Self {
        Self { set }
    }

    pub fn integer(&mut self, name: &str, value: i64) -> Result<()> {
        if value == UNSET { Ok(()) } else { (self.set)(name, Given::Integer(value)) }
    }

    #[allow(clippy::float_cmp)] // Just this one number stands for none.
    pub fn ratio(&mut self, name: &str, value: f64) -> Result<()> {
        if value == UNSET_RATIO { Ok(()) } else { (self.set)(name, Given::Float(value)) }
    }

    pub fn flag(&mut self, name: &str, value: i32) -> Result<()> {
        match value {
            UNSET_FLAG => Ok(()),
            0 | 1 => (self.set)(name, Given::Flag(value == 1)),
            other => (self.set)(name, Given::Integer(other.into())),
        }
    }

    pub fn text(&mut self, name: &str, value: Str) -> Result<()> {
        if !value.is_given() {
            return Ok(());
        }
        // SAFETY: the program's texts stay for the call.
        (self.set)(name, Given::Text(unsafe { value.text(Code::InvalidOptions, name)? }))
    }

    pub fn texts(&mut self, name: &str, values: *const Str, count: usize) -> Result<()> {
        if values.is_null() {
            return Ok(());
        }
        // SAFETY: the program gives as many texts as it says; they stay for the call.
        let values = unsafe { std::slice::from_raw_parts(values, count) };
        let texts: Result<Vec<&str>> = values
            .iter()
            // SAFETY: as above.
            .map(|value| unsafe { value.text(Code::InvalidOptions, name) })
            .collect();
        (self.set)(name, Given::Texts(&texts?))
    }
}
