//! Finds out whether threads are interchangeable, and exchanges them.
//!
//! A permutation π of the threads acts on states. The block of thread `t` becomes that of `π(t)`. Every slot
//! that names a thread (of type `thread`, a lock's holder, a condition's waiters) is renamed. Arrays indexed
//! by threads are permuted. All arrays of one type are treated alike: if one of them is indexed by a thread,
//! all are permuted.
//!
//! **Claim.** Where [`ThreadSymmetry::of`] finds no obstacle, steps commute with π: the outcomes of a step of
//! `π(t)` in `π(s)` are those of `t` in `s`, under π. The initial state need not be symmetric.
//!
//! **Assumption.** The threads make the same calls; the client decides that
//! ([`are_alike`](linchpin_semantics::Client::are_alike)).
//!
//! **Proof.** Every construct that distinguishes threads by more than equality is an obstacle: the number of
//! a thread; a literal thread (a loop over all threads has both); an array indexed by threads that is also
//! indexed by numbers or given element by element.
//!
//! **Guarded by** `tests/suite/reduce/renaming.rs`.

use linchpin_engine::verdict::Asymmetry;
use linchpin_ir::index::Index;
use linchpin_ir::program as ir;
use linchpin_ir::program::{Expr, ExprKind, LocalPlace, Method, Place, Program, Projection};
use linchpin_ir::source::Span;
use linchpin_ir::types::{NONE, Scalar, SlotKind, TypeId, TypeKind, TypeTable, UNDEFINED, Word};
use linchpin_semantics::raw::{self, AT, CellKind, CellStatus, Code, for_each_slot, saved_frames};
use linchpin_semantics::{Machine, SpecMachine, SpecState, State, ThreadId};
use smallvec::SmallVec;
use std::collections::{BTreeMap, BTreeSet};

/// A symmetry of threads, and where states have arrays indexed by threads.
#[derive(Clone, Debug)]
pub struct ThreadSymmetry {
    pub(crate) globals: Box<[Row]>,
    vars: Box<[Row]>,
    /// The arrays in each frame, by method.
    frames: Box<[Box<[Row]>]>,
    /// The arrays in each kind of cell: in the struct, or in one element.
    kinds: Box<[Box<[Row]>]>,
    /// The arrays in the specification's state.
    spec: Box<[Row]>,
    has_rows: bool,
    /// Whether some array indexed by threads lies in another.
    is_nested: bool,
}

/// An array with one element a thread: its first slot, and the width of an element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Row {
    pub at: usize,
    pub stride: usize,
}

impl ThreadSymmetry {
    /// Scans a program. The error lists the obstacles in the order of the text.
    pub fn of(machine: &Machine) -> Result<ThreadSymmetry, Vec<Asymmetry>> {
        let program = &**machine.program();
        let mut scan = ThreadScan::new(program);
        let methods = raw::methods_of_operations(program);
        let clauses = program.spec.clauses.iter().map(|clause| &clause.method);
        methods.chain(clauses).for_each(|method| scan.method(method));
        let by_threads = scan.finish()?;
        let types = &program.types;
        let rows = |fields: &mut dyn Iterator<Item = (usize, TypeId)>| -> Box<[Row]> {
            let mut rows = Vec::new();
            fields.for_each(|(at, ty)| append_rows(types, &by_threads, ty, at, &mut rows));
            rows.into()
        };
        let kind = |kind: &CellKind| match kind.pointee {
            linchpin_ir::types::Pointee::Array(element) => rows(&mut std::iter::once((0, element))),
            linchpin_ir::types::Pointee::Struct(id) => {
                let fields = types.structs[id].fields.iter().scan(0, |at, field| {
                    let start = *at;
                    *at += types.width(field.ty);
                    Some((start, field.ty))
                });
                rows(&mut { fields })
            }
        };
        let frame = |method: &Method| rows(&mut method.locals.iter().map(|local| (local.offset, local.ty)));
        Ok(ThreadSymmetry {
            globals: rows(&mut program.globals.variables.iter().map(|var| (var.offset, var.ty))),
            vars: rows(&mut program.thread_vars.iter().map(|var| (var.offset, var.ty))),
            frames: program.methods.iter().map(frame).collect(),
            kinds: raw::code(machine).kinds.iter().map(kind).collect(),
            spec: rows(&mut program.spec.globals.variables.iter().map(|var| (var.offset, var.ty))),
            has_rows: !by_threads.is_empty(),
            is_nested: by_threads.iter().any(|(element, _)| {
                let mut rows = Vec::new();
                append_rows(types, &by_threads, *element, 0, &mut rows);
                !rows.is_empty()
            }),
        })
    }
}

