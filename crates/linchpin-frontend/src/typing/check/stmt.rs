//! Statements.

use super::body::{Body, LoopFrame};
use super::convert::{Why, literal};
use super::operators::age_arithmetic;
use crate::syntax::ast;
use crate::syntax::ast::{AssignOp, Name};
use crate::typing::collect::names::count;
use crate::typing::hir::{
    CollectionMethod, LoopId, PlaceExpr, PlaceKind, TypedBlock, TypedExpr, TypedExprKind, TypedStmt,
    TypedStmtKind,
};
use crate::typing::suggest;
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::interface::BinaryOp;
use linchpin_ir::source::Span;
use linchpin_ir::types::{TypeId, TypeKind};

impl<'a> Body<'_, 'a> {
    pub fn block(&mut self, block: &'a ast::Block) -> TypedBlock {
        let stmts = self.scoped(|inside| block.stmts.iter().filter_map(|stmt| inside.stmt(stmt)).collect());
        TypedBlock { stmts, span: block.span }
    }

    /// A block that never ends.
    pub fn without_end(&mut self, span: Span) -> TypedBlock {
        let kind =
            self.in_loop(&None, |_, id| TypedStmtKind::Loop(id, TypedBlock { stmts: Vec::new(), span }));
        TypedBlock { stmts: vec![TypedStmt { kind, span }], span }
    }

    /// A statement; `None` if it is wrong, which was reported.
    fn stmt(&mut self, stmt: &'a ast::Stmt) -> Option<TypedStmt> {
        let span = stmt.span;
        let kind = match &stmt.kind {
            ast::StmtKind::Let { name, ty, value } => self.let_stmt(name, ty.as_ref(), value.as_ref()),
            ast::StmtKind::Assign { place, op, value } => return self.assign(place, *op, value, span),
            ast::StmtKind::Expr(expr) => TypedStmtKind::Expr(self.effect(expr)),
            ast::StmtKind::Block(block) => TypedStmtKind::Block(self.block(block)),
            ast::StmtKind::If(branches) => self.if_stmt(branches),
            ast::StmtKind::Match { value, arms, .. } => self.match_stmt(value, arms),
            ast::StmtKind::Loop { label, body } => {
                self.in_loop(label, |inside, id| TypedStmtKind::Loop(id, inside.block(body)))
            }
            ast::StmtKind::While { label, cond, body } => {
                let cond = self.condition(cond);
                self.in_loop(label, |inside, id| TypedStmtKind::While(id, cond, inside.block(body)))
            }
            ast::StmtKind::For { label, var, range, body } => {
                return self.for_stmt(label, var, range, body, span);
            }
            ast::StmtKind::Break(label) => {
                TypedStmtKind::Break(self.loop_named(label.as_ref(), "break", span)?)
            }
            ast::StmtKind::Continue(label) => {
                TypedStmtKind::Continue(self.loop_named(label.as_ref(), "continue", span)?)
            }
            ast::StmtKind::Return(values) => self.return_stmt(values, span),
            ast::StmtKind::Defer(inner) => {
                self.only_in_code("`defer`", span);
                self.defers.push(self.loops.len());
                let inner = self.stmt(inner);
                self.defers.pop();
                TypedStmtKind::Defer(Box::new(inner?))
            }
            ast::StmtKind::Atomic(block) => {
                self.only_in_code("`atomic`", span);
                TypedStmtKind::Atomic(self.block(block))
            }
            ast::StmtKind::Await(cond) => {
                self.only_in_code("`await`", span);
                TypedStmtKind::Await(self.condition(cond))
            }
            ast::StmtKind::Assert(cond) => {
                self.only_in_code("`assert`", span);
                TypedStmtKind::Assert(self.condition(cond))
            }
            ast::StmtKind::Assume(cond) => {
                self.only_in_code("`assume`", span);
                TypedStmtKind::Assume(self.condition(cond))
            }
            ast::StmtKind::Lin { maybe, of, cond } => self.lin(*maybe, of.as_ref(), cond.as_ref(), span),
        };
        Some(TypedStmt { kind, span })
    }

    fn let_stmt(
        &mut self,
        name: &'a Name,
        ty: Option<&'a ast::Type>,
        value: Option<&'a ast::Expr>,
    ) -> TypedStmtKind {
        let declared = ty.map(|ty| self.cx.value_type(&self.env, ty, "a variable of a function"));
        let (ty, value) = match (declared, value) {
            (Some(declared), Some(value)) => {
                let why = Why::At(ty.map_or(name.span, |ty| ty.span), "the type is given here");
                (declared, Some(self.expr_as(value, declared, why)))
            }
            (Some(declared), None) => (declared, None),
            (None, Some(value)) => {
                let value = self.value(value);
                (value.ty, Some(value))
            }
            (None, None) => {
                self.report(
                    Diagnostic::error(
                        format!("cannot infer the type of `{}`", name.text),
                        name.span,
                        "it has neither a type nor a value",
                    )
                    .help(format!("write `let {}: bool;` or `let {} = …;`", name.text, name.text)),
                );
                (self.cx.poison(), None)
            }
        };
        TypedStmtKind::Let(self.declare(name, ty), value)
    }

    fn assign(
        &mut self,
        place: &'a ast::Expr,
        op: AssignOp,
        value: &'a ast::Expr,
        span: Span,
    ) -> Option<TypedStmt> {
        if !can_be_a_place(place) {
            // The parser reported the error.
            self.look_at_arguments(std::slice::from_ref(value));
            return None;
        }
        let place = self.place(place);
        let place = match element_of_seq(place) {
            Ok((sequence, index, element)) => {
                return self.assign_element(sequence, index, element, op, value, span);
            }
            Err(place) => place,
        };
        if !self.assignable(&place) {
            self.look_at_arguments(std::slice::from_ref(value));
            return None;
        }
        let kind = match op {
            AssignOp::Set => {
                let why = Why::At(place.span, "the place holds this type");
                let value = self.expr_as(value, place.ty, why);
                TypedStmtKind::Assign(place, value)
            }
            AssignOp::Add => self.update(place, BinaryOp::Add, value, span),
            AssignOp::Sub => self.update(place, BinaryOp::Sub, value, span),
        };
        Some(TypedStmt { kind, span })
    }

    fn update(&mut self, place: PlaceExpr, op: BinaryOp, value: &'a ast::Expr, span: Span) -> TypedStmtKind {
        let int = self.cx.int();
        let step = self.expr_as(value, int, Why::Plain);
        if self.cx.types.kind(place.ty) == TypeKind::Age {
            if op != BinaryOp::Add || literal(value) != Some(1) {
                self.report(age_arithmetic(span));
            }
        } else if !self.cx.types.is_number(place.ty) {
            let diagnostic = self.mismatch(place.ty, int, place.span, Why::Plain);
            self.report(diagnostic);
        }
        TypedStmtKind::Update(place, op, step)
    }

    fn assign_element(
        &mut self,
        sequence: PlaceExpr,
        index: TypedExpr,
        element: TypeId,
        op: AssignOp,
        value: &'a ast::Expr,
        span: Span,
    ) -> Option<TypedStmt> {
        if op != AssignOp::Set {
            self.look_at_arguments(std::slice::from_ref(value));
            self.report(
                Diagnostic::error(
                    "`+=` and `-=` do not work on an element of a `seq`",
                    span,
                    "not supported here",
                )
                .help("write `s[i] = s[i] + 1;`"),
            );
            return None;
        }
        let value = self.expr_as(value, element, Why::Plain);
        if !self.assignable(&sequence) || self.is_poison(value.ty) {
            return None;
        }
        let ty = self.cx.unit();
        let kind = TypedExprKind::Method {
            receiver: sequence,
            method: CollectionMethod::Set,
            args: vec![index, value],
        };
        Some(TypedStmt { kind: TypedStmtKind::Expr(TypedExpr { kind, ty, span }), span })
    }

    /// An expression whose value is not used.
    fn effect(&mut self, expr: &'a ast::Expr) -> TypedExpr {
        let value = self.expr(expr, None);
        if let ast::ExprKind::Binary(BinaryOp::Eq, ..) = &expr.kind
            && !self.is_poison(value.ty)
        {
            self.report(
                Diagnostic::error("this comparison does nothing", expr.span, "its result is not used")
                    .help("to assign, write one `=`"),
            );
        }
        value
    }

    fn if_stmt(&mut self, branches: &'a ast::If) -> TypedStmtKind {
        let cond = self.condition(&branches.cond);
        let then = self.block(&branches.then);
        let otherwise = branches.otherwise.as_ref().map(|otherwise| match otherwise {
            ast::Else::Block(block) => self.block(block),
            ast::Else::If(inner) => {
                let span = inner.cond.span.to(inner.then.span);
                let kind = self.if_stmt(inner);
                TypedBlock { stmts: vec![TypedStmt { kind, span }], span }
            }
        });
        TypedStmtKind::If(cond, then, otherwise)
    }

    fn for_stmt(
        &mut self,
        label: &'a Option<Name>,
        var: &'a Name,
        range: &'a ast::Expr,
        body: &'a ast::Block,
        span: Span,
    ) -> Option<TypedStmt> {
        let sequence = self.for_sequence(range);
        let ty = match &sequence {
            Some((_, ty)) => *ty,
            None => self.cx.poison(),
        };
        let (id, var, body) = self.scoped(|inside| {
            let var = inside.declare(var, ty);
            inside.in_loop(label, |inside, id| (id, var, inside.block(body)))
        });
        let (over, _) = sequence?;
        Some(TypedStmt { kind: TypedStmtKind::For { id, var, over, body }, span })
    }

    fn loop_named(&mut self, label: Option<&Name>, word: &str, span: Span) -> Option<LoopId> {
        let matches = |frame: &LoopFrame| match label {
            Some(label) => frame.label.as_ref().is_some_and(|known| known.text == label.text),
            None => true,
        };
        let Some(at) = self.loops.iter().rposition(matches) else {
            let mut diagnostic =
                Diagnostic::error(format!("`{word}` outside of a loop"), span, "no loop here");
            if let Some(label) = label {
                let known: Vec<&str> =
                    self.loops.iter().filter_map(|f| Some(&*f.label.as_ref()?.text)).collect();
                let mut unknown = Diagnostic::error(
                    format!("there is no loop `{}` here", quoted(&label.text)),
                    label.span,
                    "no enclosing loop has this label",
                );
                unknown.help = suggest::nearest(&label.text, known)
                    .map(|near| format!("did you mean `{}`?", quoted(near)))
                    .or_else(|| Some(format!("label a loop with `{}: loop {{ … }}`", quoted(&label.text))));
                diagnostic = unknown;
            }
            self.report(diagnostic);
            return None;
        };
        if self.defers.last().is_some_and(|outside| at < *outside) {
            self.leaves_defer(word, span);
            return None;
        }
        Some(self.loops[at].id)
    }

    fn leaves_defer(&mut self, word: &str, span: Span) {
        self.report(
            Diagnostic::error(
                format!("`{word}` cannot leave a `defer`"),
                span,
                "a `defer` runs while its block is left",
            )
            .help("let the `defer` run to its end"),
        );
    }

    fn return_stmt(&mut self, values: &'a [ast::Expr], span: Span) -> TypedStmtKind {
        if !self.defers.is_empty() {
            self.leaves_defer("return", span);
        }
        let wanted = self.results.clone();
        if values.len() != wanted.len() {
            self.look_at_arguments(values);
            let diagnostic = match (wanted.len(), values.len()) {
                (0, _) => Diagnostic::error(
                    "this `return` has a value, but no result is declared",
                    span,
                    "unexpected value",
                )
                .label(self.results_at, "no result is declared here")
                .help("declare the result with `-> type`, or write `return;`"),
                (1, 0) => Diagnostic::error(
                    "this `return` has no result",
                    span,
                    format!("expected `{}`", self.name_of(wanted[0])),
                )
                .label(self.results_at, "the result is declared here"),
                (n, m) => Diagnostic::error(
                    format!("expected {}, found {m}", count(n, "result")),
                    span,
                    "the wrong number of results",
                )
                .label(self.results_at, "the results are declared here"),
            };
            self.report(diagnostic);
            return TypedStmtKind::Return(Vec::new());
        }
        let why = Why::At(self.results_at, "the result is declared here");
        let values = values.iter().zip(wanted).map(|(value, ty)| self.expr_as(value, ty, why));
        TypedStmtKind::Return(values.collect())
    }

    fn lin(
        &mut self,
        maybe: bool,
        of: Option<&'a ast::Expr>,
        cond: Option<&'a ast::Expr>,
        span: Span,
    ) -> TypedStmtKind {
        self.only_in_code("`lin`", span);
        self.effects.lin.get_or_insert(span);
        let thread = self.cx.types.intern(TypeKind::Thread);
        let of = of.map(|of| self.expr_as(of, thread, Why::Plain));
        let cond = cond.map(|cond| self.condition(cond));
        TypedStmtKind::Lin { maybe, of, cond }
    }
}

