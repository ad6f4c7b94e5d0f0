//! Spin: from a Promela model to a measured run of its verifier.
//!
//! `spin -a` writes a verifier in C, `gcc` compiles it. Neither is part of what is measured.

use crate::measure::{self, Cost};
use crate::pan::{self, Outcome};
use crate::problem::{Bounds, Model, Question};
use std::fs;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// What Spin's searches are compiled with. Nothing is lost by `-DNOREDUCE`: every step touches something
/// shared, so that Spin's partial order reduction finds the same states and takes a fifth longer. Collapse
/// compression takes twice as long for a tenth less memory at these sizes. `-w` silences warnings about
/// Spin's own code.
const COMPILE: [&str; 3] = ["-w", "-DNOREDUCE", "-DMEMLIM=20000"];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variant {
    /// As the algorithm was published.
    Plain,
    /// Cells are freed even while another process still holds them.
    Reuse,
    /// Removals wait while there is nothing.
    Waiting,
}

/// How much one step does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Grain {
    /// Reads of what no longer changes go with another access.
    Fused,
    /// One shared access a step.
    Accesses,
}

/// What a verifier is compiled for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// The time counts: compiled with optimisation.
    Measurement,
    /// Only the answer counts. The search is small, so optimisation would take longer than the search.
    Answer,
}

/// Limits of a search that have to be known in advance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Room {
    /// Steps of the longest path; memory is set aside for all of them.
    pub depth: u64,
    /// Binary logarithm of the slots of the hash table.
    pub slots: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Search {
    pub model: Model,
    pub bounds: Bounds,
    pub question: Question,
    pub variant: Variant,
    pub grain: Grain,
    pub room: Room,
    pub purpose: Purpose,
}

/// A compiled verifier, in a directory of its own.
pub struct Verifier {
    search: Search,
    directory: TempDir,
}

/// The versions of the programs that are needed, or what to do about a missing one.
pub fn versions() -> Result<String, String> {
    let spin = first_line("spin", "-V")?;
    let gcc = first_line("gcc", "--version")?;
    Ok(format!("{spin}; {gcc}"))
}

impl Search {
    pub fn compile(self) -> Result<Verifier, String> {
        let directory = tempfile::tempdir().map_err(|why| format!("no temporary directory: {why}"))?;
        let file = format!("{}.pml", self.model.name());
        fs::write(directory.path().join(&file), self.model.promela())
            .map_err(|why| format!("cannot write {file}: {why}"))?;
        let within = |program: &str| {
            let mut command = Command::new(program);
            command.current_dir(directory.path());
            command
        };
        measure::run(within("spin").args(self.defines()).arg("-a").arg(&file))?.succeeded("spin -a")?;
        measure::run(within("gcc").args(self.compile_options()).args(["-o", "pan", "pan.c"]))?
            .succeeded("gcc")?;
        Ok(Verifier { search: self, directory })
    }

    pub fn defines(&self) -> Vec<String> {
        let Bounds { threads, nodes, values } = self.bounds;
        let mut defines =
            vec![format!("-DTHREADS={threads}"), format!("-DNODES={nodes}"), format!("-DVALUES={values}")];
        let flags = [
            (self.grain == Grain::Accesses, "-DACCESSES"),
            (self.variant == Variant::Reuse, "-DREUSE"),
            (self.variant == Variant::Waiting, "-DWAITING"),
            (self.question == Question::LockFree, "-DPROGRESS"),
        ];
        defines.extend(flags.iter().filter(|(given, _)| *given).map(|(_, flag)| (*flag).to_owned()));
        defines
    }

    pub fn compile_options(&self) -> Vec<&'static str> {
        let question = match self.question {
            Question::LinearizationPoints => "-DSAFETY",
            Question::LockFree => "-DNP",
        };
        let optimisation = match self.purpose {
            Purpose::Measurement => "-O2",
            Purpose::Answer => "-O0",
        };
        COMPILE.into_iter().chain([optimisation, question]).collect()
    }

    pub fn run_options(&self) -> Vec<String> {
        let room = [format!("-m{}", self.room.depth), format!("-w{}", self.room.slots)];
        let question = match self.question {
            Question::LinearizationPoints => None,
            Question::LockFree => Some("-l".to_owned()),
        };
        question.into_iter().chain(room).collect()
    }
}

impl Verifier {
    pub fn run(&self) -> Result<(Outcome, Cost), String> {
        let mut command = Command::new(self.directory.path().join("pan"));
        let run = measure::run(command.current_dir(self.directory.path()).args(self.search.run_options()))?;
        let outcome = pan::read(&run.output)?;
        Ok((outcome, run.cost))
    }
}

fn first_line(program: &str, ask: &str) -> Result<String, String> {
    let output = Command::new(program).arg(ask).stderr(Stdio::null()).output().map_err(|_| {
        format!(
            "`{program}` is not installed, and the comparison needs it\n  on Debian: apt-get install spin gcc"
        )
    })?;
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.lines().next().unwrap_or(program).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(question: Question) -> Search {
        Search {
            model: Model::MsQueue,
            bounds: Bounds { threads: 4, nodes: 3, values: 1 },
            question,
            variant: Variant::Plain,
            grain: Grain::Fused,
            room: Room { depth: 1000, slots: 20 },
            purpose: Purpose::Measurement,
        }
    }

    #[test]
    fn a_safety_search_is_told_its_bounds_and_its_room() {
        let search = search(Question::LinearizationPoints);
        assert_eq!(search.defines(), ["-DTHREADS=4", "-DNODES=3", "-DVALUES=1"]);
        assert_eq!(search.compile_options(), ["-w", "-DNOREDUCE", "-DMEMLIM=20000", "-O2", "-DSAFETY"]);
        assert_eq!(search.run_options(), ["-m1000", "-w20"]);
    }

    #[test]
    fn lock_freedom_asks_for_cycles_without_progress() {
        let search =
            Search { variant: Variant::Waiting, grain: Grain::Accesses, ..search(Question::LockFree) };
        assert_eq!(search.defines()[3..], ["-DACCESSES", "-DWAITING", "-DPROGRESS"]);
        assert!(search.compile_options().contains(&"-DNP"));
        assert!(!search.compile_options().contains(&"-DSAFETY"));
        assert_eq!(search.run_options(), ["-l", "-m1000", "-w20"]);
    }

    #[test]
    fn a_missing_program_is_named_with_the_way_to_get_it() {
        let why = first_line("no-such-checker", "-V").expect_err("there is no such program");
        assert!(why.contains("`no-such-checker`") && why.contains("apt-get install spin gcc"), "{why}");
    }
}
