//! The check of a whole program, in order: types and constants, variables, functions, the specification, the object
//! beside it, what follows from the calls, roles and checks. Then everything is put together.

use super::context::{Checker, Env};
use super::hir::{self, FunctionId, Program};
use super::load::Units;
use super::names::{Def, DefId, DefKind, Lookup, Namespace};
use crate::syntax::ast;
use crate::syntax::ast::ItemKind;
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::index::IndexVec;
use linchpin_ir::interface::MemoryKind;
use linchpin_ir::source::Span;

/// How memory is managed: as the root file says, or a module that it takes as a whole.
pub(super) fn memory(units: &Units, diagnostics: &mut Vec<Diagnostic>) -> MemoryKind {
    let mut taken: Option<(MemoryKind, Span)> = None;
    for unit in units.taken_whole() {
        let mut own: Option<(MemoryKind, Span)> = None;
        for item in &units.all[unit].tree.items {
            let ItemKind::Memory(kind) = item.kind else { continue };
            if let Some((_, first)) = own {
                diagnostics.push(
                    Diagnostic::error("memory is declared twice", item.span, "the second time here")
                        .label(first, "the first time here"),
                );
            }
            own = own.or(Some((kind, item.span)));
        }
        match (own, taken) {
            (Some((kind, span)), Some((other, first))) if unit != units.root && kind != other => diagnostics
                .push(
                    Diagnostic::error("two modules disagree about memory", span, "this one says this")
                        .label(first, "and this one says this")
                        .help("say it in the file that uses them: `memory gc;`"),
                ),
            _ => taken = own.or(taken),
        }
    }
    taken.map_or(MemoryKind::Gc, |(kind, _)| kind)
}

impl<'a> Checker<'a> {
    /// Checks everything; `None` if something is wrong, which was reported.
    pub fn program(&mut self) -> Option<Program> {
        let tree = &self.units.all[self.units.root].tree;
        let at =
            tree.object.as_ref().map_or(Span { end: tree.span.start, ..tree.span }, |object| object.span);
        self.check_overrides(at);
        self.check_definitions();
        let inits = self.inits();
        self.check_functions();
        self.check_bodies();
        let object = self.find_object(tree, at);
        let spec = object.and_then(|object| self.specification(object));
        let ops = match (object, &spec) {
            (Some(object), Some(spec)) => self.object(object, spec),
            _ => IndexVec::new(),
        };
        self.check_bodies();
        self.check_hash_circles();
        self.check_calls(&inits);
        let roles = spec.as_ref().map(|spec| self.roles(spec)).unwrap_or_default();
        let checks = self.checks(spec.as_ref().map(|spec| &spec.spec), &roles);
        let proofs = self.proofs();
        let constants = self.constants_of_program();
        if self.has_errors() {
            return None;
        }
        let (object, spec) = (object?, spec?);
        let (functions, init) = self.functions(&inits)?;
        Some(Program {
            name: object.name.text.clone(),
            header: tree.header.clone(),
            memory: self.memory,
            threads: self.setting.threads,
            threads_used_at: self.threads_used_at,
            types: std::mem::take(&mut self.types),
            constants,
            shared: std::mem::take(&mut self.shared),
            thread_vars: std::mem::take(&mut self.thread_vars),
            init,
            functions,
            ops,
            hashes: std::mem::take(&mut self.hashes),
            roles,
            spec: spec.spec,
            checks,
            proofs,
            object_span: object.span,
        })
    }

