//! A column and a row for each box.
//!
//! A depth-first walk from the variables lays a chain of cells into one row. So a list looks like a list, and
//! a tree grows to the right. A second pointer of a cell begins a new row. A chain of new cells that ends at
//! a placed cell stands below and left of that cell. Freed cells stand in rows of their own, below the
//! others.

use super::boxes::{BoxKind, Boxes};
use linchpin_report::heap_snapshot::CellName;
use std::collections::BTreeMap;

/// The place of a cell in the grid.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot {
    pub column: usize,
    pub row: usize,
}

pub struct Layout {
    /// The slot of each cell. Shared variables stand in front of the first column.
    pub slots: BTreeMap<CellName, Slot>,
}

impl Layout {
    pub fn of(boxes: &Boxes) -> Layout {
        let mut placing = Placing { boxes, slots: BTreeMap::new(), ends: Vec::new() };
        while let Some(root) = placing.best_root() {
            placing.chain(&root, 0, 0);
        }
        // Cells that only threads know: the cell that leads to most others comes first.
        while let Some(cell) = placing.best_left_over() {
            placing.before_what_it_reaches(&cell);
        }
        let first_free = placing.ends.len();
        for node in boxes.all.iter().filter(|node| node.is_free()) {
            if let BoxKind::Cell { name, .. } = &node.kind {
                let column = placing.free_end(first_free);
                placing.put(name, Slot { column, row: first_free });
            }
        }
        Layout { slots: placing.slots }
    }
}

struct Placing<'a> {
    boxes: &'a Boxes,
    slots: BTreeMap<CellName, Slot>,
    /// The first free column of each row.
    ends: Vec<usize>,
}

impl Placing<'_> {
    fn is_fresh(&self, cell: &CellName) -> bool {
        !self.slots.contains_key(cell)
            && self.boxes.position(cell).is_some_and(|at| !self.boxes.all[at].is_free())
    }

    /// Returns the fresh target of a shared variable that leads to most fresh cells.
    fn best_root(&self) -> Option<CellName> {
        let variables = self.boxes.all.iter().filter(|node| node.kind == BoxKind::Variable);
        self.best(variables.flat_map(|node| node.targets()))
    }

    fn best_left_over(&self) -> Option<CellName> {
        let cells = self.boxes.all.iter().filter_map(|node| match &node.kind {
            BoxKind::Cell { name, free: false } => Some(name),
            _ => None,
        });
        self.best(cells)
    }

    /// Returns the first fresh cell that leads to most fresh cells.
    fn best<'c>(&self, cells: impl Iterator<Item = &'c CellName>) -> Option<CellName> {
        let mut best: Option<(usize, &CellName)> = None;
        for cell in cells.filter(|cell| self.is_fresh(cell)) {
            let count = self.reached(cell);
            if best.is_none_or(|(most, _)| count > most) {
                best = Some((count, cell));
            }
        }
        best.map(|(_, cell)| cell.clone())
    }

    /// Returns the number of fresh cells that a cell leads to, the cell included.
    fn reached(&self, cell: &CellName) -> usize {
        let mut seen = vec![cell.clone()];
        let mut next = 0;
        while next < seen.len() {
            for target in self.successors(&seen[next].clone()) {
                if self.is_fresh(&target) && !seen.contains(&target) {
                    seen.push(target);
                }
            }
            next += 1;
        }
        seen.len()
    }

    fn successors(&self, cell: &CellName) -> Vec<CellName> {
        let at = self.boxes.position(cell);
        at.map_or(Vec::new(), |at| self.boxes.all[at].targets().cloned().collect())
    }

    /// Lays a cell and what it leads to. The row is the first one from `row` that is free from `column` on.
    fn chain(&mut self, cell: &CellName, column: usize, row: usize) {
        // An explicit stack: a heap may be deep.
        let mut waiting = vec![(cell.clone(), column, row)];
        while let Some((cell, column, row)) = waiting.pop() {
            if !self.is_fresh(&cell) {
                continue;
            }
            let row = (row..).find(|row| self.free_end(*row) <= column).unwrap_or(row);
            self.put(&cell, Slot { column, row });
            let next = self.successors(&cell);
            waiting.extend(next.into_iter().rev().map(|target| (target, column + 1, row)));
        }
    }

    /// Lays a chain of fresh cells so that it ends left of the placed cell that it reaches.
    fn before_what_it_reaches(&mut self, cell: &CellName) {
        let mut length = 1;
        let mut at = cell.clone();
        let placed = loop {
            let successors = self.successors(&at);
            if let Some(slot) = successors.iter().find_map(|target| self.slots.get(target)) {
                break Some(*slot);
            }
            match successors.into_iter().find(|target| self.is_fresh(target)) {
                Some(next) if length <= self.boxes.all.len() => {
                    length += 1;
                    at = next;
                }
                _ => break None,
            }
        };
        let column = placed.map_or(0, |slot| slot.column.saturating_sub(length));
        let row = self.ends.len();
        self.chain(cell, column, row);
    }

    fn free_end(&self, row: usize) -> usize {
        self.ends.get(row).copied().unwrap_or(0)
    }

    fn put(&mut self, cell: &CellName, slot: Slot) {
        if self.ends.len() <= slot.row {
            self.ends.resize(slot.row + 1, 0);
        }
        self.ends[slot.row] = self.ends[slot.row].max(slot.column + 1);
        self.slots.insert(cell.clone(), slot);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use linchpin_report::heap_snapshot::{Cell, Field, HeapSnapshot, Value};

    fn name(n: usize) -> CellName {
        CellName::nth(n)
    }

    fn pointer(field: &str, target: Option<usize>) -> Field {
        Field::new(field, Value::Pointer(target.map(name)))
    }

    fn cell(n: usize, fields: Vec<Field>) -> Cell {
        Cell { name: name(n), value: Value::Struct(fields), free: false }
    }

    fn slots(variables: Vec<Field>, cells: Vec<Cell>) -> Vec<(String, usize, usize)> {
        let scene = HeapSnapshot { variables, cells, holders: Vec::new() };
        let layout = Layout::of(&Boxes::of(&scene, None));
        layout.slots.iter().map(|(cell, slot)| (cell.to_string(), slot.column, slot.row)).collect()
    }

    fn slot(name: &str, column: usize, row: usize) -> (String, usize, usize) {
        (name.into(), column, row)
    }

    #[test]
    fn a_list_stands_in_one_row_and_a_new_cell_left_of_its_successor() {
        let cells = vec![
            cell(0, vec![pointer("next", None)]),
            cell(1, vec![pointer("next", Some(0))]),
            cell(2, vec![pointer("next", Some(0))]),
        ];
        let variables = vec![pointer("tail", Some(0)), pointer("head", Some(1))];
        assert_eq!(slots(variables, cells), [slot("A", 1, 0), slot("B", 0, 0), slot("C", 0, 1)]);
    }

    #[test]
    fn a_tree_grows_to_the_right_and_a_cycle_ends() {
        let both = |left, right| vec![pointer("left", left), pointer("right", right)];
        let cells =
            vec![cell(0, both(Some(1), Some(2))), cell(1, both(None, None)), cell(2, both(None, Some(0)))];
        assert_eq!(
            slots(vec![pointer("root", Some(0))], cells),
            [slot("A", 0, 0), slot("B", 1, 0), slot("C", 1, 1)]
        );
    }
}
