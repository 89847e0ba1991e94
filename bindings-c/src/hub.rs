//! Hubs: opening, what they tell of themselves, waiting, the end.
use crate::{
    callback::{Closure, Raw},
    core::Core,
    error::{Error, Status, borrow, boundary, put, quiet, refused, take},
    exit,
    generated::HubOptions,
    operation::{Operation, begin},
    options::{self, Sized as _},
    slice::{Buf, Str},
};
use posthouse_kit::{
    self as kit, Code, Connection, Dialect, DrainSettings, Given, HubSettings, Wake, refusal,
    settings::duration_ms,
};
use std::{ffi::c_void, sync::Arc};

pub type AskFn = unsafe extern "C" fn(*mut c_void, Str, *mut Answer);
pub type LogFn = unsafe extern "C" fn(*mut c_void, u32, Str, Str);
pub type WakeFn = unsafe extern "C" fn(*mut c_void);

/// Where a credential callback puts its answer.
#[derive(Debug, Default)]
pub struct Answer(pub Option<String>);

/// What the program brings along.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Host {
    size: u32,
    dispatch: u32,
    wake: Raw<WakeFn>,
    asks: u32,
    ask: Raw<AskFn>,
    log: Raw<LogFn>,
    sdk: Str,
    runtime: Str,
    camel_case: bool,
}

const ASKED: [&str; 5] = ["token", "user", "password", "nkey", "credentials"];
const DISPATCH_THREADS: u32 = 0;
const DISPATCH_FD: u32 = 1;
const DISPATCH_WAKE: u32 = 2;

/// A handle of a hub.
pub struct Hub(pub(crate) Arc<Core>);

/// The dialect of the messages about options: C++ spells them in camel case.
pub fn dialect(camel_case: bool) -> Dialect {
    Dialect { camel_case, ..Dialect::C }
}

fn open(namespace: Str, options: *const HubOptions, host: Option<Host>) -> kit::Result<Hub> {
    let host = host.unwrap_or(Host {
        size: 0,
        dispatch: 0,
        wake: Raw::NONE,
        asks: 0,
        ask: Raw::NONE,
        log: Raw::NONE,
        sdk: Str::NONE,
        runtime: Str::NONE,
        camel_case: false,
    });
    // Owned from here on, whatever comes.
    let (wake, ask, log) =
        (Closure::new(host.wake), Closure::new(host.ask), Closure::new(host.log));
    check(&host, wake.is_given(), ask.is_given())?;
    // SAFETY: the program's texts and structures stay for the call.
    let (given, namespace, sdk, runtime) = unsafe {
        let namespace = if namespace.is_given() {
            Some(namespace.text(Code::InvalidName, "the namespace")?)
        } else {
            None
        };
        let sdk = host.sdk.text(Code::InvalidOptions, "sdk")?;
        (
            options::read(options)?,
            namespace,
            sdk,
            host.runtime.text(Code::InvalidOptions, "runtime")?,
        )
    };
    // The two that there are; the kit wants it for good.
    let (sdk, platform) = if sdk == "cpp" { ("cpp", "c++/20") } else { ("c", "c/11") };
    let runtime = if runtime.is_empty() { platform } else { runtime };
    let mut settings =
        HubSettings::new(dialect(host.camel_case), sdk, runtime).namespace(namespace);
    given
        .each(&mut |name, given| settings.set(&spelled(name, host.camel_case), given).map(drop))?;
    for (bit, what) in ASKED.iter().enumerate() {
        if host.asks & (1 << bit) != 0 {
            settings.set(what, Given::Callback)?;
        }
    }
    let wake = match host.dispatch {
        DISPATCH_FD => Wake::Fd,
        DISPATCH_WAKE => Wake::Callback(Box::new(move || {
            // SAFETY: the program's function, with its context.
            wake.call(|call, context| unsafe { call(context) });
        })),
        _ => Wake::None,
    };
    let manual = host.dispatch != DISPATCH_THREADS;
    let hub = kit::Hub::open(settings, wake)?;
    let core = Arc::new(Core::new(hub, manual, host.camel_case, ask, log));
    exit::register(&core);
    if !manual {
        core.start_dispatcher()?;
    }
    Ok(Hub(core))
}