fn can_be_a_place(expr: &ast::Expr) -> bool {
    match &expr.kind {
        ast::ExprKind::Paren(inner) => can_be_a_place(inner),
        ast::ExprKind::Name(_)
        | ast::ExprKind::SelfPlace
        | ast::ExprKind::Field(..)
        | ast::ExprKind::Index(..) => true,
        _ => false,
    }
}

/// `s[i]` where `s` is a `seq`: the place of `s`, the number, the type of an element; any other place as it
/// is.
fn element_of_seq(place: PlaceExpr) -> Result<(PlaceExpr, TypedExpr, TypeId), PlaceExpr> {
    let (ty, span) = (place.ty, place.span);
    let PlaceKind::Value(value) = place.kind else { return Err(place) };
    match value.kind {
        TypedExprKind::Method { receiver, method: CollectionMethod::Get, mut args } if args.len() == 1 => {
            let index = args.remove(0);
            Ok((receiver, index, ty))
        }
        kind => {
            let value = TypedExpr { kind, ..*value };
            Err(PlaceExpr { kind: PlaceKind::Value(Box::new(value)), ty, span })
        }
    }
}

/// A label with its quote, whether or not the tree keeps it.
fn quoted(label: &str) -> String {
    format!("'{}", label.trim_start_matches('\''))
}
