//! A child of a process that has hubs: every use of them says so at once, and letting go of them
//! is safe.
use crate::{free_port, local, role::Process, role::say};
use posthouse::{Code, Hub, Result, json};

/// Everything that can be called without waiting.
fn all_say_forked(hub: &Hub) -> bool {
    fn forked<T>(result: Result<T>) -> bool {
        result.err().is_some_and(|error| error.code() == Code::Forked)
    }
    // A future that is refused at once is refused at its first poll.
    fn at_once<T>(future: impl Future<Output = Result<T>>) -> bool {
        use futures_util::FutureExt as _;
        future.now_or_never().is_some_and(forked)
    }
    let Ok(var) = hub
        .var("x")
        .or_else(|error| if error.code() == Code::Forked { Err(()) } else { panic!("{error}") })
    else {
        // A new reference is refused, too; so are the hub's own operations.
        return forked(hub.state())
            && forked(hub.status())
            && forked(hub.instances().list())
            && at_once(hub.connected(None))
            && at_once(hub.ready())
            && at_once(hub.flush(None))
            && at_once(hub.drain(None))
            && at_once(hub.close())
            && forked(Hub::builder("other").open());
    };
    drop(var);
    false
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
            let forked = |result: Result<()>| result.unwrap_err().code() == Code::Forked;
            let good = all_say_forked(&hub)
                && forked(var.set(&json!(1)))
                && forked(var.publish(&json!(1)))
                && forked(var.value().map(drop))
                && forked(subscription.unsubscribe_now());
            drop((subscription, watch, var, hub));
            // SAFETY: ends the child without running what belongs to its parent.
            unsafe { libc::_exit(if good { 0 } else { 1 }) };
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

trait Now {
    fn unsubscribe_now(&self) -> Result<()>;
}

impl Now for posthouse::Subscription {
    fn unsubscribe_now(&self) -> Result<()> {
        self.status().map(drop)
    }
}

#[test]
fn a_child_is_refused_and_its_parent_goes_on() {
    let mut process = Process::start("fork", &[]);
    assert_eq!(process.hears(), "good");
    process.finish();
}
