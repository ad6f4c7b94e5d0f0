//! Parsers for bounds, sizes and times in option syntax. Each parser rejects other text and names the
//! expected form.

use std::str::FromStr;
use std::time::Duration;

/// An inclusive range of bounds: `3` or `2..3`. Values are tried in ascending order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BoundRange {
    pub low: u32,
    pub high: u32,
}

impl FromStr for BoundRange {
    type Err = String;

    fn from_str(text: &str) -> Result<BoundRange, String> {
        let error = || "expected a number or a range such as `2..3`".to_string();
        let (low, high) = text.split_once("..").unwrap_or((text, text));
        let range =
            BoundRange { low: low.parse().map_err(|_| error())?, high: high.parse().map_err(|_| error())? };
        if range.low > range.high {
            return Err(format!("the range is empty: {} is greater than {}", range.low, range.high));
        }
        Ok(range)
    }
}

/// An amount of memory: `8G`, `512M`, `64K` (powers of 1024) or a number of bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct MemorySize {
    pub bytes: u64,
}

impl FromStr for MemorySize {
    type Err = String;

    fn from_str(text: &str) -> Result<MemorySize, String> {
        let error = || "expected a size such as `8G` or `512M`".to_string();
        let (number, factor) = match text.char_indices().last() {
            Some((at, 'K' | 'k')) => (&text[..at], 1 << 10),
            Some((at, 'M' | 'm')) => (&text[..at], 1 << 20),
            Some((at, 'G' | 'g')) => (&text[..at], 1 << 30),
            _ => (text, 1),
        };
        let number: u64 = number.parse().map_err(|_| error())?;
        let bytes = number.checked_mul(factor).ok_or_else(error)?;
        if bytes == 0 { Err(error()) } else { Ok(MemorySize { bytes }) }
    }
}

/// A limit of time: `60s`, `5m`, `1h`, `250ms`. A number without a unit is a number of seconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct TimeLimit {
    pub duration: Duration,
}

impl FromStr for TimeLimit {
    type Err = String;

    fn from_str(text: &str) -> Result<TimeLimit, String> {
        let error = || "expected a time such as `60s`, `5m` or `250ms`".to_string();
        let (number, milliseconds) = [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000)]
            .into_iter()
            .find_map(|(unit, factor)| text.strip_suffix(unit).map(|number| (number, factor)))
            .unwrap_or((text, 1_000));
        let number: u64 = number.parse().map_err(|_| error())?;
        let total = number.checked_mul(milliseconds).ok_or_else(error)?;
        if total == 0 { Err(error()) } else { Ok(TimeLimit { duration: Duration::from_millis(total) }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_is_a_number_or_a_range_with_both_ends() {
        assert_eq!("3".parse(), Ok(BoundRange { low: 3, high: 3 }));
        assert_eq!("2..3".parse(), Ok(BoundRange { low: 2, high: 3 }));
        for bad in ["", "..", "2..", "..3", "3..2", "-1", "2...3", "x", "99999999999"] {
            assert!(bad.parse::<BoundRange>().is_err(), "{bad}");
        }
    }

    #[test]
    fn sizes_and_times_have_units_and_limits() {
        assert_eq!("8G".parse(), Ok(MemorySize { bytes: 8 << 30 }));
        assert_eq!("17".parse(), Ok(MemorySize { bytes: 17 }));
        assert_eq!("250ms".parse(), Ok(TimeLimit { duration: Duration::from_millis(250) }));
        assert_eq!("2m".parse(), Ok(TimeLimit { duration: Duration::from_secs(120) }));
        assert_eq!("60".parse::<TimeLimit>(), "60s".parse());
        for bad in ["", "G", "0", "8T", "99999999999999999999G", "é"] {
            assert!(bad.parse::<MemorySize>().is_err(), "{bad}");
        }
        for bad in ["", "0", "60x", "s", "0s", "1.5s", "99999999999999999999h"] {
            assert!(bad.parse::<TimeLimit>().is_err(), "{bad}");
        }
    }
}
