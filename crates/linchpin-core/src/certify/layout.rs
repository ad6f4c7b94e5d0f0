//! What the checker reads off the program: where values lie, and what it does not take.

use super::certificate::Symbol;
use crate::index::Index;
use crate::ir::ages;
use crate::ir::fragment::{
    HeapExpr, HeapLocal, HeapMethod, HeapOp, HeapProgram, HeapScalar, HeapType, ProofMethod, Refusal,
};
use crate::ir::{GlobalId, LocalId, MemoryKind, Program};
use crate::source::Span;
use std::ops::Range;

/// What a part of a value is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    Pointer,
    Data,
    Age,
    /// With its default.
    Small(i8),
    Key,
    Lock,
}

pub(super) struct Layout {
    pub heap: HeapProgram,
    pub collected: bool,
    pub manual: bool,
    /// The parts of all shared variables, one after the other.
    pub globals: Vec<Part>,
    /// By shared variable.
    variables: Vec<Shared>,
    /// The parts that are locks.
    locks: Vec<usize>,
    /// The pointer field of a cell, its part that is the pointer, and whether the other part is an age.
    pub link: Option<Link>,
    pub data: Option<usize>,
    pub label: Option<Label>,
    pub init: Frame,
    pub frames: Vec<Frame>,
    /// `new` inside `init` gives cells that nobody used.
    pub pristine: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Link {
    pub field: usize,
    /// `None`: the field is the pointer.
    pub word: Option<WordLink>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct WordLink {
    pub pointer: usize,
    pub age: Option<usize>,
}

/// The field of a cell that is its label.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Label {
    pub field: usize,
    /// All labels, a bit each.
    pub all: u8,
    /// The value whose label is the first; `None`: classes of keys.
    least: Option<i8>,
    /// The value of a new cell that is given none.
    pub default: Symbol,
}

impl Label {
    /// The labels that a value may be.
    pub fn of(self, value: Symbol) -> u8 {
        let number = match (value, self.least) {
            (Symbol::Small(number), Some(least)) => i16::from(number) - i16::from(least),
            (Symbol::Key(class), None) => i16::from(class),
            _ => return self.all,
        };
        // What is beyond the type ends the execution.
        u32::try_from(number).ok().and_then(|number| 1_u8.checked_shl(number)).unwrap_or(0) & self.all
    }

    /// The value of the label with this number.
    pub fn value(self, number: u32) -> Symbol {
        match self.least {
            Some(least) => Symbol::Small(least.saturating_add(number as i8)),
            None => Symbol::Key(number as u8),
        }
    }
}

/// The elements of a shared variable: one, or those of an array, each with some fields.
struct Shared {
    len: usize,
    /// The parts of every field of every element.
    parts: Vec<Range<usize>>,
}

/// The parts of all variables of an operation, and where each begins.
pub(super) struct Frame {
    pub parts: Vec<Part>,
    starts: Vec<usize>,
}

impl Layout {
    pub fn of(program: &Program) -> Result<Layout, Vec<Refusal>> {
        let heap = HeapProgram::of(program, ProofMethod::Pairs)?;
        let mut refusals = Vec::new();
        if let Err(misuse) = ages::age_origins(program) {
            refusals.push(refusal(&format!("a use of ages in which {}", misuse.reason), misuse.span));
        }
        let (link, data, label) = cell(&heap, &mut refusals);
        let (mut globals, mut variables) = (Vec::new(), Vec::new());
        for variable in heap.globals().iter() {
            let (len, fields) = match &variable.ty {
                HeapType::Array { len, fields } => (*len, &fields[..]),
                ty => (1, std::slice::from_ref(ty)),
            };
            let mut shared = Shared { len, parts: Vec::new() };
            for field in (0..len).flat_map(|_| fields) {
                let start = globals.len();
                globals.extend(parts(field, variable.span, &mut refusals));
                shared.parts.push(start..globals.len());
            }
            variables.push(shared);
        }
        let locks: Vec<usize> = (0..globals.len()).filter(|at| globals[*at] == Part::Lock).collect();
        if locks.len() > 32 {
            refusals.push(refusal("more than 32 locks", program.object_span));
        }
        for method in methods(&heap) {
            for instr in method.code.iter() {
                refuse_stray_steps(&instr.op, instr.span, &mut refusals);
            }
        }
        for op in heap.ops().iter() {
            let is_param = |target: &HeapLocal| op.method.params.contains(&target.local);
            for instr in op.method.code.iter().filter(|instr| targets(&instr.op).iter().any(is_param)) {
                refusals.push(refusal("an assignment to a parameter", instr.span));
            }
        }
        let init = Frame::of(heap.init(), &mut refusals);
        let frames = heap.ops().iter().map(|op| Frame::of(&op.method, &mut refusals)).collect();
        let pristine = !heap.init().code.iter().any(|instr| matches!(instr.op, HeapOp::Free(_)));
        let collected = heap.memory() == MemoryKind::Gc;
        let manual = heap.memory() == MemoryKind::Manual;
        if !refusals.is_empty() {
            return Err(refusals);
        }
        Ok(Layout {
            heap,
            collected,
            manual,
            globals,
            variables,
            locks,
            link,
            data,
            label,
            init,
            frames,
            pristine,
        })
    }

