//! Lines of log on the standard outputs, in the form that ROS nodes have.
use log::{Level, LevelFilter, Log, Metadata, Record};
use std::{
    io::Write,
    time::{SystemTime, UNIX_EPOCH},
};

/// Sends what is logged to the standard outputs; once in a process.
pub fn install() {
    static LOGGER: Logger = Logger;
    if log::set_logger(&LOGGER).is_ok() {
        log::set_max_level(LevelFilter::Info);
    }
}

struct Logger;

impl Log for Logger {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        if metadata.target() == "posthouse" {
            // What the hub does is told by the routes; with POSTHOUSE_LOG it speaks for itself.
            return metadata.level() <= Level::Warn && std::env::var_os("POSTHOUSE_LOG").is_none();
        }
        metadata.level() <= Level::Info
    }

    fn log(&self, record: &Record<'_>) {
        if !self.enabled(record.metadata()) {
            return;
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let level = match record.level() {
            Level::Error => "ERROR",
            Level::Warn => "WARN",
            Level::Info => "INFO",
            Level::Debug | Level::Trace => "DEBUG",
        };
        let line =
            format!("[{level}] [{}.{:09}]: {}\n", now.as_secs(), now.subsec_nanos(), record.args());
        // A closed output must not end the bridge.
        let _ = if record.level() <= Level::Warn {
            std::io::stderr().write_all(line.as_bytes())
        } else {
            std::io::stdout().write_all(line.as_bytes()).and_then(|()| std::io::stdout().flush())
        };
    }

    fn flush(&self) {}
}
