//! Where a `lin` can be written: the statement boundaries of the operations, and the conditions that their
//! own text suggests.
//!
//! **Places.** A `lin` belongs to the access before it. So the beginnings of blocks and the ends of
//! statements are enough: they stand behind each access, and behind each of its outcomes that the program
//! tells apart.
//!
//! **Conditions.** Those of the function itself (of `if`, `while` and `return`), and their negations. Behind
//! a write to a variable also: whether it is null, or equal to another variable. Many do not fit their place.
//! The front end refuses these, see [`super::instrument`].

use linchpin_frontend::syntax::ast::{
    self, Block, Else, ExprKind, Function, If, ItemKind, Stmt, StmtKind, UnaryOp,
};
use linchpin_frontend::syntax::parse;
use linchpin_ir::source::SourceMap;
use std::collections::BTreeSet;
use std::ops::Range;

/// A text without `lin`, and the places where one can be written.
#[derive(Clone, Debug)]
pub struct Sites {
    /// The text of the model, without any `lin`.
    pub text: String,
    pub places: Vec<Place>,
    /// The functions of the text that have places.
    pub functions: Vec<String>,
}

/// A place where a `lin` can be written.
#[derive(Clone, Debug)]
pub struct Place {
    /// The byte of [`Sites::text`] at which the `lin` is inserted.
    pub at: usize,
    /// An index into [`Sites::functions`].
    pub function: usize,
    /// The conditions to try, without the empty one.
    pub conditions: Vec<String>,
}

/// Collects the places of a model's text.
pub fn sites(text: &str) -> Sites {
    let text = without_points(text);
    let mut sites = Sites { text: String::new(), places: Vec::new(), functions: Vec::new() };
    for function in functions(&text) {
        let Some(body) = &function.body else { continue };
        let mut walk = Walk {
            text: &text,
            function: sites.functions.len(),
            conditions: own_conditions(&text, &function),
            names: function.signature.params.iter().map(|param| param.name.text.to_string()).collect(),
            places: &mut sites.places,
        };
        walk.block(body);
        sites.functions.push(function.signature.name.text.to_string());
    }
    sites.text = text;
    sites
}

/// Returns every `lin` of a text: its function, and its bytes.
pub fn points_of(text: &str) -> Vec<(String, Range<usize>)> {
    let mut found = Vec::new();
    for function in functions(text) {
        let name = function.signature.name.text.to_string();
        let mut visit = |stmt: &Stmt| {
            if matches!(stmt.kind, StmtKind::Lin { .. }) {
                found.push((name.clone(), stmt.span.start as usize..stmt.span.end as usize));
            }
        };
        if let Some(body) = &function.body {
            each_stmt(body, &mut visit);
        }
    }
    found
}

/// Returns whether an operation or function of the text has a `lin`.
pub fn has_points(text: &str) -> bool {
    !points_of(text).is_empty()
}

/// Returns the operations and functions of a text.
fn functions(text: &str) -> Vec<Function> {
    let mut sources = SourceMap::default();
    let root = sources.add("model", text);
    let (tree, _) = parse(root, text);
    let function = |item: ast::Item| match item.kind {
        ItemKind::Op(function) | ItemKind::Fn(function) => Some(function),
        _ => None,
    };
    tree.items.into_iter().filter_map(function).collect()
}

/// Removes each `lin`, with its line if nothing but a comment is left there.
fn without_points(text: &str) -> String {
    let mut out = String::new();
    let mut from = 0;
    for (_, range) in points_of(text) {
        let line = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
        let end = text[range.end..].find('\n').map_or(text.len(), |at| range.end + at + 1);
        let is_blank = |part: &str| part.trim().is_empty() || part.trim().starts_with("//");
        let (start, end) = if is_blank(&text[line..range.start]) && is_blank(&text[range.end..end]) {
            (line, end)
        } else {
            (range.start, range.end)
        };
        out.push_str(text.get(from..start).unwrap_or(""));
        from = end.max(from);
    }
    out + &text[from..]
}

fn each_stmt(block: &Block, visit: &mut impl FnMut(&Stmt)) {
    for stmt in &block.stmts {
        visit(stmt);
        match &stmt.kind {
            StmtKind::If(branch) => each_stmt_of_branch(branch, visit),
            StmtKind::While { body, .. } | StmtKind::Loop { body, .. } | StmtKind::For { body, .. } => {
                each_stmt(body, visit);
            }
            StmtKind::Block(block) | StmtKind::Atomic(block) => each_stmt(block, visit),
            StmtKind::Match { arms, .. } => arms.iter().for_each(|arm| each_stmt(&arm.body, visit)),
            StmtKind::Defer(deferred) => visit(deferred),
            _ => {}
        }
    }
}

fn each_stmt_of_branch(branch: &If, visit: &mut impl FnMut(&Stmt)) {
    each_stmt(&branch.then, visit);
    match &branch.otherwise {
        Some(Else::If(nested)) => each_stmt_of_branch(nested, visit),
        Some(Else::Block(block)) => each_stmt(block, visit),
        None => {}
    }
}

