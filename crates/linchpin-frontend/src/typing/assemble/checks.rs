//! `check` and `prove` blocks: the known bounds and properties, and the values that they can have.
//!
//! `points` has the syntax of a property, but concerns the annotation and not the object: in `check` blocks
//! only.

use crate::syntax::ast::{self, ItemKind, Name};
use crate::typing::declare::consts::{GREATEST, LEAST};
use crate::typing::declare::context::Checker;
use crate::typing::hir::{self, Bound, Check, Expect, ProofExpectation, Role};
use crate::typing::suggest;
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::source::Span;
use std::sync::Arc;

/// What a bound can be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BoundKind {
    /// A number or a range of them, not below this.
    Number(i64),
    /// The same, for schedules only.
    OfSchedules(i64),
    /// One of these names.
    OneOf(&'static [&'static str]),
    /// Several of these names, for schedules only.
    SomeOf(&'static [&'static str]),
}

const BOUNDS: [(&str, BoundKind); 16] = [
    ("threads", BoundKind::Number(1)),
    ("nodes", BoundKind::Number(0)),
    ("values", BoundKind::Number(1)),
    ("keys", BoundKind::Number(1)),
    ("ints", BoundKind::Number(0)),
    ("ages", BoundKind::Number(1)),
    ("depth", BoundKind::Number(1)),
    ("client", BoundKind::OneOf(&["general", "schedules"])),
    ("steps", BoundKind::OfSchedules(0)),
    ("preadds", BoundKind::OfSchedules(0)),
    ("preemptions", BoundKind::OfSchedules(0)),
    ("restrict", BoundKind::SomeOf(&["generic_values", "distinct_priorities", "adds_dominate"])),
    ("hashes", BoundKind::OneOf(&["given", "any"])),
    ("spurious", BoundKind::OneOf(&["on", "off"])),
    ("fair", BoundKind::OneOf(&["on", "off"])),
    ("lin_points", BoundKind::OneOf(&["on", "off"])),
];

const PROPERTIES: [&str; 13] = [
    "linearizable",
    "sequentially_consistent",
    "quiescently_consistent",
    "barrier_consistent",
    "observers",
    "memory_safe",
    "deadlock_free",
    "assertions",
    "terminating",
    "lock_free",
    "wait_free",
    "obstruction_free",
    "starvation_free",
];

/// What a `check` block can expect of the annotated linearization points.
const POINTS: &str = "points";

const METHODS: [&str; 3] = ["pairs", "canonical", "cmp"];

