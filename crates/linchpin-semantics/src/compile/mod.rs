//! Compiles a program: offsets, widths, classes and messages are computed once, so that a step looks nothing
//! up.

mod flow;
mod instr;
mod term;
mod text;

use crate::code::age_slots::AgeSlots;
use crate::code::collection_class::{ClassError, Classes};
use crate::code::definedness::Definedness;
use crate::code::hash_tables::{Source, Table, Tables};
use crate::code::layout::Layout;
use crate::code::outcome::{Site, TextId};
use crate::code::{CellKind, Code, Instr, Method, Op, Span};
use crate::compile::text::Writer;
use crate::instance::bounds::{Bounds, MAX_THREADS};
use crate::instance::domain::{NoDomain, Purpose, values};
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::index::{Index, number_of};
use linchpin_ir::program::{Expr, Globals, LocalSet, MethodId, Program};
use linchpin_ir::types::{Pointee, SlotKind, TypeId, TypeKind};
use rustc_hash::FxHashMap;

/// What is compiled: the object, or its specification.
pub(crate) struct Unit<'a> {
    pub program: &'a Program,
    pub bounds: &'a Bounds,
    pub globals: &'a Globals,
    /// The methods in order. A method of the program keeps its number; `None` for a method that is never
    /// called.
    pub methods: Vec<(Site, Option<&'a linchpin_ir::program::Method>)>,
    pub threads: usize,
    /// Whether this is the specification, which has no `local` variables and no links.
    pub is_spec: bool,
}

impl<'a> Unit<'a> {
    pub fn object(program: &'a Program, bounds: &'a Bounds) -> Unit<'a> {
        let methods =
            program.methods.entries().map(|(id, method)| (Site::Method(id), Some(method))).collect();
        let threads = bounds.threads as usize;
        Unit { program, bounds, globals: &program.globals, methods, threads, is_spec: false }
    }

    /// The unit of the specification. Methods that clauses can call keep their numbers; then `init`, then the
    /// clauses.
    pub fn spec(program: &'a Program, bounds: &'a Bounds) -> Unit<'a> {
        let spec = &program.spec;
        let roots = || std::iter::once(&spec.init).chain(spec.clauses.iter().map(|clause| &clause.method));
        let called = flow::called(program, roots());
        let method = |id: MethodId| (Site::Method(id), called.contains(&id).then(|| &program.methods[id]));
        let mut methods: Vec<_> = program.methods.ids().map(method).collect();
        methods.push((Site::SpecInit, Some(&spec.init)));
        methods.extend(spec.clauses.iter().enumerate().map(|(at, c)| (Site::Clause(at), Some(&c.method))));
        Unit { program, bounds, globals: &spec.globals, methods, threads: 1, is_spec: true }
    }
}

