//! Settings and what follows from them.
use super::*;

#[test]
fn the_defaults_are_those_of_the_contract() {
    let settings = Settings::default();
    assert_eq!((settings.max_batch_size, settings.max_batch_wait_ms), (10, 5_000));
    assert_eq!((settings.max_retries, settings.retry_delay_ms), (3, 0));
    assert_eq!((settings.visibility_timeout_ms, settings.max_concurrency), (30_000, 1));
    assert_eq!(settings.retention_ms, 4 * 24 * 3_600_000);
    assert_eq!(settings.handler_timeout_ms, 15 * 60_000);
    assert_eq!(settings.checked(), Ok(settings));
}

#[test]
fn zero_is_a_number_like_any_other() {
    let zeros =
        Settings { max_batch_wait_ms: 0, max_retries: 0, retry_delay_ms: 0, ..Settings::default() };
    assert_eq!(zeros.checked(), Ok(zeros));
    assert_eq!((zeros.deliveries(), zeros.retry_delay_seconds()), (1, 0));
    for refused in [
        Settings { max_batch_size: 0, ..zeros },
        Settings { visibility_timeout_ms: 0, ..zeros },
        Settings { max_concurrency: 0, ..zeros },
        Settings { retention_ms: 0, ..zeros },
        Settings { handler_timeout_ms: 0, ..zeros },
    ] {
        assert_eq!(refused.checked().unwrap_err().code(), Code::InvalidOptions);
    }
}

#[test]
fn ranges_are_those_of_the_contract() {
    let most = Settings {
        max_batch_size: 100,
        max_batch_wait_ms: 60_000,
        max_retries: 100,
        retry_delay_ms: 43_200_000,
        ..Settings::default()
    };
    assert_eq!(most.checked(), Ok(most));
    for refused in [
        Settings { max_batch_size: 101, ..most },
        Settings { max_batch_wait_ms: 60_001, ..most },
        Settings { max_retries: 101, ..most },
        Settings { retry_delay_ms: 43_201_000, ..most },
        Settings { retry_delay_ms: 1_500, ..most },
    ] {
        assert_eq!(refused.checked().unwrap_err().code(), Code::InvalidOptions);
    }
}

#[test]
fn times_and_deliveries_follow() {
    let settings = Settings { max_retries: 2, visibility_timeout_ms: 100, ..Settings::default() };
    assert_eq!(settings.deliveries(), 3);
    assert_eq!([1, 2, 3, 4].map(|n| settings.is_last(n)), [false, false, true, true]);
    assert_eq!(settings.renew_interval_ms(), 33);
    assert_eq!(settings.expires_ms(1_000), 345_601_000);
    assert_eq!(settings.expires_ms(i64::MAX), i64::MAX);
}
