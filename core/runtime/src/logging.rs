//! Lines of the hub's log: through the `log` crate, target `posthouse`, and with the environment
//! variable `POSTHOUSE_LOG` (`warn`, `info` or `debug`) on the standard error output, too.
use posthouse_core::{Code, hub::Level};
use std::{io::Write, sync::OnceLock};

/// The least important level that goes to the standard error output; `None`: nothing does.
fn to_stderr() -> Option<log::Level> {
    static LEVEL: OnceLock<Option<log::Level>> = OnceLock::new();
    *LEVEL.get_or_init(|| std::env::var("POSTHOUSE_LOG").ok()?.parse().ok())
}

pub(crate) fn line(level: Level, code: Option<Code>, text: &str) {
    let level = crate::sink::level(level);
    let (code, colon) = code.map_or(("", ""), |code| (code.as_str(), ": "));
    log::log!(target: "posthouse", level, "{code}{colon}{text}");
    if to_stderr().is_some_and(|most| level <= most) {
        // A closed error output must not end the program.
        let _ = writeln!(std::io::stderr(), "posthouse {level} {code}{colon}{text}");
    }
}
