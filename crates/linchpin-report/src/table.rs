//! Tables: aligned columns under a heading, no frame; the last column is never padded.

use super::width::width;
use anstyle::Style;
use std::fmt::{self, Display};

pub struct Table {
    heading: Vec<Cell>,
    rows: Vec<Vec<Cell>>,
}

/// Text of one line with one style.
#[derive(Clone, Debug)]
pub struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    pub fn plain(text: impl Into<String>) -> Cell {
        Cell::styled(text, Style::new())
    }

    pub fn styled(text: impl Into<String>, style: Style) -> Cell {
        Cell { text: text.into(), style }
    }
}

impl Table {
    pub fn new<const N: usize>(heading: [&str; N]) -> Table {
        const HEADING: Style = Style::new().dimmed();
        Table { heading: heading.iter().map(|text| Cell::styled(*text, HEADING)).collect(), rows: Vec::new() }
    }

    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(cells.into_iter().collect());
    }
}

impl Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<&Vec<Cell>> = std::iter::once(&self.heading).chain(&self.rows).collect();
        let columns = lines.iter().map(|cells| cells.len()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns)
            .map(|column| lines.iter().filter_map(|cells| cells.get(column)).map(|c| width(&c.text)).max())
            .map(Option::unwrap_or_default)
            .collect();
        for cells in lines {
            for (column, (cell, wide)) in cells.iter().zip(&widths).enumerate() {
                let Cell { text, style } = cell;
                write!(f, "{style}{text}{style:#}")?;
                if column + 1 < cells.len() {
                    write!(f, "{:pad$}", "", pad = wide - width(text) + 2)?;
                }
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