impl ThreadSymmetry {
    /// Checks whether the specification's state has arrays indexed by threads.
    pub fn is_in_spec(&self) -> bool {
        !self.spec.is_empty()
    }

    /// Checks that only shared variables are arrays indexed by threads, and that none lies in another. Then
    /// the elements of a thread are like variables of the thread.
    pub fn is_shallow(&self) -> bool {
        let apart = |(at, row): (usize, &Row)| self.globals[..at].iter().all(|other| other.at != row.at);
        self.vars.is_empty()
            && self.frames.iter().all(|rows| rows.is_empty())
            && self.kinds.iter().all(|rows| rows.is_empty())
            && self.globals.iter().enumerate().all(apart)
            && !self.is_nested
    }
}

/// Renames thread `t` to `names[t]`, for a permutation of the threads. The state has to be normalised
/// afterwards.
pub fn rename_threads(machine: &Machine, symmetry: &ThreadSymmetry, state: &mut State, names: &[ThreadId]) {
    let code = raw::code(machine);
    debug_assert_eq!(names.len(), code.layout.threads);
    if symmetry.has_rows {
        permute_rows(code, symmetry, state, names);
    }
    for_each_slot(code, state, &mut |kind, word| rename_thread(names, kind, word));
    move_blocks(code, state, names);
}

/// Renames the threads of a state of the specification, as [`rename_threads`] does.
pub fn rename_spec_threads(
    machine: &SpecMachine,
    symmetry: &ThreadSymmetry,
    state: &SpecState,
    names: &[ThreadId],
) -> SpecState {
    raw::renamed_spec_state(machine, state, |code, state| {
        permute(&symmetry.spec, &mut state.words, names);
        for_each_slot(code, state, &mut |kind, word| rename_thread(names, kind, word));
    })
}

fn permute_rows(code: &Code, symmetry: &ThreadSymmetry, state: &mut State, names: &[ThreadId]) {
    permute(&symmetry.globals, &mut state.words, names);
    for thread in (0..code.layout.threads).map(ThreadId::new) {
        let range = state.stack_of(code, thread);
        let block = &mut state.words[code.layout.block_of(thread)..];
        permute(&symmetry.vars, &mut block[code.layout.vars..], names);
        if let Some(at) = usize::try_from(block[AT]).ok().and_then(|at| at.checked_sub(1)) {
            let method = code.instrs[at].method as usize;
            permute(&symmetry.frames[method], &mut block[code.layout.frame..], names);
        }
        let stack = &mut state.stack[range];
        let frames: SmallVec<[_; 8]> = saved_frames(code, stack).collect();
        for (slots, address) in frames {
            permute(&symmetry.frames[code.instrs[address].method as usize], &mut stack[slots], names);
        }
    }
    for cell in state.cells.iter().filter(|cell| cell.status != CellStatus::Vacant) {
        let stride = code.kinds[cell.kind as usize].slots.len();
        for element in 0..cell.len as usize {
            let at = cell.start as usize + element * stride;
            permute(&symmetry.kinds[cell.kind as usize], &mut state.heap[at..], names);
        }
    }
}

fn move_blocks(code: &Code, state: &mut State, names: &[ThreadId]) {
    let layout = &code.layout;
    let old_stack = state.stack.clone();
    let mut next = 0;
    for target in (0..layout.threads).map(ThreadId::new) {
        // The blocks still hold the old lengths, so `stack_of` finds the old stacks.
        let Some(source) = names.iter().position(|name| *name == target) else { continue };
        let range = state.stack_of(code, ThreadId::new(source));
        state.stack[next..next + range.len()].copy_from_slice(&old_stack[range.clone()]);
        next += range.len();
    }
    let old_blocks = state.words[layout.blocks..].to_vec();
    for (source, name) in names.iter().enumerate() {
        let block = &old_blocks[source * layout.block..][..layout.block];
        state.words[layout.block_of(*name)..][..layout.block].copy_from_slice(block);
    }
}

