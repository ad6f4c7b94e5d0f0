//! What a name is: its declaration, its type, the comment above it. Primitives, properties and bounds too.

use crate::analysis::Analysis;
use linchpin_frontend::typing::{NameKind, NameUse};
use linchpin_ir::source::Span;
use linchpin_report::view::rules;
use linchpin_report::visible::visible_lines;

/// Words of the language with a sentence each.
pub const WORDS: [(&str, &str); 46] = [
    ("age", "A counter of versions. It can be copied, compared and increased by one."),
    ("assert", "`assert e;` is a violation of `assertions` if `e` is false."),
    ("assume", "`assume e;` leaves executions out in which `e` is false."),
    ("atomic", "`atomic { … }` is one access, all or nothing."),
    ("await", "`await e;` waits until `e` is true, and is one access."),
    ("bag", "`bag<T>`: a collection in which values may repeat."),
    ("cas", "`cas(place, old, new) -> bool` writes `new` if the place holds `old`. One access."),
    ("check", "`check { bounds; properties }` is a bounded search with its expected verdicts."),
    ("choose", "`choose bool`, `choose x in e where c`: any value; every choice is explored."),
    ("cmpxchg", "`cmpxchg(place, old, new)` is `cas` that returns what the place held. One access."),
    ("condvar", "A condition: `wait(lock)`, `notify_one()`, `notify_all()`."),
    ("data", "Values that are only stored, moved and compared. `--values N` is their number."),
    ("dcas", "`dcas(p, q, old_p, old_q, new_p, new_q) -> bool` compares and writes two places. One access."),
    ("defer", "`defer s;` runs `s` on every way out of the block."),
    ("fetch_add", "`fetch_add(place, n)` adds and returns the old value. One access."),
    ("free", "`free(p);` frees a cell, in pool and manual memory."),
    ("hash", "`hash f(k: key) -> 0..n;`: any function, or a given one."),
    ("impl", "`impl T { fn f(self) { … } }`: methods of a struct, a word or an enum."),
    ("init", "`init { … }` runs before any call."),
    ("key", "Ordered values. `--keys N` is their number; `key::MIN` and `key::MAX` are beyond all."),
    ("lin", "`lin;` marks the linearization point of the call. `lin if e;`, `lin maybe;`, `lin of t;`"),
    ("ll", "`ll(place)` reads, and links the place to the thread. One access."),
    ("local", "`local x: T;`: a variable of each thread, which keeps its value between calls."),
    ("lock", "A lock: `lock()`, `unlock()`, `try_lock()`, `is_locked()`."),
    ("map", "`map<K, V>`: a collection of pairs."),
    ("me", "The thread that runs."),
    ("memory", "`memory gc;`, `memory pool;` or `memory manual;`: what happens to freed cells."),
    ("new", "`new Node { val: v }`: a new cell. `new [e; n]`: a new array."),
    ("none", "The value of an optional type without a value."),
    ("null", "The pointer to no cell."),
    ("object", "`object Name: Spec;`: the object, and the specification that it implements."),
    ("observer", "An automaton that watches operations take effect and accepts what is forbidden."),
    ("op", "`op name(x: T) -> R { … }`: an operation that clients call."),
    ("ord", "`ord(k)`: the number of a key."),
    ("prove", "`prove method { properties }`: what a prover should prove."),
    ("role", "`role r = a (b | c)*;`: which calls a thread makes, in which order."),
    ("sc", "`sc(place, v) -> bool` writes if the place was not written since `ll`. One access."),
    ("seq", "`seq<T>`: a sequence that grows."),
    ("set", "`set<T>`: a collection in which no value repeats."),
    ("shared", "`shared x: T;`: a variable of all threads. Each access is a step."),
    ("spec", "`spec Name { state …; op … }`: a sequential specification."),
    ("state", "`state x: T = e;`: a variable of a specification."),
    ("swap", "`swap(place, v)` writes and returns the old value. One access."),
    ("thread", "The identity of a thread."),
    ("threads", "The number of threads."),
    ("word", "A record that fits in one location: it is read and written at once."),
];

/// Bounds of `check` blocks with a sentence each.
pub const BOUNDS: [(&str, &str); 16] = [
    ("threads", "Number of threads."),
    ("nodes", "Number of cells allocated at the same time."),
    ("values", "Number of values of type `data`."),
    ("keys", "Number of values of type `key`."),
    ("ints", "Greatest value of `int`; a greater one cuts the execution."),
    ("ages", "Modulus of `age`. Not given: exact ages."),
    ("depth", "Greatest number of nested calls of functions."),
    ("steps", "Total number of calls of a schedule."),
    ("preadds", "Calls that thread 0 makes before the others start."),
    ("preemptions", "Greatest number of preemptions."),
    ("client", "`general` or `schedules`."),
    ("hashes", "`given` or `any`."),
    ("spurious", "`on`: waiting threads may wake up without a notification."),
    ("restrict", "Named restrictions of schedules."),
    ("fair", "`on`: only weakly fair schedulers count."),
    ("lin_points", "`on`: the annotated linearization points are judged."),
];

