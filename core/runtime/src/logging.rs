//! Lines of the hub's log: through the `log` crate, target `posthouse`, and with the environment
//! variable `POSTHOUSE_LOG` (`warn`, `info` or `debug`) on the standard error output, too.
use posthouse_core::{Code, hub::Level};
use std::{io::Write, sync::OnceLock};

/// The least important level that goes to the standard error output; `None`: nothing does.
fn to_stderr() -> Option<log::Level> {
    static LEVEL: OnceLock<Option<log::Level>> = OnceLock::new();
    *LEVEL.get_or_init(|| std::env::var("POSTHOUSE_LOG").ok()?.parse().ok())
}

/// A line of the Rust SDK's log.
pub(crate) fn line(level: Level, code: Option<Code>, text: &str) {
    let (code_text, colon) = prefix(code);
    log::log!(target: "posthouse", crate::sink::level(level), "{code_text}{colon}{text}");
    standard_error(level, code, text);
}

/// Writes a line to the standard error output if `POSTHOUSE_LOG` wants it there. For languages with
/// a log of their own, which they feed themselves.
pub fn standard_error(level: Level, code: Option<Code>, text: &str) {
    if wanted(level) {
        let (level, (code, colon)) = (crate::sink::level(level), prefix(code));
        // A closed error output must not end the program.
        let _ = writeln!(std::io::stderr(), "posthouse {level} {code}{colon}{text}");
    }
}

/// Whether [`standard_error`] writes lines of this level.
pub fn wanted(level: Level) -> bool {
    to_stderr().is_some_and(|most| crate::sink::level(level) <= most)
}

fn prefix(code: Option<Code>) -> (&'static str, &'static str) {
    code.map_or(("", ""), |code| (code.as_str(), ": "))
}