/// What a program cannot mean.
fn check(host: &Host, wakes: bool, asks: bool) -> kit::Result<()> {
    let text = if host.dispatch > DISPATCH_WAKE {
        format!("`dispatch` is {}; give a posthouse_dispatch_t", host.dispatch)
    } else if host.dispatch == DISPATCH_WAKE && !wakes {
        "`dispatch` is POSTHOUSE_DISPATCH_WAKE and `wake` is not given; give a closure to be called"
            .to_owned()
    } else if host.asks >> ASKED.len() != 0 {
        format!("`asks` is {}; combine what posthouse_asked_t has", host.asks)
    } else if host.asks != 0 && !asks {
        "`asks` names credentials and `ask` is not given; give a closure that answers".to_owned()
    } else {
        return Ok(());
    };
    Err(refused(Code::InvalidOptions, text))
}

/// An option's name as the dialect spells it.
pub fn spelled(name: &str, camel_case: bool) -> String {
    if !camel_case {
        return name.to_owned();
    }
    let mut upper = false;
    name.chars()
        .filter_map(|letter| match letter {
            '_' => {
                upper = true;
                None
            }
            letter if std::mem::take(&mut upper) => Some(letter.to_ascii_uppercase()),
            letter => Some(letter),
        })
        .collect()
}

/// Opens a hub and returns at once: variables work, the connection is being sought. `namespace` NULL gives
/// a fresh one that nobody else is in; `options` and `host` may be NULL. Close and free it.
/// INVALID_OPTIONS, INVALID_NAME, INVALID_SERVER, FORKED, UNSUPPORTED for structures of a newer header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_hub_open(
    namespace_: Str,
    options: *const HubOptions,
    host: *const Host,
    hub: *mut *mut Hub,
    error: *mut *mut Error,
) -> Status {
    boundary(error, || {
        // SAFETY: the program gives structures for the call, or none.
        let host = unsafe { host.as_ref() }.copied();
        if host.is_some_and(|host| host.size as usize != size_of::<Host>()) {
            return Err(refused(
                Code::Unsupported,
                "posthouse_host_t is of another header: start from POSTHOUSE_HOST_INIT, and use the header of this library",
            )
            .into());
        }
        let opened = open(namespace_, options, host)?;
        // SAFETY: the program gives a place, or none.
        Ok(unsafe { put(hub, opened)? })
    })
}

/// Ends the hub at once, without draining. Outside its callbacks waits until everything is gone and no
/// callback runs any more, running handlers included; inside one it returns at once, and the hub ends
/// when the callback has returned. Any number of times, on any thread. With callbacks in the program's
/// turns it runs what is left of them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_hub_close(hub: *const Hub, error: *mut *mut Error) -> Status {
    // SAFETY: the program gives a live handle, or none.
    boundary(error, || Ok(unsafe { borrow(hub, "hub")? }.0.close()?))
}

/// Closes a hub as `posthouse_hub_close` does and frees its handle. NULL is fine. Variables, subscriptions,
/// watches and operations of it may be freed before or after.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_hub_free(hub: *mut Hub) {
    quiet((), || {
        // SAFETY: the program gives up its handle.
        if let Some(hub) = unsafe { take(hub) } {
            if kit::forked() {
                // Its threads are the parent's.
                std::mem::forget(hub);
                return;
            }
            // Without an error in a process that was not forked.
            let _ = hub.0.close();
        }
    });
}

/// The namespace; a fresh one where none was given. Borrowed from the hub.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_hub_namespace(hub: *const Hub) -> Str {
    // SAFETY: the program gives a live handle, or none.
    unsafe { hub.as_ref() }.map_or(Str::NONE, |hub| Str::of(hub.0.kit.namespace().as_bytes()))
}

