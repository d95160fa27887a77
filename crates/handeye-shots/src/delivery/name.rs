//! The names of pictures in the folder for screenshots: `page-2026-01-13T15-30-45-123Z.png` (viewpoint-screenshots,
//! decision 7), with `-2` where another picture of the same millisecond has the name already.

use handeye_picture::Format;
use jiff::Timestamp;

/// How every name begins.
const BEGINNING: &str = "page-";
/// How many characters the time has.
const TIME: usize = "2026-01-13T15-30-45-123Z".len();

/// What a picture's name says: when it was taken, and which one of that millisecond it is. The newest is the greatest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Taken {
    /// When, in whole milliseconds.
    pub(super) at: Timestamp,
    /// 1 for the first one of its millisecond.
    pub(super) number: u32,
}

/// The name of a picture.
pub(super) fn name(taken: Taken, format: Format) -> String {
    let time = taken.at.strftime("%Y-%m-%dT%H-%M-%S-%3fZ");
    let extension = format.extension();
    match taken.number {
        1 => format!("{BEGINNING}{time}.{extension}"),
        number => format!("{BEGINNING}{time}-{number}.{extension}"),
    }
}

/// Reads a name that [`name`] has given; `None` for every other.
pub(super) fn parse(name: &str) -> Option<Taken> {
    let (stem, extension) = name.strip_prefix(BEGINNING)?.rsplit_once('.')?;
    if ![Format::Png, Format::Jpeg].iter().any(|format| format.extension() == extension) {
        return None;
    }
    let (time, rest) = stem.split_at_checked(TIME)?;
    let number = match rest.strip_prefix('-') {
        None if rest.is_empty() => 1,
        // Only as it is written: no sign, no leading zero.
        Some(number) => number.parse().ok().filter(|n: &u32| *n > 1 && n.to_string() == number)?,
        None => return None,
    };
    let pattern = b"0000-00-00T00-00-00-000Z";
    let fits = time.bytes().zip(pattern).all(|(found, wanted)| match wanted {
        b'0' => found.is_ascii_digit(),
        wanted => found == *wanted,
    });
    if !fits {
        return None;
    }
    let (date, clock) = time.split_at("2026-01-13T".len());
    let at = format!("{date}{}:{}:{}.{}Z", &clock[..2], &clock[3..5], &clock[6..8], &clock[9..12]);
    Some(Taken { at: at.parse().ok()?, number })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn viewpoint_screenshots_decision_7_the_example() {
        let at = "2026-01-13T15:30:45.123Z".parse().expect("a time");
        assert_eq!(name(Taken { at, number: 1 }, Format::Png), "page-2026-01-13T15-30-45-123Z.png");
        assert_eq!(name(Taken { at, number: 2 }, Format::Jpeg), "page-2026-01-13T15-30-45-123Z-2.jpg");
    }

    #[test]
    fn names_of_others_are_not_taken_for_own_ones() {
        for other in [
            "page-2026-01-13T15-30-45-123Z.gif",
            "page-2026-01-13T15-30-45-123Z",
            "page-2026-01-13T15:30:45.123Z.png",
            "page-2026-01-13T15-30-45-123Z-1.png",
            "page-2026-01-13T15-30-45-123Z-02.png",
            "page-2026-01-13T15-30-45-123Z-+2.png",
            "page-2026-01-13T15-30-45-123Z copy.png",
            "page-2026-13-13T15-30-45-123Z.png",
            "page-2026-01-13T25-30-45-123Z.png",
            "page-٢٠٢٦-01-13T15-30-45-123Z.png",
            "Page-2026-01-13T15-30-45-123Z.png",
            "holiday.png",
            "page-.png",
            "",
        ] {
            assert_eq!(parse(other), None, "{other}");
        }
    }

    proptest! {
        #[test]
        fn every_name_is_read_back(millisecond in 0_i64..253_402_207_200_000, number in 1_u32..100_000, png: bool) {
            let taken = Taken { at: Timestamp::from_millisecond(millisecond).expect("in range"), number };
            let format = if png { Format::Png } else { Format::Jpeg };
            prop_assert_eq!(parse(&name(taken, format)), Some(taken));
        }

        #[test]
        fn no_text_panics(text in "(page-)?.{0,40}(\\.(png|jpg))?") {
            if let Some(taken) = parse(&text) {
                prop_assert!([Format::Png, Format::Jpeg].iter().any(|format| name(taken, *format) == text));
            }
        }

        #[test]
        fn names_sort_as_time_does(first in 0_i64..253_402_207_200_000, second in 0_i64..253_402_207_200_000) {
            let [a, b] = [first, second].map(|millisecond| {
                name(Taken { at: Timestamp::from_millisecond(millisecond).expect("in range"), number: 1 }, Format::Png)
            });
            prop_assert_eq!(a.cmp(&b), first.cmp(&second));
        }
    }
}
