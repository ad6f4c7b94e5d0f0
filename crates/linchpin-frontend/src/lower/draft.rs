//! A method while it is being made: instructions whose access is not decided yet, and the builder that lays
//! them out.
//!
//! The builder writes instructions one after the other; control falls from each to the next. A [`Label`] is a
//! place that is not known yet. A plain jump is a branch on a constant; the simplifier removes it. What
//! cannot be reached in the order of the text (behind `return`, `break`) is not written at all.

use super::fold;
use linchpin_ir::index::{Index, IndexVec};
use linchpin_ir::program::{Context, ContextId, Expr, LocalId, MethodId, Op, Pc};
use linchpin_ir::source::Span;
use linchpin_ir::types::TypeId;
use std::sync::Arc;

/// Where a thread may rest inside a piece of code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rest {
    /// In front of each access.
    Allowed,
    /// Nowhere: inside `atomic`, in `init`, in a specification.
    Never,
    /// In the code of an `await`: once, in front of its read, or of the `await` itself.
    Await(AwaitId),
}

linchpin_ir::index_types! {
    /// An `await` outside atomic blocks.
    pub struct AwaitId;
}

#[derive(Clone, Debug)]
pub(super) struct DraftInstr {
    pub op: Op,
    pub next: Pc,
    pub span: Span,
    pub context: ContextId,
    pub rest: Rest,
    /// It passes the result of an inlined call to the caller.
    pub hands_over: bool,
    /// A thread rests in front of it; decided by [`super::access`].
    pub is_step: bool,
}

impl DraftInstr {
    pub fn new(op: Op, span: Span, context: ContextId, rest: Rest) -> DraftInstr {
        DraftInstr { op, next: Pc::new(0), span, context, rest, hands_over: false, is_step: false }
    }

    /// A jump in place of an instruction that is not needed.
    pub fn skipped(&self, bool_type: TypeId) -> DraftInstr {
        let cond = fold::constant(bool_type, vec![1]);
        DraftInstr { op: Op::Branch { cond, then: self.next, otherwise: self.next }, ..self.clone() }
    }
}

#[derive(Clone, Debug)]
pub(super) struct DraftLocal {
    pub name: Arc<str>,
    pub ty: TypeId,
    pub temporary: bool,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub name: Arc<str>,
    pub params: Vec<LocalId>,
    pub results: Vec<TypeId>,
    pub locals: IndexVec<LocalId, DraftLocal>,
    pub code: IndexVec<Pc, DraftInstr>,
    pub entry: Pc,
    pub contexts: IndexVec<ContextId, Context>,
    pub awaits: IndexVec<AwaitId, Span>,
    /// Its text, or text that is inlined into it, contains a `lin`.
    pub has_point: bool,
    pub calls: Vec<MethodId>,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Label(usize);

/// Writes the code of a draft.
pub(super) struct Builder {
    pub draft: Draft,
    bool_type: TypeId,
    labels: Vec<LabelState>,
    /// Control falls into the next instruction.
    open: bool,
}

#[derive(Default)]
struct LabelState {
    at: Option<Pc>,
    /// Instructions that jump here, to be completed when the place is known.
    waiting: Vec<(Pc, Edge)>,
}

#[derive(Clone, Copy)]
enum Edge {
    Then,
    Otherwise,
    AtomicEnd,
}

impl Draft {
    pub fn new(name: Arc<str>, results: Vec<TypeId>, span: Span) -> Draft {
        let mut contexts = IndexVec::new();
        contexts.push(Context { function: name.clone(), called: None });
        Draft {
            name,
            params: Vec::new(),
            results,
            locals: IndexVec::new(),
            code: IndexVec::new(),
            entry: Pc::new(0),
            contexts,
            awaits: IndexVec::new(),
            has_point: false,
            calls: Vec::new(),
            span,
        }
    }
}

impl Builder {
    pub fn new(bool_type: TypeId, draft: Draft) -> Builder {
        Builder { draft, bool_type, labels: Vec::new(), open: true }
    }

    pub fn is_open(&self) -> bool {
        self.open
    }

    pub fn len(&self) -> usize {
        self.draft.code.len()
    }

    /// Writes an instruction and returns its place; `None` if control cannot reach it.
    pub fn emit(&mut self, instr: DraftInstr) -> Option<Pc> {
        if !self.open {
            return None;
        }
        let pc = Pc::new(self.len());
        self.open = !matches!(instr.op, Op::Return(_) | Op::Branch { .. });
        self.draft.code.push(DraftInstr { next: Pc::new(pc.index() + 1), ..instr });
        Some(pc)
    }

    pub fn label(&mut self) -> Label {
        self.labels.push(LabelState::default());
        Label(self.labels.len() - 1)
    }

    /// The label is here; control arrives by falling through or by a jump.
    pub fn bind(&mut self, label: Label) {
        let here = Pc::new(self.len());
        let fell = self.open;
        let state = &mut self.labels[label.0];
        state.at = Some(here);
        let waiting = std::mem::take(&mut state.waiting);
        for (pc, edge) in waiting {
            match edge {
                // A block that is only left by jumps ends nowhere; it then names itself.
                Edge::AtomicEnd if !fell => self.complete(pc, edge, pc),
                Edge::AtomicEnd => self.complete(pc, edge, here),
                Edge::Then | Edge::Otherwise => {
                    self.open = true;
                    self.complete(pc, edge, here);
                }
            }
        }
    }

    pub fn goto(&mut self, label: Label, span: Span, context: ContextId, rest: Rest) {
        let always = fold::constant(self.bool_type, vec![1]);
        self.branch(always, label, label, span, context, rest);
    }

    pub fn branch(
        &mut self,
        cond: Expr,
        then: Label,
        otherwise: Label,
        span: Span,
        context: ContextId,
        rest: Rest,
    ) {
        let unknown = Pc::new(0);
        let op = Op::Branch { cond, then: unknown, otherwise: unknown };
        if let Some(pc) = self.emit(DraftInstr::new(op, span, context, rest)) {
            self.point(pc, Edge::Then, then);
            self.point(pc, Edge::Otherwise, otherwise);
        }
    }

    /// Begins an atomic block that ends at the label.
    pub fn atomic(&mut self, end: Label, span: Span, context: ContextId, rest: Rest) {
        let unknown = Pc::new(0);
        let op = Op::Atomic { end: unknown };
        if let Some(pc) = self.emit(DraftInstr::new(op, span, context, rest)) {
            self.point(pc, Edge::AtomicEnd, end);
        }
    }

    fn point(&mut self, pc: Pc, edge: Edge, label: Label) {
        match self.labels[label.0].at {
            Some(at) => self.complete(pc, edge, at),
            None => self.labels[label.0].waiting.push((pc, edge)),
        }
    }

    fn complete(&mut self, pc: Pc, edge: Edge, target: Pc) {
        match (&mut self.draft.code[pc].op, edge) {
            (Op::Branch { then, .. }, Edge::Then) => *then = target,
            (Op::Branch { otherwise, .. }, Edge::Otherwise) => *otherwise = target,
            (Op::Atomic { end }, Edge::AtomicEnd) => *end = target,
            _ => debug_assert!(false, "an edge of another kind of instruction"),
        }
    }
}
