//! The specification that a recorded history is judged by: one of the library, or one of a file.
//!
//! A program has an object, and a recorded history comes from an object that nobody modelled. So one is written for it,
//! with the operations of the specification and nothing in them: only their names and types are used.

use super::Failure;
use super::compile::model_failure;
use super::values::ConstantSetting;
use crate::input::{self, ModuleSource};
use linchpin_frontend::lower::lower;
use linchpin_frontend::syntax::ast;
use linchpin_frontend::syntax::ast::{ItemKind, SpecMember};
use linchpin_frontend::syntax::parse;
use linchpin_frontend::typing::{LIBRARY_SPECIFICATIONS, Modules, check};
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::interface::Setting;
use linchpin_ir::nearest::nearest;
use linchpin_ir::program::{Expr, ExprKind, Program};
use linchpin_ir::source::{FileId, SourceMap, Span};
use linchpin_ir::types::{TypeKind, TypeTable};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

/// What `--spec` says.
pub struct Specification {
    /// As it was given.
    argument: String,
    /// The name and what stands behind it, as behind `object O:`; none: the file's own object says it.
    applied: Option<String>,
    file: Option<SpecFile>,
    /// Values of the file's constants that are not those of its text.
    constants: BTreeMap<String, i64>,
}

struct SpecFile {
    path: String,
    text: String,
}

/// The name by which the stand-in takes from the file.
const MODULE: &str = "recorded_by";

impl Specification {
    /// `Queue`, `Set<key>`, `BoundedQueue(8)`; `file.lin`, `file.lin::Name`.
    pub fn new(argument: &str, constants: &[ConstantSetting]) -> Result<Specification, Failure> {
        let (path, name) = match argument.split_once(".lin") {
            Some((stem, "")) => (Some(format!("{stem}.lin")), None),
            Some((stem, rest)) if rest.starts_with("::") => {
                (Some(format!("{stem}.lin")), Some(rest[2..].to_string()))
            }
            _ => (None, Some(argument.to_string())),
        };
        let file = match path {
            Some(path) => {
                let text = input::read_text(Path::new(&path)).map_err(Failure::Input)?;
                Some(SpecFile { path, text })
            }
            None => None,
        };
        if file.is_none() && !constants.is_empty() {
            return Err(Failure::input("`--set` does not apply to a specification of the library")
                .help("give its parameters behind its name: `--spec 'BoundedQueue(8)'`"));
        }
        let constants = constants.iter().map(|constant| (constant.name.clone(), constant.value)).collect();
        let specification = Specification { argument: argument.into(), applied: name, file, constants };
        specification.named()
    }

    /// The file that it is read from, if it is not of the library.
    pub fn path(&self) -> Option<&str> {
        self.file.as_ref().map(|file| &*file.path)
    }

    /// The program for a number of threads, and nothing in its operations.
    pub fn compile(&self, threads: u32) -> Result<Program, Failure> {
        let setting = Setting { threads: threads.max(1), constants: self.constants.clone() };
        let Some(applied) = &self.applied else {
            let file = self.file.as_ref().map_or("", |file| &file.path);
            let mut model = input::load(file)?;
            let checked = check(&mut model.sources, &model.modules, model.root, &setting);
            return finish(&model.sources, file, checked);
        };
        // Type arguments that are not given are `data`, or `key` where values have to be ordered.
        let mut first_failure = None;
        for by_default in ["data", "key"] {
            let (mut sources, root) = self.stand_in(applied, by_default);
            let checked = check(&mut sources, &self.modules(), root, &setting);
            match finish(&sources, &self.argument, checked) {
                Ok(program) => return Ok(program),
                Err(failure) => first_failure = first_failure.or(Some(failure)),
            }
        }
        Err(first_failure.unwrap_or_else(|| Failure::input("no specification")))
    }

    /// Finds out what the file means where no name is given, and whether there is what is named.
    fn named(mut self) -> Result<Specification, Failure> {
        let text = self.file.as_ref().map_or(LIBRARY_SPECIFICATIONS, |file| &file.text);
        let (tree, _) = parse(scratch_file(), text);
        let known: Vec<&str> = specs(&tree).map(|spec| &*spec.name.text).collect();
        match (&self.applied, &self.file) {
            (Some(applied), file) => {
                let name = applied.split(['<', '(']).next().unwrap_or("").trim();
                if known.contains(&name) {
                    return Ok(self);
                }
                let place = file.as_ref().map_or("the library".into(), |file| format!("`{}`", file.path));
                let failure = Failure::input(format!("no specification `{name}` in {place}"));
                Err(match nearest(name, known.iter().copied()).first() {
                    Some(near) => failure.help(format!("did you mean `{near}`?")),
                    None if known.is_empty() => failure,
                    None => failure.help(format!("there are `{}`", known.join("`, `"))),
                })
            }
            (None, Some(_)) if tree.object.is_some() => Ok(self),
            (None, Some(file)) => match known.as_slice() {
                [only] => {
                    self.applied = Some(only.to_string());
                    Ok(self)
                }
                [] => Err(Failure::input(format!("`{}` has no specification", file.path))
                    .help("write `spec Name { … }` into it, or name one of the library")),
                [first, ..] => {
                    Err(Failure::input(format!("`{}` has {} specifications", file.path, known.len()))
                        .help(format!("name one: `{}::{first}`", file.path)))
                }
            },
            (None, None) => Ok(self),
        }
    }

