//! Loops. What a `for` runs over is evaluated once. Its variable is its own counter unless the body assigns
//! it, and is stepped only if there is a next value: it never leaves its range, and no second variable lives
//! beside it.

use super::{Destination, LoopLabels, Translator, assigned};
use crate::lower::draft::Label;
use crate::lower::fold;
use crate::typing::hir::{self, LoopId, Sequence, TypedBlock, VarId};
use linchpin_ir::interface::BinaryOp;
use linchpin_ir::program::{CollectionMethod, Expr, ExprKind, LocalId};
use linchpin_ir::source::Span;
use linchpin_ir::types::{TypeKind, word_of};

/// How a `for` advances to the next value.
struct Iteration {
    counter: LocalId,
    first: Expr,
    /// Whether there is a value at all.
    enters: Expr,
    /// Whether there is a value after the counter's.
    goes_on: Expr,
    next: Expr,
    /// The value of the variable, where it is not the counter itself.
    element: Option<Expr>,
}

impl<'a> Translator<'_, 'a> {
    /// `loop` and `while`.
    pub(super) fn repeat(
        &mut self,
        id: LoopId,
        cond: Option<&'a hir::TypedExpr>,
        body: &'a TypedBlock,
        span: Span,
    ) {
        let [again, leave] = [self.builder.label(), self.builder.label()];
        self.builder.bind(again);
        if let Some(cond) = cond {
            let enter = self.builder.label();
            self.branch_on(cond, enter, leave);
            self.builder.bind(enter);
        }
        self.loop_body(id, again, leave, body);
        self.goto(again, span);
        self.builder.bind(leave);
    }

    pub(super) fn for_each(
        &mut self,
        id: LoopId,
        var: VarId,
        over: &'a Sequence,
        body: &'a TypedBlock,
        span: Span,
    ) {
        let walk = match over {
            Sequence::Range { low, high, inclusive, reversed } => {
                self.over_range(var, low, high, *inclusive, *reversed, body, span)
            }
            Sequence::Threads => self.over_threads(var, body, span),
            Sequence::Collection(collection) => self.over_elements(var, collection, span),
            Sequence::Bool => {
                self.refuse_unchecked(span);
                return;
            }
        };
        self.walk(id, var, walk, body, span);
    }

    fn walk(&mut self, id: LoopId, var: VarId, iteration: Iteration, body: &'a TypedBlock, span: Span) {
        let [start, again, step, leave] =
            [self.builder.label(), self.builder.label(), self.builder.label(), self.builder.label()];
        self.jump_if(iteration.enters, start, leave, span);
        self.builder.bind(start);
        self.assign(self.whole(iteration.counter), iteration.first, span);
        self.builder.bind(again);
        if let Some(element) = iteration.element {
            let local = self.variable(var);
            self.assign(self.whole(local), element, span);
        }
        let next_round = self.builder.label();
        self.loop_body(id, next_round, leave, body);
        self.builder.bind(next_round);
        self.jump_if(iteration.goes_on, step, leave, span);
        self.builder.bind(step);
        self.assign(self.whole(iteration.counter), iteration.next, span);
        self.goto(again, span);
        self.builder.bind(leave);
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one range")]
    fn over_range(
        &mut self,
        var: VarId,
        low: &'a hir::TypedExpr,
        high: &'a hir::TypedExpr,
        inclusive: bool,
        reversed: bool,
        body: &'a TypedBlock,
        span: Span,
    ) -> Iteration {
        let assigned = assigned::in_block(body);
        let [mut least, mut end] = self.two_operands(low, high);
        if reversed {
            least = self.kept_during(&assigned, least, low.span);
        } else {
            end = self.kept_during(&assigned, end, high.span);
        }
        let (counter, element) = self.counter(var, &assigned, span);
        let count = self.read(counter);
        let one = self.int(1);
        let (int, bool_type) = (one.ty, self.bool_type());
        let last = if inclusive { end.clone() } else { self.one_less(end.clone()) };
        let types = &self.lowering.types;
        let compare = |op, a: &Expr, b: &Expr| fold::binary(types, bool_type, op, a.clone(), b.clone());
        let enters = compare(if inclusive { BinaryOp::Le } else { BinaryOp::Lt }, &least, &end);
        if reversed {
            let goes_on = compare(BinaryOp::Lt, &least, &count);
            let next = fold::binary(types, int, BinaryOp::Sub, count, one);
            Iteration { counter, first: last, enters, goes_on, next, element }
        } else {
            let next = fold::binary(types, int, BinaryOp::Add, count.clone(), one);
            let goes_on = match last.kind {
                ExprKind::Constant(_) => compare(BinaryOp::Lt, &count, &last),
                _ if inclusive => compare(BinaryOp::Lt, &count, &end),
                _ => compare(BinaryOp::Lt, &next, &end),
            };
            Iteration { counter, first: least, enters, goes_on, next, element }
        }
    }

    /// Thread ids are not numbers; the next one is looked up in the table of all by the number of the last.
    fn over_threads(&mut self, var: VarId, body: &'a TypedBlock, span: Span) -> Iteration {
        let threads = self.program().threads;
        let thread = self.lowering.types.intern(TypeKind::Thread);
        let table_type = self.lowering.types.intern(TypeKind::Array(thread, threads));
        let table = fold::constant(table_type, (0..threads).map(word_of).collect());
        let (zero, one, last) = (self.int(0), self.int(1), self.int(word_of(threads) - 1));
        let (int, bool_type) = (zero.ty, self.bool_type());
        let assigned = assigned::in_block(body);
        let (counter, _) = self.counter(var, &assigned, span);
        let separate = assigned.contains(var);
        let number = if separate {
            self.read(counter)
        } else {
            Expr { kind: ExprKind::Ord(Box::new(self.read(counter))), ty: int }
        };
        let entry = |index: Expr| Expr {
            kind: ExprKind::Index(Box::new(table.clone()), Box::new(index)),
            ty: thread,
        };
        let types = &self.lowering.types;
        let enters = fold::binary(types, bool_type, BinaryOp::Le, zero.clone(), last.clone());
        let goes_on = fold::binary(types, bool_type, BinaryOp::Lt, number.clone(), last);
        let following = fold::binary(types, int, BinaryOp::Add, number.clone(), one);
        if separate {
            let element = Some(entry(number));
            Iteration { counter, first: zero, enters, goes_on, next: following, element }
        } else {
            let first = fold::constant(thread, vec![0]);
            Iteration { counter, first, enters, goes_on, next: entry(following), element: None }
        }
    }

    fn over_elements(&mut self, var: VarId, collection: &'a hir::TypedExpr, span: Span) -> Iteration {
        let seq = self.temporary(collection.ty, collection.span);
        self.compute(collection, Destination::Fresh(seq));
        if !matches!(self.lowering.types.kind(collection.ty), TypeKind::Seq(_)) {
            self.refuse_unchecked(collection.span);
        }
        let (zero, one) = (self.int(0), self.int(1));
        let (int, bool_type) = (zero.ty, self.bool_type());
        let counter = self.temporary(int, span);
        let element_type = self.variable_type(var);
        let method =
            |method, args, ty| Expr { kind: ExprKind::Method(method, Box::new(self.read(seq)), args), ty };
        let len = method(CollectionMethod::Len, Vec::new(), int);
        let element = method(CollectionMethod::Get, vec![self.read(counter)], element_type);
        let types = &self.lowering.types;
        let next = fold::binary(types, int, BinaryOp::Add, self.read(counter), one);
        Iteration {
            counter,
            enters: fold::binary(types, bool_type, BinaryOp::Lt, zero.clone(), len.clone()),
            goes_on: fold::binary(types, bool_type, BinaryOp::Lt, next.clone(), len),
            first: zero,
            next,
            element: Some(element),
        }
    }

    /// The variable itself, or a local of its own if the body assigns the variable, with the variable's value
    /// then.
    fn counter(&mut self, var: VarId, assigned: &assigned::Assigned, span: Span) -> (LocalId, Option<Expr>) {
        if !assigned.contains(var) {
            return (self.variable(var), None);
        }
        let int = self.lowering.types.intern(TypeKind::Int);
        let counter = self.temporary(int, span);
        (counter, Some(self.read(counter)))
    }

    /// A bound that the loop looks at again: kept, if the body may change what it was read from.
    fn kept_during(&mut self, assigned: &assigned::Assigned, bound: Expr, span: Span) -> Expr {
        let changing: Vec<LocalId> = assigned.iter().map(|var| self.variable(var)).collect();
        if self.is_stable(&bound) && !changing.iter().any(|local| bound.reads_local(*local)) {
            return bound;
        }
        let kept = self.temporary(bound.ty, span);
        self.assign(self.whole(kept), bound, span);
        self.read(kept)
    }

    fn loop_body(&mut self, id: LoopId, again: Label, leave: Label, body: &'a TypedBlock) {
        let outer_scopes = self.scopes.len();
        self.frame_mut().loops.push((id, LoopLabels { leave, again, outer_scopes }));
        self.block(body);
        self.frame_mut().loops.pop();
    }
}
