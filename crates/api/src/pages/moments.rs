//! Times and durations for people. The server writes exact times; a script shows them in the reader's time zone.

use jiff::{SignedDuration, Timestamp};

use super::words::Words;

/// A time for a `time` element: exact, and readable until a script shows it in local time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    pub(super) exact: String,
    pub(super) readable: String,
}

impl Moment {
    pub(super) fn of(at: Timestamp) -> Self {
        Self { exact: at.to_string(), readable: at.strftime("%Y-%m-%d %H:%M:%S UTC").to_string() }
    }
}

/// A duration in at most two units.
pub(super) fn lasting(time: SignedDuration, words: &Words) -> String {
    let milliseconds = time.as_millis().max(0);
    let (seconds, minutes, hours) = (milliseconds / 1000, milliseconds / 60_000, milliseconds / 3_600_000);
    if milliseconds < 1000 {
        format!("{milliseconds} ms")
    } else if seconds < 10 {
        let mark = words.get("frame.decimal_mark");
        format!("{seconds}{mark}{} s", milliseconds % 1000 / 100)
    } else if minutes < 1 {
        format!("{seconds} s")
    } else if hours < 1 {
        format!("{minutes} min {} s", seconds % 60)
    } else if hours < 48 {
        format!("{hours} h {} min", minutes % 60)
    } else {
        format!("{} d {} h", hours / 24, hours % 24)
    }
}

#[cfg(test)]
mod tests {
    use super::super::words::Language;
    use super::*;

    #[test]
    fn a_duration_has_at_most_two_units() {
        for (milliseconds, english) in [
            (-5, "0 ms"),
            (0, "0 ms"),
            (999, "999 ms"),
            (1_250, "1.2 s"),
            (59_999, "59 s"),
            (61_000, "1 min 1 s"),
            (3_600_000, "1 h 0 min"),
            (200_000_000, "2 d 7 h"),
        ] {
            let time = SignedDuration::from_millis(milliseconds);
            assert_eq!(lasting(time, Language::English.words()), english);
        }
        assert_eq!(lasting(SignedDuration::from_millis(1_250), Language::Spanish.words()), "1,2 s");
    }
}