    /// An object with the operations of the specification.
    fn stand_in(&self, applied: &str, by_default: &str) -> (SourceMap, FileId) {
        let text = self.file.as_ref().map_or(LIBRARY_SPECIFICATIONS, |file| &file.text);
        let (tree, _) = parse(scratch_file(), text);
        let name = applied.split(['<', '(']).next().unwrap_or("").trim();
        let mut out = String::new();
        if let Some(spec) = specs(&tree).find(|spec| *spec.name.text == *name) {
            let given = type_arguments(applied);
            let types: Vec<&str> = match given.is_empty() {
                true => spec.type_params.iter().map(|_| by_default).collect(),
                false => given.iter().map(String::as_str).collect(),
            };
            let applied = match (spec.type_params.is_empty(), given.is_empty()) {
                (false, true) => applied.replacen(name, &format!("{name}<{}>", types.join(", ")), 1),
                _ => applied.to_string(),
            };
            let _ = writeln!(out, "object Recorded: {applied};");
            let params: Vec<&str> = spec.type_params.iter().map(|param| &*param.text).collect();
            let operations = operations(text, spec);
            if self.file.is_some() {
                let mut taken = names_in(&operations, &params);
                taken.insert(name.to_string());
                let taken: Vec<String> = taken.into_iter().collect();
                let _ = writeln!(out, "use {MODULE}::{{{}}};", taken.join(", "));
            }
            for (param, ty) in params.iter().zip(&types) {
                let _ = writeln!(out, "type {param} = {ty};");
            }
            out += &operations;
        } else {
            let _ = writeln!(out, "object Recorded: {applied};");
        }
        let mut sources = SourceMap::default();
        let root = sources.add(format!("--spec {}", self.argument), out);
        (sources, root)
    }

    fn modules(&self) -> SpecModules<'_> {
        let directory = self.file.as_ref().and_then(|file| Path::new(&file.path).parent());
        let directory = directory.unwrap_or(Path::new("")).to_path_buf();
        SpecModules {
            file: self.file.as_ref(),
            others: ModuleSource::Directory { directory, problems: Default::default() },
        }
    }
}

/// The file of the specification by its own name, others beside it.
struct SpecModules<'a> {
    file: Option<&'a SpecFile>,
    others: ModuleSource,
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

fn finish(
    sources: &SourceMap,
    name: &str,
    checked: linchpin_frontend::typing::Checked,
) -> Result<Program, Failure> {
    let refuse = |findings: &[Diagnostic]| model_failure(sources, name.to_string(), findings);
    let typed = checked.program.ok_or_else(|| refuse(&checked.diagnostics))?;
    let program = lower(sources, &typed).map_err(|findings| refuse(&findings))?;
    match number_of_value(&program) {
        None => Ok(program),
        Some(span) => {
            let title = "this specification asks for the number of a value";
            let label = "recorded values have an order at most, and no numbers";
            Err(refuse(&[Diagnostic::error(title, span, label).help("compare the values themselves")]))
        }
    }
}

/// Where a clause takes `ord` or a hash of a `data` or `key`: which number a recorded value gets must not matter.
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

/// The operations of a specification, each once, with nothing in them.
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

/// The types and constants that the operations name, which begin with a capital.
fn names_in(operations: &str, params: &[&str]) -> BTreeSet<String> {
    let words = operations.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let named = words.filter(|word| word.starts_with(|c: char| c.is_uppercase()));
    named.filter(|word| !params.contains(word)).map(str::to_string).collect()
}

/// The texts of the type arguments in `Name<a, b>(c)`.
fn type_arguments(applied: &str) -> Vec<String> {
    let text = format!("object O: {applied};");
    let (tree, _) = parse(scratch_file(), &text);
    let types = tree.object.map_or(Vec::new(), |object| object.type_args);
    types.iter().map(|ty| text[ty.span.start as usize..ty.span.end as usize].to_string()).collect()
}

/// For trees whose places nobody is told.
fn scratch_file() -> FileId {
    SourceMap::default().add("", "")
}
