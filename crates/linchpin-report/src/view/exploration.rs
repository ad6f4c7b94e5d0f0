//! An execution by hand: what happened, what can happen next, what the specification may have done.

use super::execution::ExecutionView;
use crate::trace::Step;

/// The present moment of a session.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExplorationView {
    /// The execution so far, with its history and the reason for a violation.
    pub execution: ExecutionView,
    /// The verdict about the execution so far: `linearizable so far`.
    pub verdict: String,
    /// Number of the initial state, from 0, and number of initial states.
    pub start: (usize, usize),
    pub options: Vec<OptionView>,
    /// Threads that cannot move, each with the reason.
    pub held: Vec<(usize, String)>,
    /// Why the execution cannot continue. `None`: it can.
    pub ended: Option<String>,
    pub configurations: Vec<ConfigurationView>,
    /// What is left out of the configurations. Empty: nothing.
    pub more_configurations: String,
    pub can_go_back: bool,
    pub can_go_again: bool,
    /// The last question. `None`: no question was asked.
    pub asked: Option<AskedView>,
}

/// A move that is possible now.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OptionView {
    pub thread: usize,
    /// What the step would show.
    pub step: Step,
    /// The text of a resolved choice. Empty: the thread has one move with this call or line.
    pub choice: String,
}

/// A possible state of the specification.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ConfigurationView {
    /// `items = [1]`
    pub state: String,
    /// The pending calls: `t0's push(1) has taken effect`.
    pub calls: Vec<String>,
}

/// A question with its answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AskedView {
    pub question: String,
    /// Number of steps before the question.
    pub steps: usize,
    /// The answer in words; of a running search the number of states.
    pub answer: String,
    pub state: AskedState,
}

/// The progress of a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AskedState {
    Running,
    /// An execution was found with this number of further steps. It can be taken if the execution has not
    /// changed since.
    Found {
        steps: usize,
        can_take: bool,
    },
    /// Nothing was found.
    Over,
}

impl OptionView {
    /// Returns the move in one line: the call or the source line, and what it does.
    pub fn text(&self) -> String {
        let mut parts = Vec::new();
        parts.extend(self.step.call.clone());
        parts.extend(self.step.line.as_ref().map(|line| format!("{} {}", line.number, line.text)));
        parts.join("  ")
    }

    /// Returns the results of the move: reads, writes, a fault, the result of the call.
    pub fn results(&self) -> Vec<String> {
        let mut parts = self.step.accesses.clone();
        parts.extend(self.step.effects.iter().cloned());
        parts.extend(self.step.fault.as_ref().map(|(_, fault)| format!("✗ {fault}")));
        parts.extend(self.step.result.as_ref().map(|result| format!("→ {result}")));
        parts
    }
}

impl ExplorationView {
    /// Returns the number of steps.
    pub fn steps(&self) -> usize {
        self.execution.trace.steps.len()
    }
}
