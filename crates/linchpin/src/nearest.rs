//! Which known names a misspelt one may have meant.
//!
//! The distance is the number of single-character insertions, deletions, replacements and exchanges of neighbours
//! (optimal string alignment). A name is near if the distance is at most a third of the longer length, or if one
//! begins with the other.

/// The near names, best first, at most five; equals keep the order they came in.
pub fn nearest<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted_lower = wanted.to_lowercase();
    let mut near: Vec<(usize, &str)> = known
        .into_iter()
        .filter_map(|name| {
            let lower = name.to_lowercase();
            let distance = distance(&wanted_lower, &lower);
            let longer = wanted.chars().count().max(name.chars().count());
            let prefix =
                wanted.len() >= 3 && (lower.starts_with(&wanted_lower) || wanted_lower.starts_with(&lower));
            (distance * 3 <= longer || prefix).then_some((distance, name))
        })
        .collect();
    near.sort_by_key(|(distance, _)| *distance);
    near.into_iter().map(|(_, name)| name).take(5).collect()
}

fn distance(from: &str, to: &str) -> usize {
    let from: Vec<char> = from.chars().collect();
    let to: Vec<char> = to.chars().collect();
    let mut before_last = vec![0; to.len() + 1];
    let mut last: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in to.iter().enumerate() {
            let replaced = last[j] + usize::from(a != b);
            let mut best = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == to[j - 1] && from[i - 1] == *b {
                best = best.min(before_last[j - 1] + 1);
            }
            row.push(best);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exchanges_count_once_and_far_names_are_left_out() {
        assert_eq!(distance("queue", "qeuue"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(nearest("stak", ["queue", "stack", "slack"]), ["stack"]);
        assert_eq!(
            nearest("treiber", ["ms_queue", "treiber_stack_reuse", "treiber_stack"]),
            ["treiber_stack", "treiber_stack_reuse"]
        );
    }
}