/// Returns a text in Markdown about the word at a byte, and its place.
pub fn hover(analysis: &Analysis, byte: usize) -> Option<(String, Span)> {
    if let Some(name) = analysis.name_at(byte) {
        return Some((of_name(analysis, name), name.at));
    }
    let (word, span) = word_at(analysis, byte)?;
    Some((of_word(analysis, &word, span)?, span))
}

fn of_name(analysis: &Analysis, name: &NameUse) -> String {
    let text = analysis.sources.text(name.at);
    if name.kind == NameKind::Module {
        let file = analysis.sources.file(name.definition.file);
        return format!("module `{}`", visible_lines(&file.name));
    }
    let declared = declaration(analysis, name);
    let typed = name.ty.clone().or_else(|| {
        let same = |other: &&NameUse| other.definition == name.definition && other.ty.is_some();
        analysis.names.iter().find(same).and_then(|other| other.ty.clone())
    });
    let head = match (name.kind, typed) {
        (NameKind::Variable | NameKind::SpecVariable | NameKind::Field, Some(ty)) => format!("{text}: {ty}"),
        _ => declared,
    };
    let mut out = format!("```linchpin\n{}\n```\n{}", visible_lines(&head), noun(name.kind));
    let file = analysis.sources.file(name.definition.file);
    if name.definition.file != analysis.root {
        out += &format!(" of `{}`", visible_lines(&file.name));
    }
    let above = comment_above(&file.text, usize::try_from(name.definition.start).unwrap_or(0));
    if !above.is_empty() {
        out += &format!("\n\n{}", visible_lines(&above));
    }
    out
}

fn noun(kind: NameKind) -> &'static str {
    match kind {
        NameKind::Variable => "variable",
        NameKind::Shared => "shared variable: each access is a step",
        NameKind::ThreadVariable => "variable of each thread",
        NameKind::Constant => "constant",
        NameKind::Alias => "type",
        NameKind::Struct => "struct: cells on the heap",
        NameKind::Word => "word: one location",
        NameKind::Enum => "enum",
        NameKind::Variant => "value of an enum",
        NameKind::Field => "field",
        NameKind::Operation => "operation",
        NameKind::Function => "function",
        NameKind::Method => "method",
        NameKind::Hash => "hash function",
        NameKind::Specification => "specification",
        NameKind::SpecVariable => "parameter or state of the specification",
        NameKind::Observer => "observer",
        NameKind::Role => "role",
        NameKind::Module => "module",
    }
}

/// Returns the line of a definition, up to its body.
fn declaration(analysis: &Analysis, name: &NameUse) -> String {
    let file = analysis.sources.file(name.definition.file);
    let (line, _) = file.line_column(name.definition.start);
    let text = file.line(line).trim();
    let end = match name.kind {
        NameKind::Operation | NameKind::Function | NameKind::Method | NameKind::Specification => {
            text.find('{').unwrap_or(text.len())
        }
        _ => text.find("//").unwrap_or(text.len()),
    };
    text[..end].trim_end().to_string()
}

/// Returns the comment on the lines above a place, without markers.
fn comment_above(text: &str, at: usize) -> String {
    let line_start = text[..at.min(text.len())].rfind('\n').map_or(0, |newline| newline + 1);
    let mut lines: Vec<&str> = Vec::new();
    for line in text[..line_start].lines().rev() {
        match line.trim().strip_prefix("//") {
            Some(comment) if !comment.starts_with('!') => lines.push(comment.trim_start_matches('/').trim()),
            _ => break,
        }
    }
    lines.reverse();
    lines.join("\n")
}

fn word_at(analysis: &Analysis, byte: usize) -> Option<(String, Span)> {
    let text = analysis.text();
    let is_part = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let byte = byte.min(text.len());
    if !text.is_char_boundary(byte) {
        return None;
    }
    let start = text[..byte]
        .rfind(|character| !is_part(character))
        .map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
    let end = text[byte..].find(|character| !is_part(character)).map_or(text.len(), |length| byte + length);
    (start < end).then(|| (text[start..end].to_string(), Span::new(analysis.root, start, end)))
}

fn of_word(analysis: &Analysis, word: &str, span: Span) -> Option<String> {
    use linchpin_frontend::syntax::ast::ItemKind;
    let around = |outer: Span| outer.start <= span.start && span.end <= outer.end;
    let is_check = |kind: &ItemKind| matches!(kind, ItemKind::Check(_) | ItemKind::Prove { .. });
    let in_check = analysis.tree.items.iter().any(|item| is_check(&item.kind) && around(item.span));
    let is_comment = analysis.tree.comments.iter().any(|comment| around(comment.span));
    if is_comment {
        return None;
    }
    if in_check {
        let property = rules::all().into_iter().find(|(name, _)| name.replace('-', "_") == word);
        let bound = BOUNDS.iter().find(|(name, _)| *name == word);
        if let Some((_, text)) = property.or(bound.copied()) {
            return Some(text.to_string());
        }
    }
    WORDS.iter().find(|(known, _)| *known == word).map(|(_, text)| text.to_string())
}
