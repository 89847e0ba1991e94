//! Headers: the core's own, seen through a transparent handle.
use crate::{
    error::{Error, Status, borrow, boundary, quiet, refused, take},
    slice::Str,
};
use posthouse_kit::{self as kit, Code};

/// The core's headers.
#[repr(transparent)]
#[derive(Clone, Debug, Default)]
pub struct Headers(pub(crate) kit::Headers);

impl Headers {
    /// Headers that somebody else owns, as a handle to look at.
    pub fn view(headers: &kit::Headers) -> *const Self {
        std::ptr::from_ref(headers).cast()
    }

    /// What a handle given along with a message holds; NULL is none.
    ///
    /// # Safety
    /// It is NULL, or a live handle.
    pub unsafe fn given<'a>(handle: *const Self) -> Option<&'a kit::Headers> {
        // SAFETY: as the caller promises.
        unsafe { handle.as_ref() }.map(|headers| &headers.0)
    }
}

/// New headers, empty. The program owns them.
#[unsafe(no_mangle)]
pub extern "C" fn posthouse_headers_new() -> *mut Headers {
    quiet(std::ptr::null_mut(), || Box::into_raw(Box::default()))
}

/// A copy that the program owns, e.g. of the headers of a message. NULL gives empty ones.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_headers_clone(headers: *const Headers) -> *mut Headers {
    quiet(std::ptr::null_mut(), || {
        // SAFETY: the program gives a live handle, or none.
        let copy = unsafe { headers.as_ref() }.cloned().unwrap_or_default();
        Box::into_raw(Box::new(copy))
    })
}

/// Frees headers that the program owns. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_headers_free(headers: *mut Headers) {
    // SAFETY: the program gives up its handle.
    quiet((), || drop(unsafe { take(headers) }));
}

fn change(
    headers: *mut Headers,
    name: Str,
    value: Str,
    error: *mut *mut Error,
    how: impl FnOnce(&mut kit::Headers, &str, &str) -> kit::Result<()>,
) -> Status {
    boundary(error, || {
        // SAFETY: the program gives a live handle that nobody else uses now, and texts for the call.
        let (headers, name, value) = unsafe {
            let name = name.text(Code::InvalidHeaders, "a header's name")?;
            (headers.as_mut(), name, value.text(Code::InvalidHeaders, "a header's value")?)
        };
        let headers = headers
            .ok_or_else(|| refused(Code::InvalidOptions, "the argument `headers` is NULL"))?;
        Ok(how(&mut headers.0, name, value)?)
    })
}

/// Adds a value to those that a name has. INVALID_HEADERS.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_headers_append(
    headers: *mut Headers,
    name: Str,
    value: Str,
    error: *mut *mut Error,
) -> Status {
    change(headers, name, value, error, kit::Headers::append)
}

/// Gives a name one value instead of those that it has. INVALID_HEADERS.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_headers_set(
    headers: *mut Headers,
    name: Str,
    value: Str,
    error: *mut *mut Error,
) -> Status {
    change(headers, name, value, error, kit::Headers::insert)
}

/// The value number `index` of a name, in any case; NULL past the last. Borrowed from the headers until
/// they change.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_headers_get(
    headers: *const Headers,
    name: Str,
    index: usize,
) -> Str {
    // SAFETY: the program gives a live handle, or none, and a text for the call.
    let (Some(headers), Ok(name)) =
        (unsafe { headers.as_ref() }, unsafe { name.text(Code::InvalidHeaders, "") })
    else {
        return Str::NONE;
    };
    headers.0.get_all(name).nth(index).map_or(Str::NONE, |value| Str::of(value.as_bytes()))
}

/// How many entries there are: every value of every name counts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_headers_count(headers: *const Headers) -> usize {
    // SAFETY: the program gives a live handle, or none.
    unsafe { headers.as_ref() }.map_or(0, |headers| headers.0.len())
}

/// The entry number `index`, its name as given or received. Borrowed until the headers change.
/// INVALID_OPTIONS past the last.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_headers_at(
    headers: *const Headers,
    index: usize,
    name: *mut Str,
    value: *mut Str,
    error: *mut *mut Error,
) -> Status {
    boundary(error, || {
        // SAFETY: the program gives live handles and places, or none.
        let (headers, places) =
            unsafe { (borrow(headers, "headers")?, name.as_mut().zip(value.as_mut())) };
        let (name, value) =
            places.ok_or_else(|| refused(Code::InvalidOptions, "a place for the entry is NULL"))?;
        let count = headers.0.len();
        let (found, text) = headers.0.iter().nth(index).ok_or_else(|| {
            refused(Code::InvalidOptions, format!("there is no entry {index}; there are {count}"))
        })?;
        (*name, *value) = (Str::of(found.as_bytes()), Str::of(text.as_bytes()));
        Ok(())
    })
}
