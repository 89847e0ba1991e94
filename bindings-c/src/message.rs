//! Messages as handlers see them: what came, answers, and answers that come later.
use crate::{
    callback::{Raw, Run},
    core::Core,
    error::{Error, Failure, Status, borrow, boundary, put, quiet, refused, take},
    headers::Headers,
    slice::Str,
    worker::Sub,
};
use posthouse_kit::{self as kit, Code, Delivery, json};
use std::{
    borrow::Cow,
    ffi::c_void,
    sync::{
        Arc, Weak,
        atomic::{AtomicU8, Ordering},
    },
};

pub type MessageFn = unsafe extern "C" fn(*mut c_void, *const Message);
pub type MessageClosure = Raw<MessageFn>;

const OPEN: u8 = 0;
const ANSWERED: u8 = 1;
const DEFERRED: u8 = 2;

/// One message, however many handles it has.
pub struct Inner {
    core: Arc<Core>,
    sub: Weak<Sub>,
    name: Arc<str>,
    answering: bool,
    delivery: Delivery,
    stage: AtomicU8,
}

/// A handle of a message.
pub struct Message(Arc<Inner>);

impl Inner {
    pub fn new(sub: &Arc<Sub>, delivery: Delivery) -> Self {
        Self {
            core: Arc::clone(&sub.core),
            sub: sub.weak(),
            name: Arc::clone(&sub.name),
            answering: sub.answering,
            delivery,
            stage: AtomicU8::new(OPEN),
        }
    }

    /// Calls the handler.
    pub fn show(self: &Arc<Self>, run: &Run<'_, MessageFn>) {
        let message = Message(Arc::clone(self));
        // SAFETY: the program's function, with its context and a handle for the call.
        run.call(|call, context| unsafe { call(context, &raw const message) });
    }

    /// The callback has returned; says whether the message is done with. One that wants an answer and
    /// got none from a handler that did not fail is answered with null.
    pub fn returned(&self) -> bool {
        let stage = self.stage.load(Ordering::Acquire);
        if self.answering && stage == OPEN {
            // Only a dead hub has an error here, and it was told already.
            let _ = self.core.kit.answer(&self.delivery.token, b"null", None);
        }
        stage != DEFERRED
    }

    fn failed(&self, text: &str) {
        let what = format!("the handler of {:?}", self.name);
        // Only a dead hub has an error here, and it was told already.
        let _ = self.core.kit.handler_failed(&what, text);
    }

    fn check(&self, body: Str) -> Result<Cow<'static, [u8]>, Failure> {
        checked(&self.core, body)
    }
}

/// A body as it is sent: none is null, and what is spelled differently is respelled.
pub fn checked<'a>(core: &Core, body: Str) -> Result<Cow<'a, [u8]>, Failure> {
    if !body.is_given() {
        return Ok(Cow::Borrowed(b"null"));
    }
    // SAFETY: the program's bytes stay for the call.
    let bytes = unsafe { body.bytes() };
    json::respelled(bytes, &core.kit.message_limits())
        .map_err(|error| error.into_error(Code::InvalidMessage, Code::MessageTooLarge).into())
}

/// The JSON that came. Borrowed from the message.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_message_body(message: *const Message) -> Str {
    // SAFETY: the program gives a live handle, or none.
    unsafe { message.as_ref() }.map_or(Str::NONE, |message| Str::of(&message.0.delivery.payload))
}

/// The name that it was sent to, where a pattern was subscribed to one of many. Borrowed from the message.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_message_topic(message: *const Message) -> Str {
    // SAFETY: the program gives a live handle, or none.
    unsafe { message.as_ref() }.map_or(Str::NONE, |message| {
        let topic = message.0.delivery.topic.as_deref();
        Str::of(topic.unwrap_or(&message.0.name).as_bytes())
    })
}

/// Its headers. Borrowed from the message.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_message_headers(message: *const Message) -> *const Headers {
    // SAFETY: the program gives a live handle, or none.
    unsafe { message.as_ref() }
        .map_or(std::ptr::null(), |message| Headers::view(&message.0.delivery.headers))
}

