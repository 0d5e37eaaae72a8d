//! Moments, as people and programs read them.

use std::time::{SystemTime, UNIX_EPOCH};

/// A moment as RFC 3339 writes it.
pub(crate) fn utc(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |it| it.as_secs());
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = date(days);
    let (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// The Gregorian date of a day since 1970, counted in years that begin in March.
fn date(days: u64) -> (u64, u64, u64) {
    // Day 0 is 0000-03-01, so that leap days end a year.
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year + year / 4 - year / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    (era * 400 + year + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::utc;

    #[track_caller]
    fn check(seconds: u64, expected: &str) {
        assert_eq!(utc(UNIX_EPOCH + Duration::from_secs(seconds)), expected);
    }

    #[test]
    fn moments_are_written_as_rfc_3339_has_it() {
        check(0, "1970-01-01T00:00:00Z");
        check(951_782_399, "2000-02-28T23:59:59Z");
        check(951_782_400, "2000-02-29T00:00:00Z");
        check(1_709_251_199, "2024-02-29T23:59:59Z");
        check(1_735_689_600, "2025-01-01T00:00:00Z");
        check(4_107_542_400, "2100-03-01T00:00:00Z");
    }
}
