//! The lazy list: a sorted list as a set, with a lock and a mark in each node (Heller et al. 2005).

use linchpin_instrument::shadow::sync::Mutex;
use linchpin_instrument::shadow::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    None,
    /// No update looks at its two nodes again after it locked them.
    NoValidation,
    /// `remove` does not mark the node.
    NoMark,
    /// Validation does not look at the marks.
    MarksIgnored,
    /// `contains` says absent if the node before is marked.
    ContainsGivesUp,
    /// `remove` locks the node before the removed one only.
    OneLock,
}

struct Node {
    key: i64,
    next: AtomicUsize,
    is_marked: AtomicBool,
    lock: Mutex<()>,
}

pub struct List {
    /// All nodes ever made: node 0 is the first, node 1 the last.
    nodes: Vec<std::sync::OnceLock<Node>>,
    used: std::sync::atomic::AtomicUsize,
    fault: Fault,
}

impl List {
    pub fn new(fault: Fault) -> List {
        let nodes = (0..32).map(|_| std::sync::OnceLock::new()).collect();
        let list = List { nodes, used: 0.into(), fault };
        list.make(i64::MIN, 1);
        list.make(i64::MAX, 0);
        list
    }

    fn make(&self, key: i64, next: usize) -> usize {
        let number = self.used.fetch_add(1, SeqCst);
        let (next, is_marked) = (AtomicUsize::new(next), AtomicBool::new(false));
        let node = Node { key, next, is_marked, lock: Mutex::new(()) };
        assert!(self.nodes[number].set(node).is_ok(), "each number is used once");
        number
    }

    fn node(&self, number: usize) -> &Node {
        self.nodes[number].get().expect("the node was made")
    }

    /// Returns the last node before the key, and the first that is not.
    fn locate(&self, key: i64) -> (usize, usize) {
        let mut before = 0;
        let mut at = self.node(0).next.load(SeqCst);
        while self.node(at).key < key {
            before = at;
            at = self.node(at).next.load(SeqCst);
        }
        (before, at)
    }

    fn is_valid(&self, before: usize, at: usize) -> bool {
        if self.fault == Fault::NoValidation {
            return true;
        }
        let marks_are_clear = self.fault == Fault::MarksIgnored
            || (!self.node(before).is_marked.load(SeqCst) && !self.node(at).is_marked.load(SeqCst));
        marks_are_clear && self.node(before).next.load(SeqCst) == at
    }

    pub fn add(&self, key: u32) -> bool {
        let key = i64::from(key);
        loop {
            let (before, at) = self.locate(key);
            let _first = self.node(before).lock.lock().unwrap();
            let _second = self.node(at).lock.lock().unwrap();
            if self.is_valid(before, at) {
                if self.node(at).key == key {
                    return false;
                }
                self.node(before).next.store(self.make(key, at), SeqCst);
                return true;
            }
        }
    }

    pub fn remove(&self, key: u32) -> bool {
        let key = i64::from(key);
        loop {
            let (before, at) = self.locate(key);
            let _first = self.node(before).lock.lock().unwrap();
            let _second = (self.fault != Fault::OneLock).then(|| self.node(at).lock.lock().unwrap());
            if self.is_valid(before, at) {
                if self.node(at).key != key {
                    return false;
                }
                if self.fault != Fault::NoMark {
                    self.node(at).is_marked.store(true, SeqCst);
                }
                let next = self.node(at).next.load(SeqCst);
                self.node(before).next.store(next, SeqCst);
                return true;
            }
        }
    }

    pub fn contains(&self, key: u32) -> bool {
        let key = i64::from(key);
        let (before, at) = self.locate(key);
        if self.fault == Fault::ContainsGivesUp && self.node(before).is_marked.load(SeqCst) {
            return false;
        }
        self.node(at).key == key && !self.node(at).is_marked.load(SeqCst)
    }
}
