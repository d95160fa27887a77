//! The time from which on records are wanted, as people write it.

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp, tz::TimeZone};

/// Reads a time in RFC 3339 (`2026-03-19T10:30:00Z`), a day in UTC (`2026-03-19`), or how long ago it is (`90s`, `10m`, `2h`, `7d`), and returns it as
/// records have it.
///
/// # Errors
/// That it is none of these, as the end of a sentence.
pub fn since(text: &str) -> Result<String, String> {
    let malformed = || {
        format!(
            "'{text}' is neither a time such as 2026-03-19T10:30:00Z, nor a day such as 2026-03-19, nor a time ago such as 10m, 2h or 7d"
        )
    };
    let text_only = text.trim();
    let time = text_only
        .parse::<Timestamp>()
        .ok()
        .or_else(|| Some(text_only.parse::<Date>().ok()?.to_zoned(TimeZone::UTC).ok()?.timestamp()))
        .or_else(|| Timestamp::now().checked_sub(ago(text_only)?).ok());
    time.map(|time| format!("{time:.3}")).ok_or_else(malformed)
}

/// A number and a unit.
fn ago(text: &str) -> Option<SignedDuration> {
    let unit = text.chars().last()?;
    let number: i64 = text.strip_suffix(unit)?.parse().ok().filter(|number| *number >= 0)?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        _ => return None,
    };
    Some(SignedDuration::from_secs(number.checked_mul(seconds)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_people_write_them() {
        assert_eq!(since("2026-03-19T10:30:00+01:00").as_deref(), Ok("2026-03-19T09:30:00.000Z"));
        assert_eq!(since(" 2026-03-19 ").as_deref(), Ok("2026-03-19T00:00:00.000Z"));
        let (hour, now) = (since("1h").expect("a time"), since("0s").expect("a time"));
        assert!(hour < now);
        for bad in ["", "soon", "-1h", "1", "h", "1w", "99999999999999999999d", "9223372036854775807d", "ü"]
        {
            assert!(since(bad).is_err(), "{bad}");
        }
    }
}
