//! Statements: where control goes, and `defer` on every way out.

use super::expressions::{binary, equal, within};
use super::thread::{At, Fault, Run, Stop, Thread};
use super::value::Value;
use linchpin_frontend::typing::hir::{LoopId, TypedBlock, TypedStmt, TypedStmtKind};
use linchpin_ir::index::Index;
use linchpin_ir::types::TypeKind;

/// How a statement ended.
#[derive(Clone, PartialEq, Debug)]
pub enum Flow {
    Next,
    Break(LoopId),
    Continue(LoopId),
    Return(Value),
}

impl Thread<'_> {
    /// The body of a function, to its result.
    pub fn function_body(&mut self, body: &TypedBlock) -> Run<Value> {
        match self.block(body)? {
            Flow::Return(value) => Ok(value),
            Flow::Next => Ok(Value::Unit),
            other => panic!("{other:?} leaves a function"),
        }
    }

    fn block(&mut self, block: &TypedBlock) -> Run<Flow> {
        let mut deferred: Vec<&TypedStmt> = Vec::new();
        let mut flow = Flow::Next;
        for stmt in &block.stmts {
            if let TypedStmtKind::Defer(later) = &stmt.kind {
                deferred.push(later);
                continue;
            }
            flow = self.statement(stmt)?;
            if flow != Flow::Next {
                break;
            }
        }
        while let Some(stmt) = deferred.pop() {
            let left = self.statement(stmt)?;
            assert_eq!(left, Flow::Next, "a deferred statement stays where it is");
        }
        Ok(flow)
    }

    fn statement(&mut self, stmt: &TypedStmt) -> Run<Flow> {
        self.work()?;
        match &stmt.kind {
            TypedStmtKind::Let(var, init) => {
                let value = match init {
                    Some(init) => self.value(init)?,
                    None => self.frame().defaults[var.index()].clone(),
                };
                self.set_var(*var, value);
            }
            TypedStmtKind::Assign(place, value) => {
                let value = self.value(value)?;
                let to = self.resolve(place)?;
                self.write(&to, value, stmt.span)?;
            }
            TypedStmtKind::Update(place, op, value) => {
                let operand = self.value(value)?;
                let at = self.resolve(place)?;
                let old = self.read(&at, stmt.span)?;
                let mut new = binary(*op, &old, &operand).at(stmt.span)?;
                if let (TypeKind::Range { low, high }, Value::Number(number)) =
                    (self.program.types.kind(place.ty), &new)
                {
                    new = within(*number, low, high).at(stmt.span)?;
                }
                self.write(&at, new, stmt.span)?;
            }
            TypedStmtKind::Expr(expr) => {
                self.value(expr)?;
            }
            TypedStmtKind::Block(block) => return self.block(block),
            TypedStmtKind::If(cond, then, otherwise) => {
                if self.truth(cond)? {
                    return self.block(then);
                } else if let Some(otherwise) = otherwise {
                    return self.block(otherwise);
                }
            }
            TypedStmtKind::Match(of, arms) => {
                let of = self.value(of)?;
                for (pattern, body) in arms {
                    let matches = match pattern {
                        Some(pattern) => {
                            let pattern = self.value(pattern)?;
                            equal(&of, &pattern).at(stmt.span)?
                        }
                        None => true,
                    };
                    if matches {
                        return self.block(body);
                    }
                }
            }
            TypedStmtKind::Loop(id, body) => {
                return self.repeat(*id, |_| Ok(true), |thread| thread.block(body));
            }
            TypedStmtKind::While(id, cond, body) => {
                return self.repeat(*id, |thread| thread.truth(cond), |thread| thread.block(body));
            }
            TypedStmtKind::For { id, var, over, body } => {
                let mut remaining = self.sequence(over)?.into_iter();
                let next = |thread: &mut Self| {
                    let element = remaining.next();
                    Ok(element.map(|element| thread.set_var(*var, element)).is_some())
                };
                return self.repeat(*id, next, |thread| thread.block(body));
            }
            TypedStmtKind::Break(id) => return Ok(Flow::Break(*id)),
            TypedStmtKind::Continue(id) => return Ok(Flow::Continue(*id)),
            TypedStmtKind::Return(values) => {
                let mut values = self.values(values)?;
                self.returned_at = Some(stmt.span);
                return Ok(Flow::Return(values.pop().unwrap_or(Value::Unit)));
            }
            TypedStmtKind::Defer(_) => panic!("`defer` stands in a block"),
            TypedStmtKind::Atomic(body) => return self.atomically(|thread| thread.block(body)),
            TypedStmtKind::Await(cond) => {
                self.atomically(|thread| if thread.truth(cond)? { Ok(()) } else { Err(Stop::Disabled) })?;
            }
            TypedStmtKind::Assert(cond) => {
                if !self.truth(cond)? {
                    return Err(Stop::Fault(Fault::Assert, stmt.span));
                }
            }
            TypedStmtKind::Assume(cond) => {
                if !self.truth(cond)? {
                    return Err(Stop::Discarded);
                }
            }
            TypedStmtKind::Lin { of, cond, .. } => {
                if let Some(of) = of {
                    self.value(of)?;
                }
                if let Some(cond) = cond {
                    self.truth(cond)?;
                }
            }
        }
        Ok(Flow::Next)
    }

    fn repeat(
        &mut self,
        id: LoopId,
        mut again: impl FnMut(&mut Self) -> Run<bool>,
        mut body: impl FnMut(&mut Self) -> Run<Flow>,
    ) -> Run<Flow> {
        while again(self)? {
            self.work()?;
            match body(self)? {
                Flow::Break(left) if left == id => break,
                Flow::Continue(at) if at == id => {}
                Flow::Next => {}
                further => return Ok(further),
            }
        }
        Ok(Flow::Next)
    }
}
