//! The shared variables: where the parts of each are, and which are locks.
//!
//! An array of a few elements is that many variables. All parts stand one after the other: those of an array element by element, those of an element
//! field by field.

use super::plan::{Kind, kinds};
use linchpin_core::index::Index;
use linchpin_core::ir::GlobalId;
use linchpin_core::ir::fragment::{HeapProgram, HeapType, Refusal};

/// The parts of the shared variables, one after the other.
pub struct Globals {
    pub kinds: Vec<Kind>,
    variables: Vec<Variable>,
}

/// A shared variable: elements, of which all but arrays have one, of some fields each.
struct Variable {
    first: usize,
    elements: usize,
    /// How many parts each field of an element has.
    widths: Vec<usize>,
}

impl Globals {
    pub fn of(heap: &HeapProgram, refusals: &mut Vec<Refusal>) -> Globals {
        let mut globals = Globals { kinds: Vec::new(), variables: Vec::new() };
        for variable in heap.globals().iter() {
            let (elements, fields) = match &variable.ty {
                HeapType::Array { len, fields } => (*len, &fields[..]),
                ty => (1, std::slice::from_ref(ty)),
            };
            let parts: Vec<Vec<Kind>> =
                fields.iter().map(|field| kinds(field, variable.span, refusals)).collect();
            let widths = parts.iter().map(Vec::len).collect();
            globals.variables.push(Variable { first: globals.kinds.len(), elements, widths });
            let flat = parts.concat();
            (0..elements).for_each(|_| globals.kinds.extend(&flat));
        }
        let locks = globals.kinds.iter().filter(|kind| **kind == Kind::Lock).count();
        if locks > 32
            && let Some(variable) = heap.globals().iter().next()
        {
            refusals.push(Refusal { construct: "more than 32 locks".into(), span: variable.span });
        }
        globals
    }

    /// How many elements a variable has.
    pub fn elements(&self, global: GlobalId) -> usize {
        self.variables[global.index()].elements
    }

    /// All parts of a variable.
    pub fn whole(&self, global: GlobalId) -> std::ops::Range<usize> {
        let Variable { first, elements, widths } = &self.variables[global.index()];
        *first..first + elements * widths.iter().sum::<usize>()
    }

    /// The parts of a field of an element of a variable, or the one part of it that is meant.
    pub fn parts(
        &self,
        global: GlobalId,
        element: usize,
        field: usize,
        part: Option<usize>,
    ) -> std::ops::Range<usize> {
        let Variable { first, widths, .. } = &self.variables[global.index()];
        let before: usize = widths[..field].iter().sum();
        let start = first + element * widths.iter().sum::<usize>() + before;
        match part {
            Some(part) => start + part..start + part + 1,
            None => start..start + widths[field],
        }
    }

    /// The bit of the lock that is this part.
    pub fn lock(&self, part: usize) -> u32 {
        let before = self.kinds[..part].iter().filter(|kind| **kind == Kind::Lock).count();
        1 << before
    }
}