/// Whether it wants an answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_message_wants_answer(message: *const Message) -> bool {
    // SAFETY: the program gives a live handle, or none.
    unsafe { message.as_ref() }.is_some_and(|message| message.0.delivery.token.has_reply())
}

/// Sends one answer; in a subscription any number of times while the handler runs. `body` NULL is JSON
/// null, `headers` may be NULL. Never blocks.
/// NO_REPLY_SUBJECT, CLOSED once the handler has ended, DISCONNECTED, INVALID_MESSAGE, MESSAGE_TOO_LARGE,
/// BUFFER_OVERFLOW; INVALID_OPTIONS in a handler of requests.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_message_reply(
    message: *const Message,
    body: Str,
    headers: *const Headers,
    error: *mut *mut Error,
) -> Status {
    boundary(error, || {
        // SAFETY: the program gives live handles, or none.
        let (message, headers) =
            unsafe { (&borrow(message, "message")?.0, Headers::given(headers)) };
        if message.answering {
            return Err(refused(
                Code::InvalidOptions,
                "a handler answers once: use posthouse_message_answer, or subscribe to reply several times",
            )
            .into());
        }
        let body = message.check(body)?;
        Ok(message.core.kit.reply(&message.delivery.token, &body, headers)?)
    })
}

/// Answers a request in its handler, once. `body` NULL is JSON null, as if nothing was answered at all.
/// What is no JSON is an error here, and the handler may answer something else; what cannot be sent is
/// reported by the hub, for nobody waits for it.
/// INVALID_MESSAGE, MESSAGE_TOO_LARGE; CLOSED the second time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_message_answer(
    message: *const Message,
    body: Str,
    headers: *const Headers,
    error: *mut *mut Error,
) -> Status {
    boundary(error, || {
        // SAFETY: the program gives live handles, or none.
        let (message, headers) =
            unsafe { (&borrow(message, "message")?.0, Headers::given(headers)) };
        let body = message.check(body)?;
        let open =
            message.stage.compare_exchange(OPEN, ANSWERED, Ordering::AcqRel, Ordering::Acquire);
        if open.is_err() || !message.answering {
            return Err(answered().into());
        }
        Ok(message.core.kit.answer(&message.delivery.token, &body, headers)?)
    })
}

/// The handler failed: reported as HANDLER_ERROR with this text, and no answer is sent.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_message_fail(message: *const Message, text: Str) {
    quiet((), || {
        // SAFETY: the program gives a live handle, or none, and a text for the call.
        let (message, text) = unsafe { (message.as_ref(), text.bytes()) };
        if let Some(message) = message {
            let message = &message.0;
            let _ =
                message.stage.compare_exchange(OPEN, ANSWERED, Ordering::AcqRel, Ordering::Acquire);
            message.failed(&String::from_utf8_lossy(text));
        }
    });
}

/// A handle that the program owns and may keep: what came stays readable, but nothing can be sent once the
/// handler has ended. NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_message_clone(message: *const Message) -> *mut Message {
    quiet(std::ptr::null_mut(), || {
        // SAFETY: the program gives a live handle, or none.
        let message = unsafe { message.as_ref() };
        message.map_or(std::ptr::null_mut(), |message| {
            Box::into_raw(Box::new(Message(Arc::clone(&message.0))))
        })
    })
}

/// Frees a handle that the program owns. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_message_free(message: *mut Message) {
    // SAFETY: the program gives up its handle.
    quiet((), || drop(unsafe { take(message) }));
}

/// A message whose handling is ended later than its callback.
pub struct Deferred {
    message: Arc<Inner>,
    sub: Arc<Sub>,
    open: std::sync::atomic::AtomicBool,
}

impl Deferred {
    fn close(&self) -> bool {
        self.open.swap(false, Ordering::AcqRel)
    }

