//! `linchpin explore`: an execution by hand, as a page on the loopback address or as lines of text.

use super::compile::{Compiled, compile, model_failure};
use super::guard::Interrupts;
use super::instance::{Instance, Sizes, bounds_text, sizes_apply};
use super::terminal::Terminal;
use super::values::TimeLimit;
use super::{Ending, Failure};
use crate::cli::files::write_whole;
use crate::cli::input;
use clap::Args;
use linchpin_engine::model;
use linchpin_frontend::syntax;
use linchpin_interactive::Session;
use linchpin_interactive::question::Limits;
use linchpin_interactive::server::{Ended, Options, Server};
use linchpin_interactive::session::{self, NoSession};
use linchpin_interactive::text::{Dialogue, Next};
use linchpin_report::line::Palette;
use linchpin_report::quantities::duration_text;
use linchpin_semantics::Outcome;
use std::io::BufRead;
use std::sync::Arc;

/// Missing bounds come from the first `check` block of the model.
#[derive(Args, Debug)]
#[command(
    after_help = "The page is served on the loopback address. Open the address that the command prints; it has a secret.\nMissing bounds come from the first `check` block of the model, constants from its text."
)]
pub struct Arguments {
    /// A `.lin` file or a name of the catalogue
    pub model: String,
    /// Use lines of text on the terminal instead of a page
    #[arg(long, conflicts_with_all = ["port", "idle"])]
    pub text: bool,
    /// Port of the page (default: the system chooses)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub port: Option<u16>,
    /// The server ends after this time without a request
    #[arg(long, value_name = "TIME", default_value = "30m")]
    pub idle: TimeLimit,
    /// Limit on states of a question
    #[arg(long, value_name = "N", default_value_t = Limits::default().states)]
    pub states: usize,
    #[command(flatten)]
    pub sizes: Sizes,
}

pub fn run(terminal: &mut Terminal, arguments: &Arguments) -> Result<Ending, Failure> {
    let session = session(arguments)?;
    let limits = Limits { states: arguments.states, ..Limits::default() };
    let interrupts = Interrupts::listen();
    if arguments.text {
        return Ok(dialogue(terminal, session, limits, &interrupts));
    }
    let options = Options { port: arguments.port.unwrap_or(0), idle: arguments.idle.duration, limits };
    let server = Server::bind(session, options)
        .map_err(|error| Failure::input(format!("cannot listen on the loopback address: {error}")))?;
    terminal.print_as_it_is(&format!("{}\n", server.address()));
    terminal.note("Open this address in a browser on this machine. Ctrl-C ends the server.");
    if server.run(|| interrupts.have_come()) == Ended::Idle {
        terminal.note(format!(
            "No request for {}: the server has ended.",
            duration_text(options.idle.as_secs_f64())
        ));
    }
    Ok(Ending::AsAsked)
}

fn session(arguments: &Arguments) -> Result<Session, Failure> {
    let model = input::load(&arguments.model)?;
    let name = model.name().to_string();
    let (tree, _) = syntax::parse(model.root, model.text());
    let instance = Instance::of(&tree, &arguments.sizes);
    let Compiled { sources, program, .. } = compile(model, &instance.setting)?;
    sizes_apply(&program, &arguments.sizes)?;
    let compiled = model::Compiled { sources: Arc::new(sources), program: Arc::new(program) };
    let sources = compiled.sources.clone();
    let bounds = bounds_text(&compiled.program, &instance.bounds);
    let instance = session::Instance::new(compiled, &instance.bounds, bounds, arguments.model.clone());
    let instance = instance.map_err(|why| match why {
        NoSession::Instance(findings) => model_failure(&sources, name, &findings),
        NoSession::NoStart(outcome) => Failure::input(format!("no initial state: {}", no_start(&outcome))),
    })?;
    Session::new(Arc::new(instance)).map_err(|refused| Failure::input(refused.to_string()))
}

fn no_start(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Fault(fault) => format!("`init` ends in a fault: {}", fault.message),
        Outcome::Cut(cut) => cut.what().into(),
        Outcome::Disabled(_) => "`init` waits for ever within these bounds".into(),
        Outcome::Discarded | Outcome::Done => "the assumptions of `init` exclude every execution".into(),
    }
}

/// Reads commands until the end of the input.
fn dialogue(terminal: &mut Terminal, session: Session, limits: Limits, interrupts: &Interrupts) -> Ending {
    let mut dialogue = Dialogue::new(session, limits, Palette::Colours);
    let mut ending = Ending::AsAsked;
    terminal.print(&dialogue.opening(terminal.width));
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        match dialogue.line(&line, terminal.width, || interrupts.have_come()) {
            Next::Show(text) => terminal.print(&format!("\n{text}")),
            Next::Save(path, text) => match write_whole(&path, &text) {
                Ok(()) => terminal.print(&format!("\nwritten: {}\n", path.display())),
                Err(failure) => {
                    ending = failure.ending();
                    terminal.note(failure);
                }
            },
            Next::End => break,
        }
        if interrupts.have_come() {
            break;
        }
    }
    ending
}
