//! Numbered nodes. Number 0 is no node.

use linchpin_instrument::shadow::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::Mutex;

/// A node with a value and a successor.
#[derive(Default)]
pub struct Node {
    pub value: AtomicUsize,
    pub next: AtomicUsize,
}

/// Room for a few nodes. Allocation is not a step: its own memory is not instrumented.
pub struct Arena {
    nodes: Vec<Node>,
    free: Mutex<Vec<usize>>,
}

impl Default for Arena {
    fn default() -> Arena {
        let nodes: Vec<Node> = (0..32).map(|_| Node::default()).collect();
        let free = Mutex::new((1..nodes.len()).rev().collect());
        Arena { nodes, free }
    }
}

impl Arena {
    pub fn node(&self, number: usize) -> &Node {
        &self.nodes[number]
    }

    pub fn make(&self, value: u32, next: usize) -> usize {
        let number = self.free.lock().unwrap().pop().expect("an arena is larger than a scenario");
        self.nodes[number].value.store(value as usize, SeqCst);
        self.nodes[number].next.store(next, SeqCst);
        number
    }

    /// Lets the next `make` use the node again.
    pub fn free(&self, number: usize) {
        self.free.lock().unwrap().push(number);
    }

    pub fn value(&self, number: usize) -> u32 {
        u32::try_from(self.nodes[number].value.load(SeqCst)).unwrap_or_default()
    }
}
