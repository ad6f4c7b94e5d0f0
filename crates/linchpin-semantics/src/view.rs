//! Reads a state by the names of the program, never by offsets.

use crate::code::layout::{AT, OP, POSITION};
use crate::code::outcome::Site;
use crate::code::outcome::{Blocked, Location, LocationBase};
use crate::instance::bounds::{CellId, ThreadId};
use crate::instance::names::{cell_name, thread_name};
use crate::machine::Machine;
use crate::state::frames::saved_frames;
use crate::state::{CellStatus, State};
use crate::value::Value;
use linchpin_ir::index::Index;
use linchpin_ir::program::{GlobalId, LocalId, MethodId, OpId, Pc, ThreadVarId};
use linchpin_ir::types::{Pointee, TypeId, TypeKind, Word};

/// Where a thread is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Status {
    Idle,
    /// In a call of `op`. The thread rests in its method, or in a recursive function that it called.
    Busy {
        op: OpId,
        method: MethodId,
        pc: Pc,
    },
}

/// A running method, or one that waits for a method that it called.
#[derive(Clone, Debug)]
pub struct FrameView {
    pub method: MethodId,
    /// Where the method rests, or its call.
    pub pc: Pc,
    /// The live locals, temporaries included, in the order of the method.
    pub locals: Vec<(LocalId, Value)>,
}

/// A cell of the heap.
#[derive(Clone, Copy, Debug)]
pub struct CellView<'a> {
    pub id: CellId,
    pub pointee: Pointee,
    /// Freed, in pool and manual memory.
    pub is_freed: bool,
    /// The number of elements of an array; 1 for a struct.
    pub len: u32,
    /// The slots of the cell.
    pub words: &'a [Word],
}

impl Machine {
    pub fn status(&self, state: &State, thread: ThreadId) -> Status {
        let block = &state.words[self.code.layout.block_of(thread)..];
        match (index(block[AT]), index(block[OP])) {
            (Some(at), Some(op)) => {
                let (method, pc) = self.site(at);
                Status::Busy { op: OpId::new(op), method, pc }
            }
            _ => Status::Idle,
        }
    }

    /// Returns the number of instructions of all methods. Every address is smaller.
    pub fn number_of_instructions(&self) -> usize {
        self.code.instrs.len()
    }

    /// Checks whether a thread may rest in front of the instruction at an address: whether it is an access.
    pub fn rests_at(&self, address: usize) -> bool {
        self.code.instrs.get(address).is_some_and(|instr| instr.rests)
    }

    /// Returns the instruction at an address.
    pub fn instruction_at(&self, address: usize) -> (MethodId, Pc) {
        self.site(address)
    }

    pub fn is_idle(&self, state: &State, thread: ThreadId) -> bool {
        state.words[self.code.layout.block_of(thread) + AT] == 0
    }

    /// Returns the client's position with a thread.
    pub fn position(&self, state: &State, thread: ThreadId) -> u32 {
        state.words[self.code.layout.block_of(thread) + POSITION].cast_unsigned()
    }