/// This hub's identity, new for every hub. Borrowed from the hub.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_hub_instance_id(hub: *const Hub) -> Str {
    // SAFETY: the program gives a live handle, or none.
    unsafe { hub.as_ref() }.map_or(Str::NONE, |hub| Str::of(hub.0.kit.instance_id().as_bytes()))
}

/// The state of the connection: a `posthouse_state_t`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_hub_state(hub: *const Hub) -> State {
    quiet(State::Closed, || {
        // SAFETY: the program gives a live handle, or none.
        let connection = unsafe { hub.as_ref() }.and_then(|hub| hub.0.kit.connection().ok());
        match connection {
            Some(Connection::Starting) => State::Starting,
            Some(Connection::Connecting) => State::Connecting,
            Some(Connection::Connected) => State::Connected,
            Some(Connection::Offline) => State::Offline,
            Some(Connection::Error) => State::Error,
            Some(Connection::Closed) | None => State::Closed,
        }
    })
}

/// A state of the connection as C sees it.
#[repr(u32)]
#[derive(Clone, Copy, Debug)]
pub enum State {
    Starting = 0,
    Connecting = 1,
    Connected = 2,
    Offline = 3,
    Error = 4,
    Closed = 5,
}

/// Everything that the hub tells of itself, as JSON with keys in camel case. The program frees it.
/// FORKED, INTERNAL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_hub_status(
    hub: *const Hub,
    json: *mut Buf,
    error: *mut *mut Error,
) -> Status {
    boundary(error, || {
        // SAFETY: the program gives a live handle, or none.
        let bytes = unsafe { borrow(hub, "hub")? }.0.kit.status_json()?;
        Ok(fill(json, bytes)?)
    })
}

/// The hubs of the namespace, as JSON: a list ordered by identity. The program frees it. FORKED, INTERNAL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_hub_instances(
    hub: *const Hub,
    json: *mut Buf,
    error: *mut *mut Error,
) -> Status {
    boundary(error, || {
        // SAFETY: the program gives a live handle, or none.
        let bytes = unsafe { borrow(hub, "hub")? }.0.kit.instances_json()?;
        Ok(fill(json, bytes)?)
    })
}

/// Puts bytes where the program wants them.
pub fn fill(place: *mut Buf, bytes: Vec<u8>) -> kit::Result<()> {
    // SAFETY: the program gives a place, or none.
    let place = unsafe { place.as_mut() }.ok_or_else(|| {
        refused(Code::InvalidOptions, "the argument for the result is NULL; give a place for it")
    })?;
    *place = Buf::give(bytes);
    Ok(())
}

/// A time-out from C: POSTHOUSE_DEFAULT is the default.
pub fn timeout(core: &Core, ms: i64) -> kit::Result<Option<u64>> {
    let given = if ms == options::UNSET { Given::Absent } else { Given::Integer(ms) };
    duration_ms(dialect(core.camel_case), "timeout", given)
}

pub fn drain_timeout(core: &Core, ms: i64) -> kit::Result<u64> {
    let mut settings = DrainSettings::new(dialect(core.camel_case));
    if ms != options::UNSET {
        settings.set("timeout", Given::Integer(ms))?;
    }
    Ok(settings.timeout_ms())
}

/// Waits for an active connection; at once where there is one. POSTHOUSE_DEFAULT is the hub's `timeout`.
/// The operation ends with TIMEOUT, AUTH_FAILED, INVALID_SERVER, CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_hub_connected(
    hub: *const Hub,
    timeout_ms: i64,
    operation: *mut *mut Operation,
    error: *mut *mut Error,
) -> Status {
    boundary(error, || {
        // SAFETY: the program gives a live handle, or none.
        let core = &unsafe { borrow(hub, "hub")? }.0;
        let timeout_ms = Some(timeout(core, timeout_ms)?.unwrap_or(core.kit.timeout_ms()));
        begin(core, "connected()", kit::Operation::Connected { timeout_ms }, operation)
    })
}

