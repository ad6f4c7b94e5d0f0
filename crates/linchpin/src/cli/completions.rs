//! `linchpin completions`: prints a script that completes the command line in a shell.

use super::terminal::Terminal;
use super::{Ending, Failure};
use clap::{Args, Command};
use clap_complete::{Shell, generate};

#[derive(Args, Debug)]
#[command(after_help = "For example, in bash:  source <(linchpin completions bash)")]
pub struct Arguments {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}

pub fn run(terminal: &mut Terminal, arguments: &Arguments, mut command: Command) -> Result<Ending, Failure> {
    let name = command.get_name().to_string();
    let mut script = Vec::new();
    generate(arguments.shell, &mut command, name, &mut script);
    terminal.print_as_it_is(&String::from_utf8_lossy(&script));
    Ok(Ending::AsAsked)
}