    /// Returns the slots of a shared variable.
    pub fn global_words<'s>(&self, state: &'s State, global: GlobalId) -> &'s [Word] {
        let variable = &self.program.globals.variables[global];
        &state.words[variable.offset..][..self.program.types.width(variable.ty)]
    }

    pub fn global(&self, state: &State, global: GlobalId) -> Value {
        let ty = self.program.globals.variables[global].ty;
        self.value(state, ty, self.global_words(state, global))
    }

    pub fn thread_var_words<'s>(&self, state: &'s State, thread: ThreadId, var: ThreadVarId) -> &'s [Word] {
        let variable = &self.program.thread_vars[var];
        let at = self.code.layout.block_of(thread) + self.code.layout.vars + variable.offset;
        &state.words[at..][..self.program.types.width(variable.ty)]
    }

    pub fn thread_var(&self, state: &State, thread: ThreadId, var: ThreadVarId) -> Value {
        let ty = self.program.thread_vars[var].ty;
        self.value(state, ty, self.thread_var_words(state, thread, var))
    }

    /// Returns the slots of a local of the running frame; a dead local holds its default. `None` if the
    /// thread is idle.
    pub fn local_words<'s>(&self, state: &'s State, thread: ThreadId, local: LocalId) -> Option<&'s [Word]> {
        let Status::Busy { method, .. } = self.status(state, thread) else { return None };
        let local = self.program.methods[method].locals.get(local)?;
        let at = self.code.layout.block_of(thread) + self.code.layout.frame + local.offset;
        Some(&state.words[at..][..self.program.types.width(local.ty)])
    }

    /// Returns the running frame, then its callers; empty if the thread is idle.
    pub fn frames(&self, state: &State, thread: ThreadId) -> Vec<FrameView> {
        let layout = &self.code.layout;
        let block = &state.words[layout.block_of(thread)..][..layout.block];
        let Some(at) = index(block[AT]) else { return Vec::new() };
        let view = |at: usize, after: usize, words: &[Word]| {
            let (method, pc) = self.site(at);
            let (_, live_at) = self.site(after);
            let definition = &self.program.methods[method];
            let is_live = |local: &LocalId| definition.code[live_at].live.contains(*local);
            let value = |id: LocalId| {
                let local = &definition.locals[id];
                let words = &words[local.offset..][..self.program.types.width(local.ty)];
                (id, self.value(state, local.ty, words))
            };
            FrameView { method, pc, locals: definition.locals.ids().filter(is_live).map(value).collect() }
        };
        let mut frames = vec![view(at, at, &block[layout.frame..])];
        let stack = &state.stack[state.stack_of(&self.code, thread)];
        frames.extend(
            saved_frames(&self.code, stack)
                .map(|(slots, address)| view(address, self.code.instrs[address].next, &stack[slots])),
        );
        frames
    }

    /// Returns the depth of nested recursive calls.
    pub fn depth(&self, state: &State, thread: ThreadId) -> u32 {
        state.depth(&self.code, thread)
    }

    /// Iterates over the cells of the heap, freed ones included.
    pub fn cells<'s>(&'s self, state: &'s State) -> impl Iterator<Item = CellView<'s>> + 's {
        (0..state.cells.len()).filter_map(|at| self.cell(state, CellId::new(at)))
    }

    pub fn cell<'s>(&self, state: &'s State, id: CellId) -> Option<CellView<'s>> {
        let head = state.cells.get(id.index()).filter(|head| head.status != CellStatus::Vacant)?;
        Some(CellView {
            id,
            pointee: self.code.kinds[head.kind as usize].pointee,
            is_freed: head.status == CellStatus::Freed,
            len: head.len,
            words: &state.heap[head.start as usize..][..self.code.cell_width(head.kind, head.len)],
        })
    }

    /// Returns the slots of a field of a struct's cell.
    pub fn field_words<'s>(&self, cell: CellView<'s>, field: usize) -> Option<&'s [Word]> {
        let Pointee::Struct(id) = cell.pointee else { return None };
        let types = &self.program.types;
        let fields = &types.structs[id].fields;
        let at = fields.iter().take(field).map(|field| types.width(field.ty)).sum();
        cell.words.get(at..)?.get(..types.width(fields.get(field)?.ty))
    }

    /// Returns the fields of a struct's cell by name, or the elements of an array's cell by number.
    pub fn fields(&self, state: &State, cell: CellView) -> Vec<(String, Value)> {
        let types = &self.program.types;
        match cell.pointee {
            Pointee::Struct(id) => (types.structs[id].fields.iter().enumerate())
                .filter_map(|(at, field)| {
                    let words = self.field_words(cell, at)?;
                    Some((field.name.to_string(), self.value(state, field.ty, words)))
                })
                .collect(),
            Pointee::Array(element) => {
                let width = types.width(element);
                let words = |at: usize| &cell.words[at * width..][..width];
                (0..cell.len as usize)
                    .map(|at| (format!("[{at}]"), self.value(state, element, words(at))))
                    .collect()
            }
        }
    }

    /// Returns the elements of a collection, given by its handle.
    pub fn contents<'s>(&self, state: &'s State, handle: Word) -> &'s [Word] {
        state.contents.get(handle)
    }

    /// Decodes a value of a state.
    pub fn value(&self, state: &State, ty: TypeId, words: &[Word]) -> Value {
        Value::inside(&self.program.types, state, ty, words)
    }

    /// Returns a place as source text: `head`, `n2.next`, `heap[3].lock`.
    pub fn location_name(&self, state: &State, location: Location) -> String {
        let types = &self.program.types;
        let (slot, part) = (location.slot as usize, location.ty);
        match location.base {
            LocationBase::Global(global) => {
                let variable = &self.program.globals.variables[global];
                self.part_name(variable.name.to_string(), variable.ty, slot, part)
            }
            LocationBase::Cell(cell) => {
                let name = cell_name(cell);
                match self.cell(state, cell).map(|cell| cell.pointee) {
                    Some(Pointee::Struct(id)) => {
                        let fields = types.structs[id].fields.iter().map(|field| (&*field.name, field.ty));
                        self.field_name(name, fields, slot, part)
                    }
                    Some(Pointee::Array(element)) => self.element_name(name, element, slot, part),
                    None => name,
                }
            }
        }
    }

    /// Describes what a step waits for.
    pub fn blocked_text(&self, state: &State, blocked: Blocked) -> String {
        match blocked {
            Blocked::Lock { lock, holder } => {
                let lock = self.location_name(state, lock);
                match holder {
                    Some(holder) => format!("waits for `{lock}`, which {} holds", thread_name(holder)),
                    None => format!("waits for `{lock}`"),
                }
            }
            Blocked::Await => "waits for its condition to become true".into(),
            Blocked::Condition(condvar) => {
                format!("waits on `{}`, and no thread has notified it", self.location_name(state, condvar))
            }
            Blocked::NoCandidate => "has nothing to choose from".into(),
            Blocked::NoCell => "waits for a cell: the bound on nodes is reached".into(),
        }
    }

    /// Returns the name of the part of type `part` that begins at a slot of a value of type `ty`.
    fn part_name(&self, name: String, ty: TypeId, slot: usize, part: TypeId) -> String {
        let types = &self.program.types;
        if slot == 0 && ty == part {
            return name;
        }
        match types.kind(ty) {
            TypeKind::Word(_) | TypeKind::Struct(_) => {
                let fields = types.record(ty).into_iter().flat_map(|record| &record.fields);
                self.field_name(name, fields.map(|field| (&*field.name, field.ty)), slot, part)
            }
            TypeKind::Array(element, _) => self.element_name(name, element, slot, part),
            _ => name,
        }
    }

    fn field_name<'n>(
        &self,
        name: String,
        fields: impl Iterator<Item = (&'n str, TypeId)>,
        slot: usize,
        part: TypeId,
    ) -> String {
        let mut start = 0;
        for (field, ty) in fields {
            let end = start + self.program.types.width(ty);
            if (start..end).contains(&slot) {
                return self.part_name(format!("{name}.{field}"), ty, slot - start, part);
            }
            start = end;
        }
        name
    }

    fn element_name(&self, name: String, element: TypeId, slot: usize, part: TypeId) -> String {
        let stride = self.program.types.width(element).max(1);
        self.part_name(format!("{name}[{}]", slot / stride), element, slot % stride, part)
    }

    fn site(&self, address: usize) -> (MethodId, Pc) {
        let method = &self.code.methods[self.code.instrs[address].method as usize];
        let id = match method.site {
            Site::Method(id) => id,
            // Threads of the object run its methods only.
            Site::SpecInit | Site::Clause(_) => MethodId::new(0),
        };
        (id, Pc::new(address - method.start))
    }
}

fn index(word: Word) -> Option<usize> {
    usize::try_from(word).ok()?.checked_sub(1)
}
