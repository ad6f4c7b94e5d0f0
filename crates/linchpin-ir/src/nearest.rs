//! Which known names a misspelt one may have meant.
//!
//! A name is near if its distance is at most a third of the longer length, or if one begins with the other.

/// The near names, best first, at most five; equals keep the order they came in.
pub fn nearest<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted_lower = wanted.to_lowercase();
    let mut near: Vec<(usize, &str)> = known
        .into_iter()
        .filter_map(|name| {
            let lower = name.to_lowercase();
            let distance = distance(wanted, name);
            let longer = wanted.chars().count().max(name.chars().count());
            let prefix =
                wanted.len() >= 3 && (lower.starts_with(&wanted_lower) || wanted_lower.starts_with(&lower));
            (distance * 3 <= longer || prefix).then_some((distance, name))
        })
        .collect();
    near.sort_by_key(|(distance, _)| *distance);
    near.into_iter().map(|(_, name)| name).take(5).collect()
}

/// How far two names are apart without regard to case: insertions, deletions, replacements and exchanges of
/// neighbouring characters.
pub fn distance(from: &str, to: &str) -> usize {
    strsim::osa_distance(&from.to_lowercase(), &to.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exchanges_count_once_and_case_does_not_count() {
        assert_eq!(distance("queue", "qeuue"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("Stak", "stack"), 1);
    }

    #[test]
    fn near_names_come_first_and_far_ones_are_left_out() {
        assert_eq!(nearest("stak", ["queue", "stack", "slack"]), ["stack"]);
        assert_eq!(
            nearest("treiber", ["ms_queue", "treiber_stack_reuse", "treiber_stack"]),
            ["treiber_stack", "treiber_stack_reuse"]
        );
    }
}
