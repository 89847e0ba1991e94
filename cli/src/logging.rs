//! Log lines on the error stream, when asked for.
use crate::output::{self, Output};
use log::{LevelFilter, Log, Metadata, Record};
use std::sync::OnceLock;

struct Lines(Output);

static LINES: OnceLock<Lines> = OnceLock::new();

/// Logs from `level` up; without a level, or with an unknown one, warnings and errors.
pub fn start(level: Option<&str>, out: Output) {
    let filter = match level {
        None | Some("") => LevelFilter::Warn,
        Some(word) => word.parse().unwrap_or_else(|_| {
            output::note(&format!("posthouse: no log level is called {word:?}; using warn"));
            LevelFilter::Warn
        }),
    };
    if log::set_logger(LINES.get_or_init(|| Lines(out))).is_ok() {
        log::set_max_level(filter);
    }
}

impl Log for Lines {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }
    fn log(&self, record: &Record<'_>) {
        let level = record.level().as_str().to_lowercase();
        if self.0.json {
            let line = serde_json::json!({"log": level, "message": record.args().to_string()});
            output::note(&line.to_string());
        } else {
            let level =
                if record.level() <= log::Level::Warn { self.0.alarm(&level) } else { level };
            output::note(&format!("{level}: {}", record.args()));
        }
    }
    fn flush(&self) {}
}