/// Renames the threads that one slot names.
fn rename_thread(names: &[ThreadId], kind: SlotKind, word: &mut Word) {
    match kind.scalar {
        Scalar::Thread => {
            if let Some(name) = usize::try_from(*word).ok().and_then(|at| names.get(at)) {
                *word = name.word();
            }
        }
        Scalar::Lock => {
            if let Some(name) = raw::holder(*word).and_then(|holder| names.get(holder.index())) {
                *word = name.word() + 1;
            }
        }
        Scalar::Condvar => {
            let bit = |(at, name): (usize, &ThreadId)| (*word >> at & 1) << name.index();
            *word = names.iter().enumerate().map(bit).sum();
        }
        _ => {}
    }
}

/// Moves element `t` of each array to element `names[t]`.
fn permute(rows: &[Row], words: &mut [Word], names: &[ThreadId]) {
    for Row { at, stride } in rows {
        let old: SmallVec<[Word; 32]> = words[*at..at + stride * names.len()].into();
        for (source, name) in names.iter().enumerate() {
            words[at + name.index() * stride..][..*stride]
                .copy_from_slice(&old[source * stride..][..*stride]);
        }
    }
}

/// Appends the arrays indexed by threads in a value that begins at `at`. An inner array precedes the outer
/// one.
fn append_rows(
    types: &TypeTable,
    by_threads: &BTreeSet<ArrayKey>,
    ty: TypeId,
    at: usize,
    out: &mut Vec<Row>,
) {
    match types.kind(ty) {
        TypeKind::Option(of) => {
            append_rows(types, by_threads, of, at + types.width(ty) - types.width(of), out)
        }
        TypeKind::Word(_) | TypeKind::Struct(_) => {
            let mut start = at;
            for field in types.record(ty).into_iter().flat_map(|record| &record.fields) {
                append_rows(types, by_threads, field.ty, start, out);
                start += types.width(field.ty);
            }
        }
        TypeKind::Array(element, len) => {
            let stride = types.width(element);
            for index in 0..len as usize {
                append_rows(types, by_threads, element, at + index * stride, out);
            }
            if by_threads.contains(&(element, len)) {
                out.push(Row { at, stride });
            }
        }
        _ => {}
    }
}

/// An array type: the type of its elements, and its length.
type ArrayKey = (TypeId, u32);

/// A scan of the program text for constructs that distinguish threads.
struct ThreadScan<'a> {
    program: &'a Program,
    by_threads: BTreeSet<ArrayKey>,
    /// The array types indexed by a number, or given element by element, with the place of such a use.
    by_numbers: BTreeMap<ArrayKey, Span>,
    found: BTreeSet<Asymmetry>,
}

