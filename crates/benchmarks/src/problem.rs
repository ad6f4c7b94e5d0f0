//! What Linchpin and Spin are asked: an algorithm, its bounds and a property.

use std::fmt;

/// An algorithm that is there twice: in Linchpin's catalogue and as a Promela model of ours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Model {
    TreiberStack,
    MsQueue,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    pub threads: u8,
    pub nodes: u8,
    pub values: u8,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Question {
    /// Linearizable with the annotated points.
    LinearizationPoints,
    LockFree,
}

impl Model {
    /// In the catalogue, and of the Promela file.
    pub fn name(self) -> &'static str {
        match self {
            Model::TreiberStack => "treiber_stack",
            Model::MsQueue => "ms_queue",
        }
    }

    pub fn promela(self) -> &'static str {
        match self {
            Model::TreiberStack => include_str!("../promela/treiber_stack.pml"),
            Model::MsQueue => include_str!("../promela/ms_queue.pml"),
        }
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({},{},{})", self.threads, self.nodes, self.values)
    }
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Question::LinearizationPoints => "by linearization points",
            Question::LockFree => "lock-free",
        })
    }
}
