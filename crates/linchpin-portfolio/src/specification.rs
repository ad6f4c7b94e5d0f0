//! Specifications by name, for recorded histories: one of the library, or one of a file.
//!
//! A recorded history comes from a program without a model, so no object implements the specification. The
//! operations of the program have no code: readers of histories use only their names and types.

use linchpin_engine::model::RequestError;
use linchpin_frontend::lower::lower;
use linchpin_frontend::syntax::ast;
use linchpin_frontend::syntax::ast::ItemKind;
use linchpin_frontend::syntax::{parse, parse_applied};
use linchpin_frontend::typing::{Checked, LIBRARY_SPECIFICATIONS, Modules, check, check_specification};
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::interface::Setting;
use linchpin_ir::nearest::nearest;
use linchpin_ir::program::{Expr, ExprKind, Program};
use linchpin_ir::source::{FileId, SourceMap, Span};
use linchpin_ir::types::{TypeKind, TypeTable};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A specification that histories are judged by.
pub struct Specification {
    /// Name with type arguments and parameters, as after `object O:`. `None`: the object of the file names
    /// it.
    applied: Option<String>,
    /// `None`: a specification of the library.
    file: Option<SpecFile>,
    /// Values that replace those of the file's constants.
    constants: BTreeMap<String, i64>,
}

/// A file with specifications.
pub struct SpecFile {
    /// The name for messages.
    pub path: String,
    pub text: String,
}

impl Specification {
    /// Finds a specification of the library: `Queue`, `Set<key>`, `BoundedQueue(8)`.
    pub fn library(applied: &str) -> Result<Specification, RequestError> {
        Specification { applied: Some(applied.into()), file: None, constants: BTreeMap::new() }.resolved()
    }

    /// Finds a specification in a file. Without a name the file must have an object or exactly one
    /// specification.
    pub fn of_file(
        file: SpecFile,
        applied: Option<&str>,
        constants: BTreeMap<String, i64>,
    ) -> Result<Specification, RequestError> {
        Specification { applied: applied.map(str::to_string), file: Some(file), constants }.resolved()
    }

    /// Compiles the specification for a number of threads. `modules` finds the modules that the file uses.
    pub fn compile(&self, threads: u32, modules: &dyn Modules) -> Result<Program, RequestError> {
        let setting = Setting { threads: threads.max(1), constants: self.constants.clone() };
        let (Some(applied), file) = (&self.applied, &self.file) else {
            let mut sources = SourceMap::default();
            let (path, text) = self.file.as_ref().map_or(("", ""), |file| (&*file.path, &*file.text));
            let root = sources.add(path, text);
            let checked = check(&mut sources, modules, root, &setting);
            return finish(sources, checked);
        };
        // A missing type argument is `data`, or `key` if the specification orders values.
        let mut first_error = None;
        for default in [ast::TypeKind::Data, ast::TypeKind::Key] {
            let mut sources = SourceMap::default();
            let checked = match self.applied(&mut sources, applied, default) {
                Ok(object) => {
                    let file = file.as_ref().map(|file| sources.add(&*file.path, &*file.text));
                    check_specification(&mut sources, modules, object, file, &setting)
                }
                Err(diagnostics) => Checked { program: None, diagnostics },
            };
            match finish(sources, checked) {
                Ok(program) => return Ok(program),
                Err(error) => first_error = first_error.or(Some(error)),
            }
        }
        Err(first_error
            .unwrap_or_else(|| message(format!("no specification `{applied}`"), "name another one")))
    }

    /// Reads the name with its arguments. Without type arguments each is `default`.
    fn applied(
        &self,
        sources: &mut SourceMap,
        applied: &str,
        default: ast::TypeKind,
    ) -> Result<ast::Object, Vec<Diagnostic>> {
        let (object, diagnostics) = parse_applied(sources.add("--spec", applied), applied);
        let mut object = object.ok_or(diagnostics)?;
        let (tree, _) = parse(scratch_file(), self.text());
        let wanted = specs(&tree).find(|spec| spec.name.text == object.spec.text);
        if let (true, Some(spec)) = (object.type_args.is_empty(), wanted) {
            let argument = ast::Type { kind: default, span: object.spec.span };
            object.type_args = vec![argument; spec.type_params.len()];
        }
        Ok(object)
    }

    fn text(&self) -> &str {
        self.file.as_ref().map_or(LIBRARY_SPECIFICATIONS, |file| &file.text)
    }

    /// Checks that the named specification exists. Without a name it chooses the only specification of the
    /// file.
    fn resolved(mut self) -> Result<Specification, RequestError> {
        let (tree, _) = parse(scratch_file(), self.text());
        let known: Vec<&str> = specs(&tree).map(|spec| &*spec.name.text).collect();
        match (&self.applied, &self.file) {
            (Some(applied), file) => {
                let name = name_of(applied);
                if known.contains(&name) {
                    return Ok(self);
                }
                let place = file.as_ref().map_or("the library".into(), |file| format!("`{}`", file.path));
                let help = match nearest(name, known.iter().copied()).first() {
                    Some(near) => format!("did you mean `{near}`?"),
                    None if known.is_empty() => WRITE_ONE.into(),
                    None => format!("the specifications are `{}`", known.join("`, `")),
                };
                Err(message(format!("no specification `{name}` in {place}"), help))
            }
            (None, Some(_)) if tree.object.is_some() => Ok(self),
            (None, Some(file)) => match known.as_slice() {
                [only] => {
                    self.applied = Some(only.to_string());
                    Ok(self)
                }
                [] => Err(message(format!("`{}` has no specification", file.path), WRITE_ONE)),
                [first, ..] => Err(message(
                    format!("`{}` has {} specifications", file.path, known.len()),
                    format!("name one: `{}::{first}`", file.path),
                )),
            },
            (None, None) => Ok(self),
        }
    }
}