struct Walk<'w> {
    text: &'w str,
    function: usize,
    conditions: BTreeSet<String>,
    /// The parameters and the variables above.
    names: Vec<String>,
    places: &'w mut Vec<Place>,
}

impl Walk<'_> {
    fn block(&mut self, block: &Block) {
        let shadowed = self.names.len();
        let start = block.span.start as usize;
        if self.text.as_bytes().get(start) == Some(&b'{') {
            self.place(start + 1, None);
        }
        for stmt in &block.stmts {
            self.stmt(stmt);
        }
        self.names.truncate(shadowed);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let mut written = None;
        match &stmt.kind {
            StmtKind::Let { name, .. } => {
                written = Some(name.text.to_string());
                self.names.push(name.text.to_string());
            }
            StmtKind::Assign { place, .. } => {
                if let ExprKind::Name(name) = &place.kind {
                    written = Some(name.text.to_string());
                }
            }
            StmtKind::Block(block) | StmtKind::Atomic(block) => self.block(block),
            StmtKind::If(branch) => self.branch(branch),
            StmtKind::Match { arms, .. } => {
                for arm in arms {
                    self.block(&arm.body);
                }
            }
            StmtKind::Loop { body, .. } | StmtKind::While { body, .. } | StmtKind::For { body, .. } => {
                self.block(body);
            }
            // What is deferred runs at every end.
            StmtKind::Break(_)
            | StmtKind::Continue(_)
            | StmtKind::Return(_)
            | StmtKind::Defer(_)
            | StmtKind::Lin { .. } => return,
            StmtKind::Expr(_) | StmtKind::Await(_) | StmtKind::Assert(_) | StmtKind::Assume(_) => {}
        }
        self.place(stmt.span.end as usize, written.as_deref());
    }

    fn branch(&mut self, branch: &If) {
        self.block(&branch.then);
        match &branch.otherwise {
            Some(Else::If(nested)) => self.branch(nested),
            Some(Else::Block(block)) => self.block(block),
            None => {}
        }
    }

    fn place(&mut self, at: usize, written: Option<&str>) {
        let mut conditions = self.conditions.clone();
        if let Some(written) = written {
            for op in ["==", "!="] {
                conditions.insert(format!("{written} {op} null"));
                for name in self.names.iter().filter(|name| *name != written) {
                    conditions.insert(format!("{written} {op} {name}"));
                }
            }
        }
        let conditions = conditions.into_iter().collect();
        self.places.push(Place { at, function: self.function, conditions });
    }
}

/// Returns the conditions in the text of a function, and their negations.
fn own_conditions(text: &str, function: &Function) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    if let Some(body) = &function.body {
        each_stmt(body, &mut |stmt| match &stmt.kind {
            StmtKind::If(branch) => {
                let mut branch = branch;
                loop {
                    collect(text, &branch.cond, &mut found);
                    let Some(Else::If(nested)) = &branch.otherwise else { break };
                    branch = nested;
                }
            }
            StmtKind::While { cond, .. } => collect(text, cond, &mut found),
            StmtKind::Return(values) => values.iter().for_each(|value| collect(text, value, &mut found)),
            _ => {}
        });
    }
    found
}

/// Adds a condition and its negation. A conjunction or disjunction adds its parts too.
fn collect(text: &str, expr: &ast::Expr, found: &mut BTreeSet<String>) {
    use ast::BinaryOp::{And, Eq, Ge, Gt, Le, Lt, Ne, Or};
    let written = |expr: &ast::Expr| {
        let (start, end) = (expr.span.start as usize, expr.span.end as usize);
        text.get(start..end).unwrap_or("").split_whitespace().collect::<Vec<_>>().join(" ")
    };
    match &expr.kind {
        ExprKind::Paren(inner) | ExprKind::Unary(UnaryOp::Not, inner) => collect(text, inner, found),
        ExprKind::Binary(op, left, right) => {
            let negated = match op {
                Eq => "!=",
                Ne => "==",
                Lt => ">=",
                Le => ">",
                Gt => "<=",
                Ge => "<",
                And | Or => {
                    collect(text, left, found);
                    collect(text, right, found);
                    found.insert(written(expr));
                    found.insert(format!("!({})", written(expr)));
                    return;
                }
                _ => return,
            };
            found.insert(written(expr));
            found.insert(format!("{} {negated} {}", written(left), written(right)));
        }
        ExprKind::Name(_) | ExprKind::Field(..) => {
            found.insert(written(expr));
            found.insert(format!("!{}", written(expr)));
        }
        _ => {}
    }
}

/// Returns the text with insertions at these bytes, and the byte ranges of the insertions in the result.
/// The insertions are sorted by place.
pub fn insert<'i>(
    text: &str,
    insertions: impl IntoIterator<Item = (usize, &'i str)>,
) -> (String, Vec<Range<usize>>) {
    let mut out = String::new();
    let mut ranges = Vec::new();
    let mut from = 0;
    for (at, inserted) in insertions {
        out.push_str(text.get(from..at).unwrap_or(""));
        from = at;
        ranges.push(out.len()..out.len() + inserted.len());
        out.push_str(inserted);
    }
    out.push_str(text.get(from..).unwrap_or(""));
    (out, ranges)
}
