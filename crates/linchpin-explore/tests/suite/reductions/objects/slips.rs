//! What a tired programmer does to a right text: a statement is forgotten, two change places, one is written
//! twice; and statements that have nothing to do with the rest get in and can be seen by others.
//!
//! Only whole lines of operations and functions are touched, never the specification. The result may be no
//! program any more: who draws, tries.

use fastrand::Rng;

/// The text with one more slip in it.
pub fn slip(rng: &mut Rng, text: &str) -> String {
    let mut lines: Vec<String> = text.lines().map(String::from).collect();
    let statements = statements(&lines);
    let Some(&at) = rng.choice(&statements) else { return text.to_string() };
    match rng.u32(0..4) {
        0 => {
            lines.remove(at);
        }
        1 => {
            let line = lines[at].clone();
            lines.insert(at, line);
        }
        _ if statements.contains(&(at + 1)) => lines.swap(at, at + 1),
        _ => {
            let line = lines.remove(at);
            let others: Vec<usize> = statements.into_iter().filter(|other| *other < lines.len()).collect();
            lines.insert(*rng.choice(&others).unwrap_or(&at), line);
        }
    }
    lines.join("\n") + "\n"
}

/// The text with two or three statements more, about variables of their own.
pub fn intrude(rng: &mut Rng, text: &str) -> String {
    const STATEMENTS: [&str; 9] = [
        "mark = true;",
        "mark = false;",
        "assert !mark;",
        "who = me;",
        "who = none;",
        "assert who == none || who == me;",
        "if who == me { mark = true; }",
        "await !mark;",
        "assume !mark;",
    ];
    let mut lines: Vec<String> = text.lines().map(String::from).collect();
    for _ in 0..rng.usize(2..=3) {
        let statement = STATEMENTS[rng.usize(0..STATEMENTS.len())];
        if let Some(&at) = rng.choice(&statements(&lines)) {
            lines.insert(at, format!("    {statement}"));
        }
    }
    let first = lines.iter().position(|line| line.starts_with("op ")).unwrap_or(0);
    lines.insert(first, "shared mark: bool;\nshared who: thread?;".into());
    lines.join("\n") + "\n"
}

/// Lines that are statements of operations and functions, each on its own.
fn statements(lines: &[String]) -> Vec<usize> {
    let mut inside = false;
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if !line.starts_with([' ', '}']) {
            inside = line.starts_with("op ") || line.starts_with("fn ");
        }
        let text = line.trim();
        let is_whole = text.matches('{').count() == text.matches('}').count();
        if inside && line.starts_with(' ') && is_whole && (text.ends_with(';') || text.ends_with('}')) {
            found.push(at);
        }
    }
    found
}
