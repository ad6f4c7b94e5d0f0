//! An execution for drawing: the steps of the threads and the memory after each step.

use super::heap_snapshot::{Field, HeapSnapshot};
use serde::Serialize;

/// A recorded execution: a random run or a counterexample.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Trace {
    /// Number of threads, including threads without a step.
    pub threads: usize,
    /// The memory before the first step.
    pub start: HeapSnapshot,
    pub steps: Vec<Step>,
    /// The first step of the loop. `None`: no loop.
    pub cycle: Option<usize>,
    /// Where each thread rests: before the first step, then after each step.
    pub rests: Vec<Vec<Rest>>,
}

/// A thread between two steps.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Rest {
    /// The pending call: `push(1)`. `None`: the thread is idle.
    pub call: Option<String>,
    /// The line of the next access. `None`: the thread is idle.
    pub line: Option<SourceLine>,
    /// The live variables of the running function, without temporaries.
    pub locals: Vec<Field>,
}

/// One step of one thread.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Step {
    pub thread: usize,
    /// The call that begins with this step: `push(1)`.
    pub call: Option<String>,
    /// The source line of the access. `None`: a step without an access.
    pub line: Option<SourceLine>,
    /// Reads and writes: `top = A`, `head: A → B`.
    pub accesses: Vec<String>,
    /// Operations that take effect at this step.
    pub effects: Vec<String>,
    /// The result of the call that ends with this step. `None`: no call ends.
    pub result: Option<String>,
    /// The fault that ends the execution, and its source line.
    pub fault: Option<(SourceLine, String)>,
    /// The memory after the step.
    pub after: HeapSnapshot,
}

/// A trimmed source line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SourceLine {
    /// The name of the file. `None`: the file of the model.
    pub file: Option<String>,
    /// The address of that file. `None`: the file of the model.
    pub uri: Option<String>,
    pub number: usize,
    pub text: String,
}

impl Step {
    /// Returns what the step does, line by line: the call, the source line, the accesses, the result.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        lines.extend(self.call.clone());
        lines.extend(self.line.as_ref().map(|line| format!("{} {}", line.number, line.text)));
        lines.extend(self.accesses.iter().cloned());
        lines.extend(self.effects.iter().cloned());
        lines.extend(self.fault.as_ref().map(|(_, text)| text.clone()));
        lines.extend(self.result.as_ref().map(|result| format!("→ {result}")));
        lines
    }
}

impl Rest {
    /// Returns where a thread rests: `t0 push(1), line 16: n = A`. `None`: the thread is idle.
    pub fn text(&self, thread: usize) -> Option<String> {
        let call = self.call.as_ref()?;
        let line = self.line.as_ref().map(|line| format!(", line {}", line.number)).unwrap_or_default();
        let locals: Vec<String> =
            self.locals.iter().map(|field| format!("{} = {}", field.name, field.value)).collect();
        let locals = if locals.is_empty() { String::new() } else { format!(": {}", locals.join(", ")) };
        Some(format!("t{thread} {call}{line}{locals}"))
    }
}
