//! From the typed program to instructions: shared reads split off, calls inlined, blocks flattened.
//!
//! **Order** (language 3.3). Operands are evaluated left to right. An assignment evaluates the right side,
//! then the pointers and indices of the place, then writes. A primitive, a method and a call evaluate the
//! pointers of the place first. An operand that is evaluated before an instruction of a later operand is kept
//! in a temporary, unless it is *stable* ([`fold::is_stable`]). So no later operand can change it, and its
//! own failure comes first. The last operands stay expressions, and the instruction that uses them evaluates
//! them. They read only what belongs to the thread, so no other thread can observe the difference.
//!
//! **Frames.** A call that is not recursive is inlined. Its variables are locals of the method, the same ones
//! for every call of the function: two activations of a function that is not recursive never overlap. A
//! parameter that its function does not assign, bound to a variable or a constant, is only another name for
//! it.
//!
//! **Hoisting.** The condition of a `choose` and the body of a quantifier are pure expressions. What they
//! read from memory is read once, before. That equals a read for each candidate only where no other thread
//! can run in between. Elsewhere the translation reports an error.

mod assigned;
mod branch;
mod call;
mod collection;
mod condition;
mod iterate;
mod leave;
mod methods;
mod place;
mod primitive;
mod pure;
mod statement;
mod value;

pub(super) use assigned::Assigned;
pub(super) use methods::{clause, function, hash, init, spec_init, thread_init};

use super::Lowering;
use super::draft::{Builder, Draft, DraftInstr, DraftLocal, Label, Rest};
use super::fold;
use crate::typing::hir::{self, FunctionId, LoopId, VarId};
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::index::IndexVec;
use linchpin_ir::program::{ContextId, Expr, LocalBase, LocalId, LocalPlace, LocalSet, Op, Pc};
use linchpin_ir::source::Span;
use linchpin_ir::types::{TypeId, TypeKind};
use place::Resolved;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::Arc;

/// A method larger than this is refused: functions that call one another twice, many deep, grow beyond any
/// memory.
const MOST_INSTRUCTIONS: usize = 20_000;
/// Statements, expressions and inlined calls inside one another.
const DEEPEST_NESTING: usize = 400;

/// Translates one method.
pub(super) struct Translator<'t, 'a> {
    lowering: &'t mut Lowering<'a>,
    builder: Builder,
    /// The method's own text, then the calls being inlined.
    frames: Vec<Frame<'a>>,
    /// The open blocks of all frames.
    scopes: Vec<Scope<'a>>,
    rest: Rest,
    /// The candidates and elements that the expression being translated ranges over.
    bound: Vec<LocalId>,
    nesting: usize,
    variables: FxHashMap<(Option<FunctionId>, VarId), LocalId>,
    /// Variables that methods change within expressions.
    unstable: LocalSet,
}

/// The text that is being translated: a function, a clause, a hash.
struct Frame<'a> {
    function: Option<FunctionId>,
    vars: Option<&'a IndexVec<VarId, hir::Var>>,
    assigned: Rc<Assigned>,
    aliases: FxHashMap<VarId, Expr>,
    self_place: Option<Resolved>,
    context: ContextId,
    returns: Returns,
    /// The number of open blocks outside it.
    outer_scopes: usize,
    loops: Vec<(LoopId, LoopLabels)>,
}

/// What `return` does.
#[derive(Clone, Copy)]
enum Returns {
    FromMethod,
    /// Stores the value in the local and continues after the call.
    FromCall {
        into: Option<LocalId>,
        exit: Label,
    },
}

#[derive(Clone, Copy)]
struct LoopLabels {
    leave: Label,
    again: Label,
    /// The number of open blocks outside the loop.
    outer_scopes: usize,
}

/// An open block: its deferred statements so far, and whether its text may rest.
#[derive(Clone)]
struct Scope<'a> {
    deferred: Vec<&'a hir::TypedStmt>,
    rest: Rest,
}

/// The destination of the value of an expression.
#[derive(Clone)]
enum Destination {
    /// A whole local that nothing reads before the value is complete.
    Fresh(LocalId),
    /// A place that may still be read while the value is computed: written once, at the end.
    Place(LocalPlace),
    Nowhere,
}

impl<'t, 'a> Translator<'t, 'a> {
    fn new(lowering: &'t mut Lowering<'a>, draft: Draft, rest: Rest) -> Self {
        let builder = Builder::new(lowering.bool_type, draft);
        Translator {
            lowering,
            builder,
            frames: Vec::new(),
            scopes: Vec::new(),
            rest,
            bound: Vec::new(),
            nesting: 0,
            variables: FxHashMap::default(),
            unstable: LocalSet::new(),
        }
    }

