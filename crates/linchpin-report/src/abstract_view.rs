//! Draws what a proof of a set knows of one thread: its variables, and the cells that they name.
//!
//! ```text
//! pred = a, curr = b, k: the watched key
//! a  smaller key, linked, locked -> b
//! b  watched key, linked -> ?
//! ```

use linchpin_certify::set_certificate::{CellFact, CellPlace, KeyClass, NextFact, SlotValue, ThreadView};
use linchpin_ir::heap::sets::{SetField, SetGlobal, SetLayout};
use linchpin_ir::index::Index;
use linchpin_ir::program::Program;

/// Returns the lines of a drawing. A variable of which nothing is known is left out.
pub fn draw(program: &Program, layout: &SetLayout, view: &ThreadView) -> Vec<String> {
    let mut variables = Vec::new();
    for id in layout.heap().globals().ids() {
        let name = &layout.heap().globals()[id].name;
        match layout.global(id) {
            Some(SetGlobal::Pointer(number)) => {
                variables.extend(view.shared.get(number).and_then(|value| variable(name, *value)));
            }
            Some(SetGlobal::Lock(number)) if view.locks & (1 << number) != 0 => {
                variables.push(format!("{name} is locked by it"));
            }
            _ => {}
        }
    }
    if let Some((op, pc)) = view.at
        && let Some(frame) = layout.frame(Some(op))
    {
        let method = &program.methods[program.ops[op].method];
        let live = method.code.get(pc).map(|instr| instr.live.iter().collect::<Vec<_>>()).unwrap_or_default();
        for local in live {
            let known = &*method.locals[local].name;
            let is_name = known.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !known.is_empty();
            let name = if is_name { known.to_string() } else { format!("tmp#{}", local.index()) };
            for slot in frame.local(local, None).into_iter().flatten() {
                variables.extend(view.slots.get(slot).and_then(|value| variable(&name, *value)));
            }
        }
    }
    let cells = view.cells.iter().enumerate().map(|(at, cell)| cell_line(layout, at, cell));
    [variables.join(", ")].into_iter().filter(|line| !line.is_empty()).chain(cells).collect()
}

fn variable(name: &str, value: SlotValue) -> Option<String> {
    Some(match value {
        SlotValue::Null => format!("{name} = null"),
        SlotValue::Cell(cell) => format!("{name} = {}", letter(usize::from(cell))),
        SlotValue::Key(class) => format!("{name}: {}", class_text(class)),
        SlotValue::Number(number) => format!("{name} = {number}"),
        SlotValue::Undefined | SlotValue::Absent => return None,
    })
}

fn cell_line(layout: &SetLayout, at: usize, cell: &CellFact) -> String {
    let place = match cell.label.place {
        CellPlace::Private => "private",
        CellPlace::Linked => "linked",
        CellPlace::Unlinked => "removed",
    };
    let mut text = format!("{}  {}, {place}", letter(at), class_text(cell.label.class));
    let names = layout.heap().structs()[layout.cell().of].fields.iter().map(|field| &field.name);
    let mut weight = 1_u16;
    for (number, small) in layout.cell().small.iter().enumerate() {
        let digit = cell.label.fields.0 / weight % small.count;
        weight = weight.saturating_mul(small.count);
        let is_own = |field: &SetField| *field == SetField::Small(number);
        let own = layout.cell().fields.iter().position(is_own).and_then(|at| names.clone().nth(at));
        let name = own.map_or("mark", |name| &**name);
        let value = small.least.saturating_add(i16::try_from(digit).unwrap_or(0));
        text += &format!(", {name} = {value}");
    }
    if cell.mine {
        text += ", locked by it";
    }
    text + &match cell.next {
        NextFact::Unknown => " -> ?".into(),
        NextFact::Null => " -> null".into(),
        NextFact::Cell(next) => format!(" -> {}", letter(usize::from(next))),
        NextFact::Chain(next) => format!(" -> .. -> {}", letter(usize::from(next))),
    }
}

fn class_text(class: KeyClass) -> &'static str {
    match class {
        KeyClass::Min => "least key",
        KeyClass::Below => "smaller key",
        KeyClass::Watched => "watched key",
        KeyClass::Above => "greater key",
        KeyClass::Max => "greatest key",
    }
}

fn letter(cell: usize) -> String {
    match u8::try_from(cell).ok().filter(|cell| *cell < 26) {
        Some(cell) => char::from(b'a' + cell).to_string(),
        None => format!("n{cell}"),
    }
}