/// Compiles everything but the tables of given hash functions, which [`crate::exec::hash_functions`] fills.
pub(crate) fn compile(unit: &Unit) -> Result<Code, Vec<Diagnostic>> {
    let program = unit.program;
    check_bounds(unit)?;
    let classes = Classes::of(&program.types).map_err(|error| vec![class_error(program, error)])?;
    let links = program.uses_links && !unit.is_spec;
    let var_slots: Box<[SlotKind]> =
        if unit.is_spec { Box::default() } else { program.thread_slots.as_slice().into() };
    let var_defaults = if unit.is_spec {
        Box::default()
    } else {
        program.thread_vars.iter().flat_map(|var| program.types.defaults(var.ty)).collect()
    };
    let frame_size = unit.methods.iter().filter_map(|(_, m)| *m).map(|m| m.slots.len()).max().unwrap_or(0);
    let globals = unit.globals.slots.len();
    let (tables, table_words) = tables(unit, globals)?;
    let layout = Layout::new(globals, table_words, unit.threads, links, var_slots.len(), frame_size);
    let code = Code {
        instrs: Vec::new(),
        methods: Vec::new(),
        kinds: cell_kinds(program, &classes),
        definedness: Vec::new(),
        tables,
        texts: Vec::new(),
        layout,
        global_roots: classes.roots(&unit.globals.slots),
        global_starts: unit.globals.variables.iter().map(|var| var.offset).collect(),
        global_slots: unit.globals.slots.as_slice().into(),
        global_defaults: unit
            .globals
            .variables
            .iter()
            .flat_map(|var| program.types.defaults(var.ty))
            .collect(),
        var_roots: classes.roots(&var_slots),
        var_slots,
        var_defaults,
        classes,
        has_calls: false,
        memory: program.memory,
        threads: unit.bounds.threads,
        nodes: unit.bounds.nodes as usize,
        ints: unit.bounds.ints,
        depth: unit.bounds.depth,
        spurious: unit.bounds.spurious,
        ages: None,
    };
    let mut compiler =
        Compiler { unit, code, definedness: FxHashMap::default(), texts: FxHashMap::default() };
    compiler.starts();
    for (at, (_, method)) in unit.methods.iter().enumerate() {
        if let Some(method) = method {
            MethodCompiler { compiler: &mut compiler, method, number: number_of(at) }.instrs();
        }
    }
    let mut code = compiler.code;
    code.has_calls = code.instrs.iter().any(|instr| matches!(instr.op, Op::Call { .. }));
    flow::mark_fusing(&mut code);
    flow::mark_links(&mut code, program);
    code.ages = if unit.is_spec { None } else { AgeSlots::of(program, unit.bounds, &code) };
    Ok(code)
}

struct Compiler<'a> {
    unit: &'a Unit<'a>,
    code: Code,
    definedness: FxHashMap<TypeId, u32>,
    texts: FxHashMap<String, TextId>,
}

/// Compiles one method.
struct MethodCompiler<'c, 'a> {
    compiler: &'c mut Compiler<'a>,
    method: &'a linchpin_ir::program::Method,
    number: u32,
}

impl Compiler<'_> {
    /// Adds frames and addresses of all methods, before any instruction refers to one.
    fn starts(&mut self) {
        let mut start = 0;
        for (site, method) in &self.unit.methods {
            let slots: Box<[SlotKind]> = method.map_or_else(Box::default, |m| m.slots.as_slice().into());
            let span = |local: &linchpin_ir::program::Local| Span {
                at: number_of(local.offset),
                width: number_of(self.unit.program.types.width(local.ty)),
            };
            let mut defaults = vec![0; slots.len()];
            for local in method.iter().flat_map(|m| m.locals.iter()) {
                defaults[span(local).range()].copy_from_slice(&self.unit.program.types.defaults(local.ty));
            }
            self.code.methods.push(Method {
                site: *site,
                start,
                entry: start + method.map_or(0, |m| m.entry.index()),
                roots: self.code.classes.roots(&slots),
                slots,
                defaults: defaults.into(),
                params: method.iter().flat_map(|m| m.params.iter().map(|p| span(&m.locals[*p]))).collect(),
            });
            start += method.map_or(0, |m| m.code.len());
        }
    }

    fn definedness(&mut self, ty: TypeId) -> u32 {
        *self.definedness.entry(ty).or_insert_with(|| {
            self.code.definedness.push(Definedness::of(&self.unit.program.types, ty));
            number_of(self.code.definedness.len()) - 1
        })
    }

    fn text(&mut self, text: String) -> TextId {
        if let Some(&id) = self.texts.get(&text) {
            return id;
        }
        let id = TextId(number_of(self.code.texts.len()));
        self.code.texts.push(text.as_str().into());
        self.texts.insert(text, id);
        id
    }
}

