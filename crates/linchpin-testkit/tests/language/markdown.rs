//! Examples in prose: fenced blocks, in the order of the text, each model with the outputs that follow it.
//!
//! | fence | what it is |
//! |---|---|
//! | `lin file=m.lin` | a module that the next model may use |
//! | `lin` | a model; all that follows up to the next `lin` belongs to it |
//! | `diagnostics` | what the checker says, as a terminal without colours shows it |
//! | `ir`, `ir op=push` | the steps that it becomes, or those of one operation |
//! | `run push(1) \| pop(); pop()` | all ends of all schedules of these calls; threads are separated by a bar |
//! | `run order=0110 push(1) \| pop()` | one schedule, step by step |
//!
//! `run nodes=3 …` bounds the cells. A model without `diagnostics` must give none.

use std::ops::Range;

/// A model and what is expected of it.
pub struct Example {
    /// The headings that it stands under, and its number there.
    pub name: String,
    pub modules: Vec<(String, String)>,
    pub model: String,
    pub expectations: Vec<Expectation>,
    /// The line of the model's first line, from 1.
    pub line: usize,
}

pub struct Expectation {
    pub kind: BlockKind,
    pub expected: String,
    /// Where the expected text stands in the document.
    pub body: Range<usize>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum BlockKind {
    Diagnostics,
    Ir { op: Option<String> },
    Run { nodes: u32, order: Option<Vec<usize>>, calls: String },
}

/// All examples of a document.
pub fn examples(text: &str) -> Result<Vec<Example>, String> {
    let mut examples: Vec<Example> = Vec::new();
    let mut modules = Vec::new();
    let mut heading = String::new();
    let mut number = 0;
    for piece in pieces(text)? {
        match piece {
            Piece::Heading(title) => {
                heading = title;
                number = 0;
                modules.clear();
            }
            Piece::Block { info, body, line } => {
                let content = &text[body.clone()];
                let mut words = info.split_whitespace();
                match words.next() {
                    Some("lin") => match option(&mut words.clone(), "file") {
                        Some(name) => {
                            let name = name.strip_suffix(".lin").unwrap_or(&name).to_string();
                            modules.push((name, content.to_string()));
                        }
                        None => {
                            number += 1;
                            examples.push(Example {
                                name: format!("{heading} {number}"),
                                modules: modules.clone(),
                                model: content.to_string(),
                                expectations: Vec::new(),
                                line,
                            });
                        }
                    },
                    Some("diagnostics" | "ir" | "run") => {
                        let kind = kind(&info).map_err(|problem| format!("line {line}: {problem}"))?;
                        let example = examples
                            .last_mut()
                            .ok_or_else(|| format!("line {line}: no model stands before"))?;
                        example.expectations.push(Expectation { kind, expected: content.to_string(), body });
                    }
                    _ => {}
                }
            }
        }
    }
    Ok(examples)
}

enum Piece {
    Heading(String),
    Block { info: String, body: Range<usize>, line: usize },
}

fn pieces(text: &str) -> Result<Vec<Piece>, String> {
    let mut found = Vec::new();
    let mut open: Option<(String, usize, usize)> = None;
    let mut offset = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let bare = line.trim_end();
        match (&open, bare.strip_prefix("```")) {
            (None, Some(info)) => open = Some((info.trim().to_string(), offset + line.len(), number + 2)),
            (Some(_), Some("")) => {
                if let Some((info, start, line)) = open.take() {
                    found.push(Piece::Block { info, body: start..offset, line });
                }
            }
            (None, None) => {
                if let Some(title) = bare.strip_prefix('#') {
                    found.push(Piece::Heading(title.trim_start_matches('#').trim().to_string()));
                }
            }
            (Some(_), _) => {}
        }
        offset += line.len();
    }
    match open {
        Some((_, _, line)) => Err(format!("the block at line {line} has no end")),
        None => Ok(found),
    }
}

fn kind(info: &str) -> Result<BlockKind, String> {
    let mut words = info.split_whitespace().peekable();
    match words.next() {
        Some("diagnostics") => Ok(BlockKind::Diagnostics),
        Some("ir") => Ok(BlockKind::Ir { op: option(&mut words, "op") }),
        _ => {
            let mut nodes = 8;
            let mut order = None;
            while let Some((name, value)) = words.peek().and_then(|word| word.split_once('=')) {
                match name {
                    "nodes" => {
                        nodes = value.parse().map_err(|_| format!("`{value}` is not a number of cells"))?
                    }
                    "order" => {
                        let digits: Option<Vec<u32>> = value.chars().map(|c| c.to_digit(10)).collect();
                        let digits = digits.ok_or_else(|| format!("`{value}` is not an order of threads"))?;
                        order = Some(digits.into_iter().map(|digit| digit as usize).collect());
                    }
                    other => return Err(format!("`run` has no option `{other}`")),
                }
                words.next();
            }
            Ok(BlockKind::Run { nodes, order, calls: words.collect::<Vec<_>>().join(" ") })
        }
    }
}

/// The value of `name=value` among some words.
fn option<'w>(words: &mut impl Iterator<Item = &'w str>, name: &str) -> Option<String> {
    words.find_map(|word| word.strip_prefix(name)?.strip_prefix('=')).map(str::to_string)
}