    fn find_object(&mut self, tree: &'a ast::File, at: Span) -> Option<&'a ast::Object> {
        if tree.object.is_none() && !self.units.all[self.units.root].broken {
            self.report_plain(
                Diagnostic::error("this file has no object", at, "expected `object Name: Spec;`")
                    .help("a file without an object is a module: another file takes from it by `use`"),
            );
        }
        tree.object.as_ref()
    }

    /// The definitions that the root file can name, in the order of the text, modules first.
    fn visible(&self) -> Vec<(DefId, Def<'a>)> {
        let root = self.units.root;
        let spaces = [Namespace::Type, Namespace::Value, Namespace::Function];
        let named = |(id, def): &(DefId, &Def<'a>)| {
            spaces.iter().any(|space| self.names.lookup(root, *space, &def.name.text) == Lookup::Found(*id))
        };
        self.names.defs.entries().filter(named).map(|(id, def)| (id, *def)).collect()
    }

    fn check_definitions(&mut self) {
        for (id, def) in self.visible() {
            match def.kind {
                DefKind::Const(_) => {
                    self.const_value(id);
                }
                DefKind::Alias(ty) => {
                    self.alias(id, ty);
                }
                DefKind::Enum(_) => {
                    self.instantiate(&Env::of_unit(def.unit), id, Vec::new(), def.name.span);
                }
                DefKind::Struct(record) | DefKind::Word(record) if record.type_params.is_empty() => {
                    self.instantiate(&Env::of_unit(def.unit), id, Vec::new(), def.name.span);
                }
                _ => {}
            }
        }
        self.settle();
        for (id, def) in self.visible() {
            match def.kind {
                DefKind::Shared(_) => {
                    self.shared_variable(id);
                }
                DefKind::Local(_) => {
                    self.thread_variable(id);
                }
                DefKind::Hash { .. } => {
                    self.hash(id);
                }
                _ => {}
            }
        }
    }

    /// Every function of the root file and of what it takes; generic ones are checked where they are used.
    fn check_functions(&mut self) {
        for (id, def) in self.visible() {
            match def.kind {
                DefKind::Op(function) | DefKind::Fn(function) if function.body.is_some() => {
                    self.function(id, Vec::new(), def.name.span);
                }
                DefKind::Op(_) | DefKind::Fn(_) if def.unit == self.units.root => {
                    let diagnostic = self.without_body(def.name, true, def.name.span);
                    self.report_plain(diagnostic);
                }
                _ => {}
            }
        }
        for (of, method) in &self.names.methods_in_order {
            let generic = !self.def(*of).kind.type_params().is_empty();
            if self.def(*method).unit == self.units.root && !generic {
                self.function(*method, Vec::new(), self.def(*method).name.span);
            }
        }
    }

    /// The `init` blocks of the modules that are taken as a whole, then that of the root file.
    fn inits(&mut self) -> Vec<FunctionId> {
        let units = self.units;
        let mut inits = Vec::new();
        for unit in units.taken_whole() {
            let mut first: Option<Span> = None;
            for item in &units.all[unit].tree.items {
                let ItemKind::Init(block) = &item.kind else { continue };
                if let Some(first) = first {
                    self.report_plain(
                        Diagnostic::error("there are two `init` blocks", item.span, "the second one")
                            .label(first, "the first one")
                            .help("join them into one"),
                    );
                    continue;
                }
                first = Some(item.span);
                inits.push(self.nameless(unit, "init", block, item.span));
            }
        }
        inits
    }

    /// All functions with their bodies, and the one that initialises; several `init`s are called by one more function.
    fn functions(
        &mut self,
        inits: &[FunctionId],
    ) -> Option<(IndexVec<FunctionId, hir::Function>, Option<FunctionId>)> {
        let mut functions = IndexVec::new();
        for id in self.heads.ids() {
            functions.push(self.bodies.remove(&id)?.0);
        }
        let (last, several) = (inits.last().copied(), inits.len() > 1);
        let Some(last) = last.filter(|_| several) else { return Some((functions, last)) };
        let span = functions[last].span;
        let ty = self.unit();
        let call = |function: &FunctionId| {
            let kind = hir::ExprKind::Call { function: *function, self_place: None, args: Vec::new() };
            hir::Stmt { kind: hir::StmtKind::Expr(hir::Expr { kind, ty, span }), span }
        };
        let body = hir::Block { stmts: inits.iter().map(call).collect(), span };
        let function = hir::Function {
            name: "init".into(),
            self_type: None,
            params: Vec::new(),
            result: None,
            vars: IndexVec::new(),
            body,
            recursive: false,
            span,
        };
        let all = functions.push(function);
        Some((functions, Some(all)))
    }
}
