//! A table that prints each row as soon as it is measured. The widths of its columns are given, not computed.

use linchpin_report::line::display_width;

pub struct Rolling<'a> {
    columns: Vec<(&'a str, usize)>,
    tell: &'a mut dyn FnMut(&str),
}

impl<'a> Rolling<'a> {
    /// Headings and the least widths of their columns.
    pub fn new(columns: &[(&'a str, usize)], tell: &'a mut dyn FnMut(&str)) -> Rolling<'a> {
        let mut rolling = Rolling { columns: columns.to_vec(), tell };
        let headings: Vec<&str> = columns.iter().map(|(heading, _)| *heading).collect();
        rolling.row(&headings);
        rolling
    }

    /// A row may end early; a cell that is wider than its column moves those to its right.
    pub fn row(&mut self, cells: &[impl AsRef<str>]) {
        let mut line = String::new();
        for (cell, (heading, wide)) in cells.iter().zip(&self.columns) {
            let (text, wide) = (cell.as_ref(), (*wide).max(display_width(heading)));
            line.push_str(text);
            line.push_str(&" ".repeat(wide.saturating_sub(display_width(text)) + 2));
        }
        (self.tell)(&format!("{}\n", line.trim_end()));
    }

    pub fn text(&mut self, text: &str) {
        (self.tell)(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_one_by_one_and_are_aligned() {
        let mut told: Vec<String> = Vec::new();
        let mut tell = |text: &str| told.push(text.to_string());
        let mut rolling = Rolling::new(&[("a", 3), ("heading", 2), ("c", 0)], &mut tell);
        rolling.row(&["1", "2", "3"]);
        rolling.row(&["—", "2"]);
        assert_eq!(told, ["a    heading  c\n", "1    2        3\n", "—    2\n"]);
    }
}