impl Checker<'_> {
    /// The `check` blocks of the root file.
    pub(super) fn checks(&mut self, spec: Option<&hir::TypedSpec>, roles: &[Role]) -> Vec<Check> {
        let mut checks = Vec::new();
        for item in &self.units.all[self.units.root].tree.items {
            let ItemKind::Check(check) = &item.kind else { continue };
            let bounds = self.bounds(check, spec, roles);
            let mut expects = self.expects(&check.expects, &[POINTS]);
            let points = expects.iter().position(|expect| &*expect.property == POINTS);
            let points = points.map(|at| expects.remove(at));
            if let Some(points) = &points {
                self.points_are_on(points, &bounds);
            }
            checks.push(Check { bounds, expects, points, span: item.span });
        }
        checks
    }

    /// The `prove` blocks of the root file.
    pub(super) fn proofs(&mut self) -> Vec<ProofExpectation> {
        let mut proofs = Vec::new();
        for item in &self.units.all[self.units.root].tree.items {
            let ItemKind::Prove { method, expects } = &item.kind else { continue };
            if !METHODS.contains(&&*method.text) {
                let mut diagnostic = Diagnostic::error(
                    format!("there is no method of proof `{}`", method.text),
                    method.span,
                    "not known",
                );
                diagnostic.help = suggest::help(&method.text, METHODS);
                self.report_plain(diagnostic);
            }
            let expects = self.expects(expects, &[]);
            proofs.push(ProofExpectation { method: method.text.clone(), expects, span: item.span });
        }
        proofs
    }

    fn bounds(
        &mut self,
        check: &ast::Check,
        spec: Option<&hir::TypedSpec>,
        roles: &[Role],
    ) -> Vec<(Arc<str>, Bound, Span)> {
        let mut bounds: Vec<(Arc<str>, Bound, Span)> = Vec::new();
        for (name, bound) in &check.bounds {
            if let Some((_, _, first)) = bounds.iter().find(|(known, _, _)| *known == name.text) {
                let first = *first;
                self.report_plain(
                    Diagnostic::error(
                        format!("`{}` is given twice", name.text),
                        name.span,
                        "the second time here",
                    )
                    .label(first, "the first time here"),
                );
                continue;
            }
            if let Some(bound) = self.bound(name, bound) {
                bounds.push((name.text.clone(), bound, name.span));
            }
        }
        self.schedules_only(&bounds);
        self.enough_threads(&bounds, roles);
        if let (Some(spec), Some((_, Bound::Range(_, most), span))) = (spec, find(&bounds, "preadds"))
            && *most > 0
            && spec.adds.is_empty()
        {
            self.report_plain(
                Diagnostic::error(
                    "there is no operation that adds",
                    *span,
                    "`preadds` calls the operation marked `#[adds]`",
                )
                .label(spec.span, "no operation of this specification is marked")
                .help("write `#[adds] op …` in the specification"),
            );
        }
        bounds
    }

    fn bound(&mut self, name: &Name, bound: &ast::Bound) -> Option<Bound> {
        let known = BOUNDS.iter().find(|(known, _)| *known == &*name.text).map(|(_, kind)| *kind);
        let settable = self.settable();
        let kind = match known {
            Some(kind) => kind,
            None if settable.iter().any(|(constant, _)| **constant == *name.text) => BoundKind::Number(LEAST),
            None => {
                if self.names.lookup(
                    self.units.root,
                    crate::typing::collect::names::Namespace::Value,
                    &name.text,
                ) == crate::typing::collect::names::Lookup::Lost
                {
                    return None;
                }
                let constants = settable.iter().map(|(constant, _)| *constant);
                let known: Vec<&str> = BOUNDS.iter().map(|(known, _)| *known).chain(constants).collect();
                let mut diagnostic = Diagnostic::error(
                    format!("there is no bound `{}`", name.text),
                    name.span,
                    "neither a bound nor a constant",
                );
                let is_property = PROPERTIES.iter().chain([&POINTS]).any(|known| *known == &*name.text);
                let property = is_property.then(|| {
                    format!("write properties after the bounds: `{0};` or `{0}: violated;`", name.text)
                });
                diagnostic.help = property
                    .or_else(|| {
                        suggest::nearest(&name.text, known.iter().copied())
                            .map(|near| format!("did you mean `{near}`?"))
                    })
                    .or_else(|| Some(format!("the bounds are {}", suggest::list(&known))));
                self.report_plain(diagnostic);
                return None;
            }
        };
        match (kind, bound) {
            (
                BoundKind::Number(least) | BoundKind::OfSchedules(least),
                ast::Bound::Range(low, high, span),
            ) => self.number_bound(name, *low, *high, least, *span),
            (BoundKind::OneOf(names), ast::Bound::Name(value)) => {
                self.one_of(name, value, names).then(|| Bound::Name(value.text.clone()))
            }
            (BoundKind::SomeOf(names), ast::Bound::Name(value)) => {
                self.one_of(name, value, names).then(|| Bound::Names(vec![value.text.clone()]))
            }
            (BoundKind::SomeOf(names), ast::Bound::Names(values, _)) => {
                let wrong = values.iter().filter(|value| !self.one_of(name, value, names)).count();
                (wrong == 0).then(|| Bound::Names(values.iter().map(|value| value.text.clone()).collect()))
            }
            (kind, bound) => {
                let (wanted, example) = match kind {
                    BoundKind::Number(_) | BoundKind::OfSchedules(_) => {
                        ("a number or a range", format!("{}: 1..2", name.text))
                    }
                    BoundKind::OneOf(names) => ("a name", format!("{}: {}", name.text, names[0])),
                    BoundKind::SomeOf(names) => ("a list of names", format!("{}: [{}]", name.text, names[0])),
                };
                let span = match bound {
                    ast::Bound::Range(_, _, span) | ast::Bound::Names(_, span) => *span,
                    ast::Bound::Name(name) => name.span,
                };
                self.report_plain(
                    Diagnostic::error(format!("`{}` takes {wanted}", name.text), span, "wrong kind of value")
                        .help(format!("for example `{example}`")),
                );
                None
            }
        }
    }

    fn number_bound(&mut self, name: &Name, low: i64, high: i64, least: i64, span: Span) -> Option<Bound> {
        if low > high {
            self.report_plain(
                Diagnostic::error("this range has no values", span, "the end is below the start")
                    .help(format!("write `{}: {high}..{low}`; both ends are included", name.text)),
            );
            return None;
        }
        if low < least || high > GREATEST {
            let text = if low < least { format!("at least {least}") } else { format!("at most {GREATEST}") };
            self.report_plain(Diagnostic::error(
                format!("`{}` must be {text}", name.text),
                span,
                "out of bounds",
            ));
            return None;
        }
        Some(Bound::Range(low, high))
    }

    fn one_of(&mut self, bound: &Name, value: &Name, names: &[&str]) -> bool {
        if names.contains(&&*value.text) {
            return true;
        }
        let mut diagnostic = Diagnostic::error(
            format!("`{}` cannot be `{}`", bound.text, value.text),
            value.span,
            "not known",
        );
        diagnostic.help = suggest::help(&value.text, names.iter().copied());
        self.report_plain(diagnostic);
        false
    }

    fn schedules_only(&mut self, bounds: &[(Arc<str>, Bound, Span)]) {
        let is_schedules = |bound: &Bound| matches!(bound, Bound::Name(name) if &**name == "schedules");
        if find(bounds, "client").is_some_and(|(_, bound, _)| is_schedules(bound)) {
            return;
        }
        for (name, _, span) in bounds {
            let kind = BOUNDS.iter().find(|(known, _)| *known == &**name).map(|(_, kind)| *kind);
            if let Some(BoundKind::OfSchedules(_) | BoundKind::SomeOf(_)) = kind {
                self.report_plain(
                    Diagnostic::error(
                        format!("`{name}` applies to schedules only"),
                        *span,
                        "this check has the general client",
                    )
                    .help("add `client: schedules`"),
                );
            }
        }
    }

    fn enough_threads(&mut self, bounds: &[(Arc<str>, Bound, Span)], roles: &[Role]) {
        let Some((_, Bound::Range(least, most), span)) = find(bounds, "threads") else { return };
        let taken: i64 = roles.iter().filter_map(|role| role.count).map(i64::from).sum();
        let rest = roles.is_empty() || roles.iter().any(|role| role.count.is_none());
        let mut diagnostic = if *least < taken {
            Diagnostic::error("there are fewer threads than the roles take", *span, format!("{least} here"))
        } else if *most > taken && !rest {
            Diagnostic::error("some threads would have no role", *span, format!("{most} here"))
                .help("add a role without a number: it takes the other threads")
        } else {
            return;
        };
        for (role, count) in roles.iter().filter_map(|role| Some((role, role.count?))) {
            diagnostic = diagnostic.label(role.span, format!("takes {count}"));
        }
        self.report_plain(diagnostic);
    }

    /// Points are judged where something is expected of them, so a bound cannot say that they are not.
    fn points_are_on(&mut self, points: &Expect, bounds: &[(Arc<str>, Bound, Span)]) {
        let Some((_, Bound::Name(value), span)) = find(bounds, "lin_points") else { return };
        if &**value == "off" {
            self.report_plain(
                Diagnostic::error(
                    "`points` is expected, but points are not checked",
                    points.span,
                    "this needs `lin_points: on`",
                )
                .label(*span, "switched off here")
                .help("remove `lin_points: off`"),
            );
        }
    }

    /// Properties, and what else the block can expect.
    fn expects(&mut self, expects: &[ast::Expect], others: &[&'static str]) -> Vec<Expect> {
        let known: Vec<&str> = PROPERTIES.iter().chain(others).copied().collect();
        let mut checked: Vec<Expect> = Vec::new();
        for expect in expects {
            let property = &expect.property;
            if !known.contains(&&*property.text) {
                self.report_plain(unknown_property(property, &known));
                continue;
            }
            if let Some(first) = checked.iter().find(|first| first.property == property.text) {
                let first = first.span;
                self.report_plain(
                    Diagnostic::error(
                        format!("`{}` is expected twice", property.text),
                        property.span,
                        "the second time here",
                    )
                    .label(first, "the first time here"),
                );
                continue;
            }
            checked.push(Expect {
                property: property.text.clone(),
                violated: expect.violated,
                span: expect.span,
            });
        }
        checked
    }
}

fn unknown_property(property: &Name, known: &[&str]) -> Diagnostic {
    if &*property.text == POINTS {
        return Diagnostic::error(
            "`points` is an expectation of `check` blocks",
            property.span,
            "a proof concerns the object, not its annotation",
        )
        .help("write `check { points; }`");
    }
    let title = format!("there is no property `{}`", property.text);
    let mut diagnostic = Diagnostic::error(title, property.span, "not known");
    diagnostic.help = suggest::help(&property.text, known.iter().copied());
    diagnostic
}

fn find<'b>(bounds: &'b [(Arc<str>, Bound, Span)], name: &str) -> Option<&'b (Arc<str>, Bound, Span)> {
    bounds.iter().find(|(known, _, _)| &**known == name)
}
