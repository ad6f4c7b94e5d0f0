//! The context of one piece of code: its variables and loops, what `return` gives, and what is allowed there.
//! Statements, expressions and places are methods of [`Body`], a file each.

use super::functions::Effects;
use crate::syntax::ast::Name;
use crate::typing::declare::context::{Checker, Env};
use crate::typing::hir::{self, LoopId, TypedExpr, TypedExprKind, VarId};
use crate::typing::names_used::NameKind;
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::index::{Index, IndexVec};
use linchpin_ir::source::Span;
use linchpin_ir::types::{TypeId, Word};
use std::sync::Arc;

pub(in crate::typing) struct Body<'c, 'a> {
    pub cx: &'c mut Checker<'a>,
    pub env: Env,
    pub stage: Stage,
    pub vars: IndexVec<VarId, hir::Var>,
    /// The type of the place before the dot, in a method.
    pub self_type: Option<TypeId>,
    /// The results that `return` lists; one, none, or in a rendezvous several.
    pub results: Vec<TypeId>,
    /// Where they were declared.
    pub results_at: Span,
    pub effects: Effects,
    pub(in crate::typing) loops: Vec<LoopFrame>,
    /// How many loops were open where each enclosing `defer` began.
    pub(in crate::typing) defers: Vec<usize>,
    scopes: Vec<Vec<(Arc<str>, VarId)>>,
    loop_count: usize,
}

/// The kind of a piece of code, which decides what it may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::typing) enum Stage {
    /// Operations, functions, `init`.
    Code,
    /// The initial value of a `shared` variable.
    SharedInitial,
    /// The initial value of a `local` variable.
    LocalInitial,
    /// The initial value of a `state` variable.
    SpecState,
    /// An argument of a specification, what an observer is about.
    SpecInitial,
    /// The clauses of a specification.
    Clause,
    /// The `when` of one: it changes nothing and chooses nothing.
    When,
    /// The body of a `hash`.
    Hash,
}

pub(in crate::typing) struct LoopFrame {
    pub id: LoopId,
    pub label: Option<Name>,
}

impl<'c, 'a> Body<'c, 'a> {
    pub fn new(cx: &'c mut Checker<'a>, env: Env, stage: Stage, at: Span) -> Self {
        Body {
            cx,
            env,
            stage,
            vars: IndexVec::new(),
            self_type: None,
            results: Vec::new(),
            results_at: at,
            effects: Effects::default(),
            loops: Vec::new(),
            defers: Vec::new(),
            scopes: vec![Vec::new()],
            loop_count: 0,
        }
    }

    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.cx.report(&self.env, diagnostic);
    }

    /// A new variable; a later one of the same name hides an earlier one.
    pub fn declare(&mut self, name: &Name, ty: TypeId) -> VarId {
        self.cx.note(name.span, name.span, NameKind::Variable, Some(ty));
        let var = self.vars.push(hir::Var { name: name.text.clone(), ty, span: name.span });
        if let Some(scope) = self.scopes.last_mut() {
            scope.push((name.text.clone(), var));
        }
        var
    }

    /// A parameter: no two may have one name.
    pub fn declare_parameter(&mut self, name: &Name, ty: TypeId) -> VarId {
        if let Some(first) = self.variable(&name.text) {
            let first = self.vars[first].span;
            self.report(
                Diagnostic::error(
                    format!("parameter `{}` is declared twice", name.text),
                    name.span,
                    "the second time here",
                )
                .label(first, "the first time here"),
            );
        }
        self.declare(name, ty)
    }

    /// A variable that the text does not name.
    pub fn anonymous(&mut self, ty: TypeId, span: Span) -> VarId {
        self.vars.push(hir::Var { name: "_".into(), ty, span })
    }

    pub fn variable(&self, name: &str) -> Option<VarId> {
        let mut names = self.scopes.iter().rev().flat_map(|scope| scope.iter().rev());
        names.find(|(known, _)| &**known == name).map(|(_, var)| *var)
    }

    /// The names of the variables that can be seen here.
    pub fn visible_variables(&self) -> Vec<Arc<str>> {
        self.scopes.iter().flatten().map(|(name, _)| name.clone()).collect()
    }

    pub fn scoped<R>(&mut self, inside: impl FnOnce(&mut Self) -> R) -> R {
        self.scopes.push(Vec::new());
        let result = inside(self);
        self.scopes.pop();
        result
    }

    /// Runs the body of a loop.
    pub fn in_loop<R>(&mut self, label: &Option<Name>, inside: impl FnOnce(&mut Self, LoopId) -> R) -> R {
        let id = LoopId::new(self.loop_count);
        self.loop_count += 1;
        self.loops.push(LoopFrame { id, label: label.clone() });
        let result = inside(self, id);
        self.loops.pop();
        result
    }

    /// Reports code that is allowed in operations and functions only.
    pub fn only_in_code(&mut self, what: &str, span: Span) -> bool {
        let Some((place, way_out)) = self.stage.limits() else { return true };
        self.report(
            Diagnostic::error(format!("{what} cannot be used in {place}"), span, "not allowed here")
                .help(way_out),
        );
        false
    }

    pub fn poison_expr(&mut self, span: Span) -> TypedExpr {
        TypedExpr { kind: TypedExprKind::Constant(Vec::new()), ty: self.cx.poison(), span }
    }

    pub fn constant(&self, words: Vec<Word>, ty: TypeId, span: Span) -> TypedExpr {
        TypedExpr { kind: TypedExprKind::Constant(words), ty, span }
    }

    pub fn is_poison(&self, ty: TypeId) -> bool {
        self.cx.is_poison(ty)
    }

    pub fn name_of(&self, ty: TypeId) -> String {
        self.cx.type_name(ty)
    }
}

impl Stage {
    /// The place's name, and what to do instead.
    fn limits(self) -> Option<(&'static str, &'static str)> {
        match self {
            Stage::Code => None,
            Stage::SharedInitial | Stage::LocalInitial => {
                Some(("an initial value", "use a constant here, and do the rest in `init { … }`"))
            }
            Stage::SpecState => Some((
                "an initial value of a specification",
                "use a constant: literals, `const`s, parameters; or `choose bool`",
            )),
            Stage::SpecInitial => Some((
                "an initial value of a specification",
                "use a constant: literals, `const`s, parameters",
            )),
            Stage::Clause => Some((
                "a specification",
                "a specification uses its own state, parameters and variables, in one step",
            )),
            Stage::When => {
                Some(("a `when`", "a `when` reads the state and the parameters, and changes nothing"))
            }
            Stage::Hash => Some(("a hash function", "use the parameter, constants and `ord` only")),
        }
    }
}
