//! What the README and the tutorial print is what the program prints: their commands are run again, with the
//! models that they show.
//!
//! Times, memory and whatever depends on them are not compared.

use crate::{linchpin_in, scratch};
use std::fs;
use std::path::Path;

/// A fenced block of a page: its language, and its lines.
fn blocks(page: &str) -> Vec<(String, Vec<String>)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(page);
    let text = fs::read_to_string(path).expect("a page of the project");
    let mut blocks: Vec<(String, Vec<String>)> = Vec::new();
    let mut is_inside = false;
    for line in text.lines() {
        match (line.strip_prefix("```"), is_inside) {
            (Some(language), false) => blocks.push((language.to_string(), Vec::new())),
            (None, true) => blocks.last_mut().expect("it has begun").1.push(line.to_string()),
            _ => {}
        }
        is_inside ^= line.starts_with("```");
    }
    blocks
}

/// A line without the time and the memory of a search.
fn comparable(line: &str) -> String {
    match line.split_once(" transitions, ") {
        Some((counts, _)) => format!("{counts} transitions"),
        None => line.trim_end().to_string(),
    }
}

/// Runs the command of a block and compares what it prints.
fn compare(page: &str, directory: &Path, block: &[String]) {
    let command = block[0].strip_prefix("$ linchpin ").expect("a command of the program");
    let output = linchpin_in(directory).args(command.split(' ')).output().expect("the program runs");
    let told = [&output.stdout[..], &output.stderr].concat();
    let told: Vec<String> = String::from_utf8_lossy(&told).trim_end().lines().map(comparable).collect();
    let shown: Vec<String> = block[1..].iter().map(|line| comparable(line)).collect();
    assert_eq!(shown.join("\n"), told.join("\n"), "{page} shows something else for `{command}`");
}

/// Runs the command of a block and compares the first words of each line that it prints: the heading, the
/// verdicts, the note below.
fn compare_heading(page: &str, directory: &Path, block: &[String]) {
    let command = block[0].strip_prefix("$ linchpin ").expect("a command of the program");
    let output = linchpin_in(directory).args(command.split(' ')).output().expect("the program runs");
    let heading = |line: &str| line.get(..line.len().min(40)).unwrap_or(line).trim_end().to_string();
    let told: Vec<String> = String::from_utf8_lossy(&output.stdout).trim_end().lines().map(heading).collect();
    let shown: Vec<String> = block[1..].iter().map(|line| heading(line)).collect();
    assert_eq!(shown.join("\n"), told.join("\n"), "{page} shows something else for `{command}`");
}

#[test]
fn the_readme_shows_what_is_printed() {
    let directory = scratch("documents_readme");
    let shown: Vec<_> =
        blocks("README.md").into_iter().filter(|(language, _)| language == "console").collect();
    let checks = shown.iter().filter(|(_, block)| block[0].starts_with("$ linchpin check "));
    let mut compared = 0;
    for (_, block) in checks {
        compare("README.md", &directory, block);
        compared += 1;
    }
    assert!(compared > 0, "the README has an example");
}

#[test]
fn the_tutorial_shows_what_is_printed() {
    let directory = scratch("documents_tutorial");
    let file = directory.join("my_stack.lin");
    let read = || fs::read_to_string(&file).expect("the model");
    let write = |text: String| fs::write(&file, text).expect("a test can write a file");
    // The last text of the model that is right, for what the tutorial asks to put back.
    let mut right = String::new();
    let mut compared = 0;
    for (language, block) in blocks("docs/tutorial.md") {
        let text = block.join("\n") + "\n";
        match &*language {
            // The first model is the one that `linchpin new` wrote.
            "rust" if text.starts_with("//!") => assert_eq!(read(), text, "the template of a stack"),
            "rust" if text.contains("object MyStack") => write(text),
            "rust" => {
                // Operations in the place of the old ones, or checks in the place of the old ones.
                let old = if text.starts_with("op ") { read() } else { right.clone() };
                let (operations, checks) = old.split_once("check {").expect("a model with checks");
                let (memory, _) = operations.split_once("op push").expect("a model with a push");
                right = match text.starts_with("op ") {
                    true => format!("{memory}{text}\ncheck {{{checks}"),
                    false => format!("{operations}{text}"),
                };
                write(right.clone());
            }
            "console" => {
                let shows = |part: &str| text.contains(part);
                if shows("annotation: refuted") {
                    let early = right.replace("{ lin; return; }", "{ return; }").replacen(
                        "let top = head;\n",
                        "let top = head;\n        lin;\n",
                        1,
                    );
                    write(early);
                } else if shows("has an error") {
                    write(right.replace("lin if top == null;", "lin if top == none;"));
                } else if !right.is_empty() {
                    write(right.clone());
                }
                match block[0].starts_with("$ linchpin verify ") {
                    // The bounds and the times depend on the machine.
                    true => compare_heading("docs/tutorial.md", &directory, &block),
                    false => compare("docs/tutorial.md", &directory, &block),
                }
                compared += 1;
            }
            _ => {}
        }
    }
    assert!(compared > 8, "the tutorial has examples: {compared}");
}
