//! The table of faults in `docs/soundness.md`: a row a fault, in the order of the list.

use crate::seeded::{self, Fault};
use std::io;
use std::path::Path;

pub const HEADING: &str = "| fault | what is wrong then | noticed by |\n|---|---|---|";

/// Stands in the row of a new fault until a run has planted it.
#[cfg(test)]
const NOT_YET: &str = "*not planted yet*";

pub fn row(fault: &Fault, noticed: &str) -> String {
    format!("| `{}` | {} | {noticed} |", fault.name, fault.breaks)
}

/// The test that the row of this fault names.
pub fn test_of<'a>(page: &'a str, fault: &Fault) -> Option<&'a str> {
    let row = page.lines().find(|line| is_row_of(line, fault))?;
    row.strip_suffix("` |")?.rsplit_once('`').map(|(_, test)| test)
}

/// Replaces the row of this fault, or adds it where the list has it.
pub fn write(page: &Path, fault: &Fault, noticed: &str) -> io::Result<()> {
    let text = std::fs::read_to_string(page)?;
    let changed = with_row(&text, fault, row(fault, noticed))
        .ok_or_else(|| io::Error::other(format!("no table begins with `{HEADING}`")))?;
    std::fs::write(page, changed)
}

fn with_row(page: &str, fault: &Fault, row: String) -> Option<String> {
    let mut lines: Vec<String> = page.lines().map(str::to_string).collect();
    if let Some(known) = lines.iter_mut().find(|line| is_row_of(line, fault)) {
        *known = row;
    } else {
        let before: Vec<&Fault> =
            seeded::all().into_iter().take_while(|other| other.name != fault.name).collect();
        let after =
            before.iter().rev().find_map(|other| lines.iter().position(|line| is_row_of(line, other)));
        let heading = || {
            let first = HEADING.lines().next()?;
            Some(lines.iter().position(|line| line == first)? + 1)
        };
        let at = after.or_else(heading)? + 1;
        lines.insert(at, row);
    }
    Some(lines.join("\n") + "\n")
}

fn is_row_of(line: &str, fault: &Fault) -> bool {
    line.strip_prefix("| `")
        .and_then(|line| line.strip_prefix(fault.name))
        .is_some_and(|rest| rest.starts_with('`'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> String {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/soundness.md");
        std::fs::read_to_string(path).unwrap()
    }

    #[test]
    fn the_page_has_a_row_for_each_fault_in_the_order_of_the_list() {
        let page = page();
        let table = page.split_once(HEADING).expect("the page has the table").1;
        let rows: Vec<&str> = table.lines().skip(1).take_while(|line| line.starts_with('|')).collect();
        let wanted = seeded::all();
        for (found, fault) in rows.iter().zip(&wanted) {
            let noticed = test_of(&page, fault).map_or(NOT_YET.into(), |test| format!("`{test}`"));
            assert_eq!(*found, row(fault, &noticed), "{ADVICE}");
        }
        assert_eq!(rows.len(), wanted.len(), "{ADVICE}");
    }

    /// A test that was renamed would be run first, in vain, and a reader would not find it.
    #[test]
    fn the_tests_that_the_page_names_exist() {
        let page = page();
        let mut sources = String::new();
        collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."), &mut sources);
        for fault in seeded::all() {
            let Some(name) = test_of(&page, fault).and_then(|path| path.rsplit("::").next()) else {
                continue;
            };
            assert!(sources.contains(&format!("fn {name}(")), "`{}`: no test `{name}`; {ADVICE}", fault.name);
        }
    }

    fn collect(folder: &Path, sources: &mut String) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(&path, sources);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                sources.push_str(&std::fs::read_to_string(&path).unwrap());
            }
        }
    }

    const ADVICE: &str = "run `cargo run -p faults -- --only NAME --table docs/soundness.md`";

    #[test]
    fn a_row_is_replaced_or_stands_behind_the_row_before_it() {
        let all = seeded::all();
        let start = format!("# Page\n\n{HEADING}\n\nEnd\n");
        let one = with_row(&start, all[0], row(all[0], "`a`")).unwrap();
        let three = with_row(&one, all[2], row(all[2], "`c`")).unwrap();
        let two = with_row(&three, all[1], row(all[1], "`b`")).unwrap();
        let rows: Vec<_> = all[..3].iter().map(|fault| test_of(&two, fault)).collect();
        assert_eq!(rows, [Some("a"), Some("b"), Some("c")]);
        let names: Vec<_> = two.lines().filter(|line| line.starts_with("| `")).collect();
        assert!(names.is_sorted_by_key(|line| line.rsplit_once('`').unwrap().0.chars().last()), "{names:?}");
        let again = with_row(&two, all[1], row(all[1], "`d`")).unwrap();
        assert_eq!(test_of(&again, all[1]), Some("d"));
        assert_eq!(again.lines().count(), two.lines().count());
        assert!(with_row("no table", all[0], String::new()).is_none());
        assert_eq!(test_of(&with_row(&two, all[0], row(all[0], "**nothing**")).unwrap(), all[0]), None);
    }
}
