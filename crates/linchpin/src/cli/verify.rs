//! `linchpin verify`: so far, every model is read, checked, lowered and run once at random.

use super::instance::Sizes;
use super::run::{Execution, cut_text};
use super::terminal::Terminal;
use super::{Ending, Failure};
use clap::Args;
use linchpin::catalogue;
use linchpin::report::line::ERROR;
use linchpin::report::table::{Cell, Table};
use linchpin::walk::End;
use linchpin_core::semantics::{Fault, FaultProperty};

#[derive(Args, Debug)]
pub struct Arguments {
    /// `.lin` files or names of the catalogue; all of the catalogue if none is given
    pub models: Vec<String>,
}

/// The execution of each model: always the same one.
const SEED: u64 = 1;
const STEPS: usize = 1000;

pub fn run(terminal: &mut Terminal, arguments: &Arguments) -> Result<Ending, Failure> {
    let all: Vec<String> = catalogue::entries().iter().map(|entry| entry.name.to_string()).collect();
    let models = if arguments.models.is_empty() { &all } else { &arguments.models };
    let mut table = Table::new(["model", "object", "spec", "operations", "steps", "what happened"]);
    let mut ending = Ending::AsAsked;
    for model in models {
        match Execution::new(model, &Sizes::default(), SEED, STEPS) {
            Ok(execution) => {
                let program = execution.machine.program();
                let (end, what) = judged(&execution);
                if end != Ending::AsAsked && ending == Ending::AsAsked {
                    ending = end;
                }
                let what = if end == Ending::AsAsked { Cell::plain(what) } else { Cell::styled(what, ERROR) };
                table.row([
                    Cell::plain(model),
                    Cell::plain(&*program.name),
                    Cell::plain(&execution.spec),
                    Cell::plain(program.ops.len().to_string()),
                    Cell::plain(execution.walk.moves.len().to_string()),
                    what,
                ]);
            }
            Err(failure) => {
                terminal.note(format_args!("{failure}\n"));
                ending = failure.ending();
                let cell = Cell::styled("cannot be run: see the errors", ERROR);
                table.row([
                    Cell::plain(model),
                    Cell::plain("-"),
                    Cell::plain("-"),
                    Cell::plain("-"),
                    Cell::plain("-"),
                    cell,
                ]);
            }
        }
    }
    terminal.print(&table.to_string())?;
    Ok(ending)
}

/// How a random execution ended, and whether that is as it should be.
fn judged(execution: &Execution) -> (Ending, String) {
    let calls = execution.walk.moves.iter().filter(|made| made.call.is_some()).count();
    match &execution.walk.end {
        End::Long | End::Finished => (Ending::AsAsked, format!("{calls} calls, no error")),
        End::Stuck(waiting) if waiting.iter().any(|(_, blocked)| blocked.by_bound()) => {
            (Ending::AsAsked, format!("{calls} calls, then no cell is left"))
        }
        End::Stuck(waiting) => {
            (Ending::AsAsked, format!("{calls} calls, then {} threads wait", waiting.len()))
        }
        End::Cut(cut) => (Ending::AsAsked, format!("{calls} calls, then {}", cut_text(*cut))),
        End::Fault(fault) if is_expected(execution, fault) => {
            (Ending::AsAsked, format!("an error, as expected: {}", fault.message))
        }
        End::Fault(fault) => (Ending::Violated, format!("an error: {}", fault.message)),
        End::NoStart(_) => (Ending::Unknown, "no first state within the bounds".into()),
    }
}

/// Whether some `check` block of the model says that this goes wrong.
fn is_expected(execution: &Execution, fault: &Fault) -> bool {
    let property = match fault.property() {
        FaultProperty::MemorySafe => "memory_safe",
        FaultProperty::Assertions => "assertions",
    };
    let expects = execution.machine.program().checks.iter().flat_map(|check| &check.expects);
    expects.into_iter().any(|expect| expect.violated && &*expect.property == property)
}