    fn give_back(&self) {
        // Only a dead hub has an error here, and it has nothing to give back to.
        let _ = self.message.core.kit.finished_one(&self.message.delivery.token);
        self.sub.resume();
    }
}

impl Drop for Deferred {
    fn drop(&mut self) {
        if !kit::forked() && self.close() {
            self.give_back();
        }
    }
}

fn answered() -> kit::Error {
    refused(Code::Closed, "this message has been answered or let go already; each is answered once")
}

/// Inside a handler: the message is not done with when the callback returns, but when what is given here
/// is completed, cancelled or freed, on any thread. Until then the subscription delivers no other message,
/// and drains wait.
/// CLOSED where the message is answered already, or its handler has ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_message_defer(
    message: *const Message,
    deferred: *mut *mut Deferred,
    error: *mut *mut Error,
) -> Status {
    boundary(error, || {
        // SAFETY: the program gives a live handle, or none.
        let message = unsafe { &borrow(message, "message")?.0 };
        let sub = message
            .sub
            .upgrade()
            .filter(|sub| crate::scope::inside_handler(message.core.key(), sub.id));
        let sub = sub.ok_or_else(|| {
            refused(Code::Closed, "the handler of this message has ended; defer while it runs")
        })?;
        let open =
            message.stage.compare_exchange(OPEN, DEFERRED, Ordering::AcqRel, Ordering::Acquire);
        open.map_err(|_| answered())?;
        sub.defer();
        let open = std::sync::atomic::AtomicBool::new(true);
        let handle = Deferred { message: Arc::clone(message), sub, open };
        // SAFETY: the program gives a place, or none.
        Ok(unsafe { put(deferred, handle)? })
    })
}

/// Ends the handling: answers, in a handler of requests, or just ends where `body` is NULL and it is a
/// subscription. The handle stays to be freed. Never blocks.
/// INVALID_MESSAGE leaves it open; CLOSED the second time, or after the subscription's end; as
/// `posthouse_message_reply`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_deferred_complete(
    deferred: *const Deferred,
    body: Str,
    headers: *const Headers,
    error: *mut *mut Error,
) -> Status {
    boundary(error, || {
        // SAFETY: the program gives live handles, or none.
        let (deferred, headers) =
            unsafe { (borrow(deferred, "deferred")?, Headers::given(headers)) };
        let message = &deferred.message;
        let sends = message.answering || body.is_given();
        let body = message.check(body)?;
        if !deferred.close() {
            return Err(answered().into());
        }
        let sent = if sends {
            message.core.kit.reply(&message.delivery.token, &body, headers)
        } else {
            Ok(())
        };
        if let Err(error) = &sent {
            // Reported as for any handler: whoever completes may not look.
            message.failed(error.message());
        }
        deferred.give_back();
        Ok(sent?)
    })
}

/// Ends the handling as failed: reported as HANDLER_ERROR with this text, and no answer is sent.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_deferred_fail(deferred: *const Deferred, text: Str) {
    quiet((), || {
        // SAFETY: the program gives a live handle, or none, and a text for the call.
        let (deferred, text) = unsafe { (deferred.as_ref(), text.bytes()) };
        if let Some(deferred) = deferred
            && deferred.close()
        {
            deferred.message.failed(&String::from_utf8_lossy(text));
            deferred.give_back();
        }
    });
}

/// Ends the handling without an answer: the caller may run into its time-out. The handle stays to be
/// freed; freeing it without a `complete` is the same as this.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_deferred_cancel(deferred: *const Deferred) {
    quiet((), || {
        // SAFETY: the program gives a live handle, or none.
        if let Some(deferred) = unsafe { deferred.as_ref() }
            && deferred.close()
        {
            deferred.give_back();
        }
    });
}

/// Frees the handle; ends the handling as `posthouse_deferred_cancel` does if nothing has yet. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posthouse_deferred_free(deferred: *mut Deferred) {
    // SAFETY: the program gives up its handle.
    quiet((), || drop(unsafe { take(deferred) }));
}
