//! `linchpin models`: lists the catalogue, or prints the source of one model.

use super::terminal::Terminal;
use super::{Ending, Failure};
use crate::cli::expected::Expected;
use crate::input;
use anstyle::{AnsiColor, Style};
use clap::{Args, Subcommand};
use linchpin_frontend::syntax;
use linchpin_ir::source::SourceMap;
use linchpin_portfolio::catalogue;
use linchpin_portfolio::catalogue::Group;
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
        None => terminal.print(&list()),
        Some(Action::Show { name }) => terminal.print(input::load(name)?.text()),
    }
    Ok(Ending::AsAsked)
}

fn list() -> String {
    const WRONG: Style = AnsiColor::Red.on_default();
    let mut table = Table::new(["name", "object", "spec", "expected"]);
    for entry in catalogue::entries() {
        let mut sources = SourceMap::default();
        let file = sources.add(entry.path(), entry.text);
        let (tree, _) = syntax::parse(file, entry.text);
        let expected = Expected::of(&sources, &tree);
        let Some(object) = expected.object else { continue };
        let name = match entry.group {
            Group::Correct => TableCell::plain(entry.name),
            Group::Wrong => TableCell::styled(entry.name, WRONG),
        };
        table.row([
            name,
            TableCell::plain(object),
            TableCell::plain(expected.spec),
            TableCell::plain(expected.verdicts),
        ]);
    }
    table.to_string()
}
