//! What hubs hold after a moment in which much was sent: its own program, for it counts all memory.
use posthouse::{Code, Hub, Message, json};
use posthouse_testkit::{NatsServer, until_async};
use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

/// Counts the bytes that are held.
struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;
static HELD: AtomicUsize = AtomicUsize::new(0);

// SAFETY: the system's allocator does it all.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        HELD.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, piece: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(piece, layout) }
    }

    unsafe fn realloc(&self, piece: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        HELD.fetch_add(size, Ordering::Relaxed);
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.realloc(piece, layout, size) }
    }
}

/// Messages of a kilobyte in each flood.
const MESSAGES: usize = 20_000;
/// How many floods: buffers are not as large after each.
const FLOODS: usize = 5;
/// What may stay: a few buffers of 64 KiB at both hubs.
const STAYS: usize = 384 * 1024;

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_leaves_little_behind() {
    let server = NatsServer::start();
    let open = || {
        let room = |numbers: &mut posthouse::HubOptions| {
            numbers.messaging.pending_messages = MESSAGES;
            numbers.messaging.pending_bytes = 2000 * MESSAGES;
        };
        Hub::builder("flood").servers([server.url()]).with_numbers(room).connect()
    };
    let (a, b) = (open().await.unwrap(), open().await.unwrap());
    let seen = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&seen);
    let handler = move |_: Message| {
        count.fetch_add(1, Ordering::Relaxed);
        async {}
    };
    let subscribe = b.var("x").unwrap().subscribe().pending_messages(MESSAGES);
    let _listener = subscribe.pending_bytes(2000 * MESSAGES).handler(handler).await.unwrap();
    let (var, value) = (a.var("x").unwrap(), json!("m".repeat(1000)));
    var.publish(&value).unwrap();
    until_async("the first is there", || seen.load(Ordering::Relaxed) == 1).await;
    let before = HELD.load(Ordering::Relaxed);
    for flood in 1..=FLOODS {
        let mut most = 0;
        for _ in 0..MESSAGES {
            while let Err(error) = var.publish(&value) {
                assert_eq!(error.code(), Code::BufferOverflow);
                std::thread::yield_now();
            }
            most = most.max(HELD.load(Ordering::Relaxed));
        }
        let all = 1 + flood * MESSAGES;
        until_async("all are there", || seen.load(Ordering::Relaxed) == all).await;
        assert!(most > before + STAYS, "it was a flood: {before} bytes before, at most {most}");
        until_async("what was needed for it is given back", || {
            HELD.load(Ordering::Relaxed) < before + STAYS
        })
        .await;
    }
}
