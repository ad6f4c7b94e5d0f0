//! Suggestions for a misspelt name: the known name at the least distance, if it is near.
//!
//! Near means at most a third of the longer name.

use linchpin_ir::nearest::distance;

/// The nearest of the known names; of equals the first.
pub(super) fn nearest<'n>(wanted: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let mut best: Option<(usize, &str)> = None;
    for name in known {
        let distance = distance(wanted, name);
        let near = distance * 3 <= wanted.chars().count().max(name.chars().count());
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
