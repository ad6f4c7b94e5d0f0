//! Draws an array of structs without pointers: a line for each element, a column for each field.
//!
//! ```text
//! pool  state  items
//!   0   Free   {1, 1}
//!   1   Busy   {2}
//! ```

use crate::heap_snapshot::{Field, Value};
use crate::line::wrap;
use textwrap::core::display_width;

/// An array of structs with at least two elements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grid {
    name: String,
    /// The names of the fields.
    columns: Vec<String>,
    /// The values of each element.
    rows: Vec<Vec<String>>,
}

impl Grid {
    /// Makes the grid of an array. `None`: not structs, some pointer, less than two elements, or nothing but
    /// locks and conditions, which are shown by their holders.
    pub fn of(name: &str, items: &[Value]) -> Option<Grid> {
        let elements: Vec<&Vec<Field>> = items.iter().map(fields_of).collect::<Option<_>>()?;
        let first = elements.first().filter(|_| elements.len() > 1)?;
        let columns: Vec<String> = first.iter().map(|field| field.name.clone()).collect();
        let is_same = |fields: &&Vec<Field>| fields.iter().map(|field| &field.name).eq(&columns);
        let is_data = |field: &Field| !matches!(field.value, Value::Lock(_) | Value::Condvar(_));
        if !elements.iter().all(is_same) || !first.iter().any(is_data) {
            return None;
        }
        let is_used = |at: &usize| elements.iter().any(|fields| text_of(&fields[*at].value).is_some());
        let used: Vec<usize> = (0..columns.len()).filter(is_used).collect();
        if used.is_empty() {
            return None;
        }
        let row = |fields: &&Vec<Field>| -> Vec<String> {
            used.iter().map(|at| text_of(&fields[*at].value).unwrap_or_else(|| "–".into())).collect()
        };
        let rows = elements.iter().map(row).collect();
        Some(Grid { name: name.into(), columns: used.iter().map(|at| columns[*at].clone()).collect(), rows })
    }

    /// Returns lines of at most `width` columns. A grid that is too wide becomes a list.
    pub fn draw(&self, width: usize) -> Vec<String> {
        let index = display_width(&self.name).max(2);
        let widths: Vec<usize> = (0..self.columns.len())
            .map(|at| {
                let cells = self.rows.iter().map(|row| display_width(&row[at]));
                cells.chain([display_width(&self.columns[at])]).max().unwrap_or(0)
            })
            .collect();
        if index + widths.iter().map(|column| column + 2).sum::<usize>() > width {
            return self.list(width);
        }
        let line = |first: String, cells: &[String]| {
            let cells = cells.iter().zip(&widths);
            let text = cells.fold(first, |line, (cell, column)| {
                let blanks = column - display_width(cell);
                format!("{line}  {cell}{}", " ".repeat(blanks))
            });
            text.trim_end().to_string()
        };
        let heading = line(format!("{:index$}", self.name), &self.columns);
        let rows = self.rows.iter().enumerate().map(|(at, row)| line(format!("{at:>index$}"), row));
        std::iter::once(heading).chain(rows).collect()
    }

    fn list(&self, width: usize) -> Vec<String> {
        let element = |(at, row): (usize, &Vec<String>)| {
            let cells = self.columns.iter().zip(row).map(|(name, cell)| format!("{name} {cell}"));
            wrap(&format!("{}[{at}]  {}", self.name, cells.collect::<Vec<_>>().join(", ")), width, 2)
        };
        self.rows.iter().enumerate().flat_map(element).collect()
    }
}

/// Returns the fields of a struct. `None`: not a struct, or with pointers.
fn fields_of(value: &Value) -> Option<&Vec<Field>> {
    match value {
        Value::Struct(fields) if value.pointers().is_empty() => Some(fields),
        _ => None,
    }
}

/// Returns a value. `None`: a free lock, a condition without waiting threads, or an undefined value.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::Undefined | Value::Lock(None) => None,
        Value::Condvar(waiting) if waiting.is_empty() => None,
        value => Some(value.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(state: &str, items: &str, lock: Option<&str>) -> Value {
        Value::Struct(vec![
            Field::new("lock", Value::Lock(lock.map(str::to_string))),
            Field::new("state", Value::Plain(state.into())),
            Field::new("items", Value::Plain(items.into())),
        ])
    }

    #[test]
    fn an_array_of_structs_is_a_grid_and_a_narrow_one_a_list() {
        let items = [element("Free", "{1, 1}", None), element("Busy", "{2}", None)];
        let grid = Grid::of("pool", &items).expect("a grid");
        assert_eq!(grid.draw(40), ["pool  state  items", "   0  Free   {1, 1}", "   1  Busy   {2}"]);
        let narrow = grid.draw(16);
        assert_eq!(
            narrow,
            ["pool[0]  state", "  Free, items", "  {1, 1}", "pool[1]  state", "  Busy, items", "  {2}"]
        );
        let held = [element("Free", "{1}", Some("t1")), element("Free", "{}", None)];
        let lines = Grid::of("pool", &held).expect("a grid").draw(40);
        assert_eq!(lines[1], "   0  held by t1  Free   {1}");
    }

    #[test]
    fn pointers_one_element_and_locks_alone_do_not_make_a_grid() {
        let pointer = |to| Value::Struct(vec![Field::new("next", Value::Pointer(to))]);
        assert_eq!(Grid::of("a", &[pointer(None), pointer(None)]), None);
        assert_eq!(Grid::of("a", &[element("Free", "{}", None)]), None);
        let lock = || Value::Struct(vec![Field::new("lock", Value::Lock(None))]);
        assert_eq!(Grid::of("a", &[lock(), lock()]), None);
    }
}
