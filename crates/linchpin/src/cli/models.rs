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
use linchpin_portfolio::catalogue::Group;
use linchpin_report::line::{DIM, display_width, wrap};
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
        Some(Action::Show { name }) => terminal.print(input::load(name)?.text()),
    }
    Ok(Ending::AsAsked)
}

/// Lists the catalogue. A pipe gets a line for each model; on a terminal no line is longer than the width.
fn list(width: Option<usize>) -> String {
    const WRONG: Style = AnsiColor::Red.on_default();
    let mut table = Table::new(["name", "object", "spec", "expected"]);
    let mut narrow = String::new();
    for entry in catalogue::entries() {
        let mut sources = SourceMap::default();
        let file = sources.add(entry.path(), entry.text);
        let (tree, _) = syntax::parse(file, entry.text);
        let summary = Summary::of(&sources, &tree);
        let Some(object) = summary.object else { continue };
        let style = match entry.group {
            Group::Correct => Style::new(),
            Group::Wrong => WRONG,
        };
        let Summary { spec, verdicts, .. } = summary;
        narrow += &format!("{style}{}{style:#}\n", entry.name);
        for text in [format!("{object}: {spec}"), verdicts.clone()] {
            for line in wrap(&text, width.unwrap_or(0).saturating_sub(4), 2) {
                narrow += &format!("    {DIM}{line}{DIM:#}\n");
            }
        }
        table.row([
            TableCell::styled(entry.name, style),
            TableCell::plain(object),
            TableCell::plain(spec),
            TableCell::plain(verdicts),
        ]);
    }
    let wide = table.to_string();
    let widest = wide.lines().map(display_width).max().unwrap_or(0);
    if width.is_some_and(|width| widest > width) { narrow } else { wide }
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
            assert_eq!(text.lines().filter(|line| !line.starts_with(' ')).count(), models);
        }
    }
}
