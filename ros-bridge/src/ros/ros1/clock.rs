//! Time: the wall clock, or `/clock` where `use_sim_time` is set.
use super::{node::Core, subscription, xmlrpc::Value};
use crate::ros::{Subscribe, Time};
use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{SystemTime, UNIX_EPOCH},
};
use tokio::task::AbortHandle;

/// The name of the parameter.
pub(super) const USE_SIM_TIME: &str = "/use_sim_time";

#[derive(Default)]
pub(super) struct Clock {
    simulated: AtomicBool,
    /// Seconds in the upper half, nanoseconds in the lower.
    time: AtomicU64,
    task: Mutex<Option<AbortHandle>>,
}

impl Clock {
    pub(super) fn now(&self) -> Time {
        if self.simulated.load(Ordering::Relaxed) {
            let time = self.time.load(Ordering::Relaxed);
            return Time { secs: (time >> 32) as u32, nsecs: time as u32 };
        }
        wall()
    }

    /// A parameter changed.
    pub(super) fn param(&self, name: &str, value: &Value) {
        if name.trim_end_matches('/') == USE_SIM_TIME && *value == Value::Bool(false) {
            self.simulated.store(false, Ordering::Relaxed);
        }
    }

    fn set(&self, body: &[u8]) {
        // Seconds first, both with the low byte first.
        let Some(time) = body.first_chunk::<8>().copied() else { return };
        self.time.store(u64::from_le_bytes(time).rotate_left(32), Ordering::Relaxed);
    }
}

/// The time of this machine.
pub(super) fn wall() -> Time {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Time { secs: since.as_secs() as u32, nsecs: since.subsec_nanos() }
}

/// Asks whether time is simulated, and follows `/clock` if it is.
pub(super) async fn look(core: &Arc<Core>) {
    let simulated = matches!(core.master.param(USE_SIM_TIME).await, Ok(Some(Value::Bool(true))));
    core.clock.simulated.store(simulated, Ordering::Relaxed);
    let mut task = core.clock.task.lock().unwrap_or_else(PoisonError::into_inner);
    if !simulated {
        if let Some(task) = task.take() {
            task.abort();
        }
        return;
    }
    if task.is_some() {
        return;
    }
    let wanted = Subscribe {
        kind: Some("rosgraph_msgs/Clock".to_owned()),
        queue: 1,
        max_message: 64,
        ..Subscribe::new("/clock")
    };
    match subscription::subscribe(core, wanted) {
        Ok(ticks) => {
            let follower = Arc::clone(core);
            *task = Some(core.spawn(async move {
                while let Some(tick) = ticks.recv().await {
                    follower.clock.set(&tick.body);
                }
            }));
        }
        Err(error) => log::warn!(target: "posthouse_ros", "/clock: {error}"),
    }
}