    /// The parts of a field of an element of a shared variable, or one of them; none if there is no such thing.
    pub fn shared(&self, id: GlobalId, element: usize, field: usize, part: Option<usize>) -> Range<usize> {
        let variable = &self.variables[id.index()];
        let fields = variable.parts.len() / variable.len.max(1);
        match (variable.parts.get(element * fields + field), part) {
            (Some(parts), None) => parts.clone(),
            (Some(parts), Some(part)) if parts.start + part < parts.end => {
                parts.start + part..parts.start + part + 1
            }
            _ => 0..0,
        }
    }

    /// How many elements a shared variable has.
    pub fn elements(&self, id: GlobalId) -> usize {
        self.variables[id.index()].len
    }

    /// The bit of the lock that these parts are.
    pub fn lock_bit(&self, parts: &Range<usize>) -> u32 {
        self.locks.iter().position(|lock| *lock == parts.start).map_or(0, |at| 1 << at)
    }

    pub fn sentinels(&self) -> usize {
        if self.collected { 1 } else { 3 }
    }
}

impl Frame {
    fn of(method: &HeapMethod, refusals: &mut Vec<Refusal>) -> Frame {
        let mut frame = Frame { parts: Vec::new(), starts: Vec::new() };
        for variable in method.locals.iter() {
            frame.starts.push(frame.parts.len());
            frame.parts.extend(parts(&variable.ty, variable.span, refusals));
        }
        frame
    }