impl<'a> ThreadScan<'a> {
    fn new(program: &'a Program) -> ThreadScan<'a> {
        let mut scan = ThreadScan {
            program,
            by_threads: BTreeSet::new(),
            by_numbers: BTreeMap::new(),
            found: BTreeSet::new(),
        };
        for hash in program.hashes.iter() {
            if scan.names_threads(hash.domain) || scan.names_threads(hash.result) {
                scan.found.insert(Asymmetry { span: hash.span, what: "a hash function of threads" });
            }
        }
        scan
    }

    fn finish(mut self) -> Result<BTreeSet<ArrayKey>, Vec<Asymmetry>> {
        for key in &self.by_threads {
            if let Some(&span) = self.by_numbers.get(key) {
                let what = "an array indexed by threads is indexed by a number, or given element by element";
                self.found.insert(Asymmetry { span, what });
            }
        }
        if self.program.uses_links && !self.by_threads.is_empty() {
            let span = self.program.object_span;
            self.found.insert(Asymmetry { span, what: "`ll` and `sc` beside an array indexed by threads" });
        }
        // Elements of a collection would have to be permuted one by one. This is not implemented.
        for ty in self.program.types.ids().filter(|ty| self.program.types.is_collection(*ty)) {
            if self.holds_rows(ty) {
                let span = self.program.object_span;
                self.found.insert(Asymmetry { span, what: "a collection of arrays indexed by threads" });
            }
        }
        if self.found.is_empty() { Ok(self.by_threads) } else { Err(self.found.into_iter().collect()) }
    }

    fn method(&mut self, method: &Method) {
        for instr in method.code.iter() {
            instr.op.operands(&mut |operand| operand.for_each(&mut |part| self.part(part, instr.span)));
            for place in instr.op.places() {
                let Place { path, .. } = place;
                self.path(path, instr.span);
            }
            let target = match &instr.op {
                ir::Op::Collection { on: ir::Target::Local(place), .. } => Some(place),
                _ => None,
            };
            for LocalPlace { path, .. } in instr.op.result_place().into_iter().chain(target) {
                self.path(path, instr.span);
            }
        }
    }

    fn path(&mut self, path: &[Projection], span: Span) {
        for projection in path {
            match projection {
                Projection::Index { index, element, len: Some(len) } => {
                    self.index((*element, *len), index, span)
                }
                Projection::Index { index, len: None, .. } if self.is_thread(index.ty) => {
                    self.found
                        .insert(Asymmetry { span, what: "an array of run-time length indexed by a thread" });
                }
                _ => {}
            }
        }
    }

    fn index(&mut self, key: ArrayKey, index: &Expr, span: Span) {
        if self.is_thread(index.ty) {
            self.by_threads.insert(key);
        } else {
            self.by_numbers.entry(key).or_insert(span);
        }
    }

    fn part(&mut self, expr: &Expr, span: Span) {
        let types = &self.program.types;
        match &expr.kind {
            ExprKind::Ord(of) if self.is_thread(of.ty) => {
                self.found.insert(Asymmetry { span, what: "the number of a thread" });
            }
            ExprKind::Constant(words) => {
                let slots = types.slots(expr.ty);
                let is_thread = |(slot, word): (&SlotKind, &Word)| {
                    slot.scalar == Scalar::Thread && *word != UNDEFINED && *word != NONE
                };
                if slots.iter().zip(words).any(is_thread) {
                    self.found.insert(Asymmetry { span, what: "a certain thread" });
                }
                self.uneven_arrays(expr.ty, words, span);
            }
            ExprKind::Array(items) if items.windows(2).any(|pair| pair[0] != pair[1]) => {
                if let TypeKind::Array(element, len) = types.kind(expr.ty) {
                    self.by_numbers.entry((element, len)).or_insert(span);
                }
            }
            ExprKind::Index(of, index) => {
                if let TypeKind::Array(element, len) = types.kind(of.ty) {
                    self.index((element, len), index, span);
                }
            }
            _ => {}
        }
    }

    /// Records the arrays in a constant whose elements differ.
    fn uneven_arrays(&mut self, ty: TypeId, words: &[Word], span: Span) {
        let types = &self.program.types;
        match types.kind(ty) {
            TypeKind::Option(of) if types.width(of) < words.len() => {
                self.uneven_arrays(of, &words[1..], span)
            }
            TypeKind::Word(_) => {
                let mut rest = words;
                for field in types.record(ty).into_iter().flat_map(|record| &record.fields) {
                    let (own, others) = rest.split_at(types.width(field.ty).min(rest.len()));
                    self.uneven_arrays(field.ty, own, span);
                    rest = others;
                }
            }
            TypeKind::Array(element, len) => {
                let stride = types.width(element).max(1);
                if words.chunks(stride).any(|chunk| chunk != &words[..chunk.len()]) {
                    self.by_numbers.entry((element, len)).or_insert(span);
                }
                words.chunks(stride).for_each(|chunk| self.uneven_arrays(element, chunk, span));
            }
            _ => {}
        }
    }

    fn is_thread(&self, ty: TypeId) -> bool {
        matches!(self.program.types.kind(ty), TypeKind::Thread)
    }

    fn names_threads(&self, ty: TypeId) -> bool {
        self.program.types.slots(ty).iter().any(|slot| slot.scalar == Scalar::Thread)
    }

    fn holds_rows(&self, collection: TypeId) -> bool {
        let types = &self.program.types;
        let holds = |ty: TypeId| {
            let mut rows = Vec::new();
            append_rows(types, &self.by_threads, ty, 0, &mut rows);
            !rows.is_empty()
        };
        match types.kind(collection) {
            TypeKind::Seq(t) | TypeKind::Set(t) | TypeKind::Bag(t) => holds(t),
            TypeKind::Map(k, v) => holds(k) || holds(v),
            _ => false,
        }
    }
}
