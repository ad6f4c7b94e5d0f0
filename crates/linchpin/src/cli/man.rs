//! `linchpin man`: writes the manual pages into a directory, one for the program and one for each command.

use super::files::write_whole;
use super::terminal::Terminal;
use super::{Ending, Failure};
use clap::{Args, Command};
use clap_mangen::Man;
use std::path::{Path, PathBuf};

#[derive(Args, Debug)]
#[command(after_help = "For example:  linchpin man ~/.local/share/man/man1")]
pub struct Arguments {
    /// The directory for the pages; it is made if it does not exist
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
}

pub fn run(terminal: &mut Terminal, arguments: &Arguments, command: Command) -> Result<Ending, Failure> {
    let directory = &arguments.directory;
    std::fs::create_dir_all(directory).map_err(|error| {
        Failure::input(format!("the directory `{}` cannot be made: {error}", directory.display()))
    })?;
    let program = command.get_name().to_string();
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let commands: Vec<Command> = command.get_subcommands().cloned().collect();
    let mut pages = vec![write_page(directory, &program, command)?];
    for inner in commands {
        let name = format!("{program}-{}", inner.get_name());
        pages.push(write_page(directory, &name, inner)?);
    }
    for page in pages {
        terminal.print(&format!("wrote {}\n", page.display()));
    }
    Ok(Ending::AsAsked)
}

fn write_page(directory: &Path, name: &str, command: Command) -> Result<PathBuf, Failure> {
    let page = directory.join(format!("{name}.1"));
    let mut text = Vec::new();
    Man::new(command)
        .title(name)
        .render(&mut text)
        .map_err(|error| Failure::input(format!("`{}` cannot be written: {error}", page.display())))?;
    write_whole(&page, &String::from_utf8_lossy(&text))?;
    Ok(page)
}