impl MethodCompiler<'_, '_> {
    fn instrs(&mut self) {
        let start = self.compiler.code.methods[self.number as usize].start;
        debug_assert_eq!(start, self.compiler.code.instrs.len());
        for instr in self.method.code.iter() {
            let op = self.op(&instr.op, start, self.method.code.get(instr.next));
            let (live, dead) = self.spans(&instr.live);
            let roots = &self.compiler.code.methods[self.number as usize].roots;
            let is_live = |slot: u32| live.iter().any(|span| span.range().contains(&(slot as usize)));
            let live_roots = roots.iter().filter(|root| is_live(root.slot)).copied().collect();
            let (rests, fuses) = match instr.access {
                linchpin_ir::program::Access::Local => (false, false),
                linchpin_ir::program::Access::Step { can_block } => (true, !can_block),
            };
            let next = start + instr.next.index();
            let method = self.number;
            let instr = Instr { op, next, rests, fuses, link_live: false, method, live, dead, live_roots };
            self.compiler.code.instrs.push(instr);
        }
    }

    /// Returns the slots of a set of locals, and all others.
    fn spans(&self, locals: &LocalSet) -> (Box<[Span]>, Box<[Span]>) {
        let (mut live, mut dead): (Vec<Span>, Vec<Span>) = (Vec::new(), Vec::new());
        for (id, local) in self.method.locals.entries() {
            let width = number_of(self.compiler.unit.program.types.width(local.ty));
            let span = Span { at: number_of(local.offset), width };
            let list = if locals.contains(id) { &mut live } else { &mut dead };
            match list.last_mut() {
                Some(last) if last.at + last.width == span.at => last.width += width,
                _ if width == 0 => {}
                _ => list.push(span),
            }
        }
        (live.into(), dead.into())
    }

    fn writer(&self) -> Writer<'_> {
        let unit = self.compiler.unit;
        Writer { program: unit.program, globals: unit.globals, method: self.method }
    }

    fn expr_text(&mut self, expr: &Expr) -> TextId {
        let text = self.writer().expr(expr);
        self.compiler.text(text)
    }
}

/// The largest bound. Bounded things are numbered by words, with room for special words.
const LARGEST_BOUND: u32 = 1 << 28;

fn check_bounds(unit: &Unit) -> Result<(), Vec<Diagnostic>> {
    let Unit { program, bounds, .. } = unit;
    let counted = [bounds.nodes, bounds.values, bounds.keys, bounds.ages.unwrap_or(0)];
    if let Some(bound) = counted.into_iter().find(|bound| *bound > LARGEST_BOUND) {
        let title = format!("the bound {bound} is too large");
        let label = "this object cannot run within this bound";
        return Err(vec![
            Diagnostic::error(title, program.object_span, label)
                .help(format!("a bound is at most {LARGEST_BOUND}")),
        ]);
    }
    if bounds.threads == 0 || bounds.threads > MAX_THREADS {
        let title = format!("an instance cannot have {} threads", bounds.threads);
        let label = "this object cannot run with this number of threads";
        return Err(vec![
            Diagnostic::error(title, program.object_span, label)
                .help(format!("the number of threads is between 1 and {MAX_THREADS}")),
        ]);
    }
    if let Some(span) = program.threads_used_at
        && program.threads != bounds.threads
    {
        let title = format!("a program for {} threads run with {}", program.threads, bounds.threads);
        return Err(vec![Diagnostic::error(title, span, "the number of threads was used here")]);
    }
    Ok(())
}

fn class_error(program: &Program, error: ClassError) -> Diagnostic {
    let (ty, why, help) = match error {
        ClassError::Circular(ty) => (ty, "holds itself", "let its elements hold pointers instead"),
        ClassError::Empty(ty) => (ty, "has elements without any value", "count them with an `int` instead"),
    };
    let name = program.types.name(ty);
    Diagnostic::error(format!("`{name}` {why}"), program.object_span, format!("this object uses `{name}`"))
        .help(help)
}