/// Waits until it is known what all variables hold. POSTHOUSE_DEFAULT: as long as it takes, which the
/// hub's `peer_timeout` bounds. The operation ends with TIMEOUT, CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_hub_ready(
    hub: *const Hub,
    timeout_ms: i64,
    operation: *mut *mut Operation,
    error: *mut *mut Error,
) -> Status {
    boundary(error, || {
        // SAFETY: the program gives a live handle, or none.
        let core = &unsafe { borrow(hub, "hub")? }.0;
        let timeout_ms = timeout(core, timeout_ms)?;
        begin(core, "ready()", kit::Operation::Ready { var: None, timeout_ms }, operation)
    })
}

/// Waits until the broker has confirmed what was written before. POSTHOUSE_DEFAULT is the hub's `timeout`.
/// The operation ends with TIMEOUT, PERMISSION_DENIED, DISCONNECTED, CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_hub_flush(
    hub: *const Hub,
    timeout_ms: i64,
    operation: *mut *mut Operation,
    error: *mut *mut Error,
) -> Status {
    boundary(error, || {
        // SAFETY: the program gives a live handle, or none.
        let core = &unsafe { borrow(hub, "hub")? }.0;
        let timeout_ms = timeout(core, timeout_ms)?.unwrap_or(core.kit.timeout_ms());
        begin(core, "flush()", kit::Operation::Flush { timeout_ms }, operation)
    })
}

/// Ends the hub in order: no new operations, accepted work and requests finish, the broker confirms.
/// POSTHOUSE_DEFAULT is 5,000 ms. Close or free the hub afterwards.
/// DRAIN_IN_HANDLER in a callback of this hub; the operation ends with DRAIN_TIMEOUT, CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_hub_drain(
    hub: *const Hub,
    timeout_ms: i64,
    operation: *mut *mut Operation,
    error: *mut *mut Error,
) -> Status {
    boundary(error, || {
        // SAFETY: the program gives a live handle, or none.
        let core = &unsafe { borrow(hub, "hub")? }.0;
        if core.inside() {
            return Err(refusal::drain_in_handler("the hub").into());
        }
        let timeout_ms = drain_timeout(core, timeout_ms)?;
        begin(core, "drain()", kit::Operation::Drain { timeout_ms }, operation)
    })
}

/// BLOCKING_IN_HANDLER where this thread runs a callback of the hub: what waits would wait for itself.
/// `what` is the call, for the message.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_hub_may_block(
    hub: *const Hub,
    what: Str,
    error: *mut *mut Error,
) -> Status {
    boundary(error, || {
        // SAFETY: the program gives a live handle, or none, and a text for the call.
        let (core, what) =
            unsafe { (&borrow(hub, "hub")?.0, what.text(Code::InvalidOptions, "what")?) };
        if core.inside() { Err(refusal::blocking_in_handler(what).into()) } else { Ok(()) }
    })
}

/// A callback of the program's that is no handler failed: reported as HANDLER_ERROR. `what` is e.g.
/// "a watch callback".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_hub_callback_failed(hub: *const Hub, what: Str, text: Str) {
    quiet((), || {
        // SAFETY: the program gives a live handle, or none, and texts for the call.
        let (hub, what, text) = unsafe { (hub.as_ref(), what.bytes(), text.bytes()) };
        if let Some(hub) = hub {
            let (what, text) = (String::from_utf8_lossy(what), String::from_utf8_lossy(text));
            // Only a dead hub has an error here, and it was told already.
            let _ = hub.0.kit.handler_failed(&what, &text);
        }
    });
}

/// Gives a credential, inside the closure `ask` only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_answer_set(answer: *mut Answer, text: Str) {
    quiet((), || {
        // SAFETY: the program gives what it was given, and a text for the call.
        if let (Some(answer), Ok(text)) =
            (unsafe { answer.as_mut() }, unsafe { text.text(Code::InvalidOptions, "") })
        {
            answer.0 = Some(text.to_owned());
        }
    });
}
