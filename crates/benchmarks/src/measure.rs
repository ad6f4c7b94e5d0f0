//! One run of a program: what it printed, and what it cost.
//!
//! Both programs are measured alike, by the operating system: CPU is user and system time, memory the peak of
//! the resident set, of the one process and nothing else (`wait4`).

use std::io::{self, Read};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;
use wait4::Wait4;

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Cost {
    pub cpu: Duration,
    pub peak_bytes: u64,
}

#[derive(Debug)]
pub struct Run {
    pub status: ExitStatus,
    pub output: String,
    pub complaints: String,
    pub cost: Cost,
}

pub fn run(command: &mut Command) -> Result<Run, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    measured(command).map_err(|why| format!("cannot run `{name}`: {why}"))
}

impl Run {
    /// The run itself, unless the program failed.
    pub fn succeeded(self, doing: &str) -> Result<Run, String> {
        if self.status.success() {
            return Ok(self);
        }
        Err(format!("{doing} failed ({})\n{}{}", self.status, self.output, self.complaints))
    }
}

impl Cost {
    /// Of runs of the same thing, the one that was disturbed least.
    pub fn least(costs: impl IntoIterator<Item = Cost>) -> Option<Cost> {
        costs.into_iter().min_by_key(|cost| cost.cpu)
    }
}

fn measured(command: &mut Command) -> io::Result<Run> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let complaints = child.stderr.take().map(|pipe| thread::spawn(move || text(pipe)));
    let output = child.stdout.take().map_or(Ok(String::new()), text)?;
    let complaints = match complaints.map(thread::JoinHandle::join) {
        Some(Ok(read)) => read?,
        Some(Err(_)) | None => String::new(),
    };
    let used = child.wait4()?;
    let cost = Cost { cpu: used.rusage.utime + used.rusage.stime, peak_bytes: used.rusage.maxrss };
    Ok(Run { status: used.status, output, complaints, cost })
}

fn text(mut pipe: impl Read) -> io::Result<String> {
    let mut bytes = Vec::new();
    pipe.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_and_status_are_kept_and_the_cost_is_plausible() {
        let run =
            run(Command::new("sh").args(["-c", "echo out; echo err >&2; exit 3"])).expect("there is a shell");
        assert_eq!((run.output.as_str(), run.complaints.as_str()), ("out\n", "err\n"));
        assert_eq!(run.status.code(), Some(3));
        assert!(run.cost.peak_bytes > 100_000, "a process has some pages: {:?}", run.cost);
        assert!(run.succeeded("the shell").is_err_and(|why| why.contains("the shell failed")));
    }

    #[test]
    fn what_cannot_be_run_is_named() {
        let why = run(&mut Command::new("no-such-program")).expect_err("there is no such program");
        assert!(why.contains("`no-such-program`"), "{why}");
    }

    #[test]
    fn the_least_disturbed_run_counts() {
        let cost = |millis, peak_bytes| Cost { cpu: Duration::from_millis(millis), peak_bytes };
        assert_eq!(Cost::least([cost(5, 1), cost(3, 2), cost(4, 3)]), Some(cost(3, 2)));
        assert_eq!(Cost::least([]), None);
    }
}
