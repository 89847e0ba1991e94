//! The server's clock, as far as we know it, and its way of writing times.
//!
//! Due times are compared by several machines; the server's clock is the one they all share.
use std::{
    fmt,
    sync::{Mutex, PoisonError},
    time::{SystemTime, UNIX_EPOCH},
};

/// How far the server's clock is ahead of ours.
#[derive(Debug, Default)]
pub(super) struct Clock(Mutex<Option<Known>>);

#[derive(Clone, Copy, Debug)]
struct Known {
    ahead_ms: i64,
    /// How long the answer took: half of it is how wrong we may be.
    took_ms: i64,
}

impl Clock {
    /// The server's time in Unix milliseconds.
    pub(super) fn now_ms(&self) -> i64 {
        let known = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        local_ms().saturating_add(known.map_or(0, |known| known.ahead_ms))
    }

    /// Learns from an answer of the server that was asked for at `asked_ms` of our clock and has come
    /// now, and in which the server says what time it was. Servers before 2.10 do not say it. Of several
    /// answers the quickest counts, for a while.
    pub(super) fn learn(&self, asked_ms: i64, told: Option<&str>) {
        let Some(server) = told.and_then(parse) else { return };
        let come = local_ms();
        let took_ms = come.saturating_sub(asked_ms).max(0);
        let ahead_ms = server.saturating_sub(asked_ms.midpoint(come));
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *known = match *known {
            // Clocks drift and are set: what is known ages a little with each answer that was slower.
            Some(best) if took_ms > best.took_ms => {
                Some(Known { took_ms: best.took_ms + 1, ..best })
            }
            _ => Some(Known { ahead_ms, took_ms }),
        };
    }
}

/// Our own clock in Unix milliseconds.
pub(super) fn local_ms() -> i64 {
    // A clock before 1970 is none.
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// A time in Unix milliseconds, written as RFC 3339 in UTC.
pub(super) struct Rfc3339(pub(super) i64);

impl fmt::Display for Rfc3339 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (days, of_day) = (self.0.div_euclid(86_400_000), self.0.rem_euclid(86_400_000));
        let (year, month, day) = civil(days);
        let (seconds, ms) = (of_day / 1000, of_day % 1000);
        let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{ms:03}Z")
    }
}

/// Reads RFC 3339 as servers write it, into Unix milliseconds.
pub(super) fn parse(text: &str) -> Option<i64> {
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<i64>().ok();
    let days = days(number(0, 4)?, number(5, 7)?, number(8, 10)?)?;
    let seconds = number(11, 13)? * 3600 + number(14, 16)? * 60 + number(17, 19)?;
    let rest = text.get(19..)?;
    let (fraction, zone) = match rest.strip_prefix('.') {
        Some(rest) => {
            let end = rest.find(|c: char| !c.is_ascii_digit())?;
            rest.split_at(end)
        }
        None => ("", rest),
    };
    let ms = format!("{fraction:0<3}").get(..3)?.parse::<i64>().ok()?;
    let offset = if zone == "Z" {
        0
    } else {
        let sign = if zone.starts_with('-') { -1 } else { 1 };
        let (hours, minutes) = zone.get(1..)?.split_once(':')?;
        sign * (hours.parse::<i64>().ok()? * 3600 + minutes.parse::<i64>().ok()? * 60)
    };
    Some((days * 86_400 + seconds - offset) * 1000 + ms)
}

/// Days since 1970-01-01 of a date in the Gregorian calendar.
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // Years that begin in March have their leap day at the end.
    let year = if month > 2 { year } else { year - 1 };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let leaps = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    Some(year * 365 + leaps + day_of_year - 719_468)
}

/// The date that lies so many days after 1970-01-01.
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    // An estimate from the calendar's mean, then the year that really holds the day.
    let mut year = (shifted * 400).div_euclid(146_097);
    let first =
        |year: i64| year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    while first(year) > shifted {
        year -= 1;
    }
    while first(year + 1) <= shifted {
        year += 1;
    }
    let day_of_year = shifted - first(year);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (if month > 2 { year } else { year + 1 }, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_and_read() {
        for (ms, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_123, "2000-02-29T00:00:00.123Z"),
            (1_709_251_199_999, "2024-02-29T23:59:59.999Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(Rfc3339(ms).to_string(), text);
            assert_eq!(parse(text), Some(ms), "{text}");
        }
        assert_eq!(parse("2026-11-30T20:55:19.33492603Z"), parse("2026-11-30T20:55:19.334Z"));
        assert_eq!(parse("2026-11-30T20:55:19Z"), parse("2026-11-30T22:55:19+02:00"));
        for wrong in
            ["", "2026", "2026-13-01T00:00:00Z", "2026-01-01 morning", "2026-01-01T00:00:00."]
        {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn every_day_of_four_centuries_is_itself_again() {
        let (first, last) = (days(1899, 1, 1).unwrap(), days(2301, 1, 1).unwrap());
        let mut before = (0, 0, 0);
        for day in first..last {
            let date = civil(day);
            assert!(date > before);
            assert_eq!(days(date.0, date.1, date.2), Some(day));
            before = date;
        }
    }

    #[test]
    fn the_clock_is_the_servers() {
        let clock = Clock::default();
        let asked = local_ms();
        clock.learn(asked, Some(&Rfc3339(asked + 3_600_000).to_string()));
        assert!((clock.now_ms() - local_ms() - 3_600_000).abs() < 60_000);
        clock.learn(asked, None);
        clock.learn(asked, Some("soon"));
        // Slower, and so less exact.
        clock.learn(asked - 60_000, Some(&Rfc3339(asked).to_string()));
        assert!((clock.now_ms() - local_ms() - 3_600_000).abs() < 60_000);
    }
}
