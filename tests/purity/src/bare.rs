//! What a bare module needs besides the machine: memory, an end on panic, and entries that keep
//! the machine's code from being thrown away by the linker.
extern crate alloc;

use alloc::string::ToString as _;
use core::{
    alloc::{GlobalAlloc, Layout},
    panic::PanicInfo,
    sync::atomic::{AtomicUsize, Ordering},
};
use posthouse_core::{Code, options::Group};

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

/// Keeps the option check: the length of the refusal of an unknown option.
#[unsafe(no_mangle)]
pub extern "C" fn unknown_option(first: u8) -> usize {
    let name = [first];
    let name = core::str::from_utf8(&name).unwrap_or("?");
    Group::Hub.expect(name).map_or_else(|error| error.to_string().len(), |()| Code::ALL.len())
}
