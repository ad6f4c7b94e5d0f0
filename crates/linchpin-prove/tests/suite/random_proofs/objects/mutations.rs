//! Mutations: a statement is dropped, doubled or swapped; a condition is negated; a constant, an age or a
//! variable is replaced.

use super::statements;
use fastrand::Rng;

/// Names that stand for pointers, words or values in the skeletons.
pub const NAMES: [&str; 13] =
    ["top", "next", "n", "h", "t", "older", "first", "then", "pred", "curr", "head", "tail", "v"];

/// The same in the skeletons of sets.
pub const SET_NAMES: [&str; 7] = ["pred", "curr", "succ", "next", "node", "head", "k"];

/// Makes one slip, and says which. `names` are exchanged with each other.
pub fn mutate(rng: &mut Rng, lines: &mut Vec<String>, names: &[&str]) -> &'static str {
    let places = statements(lines);
    let Some(&at) = rng.choice(&places) else { return "nothing" };
    match rng.u32(0..9) {
        0 => {
            lines.remove(at);
            "dropped statement"
        }
        1 => {
            let line = lines[at].clone();
            lines.insert(at, line);
            "statement twice"
        }
        2 if places.contains(&(at + 1)) => {
            lines.swap(at, at + 1);
            "exchanged statements"
        }
        3 | 4 => replaced(
            rng,
            lines,
            &[("==", "!="), ("!=", "=="), ("<", "<="), ("&&", "||"), ("||", "&&")],
            "turned condition",
        ),
        5 => replaced(
            rng,
            lines,
            &[
                (".age + 1", ".age"),
                ("takes: top.takes + 1", "takes: top.takes"),
                ("age: top.age", "age: older.age"),
            ],
            "changed age",
        ),
        6 => replaced(
            rng,
            lines,
            &[("1", "0"), ("2", "1"), ("2", "3"), ("3", "2"), ("true", "false"), ("null", "n")],
            "changed constant",
        ),
        _ => {
            let from = names[rng.usize(0..names.len())];
            let to = names[rng.usize(0..names.len())];
            renamed(rng, lines, from, to);
            "changed variable"
        }
    }
}

/// Some occurrence of one of these passages in an operation is replaced.
fn replaced(
    rng: &mut Rng,
    lines: &mut [String],
    passages: &[(&str, &str)],
    name: &'static str,
) -> &'static str {
    let (from, to) = passages[rng.usize(0..passages.len())];
    let first = lines.iter().position(|line| line.starts_with("op ")).unwrap_or(0);
    let found: Vec<(usize, usize)> = (first..lines.len())
        .filter(|at| lines[*at].starts_with(' '))
        .flat_map(|at| lines[at].match_indices(from).map(move |(column, _)| (at, column)).collect::<Vec<_>>())
        .collect();
    if let Some(&(at, column)) = rng.choice(&found) {
        lines[at].replace_range(column..column + from.len(), to);
    }
    name
}

/// Some occurrence of a name in an operation, where it is not declared, is replaced.
fn renamed(rng: &mut Rng, lines: &mut [String], from: &str, to: &str) {
    let is_part =
        |letter: Option<char>| letter.is_some_and(|l| l.is_ascii_alphanumeric() || l == '_' || l == '.');
    let first = lines.iter().position(|line| line.starts_with("op ")).unwrap_or(0);
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate().skip(first).filter(|(_, line)| line.starts_with(' ')) {
        for (column, _) in line.match_indices(from) {
            let before = line[..column].chars().last();
            let after = line[column + from.len()..].chars().next();
            let is_declared = line[..column].ends_with("let ");
            let ends = !after.is_some_and(|l| l.is_ascii_alphanumeric() || l == '_' || l == ':');
            if !is_part(before) && ends && !is_declared {
                found.push((at, column));
            }
        }
    }
    if let Some(&(at, column)) = rng.choice(&found) {
        lines[at].replace_range(column..column + from.len(), to);
    }
}
