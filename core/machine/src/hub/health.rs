//! Health reports: sending ours, reading those of others.
use super::{Hub, Report, Timer};
use crate::{frame, limits, link::Stage, time::Now};
use alloc::string::String;

impl Hub {
    /// Begins to report: at once, then at every interval.
    pub(super) fn start_health(&mut self, now: Now) {
        if let Some(timer) = self.health_timer.take() {
            self.timers.cancel(timer);
        }
        self.health_due(now);
    }

    pub(super) fn health_due(&mut self, now: Now) {
        self.send_health(now);
        let at = now.after_ms(self.options.health_interval_ms);
        self.health_timer = Some(self.timers.set(at, Timer::Health));
    }

    pub(super) fn send_health(&mut self, now: Now) {
        if self.link.as_ref().is_none_or(|l| l.stage != Stage::Active) {
            return;
        }
        let report =
            Report { status: self.report_status(now), interval: self.options.health_interval_ms };
        let Ok(json) = serde_json::to_vec(&report) else { return };
        let subject = self.names.health(&self.instance_id);
        if let Some(link) = &mut self.link {
            frame::publish(&mut link.out, &subject, None, None, &json);
        }
        self.count_sent(json.len());
    }

    /// A report has arrived. One that breaks the rules is dropped: it is not about this hub's work.
    pub(super) fn health_arrived(&mut self, now: Now, subject: &[u8], payload: &[u8]) {
        // The envelope around the status adds a few dozen bytes.
        if payload.len() > limits::STATUS_BYTES + 256 {
            return;
        }
        let subject = core::str::from_utf8(subject).ok();
        let Some(instance) = subject.and_then(|s| self.names.health_id(s)) else { return };
        let instance = String::from(instance);
        let Some(report) = Report::parse(payload) else { return };
        if report.status.instance_id != instance || report.status.namespace != self.config.namespace
        {
            return;
        }
        self.instance_reported(now, instance, report);
    }
}
