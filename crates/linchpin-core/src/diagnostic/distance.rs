//! How far two names are apart, for suggestions: the number of single-character insertions, deletions, replacements and
//! exchanges of neighbours (optimal string alignment), without regard to case.

pub fn distance(from: &str, to: &str) -> usize {
    let from: Vec<char> = from.to_lowercase().chars().collect();
    let to: Vec<char> = to.to_lowercase().chars().collect();
    let mut before_last = vec![0; to.len() + 1];
    let mut last: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in to.iter().enumerate() {
            let mut best = (last[j] + usize::from(a != b)).min(last[j + 1] + 1).min(row[j] + 1);
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
    fn exchanges_count_once_and_case_does_not_count() {
        assert_eq!(distance("queue", "qeuue"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("Stak", "stack"), 1);
    }
}
