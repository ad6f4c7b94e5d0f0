//! Specifications by name, for recorded histories: one of the library, or one of a file.
//!
//! A recorded history comes from a program without a model, but the front end compiles a specification as part of a
//! model. So this module derives the signatures of the operations from the specification. The operations have empty
//! bodies: readers of histories use only names and types. No caller writes a model.

use linchpin_engine::model::RequestError;
use linchpin_frontend::lower::lower;
use linchpin_frontend::syntax::ast;
use linchpin_frontend::syntax::ast::{ItemKind, SpecMember};
use linchpin_frontend::syntax::parse;
use linchpin_frontend::typing::{Checked, LIBRARY_SPECIFICATIONS, Modules, check};
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::interface::Setting;
use linchpin_ir::nearest::nearest;
use linchpin_ir::program::{Expr, ExprKind, Program};
use linchpin_ir::source::{FileId, SourceMap, Span};
use linchpin_ir::types::{TypeKind, TypeTable};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;

/// A specification that histories are judged by.
pub struct Specification {
    /// Name with type arguments and parameters, as after `object O:`. `None`: the object of the file names it.
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

/// The module name under which the derived text uses the file.
const MODULE: &str = "recorded_by";

impl Specification {
    /// Finds a specification of the library: `Queue`, `Set<key>`, `BoundedQueue(8)`.
    pub fn library(applied: &str) -> Result<Specification, RequestError> {
        Specification { applied: Some(applied.into()), file: None, constants: BTreeMap::new() }.resolved()
    }

    /// Finds a specification in a file. Without a name the file must have an object or exactly one specification.
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
        let modules = SpecModules { file: file.as_ref(), others: modules };
        // A missing type argument is `data`, or `key` if the specification orders values.
        let mut first_error = None;
        for default in ["data", "key"] {
            let mut sources = SourceMap::default();
            let root = sources.add(self.shown(applied), self.signatures(applied, default));
            let checked = check(&mut sources, &modules, root, &setting);
            match finish(sources, checked) {
                Ok(program) => return Ok(program),
                Err(error) => first_error = first_error.or(Some(error)),
            }
        }
        Err(first_error
            .unwrap_or_else(|| message(format!("no specification `{applied}`"), "name another one")))
    }

    fn text(&self) -> &str {
        self.file.as_ref().map_or(LIBRARY_SPECIFICATIONS, |file| &file.text)
    }

    /// Returns the name for messages: `--spec file.lin::Name`.
    fn shown(&self, applied: &str) -> String {
        match &self.file {
            Some(file) => format!("--spec {}::{applied}", file.path),
            None => format!("--spec {applied}"),
        }
    }

    /// Checks that the named specification exists. Without a name it chooses the only specification of the file.
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

    /// Returns the text of an object that has the operations of the specification, with empty bodies.
    fn signatures(&self, applied: &str, default: &str) -> String {
        let text = self.text();
        let (tree, _) = parse(scratch_file(), text);
        let name = name_of(applied);
        let Some(spec) = specs(&tree).find(|spec| *spec.name.text == *name) else {
            return format!("object Recorded: {applied};\n");
        };
        let given = type_arguments(applied);
        let types: Vec<&str> = match given.is_empty() {
            true => spec.type_params.iter().map(|_| default).collect(),
            false => given.iter().map(String::as_str).collect(),
        };
        let applied = match (spec.type_params.is_empty(), given.is_empty()) {
            (false, true) => applied.replacen(name, &format!("{name}<{}>", types.join(", ")), 1),
            _ => applied.to_string(),
        };
        let mut out = format!("object Recorded: {applied};\n");
        let params: Vec<&str> = spec.type_params.iter().map(|param| &*param.text).collect();
        let operations = operations(text, spec);
        if self.file.is_some() {
            let mut used = names_in(&operations, &params);
            used.insert(name.to_string());
            let used: Vec<String> = used.into_iter().collect();
            let _ = writeln!(out, "use {MODULE}::{{{}}};", used.join(", "));
        }
        for (param, ty) in params.iter().zip(&types) {
            let _ = writeln!(out, "type {param} = {ty};");
        }
        out + &operations
    }
}

const WRITE_ONE: &str = "write `spec Name { … }` into the file, or name a specification of the library";

fn message(text: String, help: impl Into<String>) -> RequestError {
    RequestError::Message { text, help: help.into() }
}

/// The specification's file under its module name, and the modules of the caller.
struct SpecModules<'a> {
    file: Option<&'a SpecFile>,
    others: &'a dyn Modules,
}

impl Modules for SpecModules<'_> {
    fn read(&self, module: &str) -> Option<(String, String)> {
        match self.file {
            Some(file) if module == MODULE => Some((file.path.clone(), file.text.clone())),
            _ => self.others.read(module),
        }
    }

    fn names(&self) -> Vec<String> {
        self.others.names()
    }
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

/// Finds a clause that takes `ord` or a hash of a `data` or `key`. The verdict must not depend on the numbering of
/// recorded values.
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

/// Returns the operations of a specification, each once, with empty bodies.
fn operations(text: &str, spec: &ast::Spec) -> String {
    let slice = |span: Span| text.get(span.start as usize..span.end as usize).unwrap_or("");
    let mut seen = BTreeSet::new();
    let mut out = String::new();
    let clauses = spec.members.iter().filter_map(|member| match member {
        SpecMember::Clause(clause) => Some(clause),
        SpecMember::State(..) | SpecMember::Observer(_) => None,
    });
    for signature in clauses.flat_map(|clause| &clause.heads).map(|head| &head.signature) {
        if !seen.insert(signature.name.text.clone()) {
            continue;
        }
        let params: Vec<String> = signature
            .params
            .iter()
            .map(|param| format!("{}: {}", param.name.text, slice(param.ty.span)))
            .collect();
        let result = signature.result.as_ref().map_or(String::new(), |ty| format!(" -> {}", slice(ty.span)));
        let _ = writeln!(out, "op {}({}){result} {{ loop {{}} }}", signature.name.text, params.join(", "));
    }
    out
}

/// Returns the types and constants that the operations name: words with a capital first letter.
fn names_in(operations: &str, params: &[&str]) -> BTreeSet<String> {
    let words = operations.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let named = words.filter(|word| word.starts_with(|c: char| c.is_uppercase()));
    named.filter(|word| !params.contains(word)).map(str::to_string).collect()
}

/// Returns `Name` of `Name<a, b>(c)`.
fn name_of(applied: &str) -> &str {
    applied.split(['<', '(']).next().unwrap_or("").trim()
}

/// Returns the texts `a` and `b` of `Name<a, b>(c)`.
fn type_arguments(applied: &str) -> Vec<String> {
    let text = format!("object O: {applied};");
    let (tree, _) = parse(scratch_file(), &text);
    let types = tree.object.map_or(Vec::new(), |object| object.type_args);
    types.iter().map(|ty| text[ty.span.start as usize..ty.span.end as usize].to_string()).collect()
}

/// Returns a file for trees whose places appear in no message.
fn scratch_file() -> FileId {
    SourceMap::default().add("", "")
}