fn cell_kinds(program: &Program, classes: &Classes) -> Vec<CellKind> {
    let types = &program.types;
    let mut kinds = Vec::new();
    for (id, record) in types.structs.entries() {
        let slots: Vec<SlotKind> = record.fields.iter().flat_map(|field| types.slots(field.ty)).collect();
        let defaults = record.fields.iter().flat_map(|field| types.defaults(field.ty)).collect();
        let roots = classes.roots(&slots);
        let pointee = Pointee::Struct(id);
        kinds.push(CellKind { pointee, slots: slots.into(), roots, defaults, is_array: false });
    }
    for ty in types.ids() {
        if let TypeKind::Pointer(pointee @ Pointee::Array(element)) = types.kind(ty) {
            let slots = types.slots(element);
            let (roots, defaults) = (classes.roots(&slots), types.defaults(element).into());
            kinds.push(CellKind { pointee, slots: slots.into(), roots, defaults, is_array: true });
        }
    }
    kinds
}

/// Returns the tables of the hash functions, and the number of words that they take after the shared
/// variables.
fn tables(unit: &Unit, start: usize) -> Result<(Tables, usize), Vec<Diagnostic>> {
    let Unit { program, bounds, .. } = unit;
    let arbitrary = flow::arbitrary_hashes(program, bounds.any_hashes);
    let used = flow::used_hashes(unit.methods.iter().filter_map(|(_, method)| *method));
    let given = flow::given_hashes(program, bounds.any_hashes).map_err(|hash| {
        let hash = &program.hashes[hash];
        let title = format!("the hash function `{}` is defined by itself", hash.name);
        vec![Diagnostic::error(title, hash.span, "this function")]
    })?;
    let mut tables = Tables { tables: Vec::new(), given };
    let mut words = 0;
    for (id, hash) in program.hashes.entries() {
        let is_used = !unit.is_spec || used.contains(&id);
        let list = |ty| {
            values(&program.types, bounds, Purpose::Everything, ty).map_err(|error| {
                let (title, help) = match error {
                    NoDomain::Endless(_) => {
                        ("has no end of values", "hash a `data`, a `key`, an enum or a range")
                    }
                    NoDomain::TooMany => ("has too many values", "lower the bounds, or hash a smaller type"),
                };
                let title = format!(
                    "`{}`, a type of the hash function `{}`, {title}",
                    program.types.name(ty),
                    hash.name
                );
                vec![Diagnostic::error(title, hash.span, "this function").help(help)]
            })
        };
        let in_state = arbitrary.contains(&id);
        if in_state && is_used && unit.is_spec {
            let title = format!("the specification calls `{}`, which is an arbitrary function", hash.name);
            return Err(vec![
                Diagnostic::error(title, hash.span, "this function")
                    .help("a specification may call given functions only"),
            ]);
        }
        let is_given = hash.body.is_some() && !bounds.any_hashes;
        let source = if in_state {
            let method = hash.body.filter(|_| is_given).map(|body| number_of(body.index()));
            Source::InState {
                at: start + words,
                method,
                results: if is_given { Vec::new() } else { list(hash.result)? },
            }
        } else {
            Source::Fixed(Vec::new())
        };
        let domain = if is_used { list(hash.domain)? } else { Vec::new() };
        let table = Table {
            domain,
            domain_slots: program.types.slots(hash.domain).into(),
            result_slots: program.types.slots(hash.result).into(),
            width: program.types.width(hash.result),
            source,
        };
        words += table.words();
        tables.tables.push(table);
    }
    Ok((tables, words))
}

/// Returns the methods that operations run, recursive functions included, without those that only `init`
/// runs.
pub fn methods_of_operations(program: &Program) -> impl Iterator<Item = &linchpin_ir::program::Method> {
    let roots = || program.ops.iter().map(|op| op.method);
    let called = flow::called(program, roots().map(|method| &program.methods[method]));
    let is_run = move |id: &MethodId| called.contains(id) || roots().any(|root| root == *id);
    program.methods.ids().filter(is_run).map(|id| &program.methods[id])
}
