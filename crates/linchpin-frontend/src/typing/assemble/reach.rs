//! Rules that follow from the call graph.
//!
//! Let `→⁺` be the transitive closure of the calls. A function `f` is *recursive* iff `f →⁺ f`. A recursive
//! function takes values and pointers only, so no `self`. Functions that `init` reaches run without a thread:
//! no `me`, no `local`, no `lin`. A method that uses a primitive on its `self` works on shared places only.
//! So does a method that passes its `self` to such a method.

use super::components::components;
use crate::typing::check::functions::Bodies;
use crate::typing::check::place::Root;
use crate::typing::declare::context::Checker;
use crate::typing::hir::FunctionId;
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::index::Index;
use linchpin_ir::source::Span;

impl Checker<'_> {
    /// Marks the recursive functions and reports calls that cannot be.
    pub(super) fn check_calls(&mut self, inits: &[FunctionId], bodies: &mut Bodies) {
        let ids: Vec<FunctionId> = self.heads.ids().collect();
        let calls = |id: &FunctionId| bodies.get(id).map_or(&[][..], |(_, effects)| &effects.calls);
        let edges: Vec<Vec<usize>> =
            ids.iter().map(|id| calls(id).iter().map(|(callee, _)| callee.index()).collect()).collect();
        let component = components(&edges);
        for id in &ids {
            let same = |callee: &FunctionId| component[callee.index()] == component[id.index()];
            let leads_back = bodies.get(id).and_then(|(_, effects)| {
                effects.calls.iter().find(|(callee, _)| same(callee)).map(|(_, span)| *span)
            });
            let Some(call) = leads_back else { continue };
            let Some((function, _)) = bodies.get_mut(id) else { continue };
            function.recursive = true;
            if function.self_type.is_some() {
                let (name, env) = (function.name.clone(), self.heads[*id].env.clone());
                let at = self.heads[*id].name_at;
                let diagnostic = Diagnostic::error(
                    format!("method `{name}` calls itself"),
                    at,
                    "recursive functions take values and pointers only, not `self`",
                )
                .label(call, "this call leads back to it")
                .help("make it a function with a pointer as its parameter");
                self.report(&env, diagnostic);
            }
        }
        for init in inits {
            self.check_init(*init, bodies);
        }
        self.check_shared_self(&ids, bodies);
    }

    /// The functions that one can reach by calls, itself included.
    fn reached_from(&self, from: FunctionId, bodies: &Bodies) -> Vec<FunctionId> {
        let mut seen = vec![false; self.heads.len()];
        let mut reached = vec![from];
        seen[from.index()] = true;
        let mut next = 0;
        while let Some(&at) = reached.get(next) {
            next += 1;
            for (callee, _) in bodies.get(&at).into_iter().flat_map(|(_, effects)| &effects.calls) {
                if !std::mem::replace(&mut seen[callee.index()], true) {
                    reached.push(*callee);
                }
            }
        }
        reached
    }

    fn check_init(&mut self, init: FunctionId, bodies: &Bodies) {
        for id in self.reached_from(init, bodies) {
            let Some((_, effects)) = bodies.get(&id) else { continue };
            let found = [
                (effects.me, "`me` has no meaning in `init`", "`init` runs alone, before there are threads"),
                (
                    effects.thread_variable,
                    "`local` variables have no meaning in `init`",
                    "each thread has its own, and `init` runs before there are threads",
                ),
                (effects.lin, "`lin` has no meaning in `init`", "no operation is running"),
            ];
            let env = self.heads[id].env.clone();
            for (span, title, label) in found {
                let Some(span) = span else { continue };
                let mut diagnostic = Diagnostic::error(title, span, label);
                if id != init {
                    let at = self.heads[init].name_at;
                    diagnostic =
                        diagnostic.label(at, format!("`{}` is reached from here", self.heads[id].name));
                }
                self.report(&env, diagnostic);
            }
        }
    }

    fn check_shared_self(&mut self, ids: &[FunctionId], bodies: &Bodies) {
        let mut shared_only: Vec<bool> = ids
            .iter()
            .map(|id| bodies.get(id).is_some_and(|(_, effects)| effects.primitive_on_self.is_some()))
            .collect();
        let mut grew = true;
        while grew {
            grew = false;
            for id in ids {
                let Some((_, effects)) = bodies.get(id) else { continue };
                let hands_on = effects.self_roots.iter();
                let mut hands_on = hands_on.filter(|(_, root, _)| *root == Root::SelfPlace);
                if !shared_only[id.index()] && hands_on.any(|(callee, _, _)| shared_only[callee.index()]) {
                    shared_only[id.index()] = true;
                    grew = true;
                }
            }
        }
        for id in ids {
            let Some((_, effects)) = bodies.get(id) else { continue };
            let local = effects.self_roots.iter().filter(|(_, root, _)| *root == Root::Local);
            let wrong = local.filter(|(callee, _, _)| shared_only[callee.index()]);
            let wrong: Vec<(FunctionId, Span)> = wrong.map(|(callee, _, span)| (*callee, *span)).collect();
            let env = self.heads[*id].env.clone();
            for (callee, span) in wrong {
                let name = self.heads[callee].name.clone();
                let diagnostic = Diagnostic::error(
                    format!("`{name}` needs a shared place"),
                    span,
                    "this is a variable of this thread",
                )
                .label(self.heads[callee].name_at, "it uses a primitive on `self`")
                .help(
                    "a shared place is a `shared` variable, or a field or element reached through a pointer",
                );
                self.report(&env, diagnostic);
            }
        }
    }
}
