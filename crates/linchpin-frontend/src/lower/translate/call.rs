//! Calls. A function that is not recursive is inlined: `self` is the place before the dot, with its pointers
//! and indices evaluated once; parameters get the values of the arguments. A recursive function is a method
//! of its own, in a variant without rests where the caller may not rest.

use super::assigned::{self, Assigned};
use super::{Destination, Frame, Returns, Translator};
use crate::lower::draft::Rest;
use crate::lower::fold;
use crate::typing::hir::{self, FunctionId, TypedStmtKind};
use linchpin_ir::program::{Context, Expr, Op};
use linchpin_ir::source::Span;
use rustc_hash::FxHashMap;
use std::rc::Rc;

impl<'a> Translator<'_, 'a> {
    pub(super) fn call(
        &mut self,
        expr: &'a hir::TypedExpr,
        function: FunctionId,
        self_place: Option<&'a hir::PlaceExpr>,
        args: &'a [hir::TypedExpr],
        to: Destination,
    ) {
        if self.program().functions[function].recursive {
            self.call_method(expr, function, args, to);
        } else if let Some(body) = self.returns_expression(function) {
            self.enter_call(function, self_place, args, expr.span, Returns::FromMethod);
            self.compute(body, to);
            self.frames.pop();
        } else {
            self.inline(expr, function, self_place, args, to);
        }
    }

    /// The expression, if the function is not recursive and does nothing but return it.
    pub(super) fn returns_expression(&self, function: FunctionId) -> Option<&'a hir::TypedExpr> {
        let function = &self.program().functions[function];
        match function.body.stmts.as_slice() {
            [hir::TypedStmt { kind: TypedStmtKind::Return(values), .. }] if !function.recursive => {
                match values.as_slice() {
                    [value] => Some(value),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Which variables a function assigns.
    pub(super) fn assigned_by(&mut self, function: FunctionId) -> Rc<Assigned> {
        let program = self.program();
        self.lowering
            .assigned
            .entry(function)
            .or_insert_with(|| Rc::new(assigned::in_block(&program.functions[function].body)))
            .clone()
    }

    fn inline(
        &mut self,
        expr: &'a hir::TypedExpr,
        function: FunctionId,
        self_place: Option<&'a hir::PlaceExpr>,
        args: &'a [hir::TypedExpr],
        to: Destination,
    ) {
        let callee = &self.program().functions[function];
        let into = match (&to, callee.result) {
            (_, None) => None,
            (Destination::Fresh(local), _) => Some(*local),
            (_, Some(ty)) => Some(self.temporary(ty, expr.span)),
        };
        let exit = self.builder.label();
        self.enter_call(function, self_place, args, expr.span, Returns::FromCall { into, exit });
        self.block(&callee.body);
        self.frames.pop();
        self.builder.bind(exit);
        if let (Destination::Place(place), Some(local)) = (to, into) {
            let value = self.read(local);
            self.assign(place, value, expr.span);
        }
    }

    fn call_method(
        &mut self,
        expr: &'a hir::TypedExpr,
        function: FunctionId,
        args: &'a [hir::TypedExpr],
        to: Destination,
    ) {
        let args = self.operands(args);
        let method = self.lowering.method_of(function, self.rest == Rest::Never);
        self.builder.draft.calls.push(method);
        // The frame waits for the result while the indices of a place could change.
        let (into, copy_to) = match to {
            Destination::Place(place) if !place.path.is_empty() => {
                let temporary = self.temporary(expr.ty, expr.span);
                (Some(self.whole(temporary)), Some((temporary, place)))
            }
            to => (self.wanted(to), None),
        };
        self.emit(Op::Call { method, args, into }, expr.span);
        if let Some((temporary, place)) = copy_to {
            let value = self.read(temporary);
            self.assign(place, value, expr.span);
        }
    }

    /// Evaluates the place before the dot and the arguments, and opens the frame of the call; the caller
    /// closes it.
    pub(super) fn enter_call(
        &mut self,
        function: FunctionId,
        self_place: Option<&'a hir::PlaceExpr>,
        args: &'a [hir::TypedExpr],
        span: Span,
        returns: Returns,
    ) {
        let callee = &self.program().functions[function];
        let self_place = self_place.map(|place| {
            let resolved = self.resolve(place);
            self.spill_place(resolved, place.span)
        });
        let args = self.operands(args);
        let assigned = self.assigned_by(function);
        let caller = self.frame().context;
        let context = self
            .builder
            .draft
            .contexts
            .push(Context { function: callee.name.clone(), called: Some((span, caller)) });
        let mut aliases = FxHashMap::default();
        let mut copied: Vec<(hir::VarId, Expr)> = Vec::new();
        for (&param, value) in callee.params.iter().zip(args) {
            let is_name = fold::is_cheap(&value) && self.is_stable(&value);
            if !assigned.contains(param) && (is_name || !self.bound.is_empty()) {
                aliases.insert(param, value);
            } else {
                copied.push((param, value));
            }
        }
        let outer_scopes = self.scopes.len();
        self.frames.push(Frame {
            function: Some(function),
            vars: Some(&callee.vars),
            assigned,
            aliases,
            self_place,
            context,
            returns,
            outer_scopes,
            loops: Vec::new(),
        });
        for (param, value) in copied {
            let local = self.variable(param);
            self.assign(self.whole(local), value, span);
        }
    }
}
