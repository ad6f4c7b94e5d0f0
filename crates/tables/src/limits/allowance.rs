//! The budget of one instance, and the setup of its measurement. A section of the page is about one
//! allowance.

use crate::measure::grouped;
use std::fmt;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Allowance {
    pub seconds: u64,
    pub mebibytes: u64,
    pub workers: usize,
    pub version: String,
}

const MINUTE: u64 = 60;

impl Allowance {
    /// As [`fmt::Display`] writes it.
    pub fn parse(text: &str) -> Option<Allowance> {
        let [an_instance, workers, version] = text.split(", ").collect::<Vec<_>>()[..] else { return None };
        let (time, memory) = an_instance.strip_suffix(" MiB an instance")?.split_once(" and ")?;
        let (time, unit) = time.split_once(' ')?;
        let factor = match unit {
            "min" => MINUTE,
            "s" => 1,
            _ => return None,
        };
        Some(Allowance {
            seconds: time.parse::<u64>().ok()?.checked_mul(factor)?,
            mebibytes: memory.replace(',', "").parse().ok()?,
            workers: workers.split_once(" worker")?.0.parse().ok()?,
            version: version.strip_prefix("version ")?.to_string(),
        })
    }

    pub fn megabytes(&self) -> f64 {
        self.mebibytes as f64 * 1.048_576
    }
}

impl fmt::Display for Allowance {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.seconds % MINUTE {
            0 => write!(out, "{} min", self.seconds / MINUTE)?,
            _ => write!(out, "{} s", self.seconds)?,
        }
        let plural = if self.workers == 1 { "" } else { "s" };
        let (memory, workers, version) = (grouped(self.mebibytes), self.workers, &self.version);
        write!(out, " and {memory} MiB an instance, {workers} worker{plural}, version {version}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_allowance_is_read_as_it_was_written() {
        for (seconds, workers) in [(600, 2), (90, 1)] {
            let allowance = Allowance { seconds, mebibytes: 16_384, workers, version: "0.1.0".into() };
            assert_eq!(Allowance::parse(&allowance.to_string()), Some(allowance.clone()), "{allowance}");
        }
        for bad in ["", "10 min", "10 h and 5 MiB an instance, 1 worker, version 1", "a, b, c"] {
            assert_eq!(Allowance::parse(bad), None, "{bad}");
        }
    }
}
