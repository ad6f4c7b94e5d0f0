//! From a program to the view of it that one prover takes.

use super::spec::{self, SpecShape};
use super::{
    HeapMethod, HeapOperation, HeapProgram, HeapScalar, HeapStruct, HeapType, HeapVariable, ProofMethod,
    UnsupportedConstruct,
};
use crate::index::IndexVec;
use crate::program::{MemoryKind, Method, Op, Operation, Pc, Program};
use crate::source::Span;
use crate::types::{Pointee, StructId, TypeKind};

impl HeapProgram {
    /// The program as the prover sees it, or everything in it that the prover does not take.
    pub fn of(program: &Program, method: ProofMethod) -> Result<HeapProgram, Vec<UnsupportedConstruct>> {
        let mut builder = Builder { program, method, refusals: Vec::new() };
        let view = builder.program();
        match view {
            Some(view) if builder.refusals.is_empty() => Ok(view),
            _ => {
                builder.refusals.sort_by_key(|refusal| refusal.span);
                Err(builder.refusals)
            }
        }
    }
}

pub(super) struct Builder<'p> {
    pub program: &'p Program,
    pub method: ProofMethod,
    refusals: Vec<UnsupportedConstruct>,
}

impl Builder<'_> {
    /// Records an unsupported construct. Returns `None`, so that the caller can return it.
    pub fn refuse<T>(&mut self, construct: impl Into<String>, span: Span) -> Option<T> {
        let refusal = UnsupportedConstruct { construct: construct.into(), span };
        if !self.refusals.contains(&refusal) {
            self.refusals.push(refusal);
        }
        None
    }

    fn program(&mut self) -> Option<HeapProgram> {
        let program = self.program;
        if self.method != ProofMethod::Pairs && program.memory != MemoryKind::Gc {
            let _: Option<()> = self.refuse("memory that is used again", program.object_span);
        }
        self.what_has_no_view();
        let structs = self.structs();
        self.shape_of_the_heap();
        let globals: Option<IndexVec<_, _>> = program
            .globals
            .variables
            .iter()
            .map(|v| {
                let ty = self.shared_type(v.ty, v.span)?;
                Some(HeapVariable { name: v.name.clone(), ty, span: v.span })
            })
            .collect::<Vec<_>>()
            .into_iter()
            .collect();
        let init = self.heap_method(&program.methods[program.init]);
        let ops: Vec<Option<HeapOperation>> = program.ops.iter().map(|op| self.operation(op)).collect();
        let spec = self.spec();
        Some(HeapProgram {
            method: self.method,
            memory: program.memory,
            structs: structs?,
            globals: globals?,
            init: init?,
            ops: ops.into_iter().collect::<Option<_>>()?,
            spec: spec?,
        })
    }

    fn what_has_no_view(&mut self) {
        let program = self.program;
        if let Some(span) = program.threads_used_at {
            let _: Option<()> = self.refuse("`threads`", span);
        }
        for variable in program.thread_vars.iter() {
            let _: Option<()> = self.refuse("a `local` variable", variable.span);
        }
        for hash in program.hashes.iter() {
            let _: Option<()> = self.refuse("a `hash`", hash.span);
        }
    }

    fn structs(&mut self) -> Option<IndexVec<StructId, HeapStruct>> {
        let structs: Vec<Option<HeapStruct>> = self
            .program
            .types
            .structs
            .iter()
            .map(|record| {
                let fields: Vec<Option<HeapVariable>> = record
                    .fields
                    .iter()
                    .map(|field| {
                        let ty = self.stored_type(field.ty, field.span)?;
                        Some(HeapVariable { name: field.name.clone(), ty, span: field.span })
                    })
                    .collect();
                Some(HeapStruct {
                    name: record.name.clone(),
                    fields: fields.into_iter().collect::<Option<_>>()?,
                })
            })
            .collect();
        structs.into_iter().collect()
    }

    /// `pairs` and `cmp` see one struct with one pointer; the lists of `cmp` are sorted.
    fn shape_of_the_heap(&mut self) {
        if self.method == ProofMethod::Canonical {
            return;
        }
        let types = &self.program.types;
        let on_heap: Vec<StructId> = types
            .structs
            .ids()
            .filter(|&id| self.program.methods.iter().any(|method| allocates(method, id)))
            .collect();
        for &id in on_heap.iter().skip(1) {
            let _: Option<()> = self.refuse("a second struct on the heap", types.structs[id].span);
        }
        for &id in on_heap.iter().take(1) {
            let record = &types.structs[id];
            let pointers = record.fields.iter().filter(|field| {
                let parts = types.record(field.ty).map_or(&[][..], |word| &word.fields);
                let is_pointer = |ty| matches!(types.kind(ty), TypeKind::Pointer(Pointee::Struct(_)));
                is_pointer(field.ty) || parts.iter().any(|part| is_pointer(part.ty))
            });
            for field in pointers.skip(1) {
                let _: Option<()> = self.refuse("a second pointer field", field.span);
            }
            let sorted = record.fields.iter().any(|field| types.kind(field.ty) == TypeKind::Key);
            if self.method == ProofMethod::Cmp && !sorted {
                let _: Option<()> = self.refuse("a list without a `key` to sort it by", record.span);
            }
        }
    }

    fn operation(&mut self, op: &Operation) -> Option<HeapOperation> {
        let method = &self.program.methods[op.method];
        let takes_no_points = match self.method {
            ProofMethod::Sets => true,
            ProofMethod::Cmp => !writes(method),
            ProofMethod::Pairs | ProofMethod::Canonical => false,
        };
        if op.free_point && !takes_no_points {
            let _: Option<()> =
                self.refuse(format!("`{}`, which has no linearization point,", op.name), op.span);
        }
        let method = self.heap_method(method)?;
        let has_result = op.result.is_some();
        let (name, span) = (op.name.clone(), op.span);
        Some(HeapOperation { name, method, free_point: op.free_point, has_result, span })
    }

    fn heap_method(&mut self, method: &Method) -> Option<HeapMethod> {
        let locals: Vec<Option<HeapVariable>> = method
            .locals
            .iter()
            .map(|local| {
                let ty = self.local_type(local.ty, local.span)?;
                Some(HeapVariable { name: local.name.clone(), ty, span: local.span })
            })
            .collect();
        for (pc, instr) in method.code.entries() {
            if instr.access.is_step()
                && matches!(instr.op, Op::Atomic { .. } | Op::Await(_))
                && loops(method, pc)
            {
                let _: Option<()> = self.refuse("a loop inside `atomic`", instr.span);
            }
        }
        let code: Vec<Option<_>> = method.code.iter().map(|instr| self.instruction(instr)).collect();
        Some(HeapMethod {
            params: method.params.clone(),
            locals: locals.into_iter().collect::<Option<_>>()?,
            code: code.into_iter().collect::<Option<_>>()?,
            entry: method.entry,
        })
    }

    fn spec(&mut self) -> Option<SpecShape> {
        let spec = &self.program.spec;
        let shape = spec::recognise(self.program);
        let taken = match self.method {
            ProofMethod::Pairs => [SpecShape::Stack, SpecShape::Queue, SpecShape::PriorityQueue].as_slice(),
            ProofMethod::Canonical => &[SpecShape::Stack, SpecShape::Queue],
            ProofMethod::Cmp | ProofMethod::Sets => &[SpecShape::Set],
        };
        match shape.filter(|shape| taken.contains(shape)) {
            Some(shape) => Some(shape),
            None => self.refuse(format!("the specification `{}`", spec.name), spec.span),
        }
    }

    /// The type of a shared variable.
    fn shared_type(&mut self, ty: crate::types::TypeId, span: Span) -> Option<HeapType> {
        let types = &self.program.types;
        let TypeKind::Array(element, len) = types.kind(ty) else { return self.stored_type(ty, span) };
        if self.method != ProofMethod::Pairs {
            return self.refuse("an array", span);
        }
        if len > HeapType::MOST_ELEMENTS {
            return self.refuse(format!("an array of more than {} elements", HeapType::MOST_ELEMENTS), span);
        }
        let parts: Vec<crate::types::TypeId> = match types.kind(element) {
            TypeKind::Struct(of) => types.structs[of].fields.iter().map(|field| field.ty).collect(),
            _ => vec![element],
        };
        let fields: Vec<Option<HeapType>> = parts
            .into_iter()
            .map(|part| match self.stored_type(part, span)? {
                HeapType::Scalar(HeapScalar::Age) => self.refuse("an age in an array", span),
                HeapType::Word(parts) if parts.contains(&HeapScalar::Age) => {
                    self.refuse("an age in an array", span)
                }
                taken => Some(taken),
            })
            .collect();
        let len = usize::try_from(len).ok()?;
        Some(HeapType::Array { len, fields: fields.into_iter().collect::<Option<_>>()? })
    }

    /// The type of a variable or a field.
    fn stored_type(&mut self, ty: crate::types::TypeId, span: Span) -> Option<HeapType> {
        match self.local_type(ty, span)? {
            HeapType::Optional(_) => self.refuse("an optional value in memory", span),
            HeapType::Scalar(HeapScalar::Int) => self.refuse("an `int` in memory", span),
            HeapType::Scalar(HeapScalar::Data) if self.method == ProofMethod::Cmp => {
                self.refuse("`data` in memory", span)
            }
            taken => Some(taken),
        }
    }
}

