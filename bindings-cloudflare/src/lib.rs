//! The contract of queues for a host that calls WebAssembly: functions on numbers, and bytes in two buffers.
//!
//! A call goes so: the host asks for room by [`input`], writes its texts there one behind the other, and calls a
//! function with their lengths. That gives a `Status`; what goes with it is in the output, as JSON: what
//! the platform is to be called with, or an error. Both buffers belong to the module, so it never
//! follows an address that it was given, and nothing here needs unsafe code but the names of the functions.
//!
//! The module has one thread and one state. A call that traps leaves a state that nobody can trust: the
//! host has to take a new instance.
mod consuming;
mod sending;
mod state;

use posthouse_core::queue::{self, Refusal};
use state::{State, Status};
use std::cell::RefCell;

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

fn with<T>(call: impl FnOnce(&mut State) -> T) -> T {
    STATE.with_borrow_mut(call)
}

/// Answers with what comes of a call that reads texts of these lengths from the input.
fn answer<const N: usize>(
    lengths: [usize; N],
    call: impl FnOnce(&mut State, [&[u8]; N]) -> Result<Status, Refusal>,
) -> u32 {
    with(|state| {
        let input = core::mem::take(&mut state.input);
        state.output.clear();
        let result = call(state, state::split(&input, lengths));
        state.input = input;
        state.settle(&result) as u32
    })
}

/// Room for `length` bytes of input: their address. Holds until the next call of any kind.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn input(length: usize) -> *mut u8 {
    with(|state| {
        state.input.clear();
        state.input.resize(length, 0);
        state.input.as_mut_ptr()
    })
}

/// The address of what the last call gave.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn output() -> *const u8 {
    with(|state| state.output.as_ptr())
}

/// How many bytes the last call gave.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn output_length() -> usize {
    with(|state| state.output.len())
}

/// Reads a deployment: the names of the host's queues, one a line, and the configuration.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn deployment(names: usize, config: usize) -> u32 {
    answer([names, config], |state, [names, config]| state.deployment(names, config))
}

/// Checks a message. Gives the arguments for the platform: `[body, options]`. `event` is the queue event in which it is
/// sent, or 0.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn send(
    event: u32,
    delay: f64,
    names: usize,
    config: usize,
    binding: usize,
    text: usize,
) -> u32 {
    answer([names, config, binding, text], |state, [names, config, binding, text]| {
        state.bound(event, names, config, binding)?;
        state.send(text, delay)
    })
}

/// Checks a batch as one text. Gives the argument for the platform.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn send_batch_text(
    event: u32,
    names: usize,
    config: usize,
    binding: usize,
    text: usize,
) -> u32 {
    answer([names, config, binding, text], |state, [names, config, binding, text]| {
        state.bound(event, names, config, binding)?;
        state.send_batch_text(text)
    })
}

/// Begins a batch of `count` items, after which come [`batch_item`] for each of them and [`batch_end`].
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn batch_begin(
    event: u32,
    count: usize,
    names: usize,
    config: usize,
    binding: usize,
) -> u32 {
    answer([names, config, binding], |state, [names, config, binding]| {
        state.bound(event, names, config, binding)?;
        state.batch_begin(count)
    })
}

/// The next item as JSON text. `whole` is 0 where its body is no JSON value and `null` stands for it.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn batch_item(whole: u32, text: usize) -> u32 {
    answer([text], |state, [text]| state.batch_item(text, whole != 0))
}

/// Ends a batch. Gives the argument for the platform.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn batch_end() -> u32 {
    answer([], |state, []| state.batch_end())
}

/// The error of a platform that refused a message, or a batch where `batch` is not 0, in its own words.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn refused(batch: u32, words: usize) -> u32 {
    answer([words], |_, [words]| {
        let words = String::from_utf8_lossy(words);
        let error = if batch == 0 { queue::send_refused } else { queue::batch_refused };
        Err(error(&words).into())
    })
}

/// A message of the event that begins next: see [`event_begin`].
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn event_message(attempts: u32, timestamp: f64, id: usize, body: usize) -> u32 {
    answer([id, body], |state, [id, body]| {
        state.events.message(attempts, timestamp, id, body);
        Ok(Status::Done)
    })
}

/// Begins an event of a queue over the messages that were given before. Gives its number.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn event_begin(queue: usize) -> u32 {
    answer([queue], |state, [queue]| {
        let number = state.events.begin(queue);
        state.give(&number)
    })
}

/// The batch of an event, as text.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn event_read(event: u32) -> u32 {
    answer([], |state, []| {
        state.output = state.events.running(event)?.read_text()?.into_bytes();
        Ok(Status::Done)
    })
}

/// Acknowledges a message. Gives the arguments for the platform, or `Status::Nothing` where it is not to be called.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn event_ack(event: u32, index: f64) -> u32 {
    answer([], |state, []| match state.events.running(event)?.ack(index)? {
        Some(_) => state.give(&consuming::no_options()),
        None => Ok(Status::Nothing),
    })
}

/// Retries a message, like [`event_ack`].
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn event_retry(event: u32, index: f64, delay: f64) -> u32 {
    answer([], |state, []| match state.events.running(event)?.retry(index, delay)? {
        Some(_) => state.give(&consuming::retry_options(delay)),
        None => Ok(Status::Nothing),
    })
}

/// The platform failed to do what was said of a message: nothing has been said of it after all.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn event_take_back(event: u32, index: usize) -> u32 {
    answer([], |state, []| {
        state.events.running(event)?.take_back(index);
        Ok(Status::Done)
    })
}

/// Ends an event. Gives whether it failed: it does where `success` is 0, and where there was a fault.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn event_end(event: u32, success: u32) -> u32 {
    answer([], |state, []| {
        let failed = state.events.end(event, success != 0)?;
        state.give(&failed)
    })
}

/// The error of an operation of consuming where there is no event.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn no_event() -> u32 {
    answer([], |_, []| Err(queue::no_event().into()))
}

/// What the kind of an event is called.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn event_kind() -> u32 {
    answer([], |state, []| state.give(queue::EVENT_KIND))
}
