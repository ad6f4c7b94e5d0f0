//! `linchpin models`: lists the catalogue, or prints the source of one model.

use super::terminal::Terminal;
use super::{Ending, Failure};
use crate::cli::input;
use crate::cli::summary::Summary;
use anstyle::{AnsiColor, Style};
use clap::{Args, Subcommand};
use linchpin_frontend::syntax;
use linchpin_ir::source::SourceMap;
use linchpin_portfolio::catalogue;
use linchpin_portfolio::catalogue::{Entry, Group};
use linchpin_report::line::{BOLD, DIM, display_width, wrap};
use linchpin_report::table::{Table, TableCell};

#[derive(Args, Debug)]
pub struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// Print the source of one model
    Show {
        /// A name of the catalogue, or a `.lin` file
        name: String,
    },
}

pub fn run(terminal: &mut Terminal, arguments: &Arguments) -> Result<Ending, Failure> {
    match &arguments.action {
        None => terminal.print(&list(terminal.is_terminal.then_some(terminal.width))),
        Some(Action::Show { name }) => terminal.print_as_it_is(input::load(name)?.text()),
    }
    Ok(Ending::AsAsked)
}

/// A model of the catalogue with its object.
struct Listed {
    entry: &'static Entry,
    object: String,
    spec: String,
    verdicts: String,
}

/// Lists the catalogue. A pipe gets a line for each model; on a terminal no line is longer than the width.
fn list(width: Option<usize>) -> String {
    let models: Vec<Listed> = catalogue::entries().iter().filter_map(listed).collect();
    let wide = table(&models);
    let fits = |width| wide.lines().all(|line| display_width(line) <= width);
    match width {
        Some(width) if !fits(width) => narrow(&models, width),
        _ => wide,
    }
}

/// Summarizes a model; `None` for a module, which has no object.
fn listed(entry: &'static Entry) -> Option<Listed> {
    let mut sources = SourceMap::default();
    let file = sources.add(entry.path(), entry.text);
    let (tree, _) = syntax::parse(file, entry.text);
    let Summary { object, spec, verdicts } = Summary::of(&sources, &tree);
    Some(Listed { entry, object: object?, spec, verdicts })
}

fn table(models: &[Listed]) -> String {
    let mut table = Table::new(["name", "object", "spec", "expected"]);
    for model in models {
        table.row([
            TableCell::styled(model.entry.name, style_of(model.entry.group)),
            TableCell::plain(&model.object),
            TableCell::plain(&model.spec),
            TableCell::plain(&model.verdicts),
        ]);
    }
    table.to_string()
}

/// Prints the name and the specification of each model on one line, what is expected below.
fn narrow(models: &[Listed], width: usize) -> String {
    let mut text = String::new();
    for (group, title) in [(Group::Correct, "correct models"), (Group::Wrong, "wrong models")] {
        text += &format!("{BOLD}{title}{BOLD:#}\n");
        let style = style_of(group);
        for model in models.iter().filter(|model| model.entry.group == group) {
            let name = model.entry.name;
            let spec = format!("{name}  {}", model.spec);
            for (at, line) in wrap(&spec, width, 4).iter().enumerate() {
                let rest = line.strip_prefix(name).filter(|_| at == 0);
                text += &match rest {
                    Some(rest) => format!("{style}{name}{style:#}{rest}\n"),
                    None => format!("{line}\n"),
                };
            }
            for line in wrap(&model.verdicts, width.saturating_sub(4), 2) {
                text += &format!("    {DIM}{line}{DIM:#}\n");
            }
        }
    }
    text
}

fn style_of(group: Group) -> Style {
    match group {
        Group::Correct => Style::new(),
        Group::Wrong => AnsiColor::Red.on_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn on_a_terminal_no_line_is_longer_than_the_width_and_in_a_pipe_a_model_is_a_line() {
        let models = list(None).lines().count() - 1;
        for width in [40, 80] {
            let text = list(Some(width));
            let longest = text.lines().map(display_width).max();
            assert!(longest.is_some_and(|longest| longest <= width), "{longest:?} in {width} columns");
            let headings = 2;
            assert_eq!(text.lines().filter(|line| !line.starts_with(' ')).count(), models + headings);
        }
    }
}
