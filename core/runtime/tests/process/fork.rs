//! A child of a process that has hubs: every use of them says so at once, and letting go of them
//! is safe.
use crate::{free_port, local, role::Process, role::say};
use posthouse::{Code, Hub, Result, json};

fn forked<T>(result: Result<T>) -> bool {
    result.err().is_some_and(|error| error.code() == Code::Forked)
}

/// A future that is refused at once is refused at its first poll.
fn at_once<T>(future: impl Future<Output = Result<T>>) -> bool {
    futures_util::FutureExt::now_or_never(future).is_some_and(forked)
}

/// Whether every operation of a hub is refused.
fn all_say_forked(hub: &Hub) -> bool {
    forked(hub.var("y"))
        && forked(hub.state())
        && forked(hub.status())
        && forked(hub.instances().list())
        && at_once(hub.connected(None))
        && at_once(hub.ready())
        && at_once(hub.flush(None))
        && at_once(hub.drain(None))
        && at_once(hub.close())
        && forked(Hub::builder("other").open())
}

pub async fn role() {
    let hub = local(free_port()).connect().await.unwrap();
    let var = hub.var("x").unwrap();
    let subscription = hub.var("x").unwrap().subscribe().await.unwrap();
    let watch = var.watch().unwrap();
    // SAFETY: the child touches only memory that no other thread of the parent holds, and leaves
    // by `_exit`.
    match unsafe { libc::fork() } {
        0 => {
            let good = all_say_forked(&hub)
                && forked(var.set(&json!(1)))
                && forked(var.publish(&json!(1)))
                && forked(var.value())
                && at_once(var.request(&json!(1)).detailed())
                && forked(subscription.status());
            drop((subscription, watch, var, hub));
            // SAFETY: ends the child without running what belongs to its parent.
            unsafe { libc::_exit(i32::from(!good)) };
        }
        child => {
            let mut status = 0;
            // SAFETY: waits for the child made above.
            let waited = unsafe { libc::waitpid(child, &raw mut status, 0) };
            assert_eq!(waited, child);
            say(if status == 0 { "good" } else { "bad" });
        }
    }
    // The parent goes on as if nothing had happened.
    var.publish(&json!(1)).unwrap();
    hub.flush(None).await.unwrap();
    hub.close().await.unwrap();
}

#[test]
fn a_child_is_refused_and_its_parent_goes_on() {
    let mut process = Process::start("fork", &[]);
    assert_eq!(process.hears(), "good");
    process.finish();
}