const WRITE_ONE: &str = "write `spec Name { … }` into the file, or name a specification of the library";

fn message(text: String, help: impl Into<String>) -> RequestError {
    RequestError::Message { text, help: help.into() }
}

fn finish(sources: SourceMap, checked: Checked) -> Result<Program, RequestError> {
    let sources = Arc::new(sources);
    let refuse = |findings| RequestError::Model { sources: sources.clone(), findings };
    let typed = checked.program.ok_or_else(|| refuse(checked.diagnostics))?;
    let program = lower(&sources, &typed).map_err(refuse)?;
    match number_of_value(&program) {
        None => Ok(program),
        Some(span) => {
            let title = "this specification uses the number of a value";
            let label = "recorded values may have an order, but no numbers";
            Err(refuse(vec![Diagnostic::error(title, span, label).help("compare the values themselves")]))
        }
    }
}

/// Finds a clause that takes `ord` or a hash of a `data` or `key`. The verdict must not depend on the
/// numbering of recorded values.
fn number_of_value(program: &Program) -> Option<Span> {
    let types = &program.types;
    for instr in program.spec.clauses.iter().flat_map(|clause| clause.method.code.iter()) {
        let mut found = false;
        instr.op.operands(&mut |operand| operand.for_each(&mut |part| found |= is_number_of(types, part)));
        if found {
            return Some(instr.span);
        }
    }
    None
}

fn is_number_of(types: &TypeTable, expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Ord(of) | ExprKind::Hash(_, of) => {
            matches!(types.kind(of.ty), TypeKind::Data | TypeKind::Key)
        }
        _ => false,
    }
}

fn specs(tree: &ast::File) -> impl Iterator<Item = &ast::Spec> {
    tree.items.iter().filter_map(|item| match &item.kind {
        ItemKind::Spec(spec) => Some(spec),
        _ => None,
    })
}

/// Returns `Name` of `Name<a, b>(c)`.
fn name_of(applied: &str) -> &str {
    applied.split(['<', '(']).next().unwrap_or("").trim()
}

/// Returns a file for trees whose places appear in no message.
fn scratch_file() -> FileId {
    SourceMap::default().add("", "")
}

#[cfg(test)]
mod tests {
    use super::*;

    struct NoModules;

    impl Modules for NoModules {
        fn read(&self, _: &str) -> Option<(String, String)> {
            None
        }

        fn names(&self) -> Vec<String> {
            Vec::new()
        }
    }

    fn of_text(text: &str, applied: &str, constants: &[(&str, i64)]) -> Result<Program, RequestError> {
        let file = SpecFile { path: "mine.lin".into(), text: text.into() };
        let constants = constants.iter().map(|(name, value)| (name.to_string(), *value)).collect();
        Specification::of_file(file, Some(applied), constants)?.compile(2, &NoModules)
    }

    fn findings(result: Result<Program, RequestError>) -> Vec<(String, String)> {
        match result {
            Err(RequestError::Model { sources, findings }) => {
                let named = |finding: &Diagnostic| {
                    let place =
                        finding.labels.first().map(|label| sources.file(label.span.file).text.to_string());
                    (finding.title.clone(), place.unwrap_or_default())
                };
                findings.iter().map(named).collect()
            }
            Err(RequestError::Message { text, .. }) => vec![(text, String::new())],
            Ok(_) => Vec::new(),
        }
    }

    #[test]
    fn the_operations_are_those_of_the_specification() {
        let program = Specification::library("Set").unwrap().compile(2, &NoModules).unwrap();
        let names: Vec<&str> = program.ops.iter().map(|op| &*op.name).collect();
        assert_eq!(names, ["add", "remove", "contains"]);
    }

    #[test]
    fn an_error_of_the_arguments_shows_what_the_caller_wrote() {
        let error = Specification::library("BoundedQueue(x)").unwrap().compile(2, &NoModules);
        assert_eq!(findings(error), [("there is no `x`".into(), "BoundedQueue(x)".into())]);
        let error = Specification::library("BoundedQueue(2 +)").unwrap().compile(2, &NoModules);
        let title = "expected an expression, found `)`";
        assert_eq!(findings(error), [(title.into(), "BoundedQueue(2 +)".into())]);
    }

    /// The object and the operations of the file are not part of the specification that the caller names.
    #[test]
    fn a_named_specification_is_checked_without_the_rest_of_its_file() {
        const TEXT: &str = "object O: Mine;\nconst N = 2;\nenum E { A, B }\nshared x: int = 0;\ninit { x = 1; }\n\
            op f() -> bool { return x == 1; }\n\
            spec Mine { op f() -> bool { return true; } }\n\
            spec Other(k: 0..N + 1) { state s: 0..N = 0; op g(e: E) -> 0..N { return s; } }\n";
        let program = of_text(TEXT, "Other(2)", &[]).unwrap();
        assert!(program.globals.variables.is_empty());
        assert_eq!(program.ops.iter().map(|op| &*op.name).collect::<Vec<_>>(), ["g"]);
        assert_eq!(findings(of_text(TEXT, "Other(3)", &[])).len(), 1);
        assert!(of_text(TEXT, "Other(3)", &[("N", 3)]).is_ok());
    }

    #[test]
    fn a_client_cannot_be_given_memory_of_the_object() {
        let found = findings(of_text("spec S { op f() -> int { return 1; } }", "S", &[]));
        assert_eq!(found[0].0, "a result of an operation cannot be `int`");
    }
}