fn allocates(method: &Method, of: StructId) -> bool {
    method.code.iter().any(|instr| matches!(instr.op, Op::New { of: made, .. } if made == of))
}

/// It changes memory, other than by taking and giving back locks.
fn writes(method: &Method) -> bool {
    method.code.iter().any(|instr| match &instr.op {
        Op::Lock(_) | Op::Unlock(_) | Op::TryLock { .. } => false,
        Op::New { .. } | Op::Free(_) => true,
        op => !op.places().is_empty() && !op.only_reads(),
    })
}

/// Returns whether the local work after a step has a cycle.
fn loops(method: &Method, step: Pc) -> bool {
    // 0: not seen, 1: on the way, 2: done.
    let mut colour: IndexVec<Pc, u8> = method.code.iter().map(|_| 0).collect();
    let mut way = vec![(step, method.code[step].successors())];
    colour[step] = 1;
    while let Some((pc, rest)) = way.last_mut() {
        match rest.pop() {
            None => {
                colour[*pc] = 2;
                way.pop();
            }
            Some(next) if method.code[next].access.is_step() || colour[next] == 2 => {}
            Some(next) if colour[next] == 1 => return true,
            Some(next) => {
                colour[next] = 1;
                way.push((next, method.code[next].successors()));
            }
        }
    }
    false
}