    pub fn local(&self, id: LocalId, part: Option<usize>) -> std::ops::Range<usize> {
        range(&self.starts, self.parts.len(), id.index(), part)
    }
}

/// The places of a variable, or of one part of it; none if there is no such thing.
fn range(starts: &[usize], end: usize, at: usize, part: Option<usize>) -> std::ops::Range<usize> {
    let Some(&start) = starts.get(at) else { return 0..0 };
    let end = starts.get(at + 1).copied().unwrap_or(end);
    match part {
        None => start..end,
        Some(part) if start + part < end => start + part..start + part + 1,
        Some(_) => 0..0,
    }
}

fn methods(heap: &HeapProgram) -> impl Iterator<Item = &HeapMethod> {
    heap.ops().iter().map(|op| &op.method).chain([heap.init()])
}

/// The variables that an instruction assigns to.
fn targets(op: &HeapOp) -> Vec<HeapLocal> {
    match op {
        HeapOp::Assign { to, .. } => vec![*to],
        HeapOp::ChooseBool { into } => vec![HeapLocal { local: *into, part: None }],
        HeapOp::Load { into, .. } | HeapOp::New { into, .. } => vec![*into],
        HeapOp::Cas { into, .. }
        | HeapOp::CmpXchg { into, .. }
        | HeapOp::Dcas { into, .. }
        | HeapOp::Swap { into, .. }
        | HeapOp::TryLock { into, .. }
        | HeapOp::IsLocked { into, .. } => into.iter().copied().collect(),
        HeapOp::Branch { .. }
        | HeapOp::Assert(_)
        | HeapOp::Assume(_)
        | HeapOp::Await(_)
        | HeapOp::Lin { .. }
        | HeapOp::Return(_)
        | HeapOp::Store { .. }
        | HeapOp::Free(_)
        | HeapOp::Lock(_)
        | HeapOp::Unlock(_)
        | HeapOp::Atomic { .. } => Vec::new(),
    }
}

fn refusal(construct: &str, span: Span) -> Refusal {
    Refusal { construct: construct.into(), span }
}

fn parts(ty: &HeapType, span: Span, refusals: &mut Vec<Refusal>) -> Vec<Part> {
    let (scalars, optional) = match ty {
        HeapType::Lock => return vec![Part::Lock],
        HeapType::Array { .. } => {
            refusals.push(refusal("an array inside an array or an operation", span));
            return Vec::new();
        }
        HeapType::Scalar(scalar) => (std::slice::from_ref(scalar), false),
        HeapType::Optional(scalar) => (std::slice::from_ref(scalar), true),
        HeapType::Word(scalars) => (&scalars[..], false),
    };
    let mut all = Vec::new();
    for scalar in scalars {
        all.push(match scalar {
            HeapScalar::Pointer(_) => Part::Pointer,
            HeapScalar::Age => Part::Age,
            HeapScalar::Data => Part::Data,
            HeapScalar::Bool => Part::Small(0),
            HeapScalar::Small { low, high } => {
                let default = if (*low..=*high).contains(&0) { 0 } else { *low };
                let fits = i8::try_from(*low).is_ok() && i8::try_from(*high).is_ok();
                if !fits {
                    refusals.push(refusal("a value beyond -128..128", span));
                }
                Part::Small(i8::try_from(default).unwrap_or(0))
            }
            HeapScalar::Int => Part::Small(0),
            HeapScalar::Key => Part::Key,
        });
    }
    if optional && matches!(all[..], [Part::Pointer | Part::Age]) {
        refusals.push(refusal("an optional pointer or age", span));
    }
    all
}

fn cell(heap: &HeapProgram, refusals: &mut Vec<Refusal>) -> (Option<Link>, Option<usize>, Option<Label>) {
    let made = methods(heap).flat_map(|method| method.code.iter()).find_map(|instr| match instr.op {
        HeapOp::New { of, .. } => Some(of),
        _ => None,
    });
    let Some(of) = made else { return (None, None, None) };
    let (mut link, mut data, mut label) = (None, None, None);
    for (field, variable) in heap.structs()[of].fields.iter().enumerate() {
        match &variable.ty {
            HeapType::Scalar(HeapScalar::Pointer(_)) if link.is_none() => {
                link = Some(Link { field, word: None })
            }
            HeapType::Scalar(HeapScalar::Data) if data.is_none() => data = Some(field),
            HeapType::Scalar(HeapScalar::Data) => {
                refusals.push(refusal("a second field of `data`", variable.span));
            }
            HeapType::Word(scalars) if link.is_none() => {
                let pointer = scalars.iter().position(|scalar| matches!(scalar, HeapScalar::Pointer(_)));
                let age = scalars.iter().position(|scalar| *scalar == HeapScalar::Age);
                let known = pointer.map_or(0, |_| 1) + age.map_or(0, |_| 1);
                match pointer {
                    Some(pointer) if known == scalars.len() => {
                        link = Some(Link { field, word: Some(WordLink { pointer, age }) });
                    }
                    _ => {
                        let construct = "a word of anything but a pointer and an age in a cell";
                        refusals.push(refusal(construct, variable.span));
                    }
                }
                if age.is_some() && heap.memory() == MemoryKind::Manual {
                    let construct = "an age in a cell of `manual` memory, where `new` resets it,";
                    refusals.push(refusal(construct, variable.span));
                }
            }
            HeapType::Lock => refusals.push(refusal("a lock in a cell", variable.span)),
            HeapType::Scalar(scalar) if label.is_none() && heap.memory() == MemoryKind::Gc => {
                let found = label_field(field, *scalar);
                if found.is_none() {
                    refusals.push(refusal("a field of a cell that has too many values", variable.span));
                }
                label = found;
            }
            HeapType::Scalar(_) if heap.memory() == MemoryKind::Gc => {
                refusals.push(refusal("a second field that is neither a pointer nor `data`", variable.span));
            }
            _ => {
                let construct = "a field that is neither a pointer nor `data` in memory that is used again";
                refusals.push(refusal(construct, variable.span));
            }
        }
    }
    (link, data, label)
}

fn label_field(field: usize, scalar: HeapScalar) -> Option<Label> {
    let (least, count, default) = match scalar {
        HeapScalar::Bool => (Some(0), 2, Symbol::Small(0)),
        HeapScalar::Small { low, high } => {
            let default = if low <= 0 && high >= 0 { 0 } else { low };
            (Some(i8::try_from(low).ok()?), high - low + 1, Symbol::Small(i8::try_from(default).ok()?))
        }
        HeapScalar::Key => (None, super::link::KEY_CLASSES.into(), Symbol::Undefined),
        _ => return None,
    };
    let all = u8::try_from((1_u32 << u32::try_from(count).ok()?.min(16)) - 1).ok()?;
    Some(Label { field, all, least, default })
}

/// An age may be stepped in the new value of a `cas` only.
fn refuse_stray_steps(op: &HeapOp, span: Span, refusals: &mut Vec<Refusal>) {
    let strays = match op {
        HeapOp::Cas { old, .. } | HeapOp::CmpXchg { old, .. } => steps(old),
        HeapOp::Assign { value, .. } | HeapOp::Store { value, .. } | HeapOp::Swap { value, .. } => {
            steps(value)
        }
        HeapOp::Branch { cond, .. } | HeapOp::Assert(cond) | HeapOp::Assume(cond) | HeapOp::Await(cond) => {
            steps(cond)
        }
        _ => false,
    };
    if strays {
        refusals.push(refusal("an age that is stepped anywhere but in a `cas`", span));
    }
}

fn steps(expr: &HeapExpr) -> bool {
    match expr {
        HeapExpr::NextAge(_) => true,
        HeapExpr::Part(e, _) | HeapExpr::Some(e) | HeapExpr::Not(e) => steps(e),
        HeapExpr::Word(all) => all.iter().any(steps),
        HeapExpr::And(a, b)
        | HeapExpr::Or(a, b)
        | HeapExpr::Equal(a, b)
        | HeapExpr::Less(a, b)
        | HeapExpr::Plus(a, b)
        | HeapExpr::Minus(a, b) => steps(a) || steps(b),
        _ => false,
    }
}
