//! Health reports: sending ours, reading those of others.
use super::{Hub, Report, Timer};
use crate::{frame, limits, link::Stage, time::Now};
use alloc::string::String;

/// The pause between two reports for each instance known: each hub gets about a hundred reports a
/// second at most, however many there are.
const REPORT_PAUSE_MS: u64 = 10;

impl Hub {
    /// Begins to report: at once, then at every interval.
    pub(super) fn start_health(&mut self, now: Now) {
        self.health_due(now);
    }

    pub(super) fn health_due(&mut self, now: Now) {
        self.send_health(now);
        self.last_report = now.mono;
        self.report_at(now.after_ms(self.options.health_interval_ms));
    }

    /// Reports soon, for somebody has asked: at once, or a little later together with the report for
    /// whoever asks next. Every report goes to every hub, and when many begin at the same time
    /// everybody asks everybody; without the pause each of n hubs would get n³ of them.
    pub(super) fn health_soon(&mut self, now: Now) {
        let others = self.instances.count() as u64;
        let pause = (others * REPORT_PAUSE_MS).min(self.options.health_interval_ms);
        let at = self.last_report.saturating_add(pause.saturating_mul(1000));
        if at <= now.mono {
            self.health_due(now);
        } else if self.health_timer.is_some_and(|(due, _)| due > at) {
            self.report_at(at);
        }
    }

    fn report_at(&mut self, at: u64) {
        if let Some(timer) = self.health_timer.take() {
            self.timers.cancel(timer);
        }
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
