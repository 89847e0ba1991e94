//! Durations and sizes as people type them.
use std::time::Duration;

/// `250ms`, `1.5s`, `2m`; a bare number is seconds.
pub fn duration(text: &str) -> Result<Duration, String> {
    let refuse = || format!("{text:?} is no duration; write 250ms, 1.5s or 2m");
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let factor = match unit {
        "ms" => 0.001,
        "s" | "" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err(refuse()),
    };
    let number: f64 = number.parse().map_err(|_| refuse())?;
    Duration::try_from_secs_f64(number * factor).map_err(|_| refuse())
}

/// `65536`, `64KiB`, `8MiB`; `k` and `M` alone count in 1024 too.
pub fn size(text: &str) -> Result<usize, String> {
    let refuse = || format!("{text:?} is no size; write 65536, 64KiB or 8MiB");
    let split = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let factor = match unit {
        "" | "B" => 1,
        "k" | "K" | "KiB" => 1024,
        "M" | "MiB" => 1024 * 1024,
        "G" | "GiB" => 1024 * 1024 * 1024,
        _ => return Err(refuse()),
    };
    let number: usize = number.parse().map_err(|_| refuse())?;
    number.checked_mul(factor).ok_or_else(refuse)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_with_and_without_unit() {
        for (text, ms) in
            [("250ms", 250), ("1.5s", 1500), ("3", 3000), ("2m", 120_000), ("1h", 3_600_000)]
        {
            assert_eq!(duration(text), Ok(Duration::from_millis(ms)), "{text}");
        }
        for text in ["", "s", "-1", "1x", "1.2.3", "1e9999", "1 s"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_read_with_and_without_unit() {
        for (text, bytes) in [("0", 0), ("17", 17), ("64KiB", 65_536), ("1M", 1 << 20)] {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for text in ["", "KiB", "1.5MiB", "9X", "99999999999999999999", "99999999999999999G"] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