    fn frame(&self) -> &Frame<'a> {
        self.frames.last().expect("a translator always has the frame of its method")
    }

    fn frame_mut(&mut self) -> &mut Frame<'a> {
        self.frames.last_mut().expect("a translator always has the frame of its method")
    }

    fn program(&self) -> &'a hir::Program {
        self.lowering.program
    }

    fn emit(&mut self, op: Op, span: Span) -> Option<Pc> {
        self.refuse_if_bound(span);
        let context = self.frame().context;
        self.builder.emit(DraftInstr::new(op, span, context, self.rest))
    }

    fn assign(&mut self, to: LocalPlace, value: Expr, span: Span) -> Option<Pc> {
        self.emit(Op::Assign { to, value }, span)
    }

    fn goto(&mut self, label: Label, span: Span) {
        let context = self.frame().context;
        self.builder.goto(label, span, context, self.rest);
    }

    fn jump_if(&mut self, cond: Expr, then: Label, otherwise: Label, span: Span) {
        self.refuse_if_bound(span);
        let context = self.frame().context;
        self.builder.branch(cond, then, otherwise, span, context, self.rest);
    }

    /// The local of a variable of the running frame.
    fn variable(&mut self, var: VarId) -> LocalId {
        let frame = self.frame();
        let key = (frame.function, var);
        if let Some(&local) = self.variables.get(&key) {
            return local;
        }
        let local = match frame.vars.and_then(|vars| vars.get(var)) {
            Some(hir::Var { name, ty, span }) => {
                DraftLocal { name: name.clone(), ty: *ty, temporary: false, span: *span }
            }
            None => {
                let (name, span) = (self.builder.draft.name.clone(), self.builder.draft.span);
                DraftLocal { name, ty: self.lowering.unit, temporary: true, span }
            }
        };
        let changed_in_expressions = frame.assigned.within_expressions(var);
        let id = self.builder.draft.locals.push(local);
        self.variables.insert(key, id);
        if changed_in_expressions {
            self.unstable.insert(id);
        }
        id
    }

    /// A new local of the lowering's own, named after the text whose value it holds.
    fn temporary(&mut self, ty: TypeId, span: Span) -> LocalId {
        let name = self.lowering.text(span);
        self.builder.draft.locals.push(DraftLocal { name, ty, temporary: true, span })
    }

    fn variable_type(&mut self, var: VarId) -> TypeId {
        let local = self.variable(var);
        self.type_of(local)
    }

    fn type_of(&self, local: LocalId) -> TypeId {
        self.builder.draft.locals[local].ty
    }

    fn whole(&self, local: LocalId) -> LocalPlace {
        LocalPlace { base: LocalBase::Local(local), path: Vec::new(), ty: self.type_of(local) }
    }

    fn read(&self, local: LocalId) -> Expr {
        fold::local(self.type_of(local), local)
    }

    fn default_of(&self, ty: TypeId) -> Expr {
        fold::constant(ty, self.lowering.types.defaults(ty))
    }

    fn int(&mut self, number: i32) -> Expr {
        fold::constant(self.lowering.types.intern(TypeKind::Int), vec![number])
    }

    fn bool_type(&self) -> TypeId {
        self.lowering.bool_type
    }

    fn is_stable(&self, value: &Expr) -> bool {
        fold::is_stable(&|local| self.unstable.contains(local), value)
    }

    /// Keeps a value from being changed or failing later.
    fn spill_to_temporary(&mut self, value: Expr, span: Span) -> Expr {
        if self.is_stable(&value) || !self.bound.is_empty() {
            return value;
        }
        let temporary = self.temporary(value.ty, span);
        self.assign(self.whole(temporary), value, span);
        self.read(temporary)
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.lowering.report(diagnostic);
    }

    /// Reports a construct that no checked program contains.
    fn refuse_unchecked(&mut self, span: Span) {
        self.report(Diagnostic::error("this has no meaning", span, "the checker should have reported this"));
    }

    /// Goes one level deeper into the text, unless it is too deep or the method too large.
    fn descend(&mut self, span: Span) -> bool {
        if self.nesting >= DEEPEST_NESTING {
            self.refuse_size(span, "it is nested too deeply");
            return false;
        }
        if self.builder.len() >= MOST_INSTRUCTIONS {
            self.refuse_size(span, &format!("it is more than {MOST_INSTRUCTIONS} instructions long"));
            return false;
        }
        self.nesting += 1;
        true
    }

    fn ascend(&mut self) {
        self.nesting -= 1;
    }

    fn refuse_size(&mut self, span: Span, why: &str) {
        let name = self.builder.draft.name.clone();
        let refused = self.lowering.refused_size.contains(&name);
        if !refused {
            self.report(
                Diagnostic::error(
                    format!("`{name}` is too large"),
                    span,
                    format!("with its calls inlined, {why}"),
                )
                .help("reduce the calls between functions"),
            );
            self.lowering.refused_size.push(name);
        }
    }
}

/// `text` on one line, cut to a length that fits a table.
pub(super) fn short_text(text: &str) -> Arc<str> {
    let mut short = String::new();
    for word in text.split_whitespace() {
        if !short.is_empty() {
            short.push(' ');
        }
        short.push_str(word);
        if let Some((cut, _)) = short.char_indices().nth(40) {
            short.truncate(cut);
            short.push('…');
            break;
        }
    }
    short.into()
}
