//! Observers of a specification: names and patterns resolved, one observer for each choice of the finite
//! parameters.
//!
//! Parameters of type `data` are the observer's variables. All other parameters are chosen once. So an
//! observer with such parameters stands for one observer for each choice that its `when` allows. A type with
//! too many values (`key`, `int`) gives no observer; provers that need observers then have none.

use super::body::{Body, Stage};
use super::convert::Why;
use super::spec::SpecOp;
use crate::syntax::ast::{self, ExprKind, Name};
use crate::typing::declare::context::{Checker, Env};
use crate::typing::declare::spec_scope::{Argument, SpecScope};
use crate::typing::hir::OpId;
use crate::typing::suggest;
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::index::{Index, IndexVec, number_of};
use linchpin_ir::interface::observer::{Location, LocationId, Observer, ObserverStep, Pattern};
use linchpin_ir::types::{NONE, TypeId, TypeKind, Word};
use std::rc::Rc;
use std::sync::Arc;

/// The location that accepts.
const VIOLATED: &str = "violated";

/// A finite parameter with more values than this has too many.
const MOST_VALUES: i64 = 16;

impl<'a> Checker<'a> {
    /// Returns the observers of a text, one for each choice of parameters.
    pub(super) fn observers(
        &mut self,
        env: &Env,
        scope: &SpecScope,
        observer: &'a ast::Observer,
        ops: &IndexVec<OpId, SpecOp<'_>>,
    ) -> Vec<Observer> {
        let mut variables: Vec<&'a Name> = Vec::new();
        let mut choices: Vec<Vec<(Arc<str>, Argument)>> = vec![Vec::new()];
        for param in &observer.params {
            let ty = self.value_type(env, &param.ty, "a parameter of an observer");
            if self.is_poison(ty) {
                return Vec::new();
            }
            if self.types.kind(ty) == TypeKind::Data {
                variables.push(&param.name);
                continue;
            }
            let Some(values) = self.few_values(ty) else { return Vec::new() };
            choices = choices
                .iter()
                .flat_map(|choice| {
                    values.iter().map(|value| {
                        let argument = Argument { ty, words: vec![*value] };
                        [&choice[..], &[(param.name.text.clone(), argument)]].concat()
                    })
                })
                .collect();
        }
        let locations = self.observer_locations(env, observer);
        let mut all = Vec::new();
        for choice in choices {
            let inside = Env { spec: Some(Rc::new(scope.with(&choice))), ..env.clone() };
            if !self.is_chosen(&inside, observer) {
                continue;
            }
            let steps = observer
                .steps
                .iter()
                .filter_map(|step| self.observer_step(&inside, step, &variables, &locations, ops));
            let steps = steps.collect();
            let values: Vec<String> =
                choice.iter().flat_map(|(_, argument)| &argument.words).map(Word::to_string).collect();
            let name = match values.as_slice() {
                [] => observer.name.text.clone(),
                values => format!("{}({})", observer.name.text, values.join(", ")).into(),
            };
            let names = variables.iter().map(|name| name.text.clone()).collect();
            let locations = locations.clone();
            all.push(Observer { name, variables: names, locations, steps, span: observer.span });
        }
        all
    }

    /// The values of a finite type, if they are few.
    fn few_values(&self, ty: TypeId) -> Option<Vec<Word>> {
        let (low, high) = match self.types.kind(ty) {
            TypeKind::Bool => (0, 1),
            TypeKind::Enum(id) => (0, i64::from(number_of(self.types.enums[id].variants.len())) - 1),
            TypeKind::Range { low, high } => (low, high),
            _ => return None,
        };
        (high - low < MOST_VALUES)
            .then(|| (low..=high).filter_map(|value| Word::try_from(value).ok()).collect())
    }

    /// The locations in the order of the text; the first is where the observer begins.
    fn observer_locations(&mut self, env: &Env, observer: &'a ast::Observer) -> Vec<Location> {
        let mut locations: Vec<Location> = Vec::new();
        for name in observer.steps.iter().flat_map(|step| [&step.from, &step.to]) {
            if locations.iter().all(|known| known.name != name.text) {
                let accepting = &*name.text == VIOLATED;
                locations.push(Location { name: name.text.clone(), accepting });
            }
        }
        if locations.iter().all(|location| !location.accepting) {
            let diagnostic = Diagnostic::error(
                format!("the observer `{}` never accepts", observer.name.text),
                observer.name.span,
                format!("no step leads to `{VIOLATED}`"),
            );
            self.report(env, diagnostic.help(format!("add a step for what is forbidden, to `{VIOLATED}`")));
        }
        let first = observer.steps.first().map(|step| &step.from.text);
        for step in &observer.steps {
            let from = &step.from;
            let entered = observer.steps.iter().any(|other| other.to.text == from.text);
            let diagnostic = if &*from.text == VIOLATED {
                Diagnostic::error(
                    format!("no step may leave `{VIOLATED}`"),
                    from.span,
                    "the observer has already accepted",
                )
            } else if Some(&from.text) != first && !entered {
                let known: Vec<&str> = locations.iter().map(|location| &*location.name).collect();
                let mut diagnostic = Diagnostic::error(
                    format!("location `{}` is unreachable", from.text),
                    from.span,
                    "no step leads to this location",
                );
                let others = known.into_iter().filter(|name| **name != *from.text);
                diagnostic.help = suggest::help(&from.text, others);
                diagnostic
            } else {
                continue;
            };
            self.report(env, diagnostic);
        }
        locations
    }

