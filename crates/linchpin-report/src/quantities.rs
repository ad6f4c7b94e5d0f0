//! Numbers, times and counts in words.

/// Formats a number with separators: `1,234,567`.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Formats a time with one unit.
pub fn duration_text(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{s:.0} s"),
        s if s < 5400.0 => format!("{:.0} min", s / 60.0),
        s if s < 172_800.0 => format!("{:.0} h", s / 3600.0),
        s => format!("{:.0} days", s / 86_400.0),
    }
}

/// Formats an estimate with two significant digits.
pub fn rounded(number: u64) -> String {
    let digits = number.checked_ilog10().unwrap_or(0).saturating_sub(1);
    let unit = 10u64.pow(digits);
    grouped((number + unit / 2) / unit * unit)
}

/// Returns `1 step`, `2 steps`.
pub fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// Returns `2 calls`, `1 to 2 calls`.
pub fn range_text((low, high): (u32, u32), what: &str) -> String {
    let plural = if high == 1 { "" } else { "s" };
    if low == high { format!("{high} {what}{plural}") } else { format!("{low} to {high} {what}s") }
}

/// Returns numbers with each run of three or more as a range: `4, 7 to 12, 15, 16`.
pub fn runs(numbers: impl IntoIterator<Item = u64>) -> String {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(number) => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let text = |(first, last): (u64, u64)| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first} to {last}"),
    };
    runs.into_iter().map(text).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_numbers_are_ranges() {
        assert_eq!(runs([4, 7, 8, 9, 10, 15, 16, 3]), "4, 7 to 10, 15, 16, 3");
        assert_eq!(runs([]), "");
    }
}
