//! What a misspelt name may have meant: the known name at the least distance, if it is near.
//!
//! The distance counts insertions, deletions, replacements and exchanges of neighbours (optimal string alignment),
//! without regard to case. Near is at most a third of the longer name.

/// The nearest of the known names; of equals the first.
pub(super) fn nearest<'n>(wanted: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let wanted: Vec<char> = wanted.to_lowercase().chars().collect();
    let mut best: Option<(usize, &str)> = None;
    for name in known {
        let letters: Vec<char> = name.to_lowercase().chars().collect();
        let distance = distance(&wanted, &letters);
        let near = distance * 3 <= wanted.len().max(letters.len());
        if near && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, name));
        }
    }
    best.map(|(_, name)| name)
}

/// "did you mean `stack`?", or else the whole list if it is short, or nothing.
pub(super) fn help<'n>(wanted: &str, known: impl IntoIterator<Item = &'n str>) -> Option<String> {
    let known: Vec<&str> = known.into_iter().collect();
    if let Some(name) = nearest(wanted, known.iter().copied()) {
        return Some(format!("did you mean `{name}`?"));
    }
    let verb = if known.len() == 1 { "is" } else { "are" };
    (1..=SHORT).contains(&known.len()).then(|| format!("there {verb} {}", list(&known)))
}

/// "`a`, `b` and `c`"
pub(super) fn list(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [only] => format!("`{only}`"),
        [init @ .., last] => {
            let init: Vec<String> = init.iter().map(|n| format!("`{n}`")).collect();
            format!("{} and `{last}`", init.join(", "))
        }
    }
}

const SHORT: usize = 16;

fn distance(from: &[char], to: &[char]) -> usize {
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
    fn the_nearest_name_wins_and_far_ones_are_not_suggested() {
        assert_eq!(nearest("haed", ["tail", "head", "heap"]), Some("head"));
        assert_eq!(nearest("Stak", ["Queue", "Stack"]), Some("Stack"));
        assert_eq!(nearest("x", ["y", "z"]), None);
        assert_eq!(nearest("", ["y"]), None);
    }

    #[test]
    fn a_list_ends_with_and() {
        assert_eq!(list(&["a", "b", "c"]), "`a`, `b` and `c`");
        assert_eq!(list(&["a"]), "`a`");
        assert_eq!(list(&[]), "");
    }
}