    fn is_chosen(&mut self, env: &Env, observer: &'a ast::Observer) -> bool {
        let Some(when) = &observer.when else { return true };
        let mut inside = Body::new(self, env.clone(), Stage::SpecInitial, when.span);
        let value = inside.condition(when);
        if inside.is_poison(value.ty) {
            return false;
        }
        match inside.fold(&value).as_deref() {
            Some([word]) => *word != 0,
            _ => {
                let diagnostic = Diagnostic::error(
                    "the condition of an observer may use its finite parameters only",
                    when.span,
                    "this is not a constant",
                );
                self.report(env, diagnostic);
                false
            }
        }
    }

    fn observer_step(
        &mut self,
        env: &Env,
        step: &'a ast::ObserverStep,
        variables: &[&Name],
        locations: &[Location],
        ops: &IndexVec<OpId, SpecOp<'_>>,
    ) -> Option<ObserverStep> {
        let Some((op, signature)) = ops.entries().find(|(_, op)| op.name == step.op.text) else {
            let title = format!("the specification has no operation `{}`", step.op.text);
            let mut diagnostic = Diagnostic::error(title, step.op.span, "not an operation");
            diagnostic.help = suggest::help(&step.op.text, ops.iter().map(|op| &*op.name));
            self.report(env, diagnostic);
            return None;
        };
        if step.args.len() != signature.params.len() {
            let title = format!(
                "`{}` has {}, not {}",
                signature.name,
                crate::typing::collect::names::count(signature.params.len(), "parameter"),
                step.args.len()
            );
            let diagnostic = Diagnostic::error(title, step.op.span, "the wrong number of patterns here");
            self.report(env, diagnostic.label(signature.span, "specified here"));
            return None;
        }
        let args: Vec<Option<Pattern>> = step
            .args
            .iter()
            .zip(&signature.params)
            .map(|(pattern, ty)| self.observer_pattern(env, pattern, *ty, variables))
            .collect();
        let result = match (&step.result, signature.result) {
            (None, _) => None,
            (Some(pattern), Some(ty)) => Some(self.observer_pattern(env, pattern, ty, variables)?),
            (Some(pattern), None) => {
                let title = format!("`{}` has no result", signature.name);
                let diagnostic = Diagnostic::error(title, pattern.span, "nothing is returned");
                self.report(env, diagnostic.label(signature.span, "specified here"));
                return None;
            }
        };
        let number = |name: &Name| {
            locations.iter().position(|location| location.name == name.text).map(LocationId::new)
        };
        Some(ObserverStep {
            from: number(&step.from)?,
            op,
            args: args.into_iter().collect::<Option<_>>()?,
            result,
            to: number(&step.to)?,
            span: step.span,
        })
    }

    fn observer_pattern(
        &mut self,
        env: &Env,
        pattern: &'a ast::Pattern,
        ty: TypeId,
        variables: &[&Name],
    ) -> Option<Pattern> {
        let Some(value) = &pattern.value else { return Some(Pattern::Any) };
        let of = match self.types.kind(ty) {
            TypeKind::Option(of) => of,
            _ => ty,
        };
        let is_data = self.types.kind(of) == TypeKind::Data;
        if let ExprKind::Name(name) = &value.kind
            && let Some(variable) = variables.iter().position(|known| known.text == name.text)
            && is_data
        {
            return Some(Pattern::Variable(variable));
        }
        if is_data && !matches!(value.kind, ExprKind::None) {
            let names: Vec<&str> = variables.iter().map(|name| &*name.text).collect();
            let mut diagnostic = Diagnostic::error(
                "a pattern for `data` is a variable of the observer, or `_`",
                pattern.span,
                "found another expression",
            );
            if !names.is_empty() {
                diagnostic = diagnostic.help(format!("the variables are {}", suggest::list(&names)));
            }
            self.report(env, diagnostic);
            return None;
        }
        let mut inside = Body::new(self, env.clone(), Stage::SpecInitial, pattern.span);
        let value = inside.expr_as(value, ty, Why::Plain);
        if inside.is_poison(value.ty) {
            return None;
        }
        match inside.fold(&value).as_deref() {
            Some([NONE]) => Some(Pattern::Absent),
            Some([word]) => Some(Pattern::Constant(*word)),
            _ => {
                let title = "a pattern is a variable of the observer, a constant, `none` or `_`";
                self.report(env, Diagnostic::error(title, pattern.span, "found another expression"));
                None
            }
        }
    }
}
