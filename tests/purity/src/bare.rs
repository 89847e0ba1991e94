//! What a bare module needs besides the machine: memory, an end on panic, and entries that keep
//! the machine's code from being thrown away by the linker.
extern crate alloc;

use alloc::{string::ToString as _, vec, vec::Vec};
use core::{
    alloc::{GlobalAlloc, Layout},
    panic::PanicInfo,
    sync::atomic::{AtomicUsize, Ordering},
};
use posthouse_core::{
    Code, Now, Result,
    frame::{ConnectFields, Info},
    hub::{Action, Config, Event, Hub, SubscribeOptions},
    limits,
    options::{HubOptions, SubscriptionOptions},
    queue::{
        Deployment, Event as QueueEvent, Line, Message, Outcome, Settings, outgoing, outgoing_batch,
    },
};

/// Hands out the module's own memory and never takes any back.
struct Bump(AtomicUsize);

const ARENA: usize = 1 << 20;
static mut MEMORY: [u8; ARENA] = [0; ARENA];

#[global_allocator]
static HEAP: Bump = Bump(AtomicUsize::new(0));

// SAFETY: every block lies within `MEMORY`, no byte is handed out twice, and this target has one
// thread.
unsafe impl GlobalAlloc for Bump {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let start = self.0.load(Ordering::Relaxed).next_multiple_of(layout.align());
        let Some(end) = start.checked_add(layout.size()).filter(|end| *end <= ARENA) else {
            return core::ptr::null_mut();
        };
        self.0.store(end, Ordering::Relaxed);
        // SAFETY: `start` is within the array.
        unsafe { (&raw mut MEMORY).cast::<u8>().add(start) }
    }
    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}

/// What the host would write bytes into before it calls [`run`].
static INPUT: [u8; 4096] = [0; 4096];

/// Goes once through the life of a hub, so that all of it is linked: opening, connecting, every
/// operation, whatever comes out, the end. What comes of it depends on the input and is of no
/// interest; the result only keeps the optimiser from dropping the calls.
#[unsafe(no_mangle)]
pub extern "C" fn run(mono: u64, unix_ms: u64, seed: u64, length: usize) -> usize {
    let input = core::hint::black_box(&INPUT).get(..length).unwrap_or_default();
    life(Now { mono, unix_ms }, seed, input).unwrap_or_else(|error| error.to_string().len())
}

/// Goes once through what the contract of queues says.
fn queues(input: &[u8]) -> Result<usize> {
    let text = core::str::from_utf8(input).unwrap_or_default();
    let deployment = Deployment::parse(text)?;
    let mut used = usize::from(deployment.binding(text).is_ok());
    used += outgoing(input, 1.0)?.body.len();
    used += outgoing_batch(input)?.len();
    let message = Message { id: text.into(), attempts: 1, timestamp_ms: 0, body: input.to_vec() };
    let mut event = QueueEvent::new(text, vec![message], Settings::default(), false);
    used += usize::from(Line::parse(input)?.apply(&mut event)?.is_some());
    used += event.read_text().map_or(0, |text| text.len());
    Ok(used + event.finish(Outcome::Success).messages.len())
}

fn life(now: Now, seed: u64, input: &[u8]) -> Result<usize> {
    let config = Config {
        namespace: "bare".to_string(),
        options: HubOptions::default(),
        endpoints: vec!["nats://127.0.0.1:4222".to_string()],
        reconnect_max_ms: limits::RECONNECT_MAX_MS,
        seed,
        sdk: "bare".to_string(),
        version: "0".to_string(),
        runtime: "none".to_string(),
    };
    let mut hub = Hub::new(config, now)?;
    hub.start();
    let mut used = 0;
    let mut output = Vec::new();
    while let Some(action) = hub.poll_action() {
        let Action::Dial(dial, _) = action else { continue };
        let info = Info::parse(input).unwrap_or_default();
        if let Some(link) = hub.handle_connected(now, dial, info, &ConnectFields::default()) {
            hub.handle_bytes(now, link, input);
            hub.take_output(link, &mut output);
            hub.handle_written(now, link, output.len());
            hub.handle_disconnected(now, link, "the end");
        }
    }
    let name = core::str::from_utf8(input).map_err(|_| Code::InvalidName).unwrap_or("x");
    let var = hub.var(name)?;
    used += usize::from(hub.set(now, var, input).is_ok());
    used += hub.get(var).map_or(0, <[u8]>::len);
    used += usize::from(hub.delete(now, var).is_ok());
    used += usize::from(hub.publish(var, input, None).is_ok());
    used += usize::from(hub.request(now, var, input, None, 1, None).is_ok());
    let watch = hub.watch(var)?;
    used += usize::from(hub.take_watch(watch).is_some());
    hub.unwatch(watch);
    let options = SubscribeOptions {
        queue: None,
        requests_only: false,
        numbers: SubscriptionOptions::default(),
    };
    if let Ok((sub, _)) = hub.subscribe(now, var, &options) {
        let mut messages = Vec::new();
        hub.take(sub, 8, &mut messages);
        for message in &messages {
            hub.answer(now, &message.token, input, None);
        }
        hub.finished(now, sub, messages.len());
        used += usize::from(hub.drain_subscription(now, sub, 1).is_ok());
        hub.unsubscribe(now, sub);
    }
    used += usize::from(hub.flush(now, 1).is_ok());
    used += hub.instances(now).len();
    used += hub.status(now).namespace.len();
    used += usize::from(hub.drain(now, 1).is_ok());
    while let Some(deadline) = hub.deadline().filter(|at| *at <= now.mono) {
        hub.handle_timeout(Now { mono: deadline, ..now });
    }
    hub.close(now);
    while let Some(event) = hub.poll_event() {
        used += usize::from(matches!(event, Event::Done(..)));
    }
    Ok(used)
}
