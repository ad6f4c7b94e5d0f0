//! Statements and blocks.
//!
//! A simple statement contains no block. A block of simple statements stands on one line with its head if it
//! fits, and either was written so or holds a single statement. An `if` with an `else` stands on one line
//! only if it was written so.

use super::super::ast::{Arm, AssignOp, Block, Else, Expr, If, Name, Stmt, StmtKind};
use super::Printer;
use super::doc::{Doc, concat_docs};
use linchpin_ir::source::Span;

/// Which blocks may go to one line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OneLine {
    /// Those that were on one line.
    IfWritten,
    /// Those too that hold a single simple statement.
    IfSimple,
    Never,
}

impl Printer<'_> {
    /// `head { body }`, where `gap` stands before the brace.
    pub(super) fn with_block(&mut self, head: Doc, gap: impl Into<Doc>, block: &Block, rule: OneLine) -> Doc {
        let head = concat_docs![head, gap.into(), "{"].group();
        concat_docs![head, self.rest_of_block(block, rule)].group()
    }

    /// What follows the `{` of a block.
    fn rest_of_block(&mut self, block: &Block, rule: OneLine) -> Doc {
        let close = (block.span.end as usize).saturating_sub(1);
        if block.stmts.is_empty() && !self.comments.any_before(close) {
            return "}".into();
        }
        let edge = if self.may_be_one_line(block, rule) { Doc::Line } else { Doc::HardLine };
        let first = block.stmts.first().map_or(close, |s| s.span.start as usize);
        let trailing = Doc::from(Vec::from_iter(self.comments.trailing(first)));
        let body = if matches!(edge, Doc::Line) {
            let mut parts = Vec::new();
            for stmt in &block.stmts {
                parts.extend([Doc::Line, self.stmt(stmt)]);
            }
            Doc::from(parts)
        } else {
            concat_docs![Doc::HardLine, self.sequence(&block.stmts, |s| s.span, close, Self::stmt)]
        };
        concat_docs![trailing, body.nest(), edge, "}"]
    }

    fn may_be_one_line(&self, block: &Block, rule: OneLine) -> bool {
        let (start, end) = (block.span.start as usize, block.span.end as usize);
        let written = !self.comments.line_ends_within(start, end);
        let allowed = match rule {
            OneLine::IfWritten => written,
            OneLine::IfSimple => written || block.stmts.len() == 1,
            OneLine::Never => false,
        };
        allowed && block.stmts.iter().all(is_simple) && !self.comments.any_before(end)
    }

    pub(super) fn stmt(&mut self, stmt: &Stmt) -> Doc {
        match &stmt.kind {
            StmtKind::Let { name, ty, value } => {
                let name = self.name(name);
                let ty = match ty {
                    Some(ty) => concat_docs![": ", self.ty(ty)],
                    None => Doc::empty(),
                };
                concat_docs!["let ", name, ty, self.initial(value.as_ref()), ";"]
            }
            StmtKind::Assign { place, op, value } => {
                let sign = match op {
                    AssignOp::Set => " = ",
                    AssignOp::Add => " += ",
                    AssignOp::Sub => " -= ",
                };
                concat_docs![self.expr(place), sign, self.expr(value), ";"]
            }
            StmtKind::Expr(expr) => concat_docs![self.expr(expr), ";"],
            StmtKind::Block(block) => self.with_block(Doc::empty(), Doc::empty(), block, OneLine::IfWritten),
            StmtKind::If(conditional) => {
                let start = stmt.span.start as usize;
                let written = !self.comments.line_ends_within(start, stmt.span.end as usize);
                let rule = match &conditional.otherwise {
                    None => OneLine::IfSimple,
                    Some(_) if written && branches_are_short(conditional) => OneLine::IfWritten,
                    Some(_) => OneLine::Never,
                };
                self.conditional(conditional, rule).group()
            }
            StmtKind::Match { value, open_brace, arms } => self.matching(stmt, value, *open_brace, arms),
            StmtKind::Loop { label, body } => {
                let head = concat_docs![self.label(label.as_ref()), "loop"];
                self.with_block(head, " ", body, OneLine::IfSimple)
            }
            StmtKind::While { label, cond, body } => {
                let label = self.label(label.as_ref());
                let (cond, gap) = self.condition(cond, body.span.start as usize);
                self.with_block(concat_docs![label, "while ", cond], gap, body, OneLine::IfSimple)
            }
            StmtKind::For { label, var, range, body } => {
                let label = self.label(label.as_ref());
                let head = concat_docs![label, "for ", self.name(var), " in ", self.expr(range)];
                self.with_block(head, " ", body, OneLine::IfSimple)
            }
            StmtKind::Break(label) => self.jump("break", label.as_ref()),
            StmtKind::Continue(label) => self.jump("continue", label.as_ref()),
            StmtKind::Return(values) if values.is_empty() => "return;".into(),
            StmtKind::Return(values) => concat_docs!["return ", self.joined(values, Self::expr), ";"],
            StmtKind::Defer(inner) => concat_docs!["defer ", self.stmt(inner)],
            StmtKind::Atomic(block) => self.with_block("atomic".into(), " ", block, OneLine::IfWritten),
            StmtKind::Await(expr) => concat_docs!["await ", self.expr(expr), ";"],
            StmtKind::Assert(expr) => concat_docs!["assert ", self.expr(expr), ";"],
            StmtKind::Assume(expr) => concat_docs!["assume ", self.expr(expr), ";"],
            StmtKind::Lin { maybe, of, cond } => {
                let of = match of {
                    Some(of) => concat_docs![" of ", self.expr(of)],
                    None => Doc::empty(),
                };
                let cond = match cond {
                    Some(cond) => concat_docs![" if ", self.expr(cond)],
                    None => Doc::empty(),
                };
                concat_docs![if *maybe { "lin maybe" } else { "lin" }, of, cond, ";"]
            }
        }
    }

    /// ` = value`, if there is one.
    pub(super) fn initial(&mut self, value: Option<&Expr>) -> Doc {
        match value {
            Some(value) => concat_docs![" = ", self.expr(value)],
            None => Doc::empty(),
        }
    }

    fn label(&mut self, label: Option<&Name>) -> Doc {
        match label {
            Some(label) => concat_docs![self.name(label), ": "],
            None => Doc::empty(),
        }
    }

    fn jump(&mut self, word: &'static str, label: Option<&Name>) -> Doc {
        match label {
            Some(label) => concat_docs![word, " ", self.name(label), ";"],
            None => concat_docs![word, ";"],
        }
    }

    fn conditional(&mut self, conditional: &If, rule: OneLine) -> Doc {
        let (cond, gap) = self.condition(&conditional.cond, conditional.then.span.start as usize);
        let head = concat_docs!["if ", cond, gap, "{"].group();
        let then = self.rest_of_block(&conditional.then, rule);
        let otherwise = match &conditional.otherwise {
            None => Doc::empty(),
            Some(Else::If(next)) => {
                let before = self.flush(next.cond.span.start as usize);
                concat_docs![before, " else ", self.conditional(next, rule)]
            }
            Some(Else::Block(block)) => {
                let before = self.flush(block.span.start as usize);
                concat_docs![before, " else {", self.rest_of_block(block, rule)]
            }
        };
        concat_docs![head, then, otherwise]
    }

    fn matching(&mut self, stmt: &Stmt, value: &Expr, open_brace: Span, arms: &[Arm]) -> Doc {
        let close = (stmt.span.end as usize).saturating_sub(1);
        let (value, gap) = self.condition(value, open_brace.start as usize);
        let head = concat_docs!["match ", value, gap, "{"].group();
        if arms.is_empty() && !self.comments.any_before(close) {
            return concat_docs![head, "}"];
        }
        let first = arms.first().map_or(close, |a| a.span.start as usize);
        let trailing = Doc::from(Vec::from_iter(self.comments.trailing(first)));
        let arms = self.sequence(
            arms,
            |a| a.span,
            close,
            |p, arm| {
                let pattern = match &arm.pattern {
                    Some(pattern) => p.expr(pattern),
                    None => "_".into(),
                };
                p.with_block(concat_docs![pattern, " =>"], " ", &arm.body, OneLine::IfWritten)
            },
        );
        concat_docs![head, trailing, concat_docs![Doc::HardLine, arms].nest(), Doc::HardLine, "}"]
    }
}

/// A statement without a block.
fn is_simple(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Defer(inner) => is_simple(inner),
        StmtKind::Block(_)
        | StmtKind::If(_)
        | StmtKind::Match { .. }
        | StmtKind::Loop { .. }
        | StmtKind::While { .. }
        | StmtKind::For { .. }
        | StmtKind::Atomic(_) => false,
        _ => true,
    }
}

/// Every branch is one simple statement at most.
fn branches_are_short(conditional: &If) -> bool {
    let short = |block: &Block| block.stmts.len() <= 1 && block.stmts.iter().all(is_simple);
    short(&conditional.then)
        && match &conditional.otherwise {
            None => true,
            Some(Else::If(next)) => branches_are_short(next),
            Some(Else::Block(block)) => short(block),
        }
}
