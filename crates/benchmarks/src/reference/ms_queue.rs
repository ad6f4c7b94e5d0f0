//! Michael and Scott's queue, a state at a time.

use super::{Cell, Heap, Pointer, Value};
use crate::problem::Bounds;
use crate::spin::Grain;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct State {
    head: Pointer,
    tail: Pointer,
    heap: Heap,
    /// The abstract queue, the oldest first.
    items: Vec<Value>,
    threads: Vec<Thread>,
}

/// In front of which access a thread rests, with what it still needs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Thread {
    Idle,
    EnqTail { node: Pointer },
    EnqNext { node: Pointer, tail: Pointer },
    EnqCheck { node: Pointer, tail: Pointer, next: Pointer },
    EnqLink { node: Pointer, tail: Pointer },
    EnqSwing { node: Pointer, tail: Pointer },
    EnqHelp { node: Pointer, tail: Pointer, next: Pointer },
    DeqHead,
    DeqTail { head: Pointer },
    DeqNext { head: Pointer, tail: Pointer },
    DeqCheck { head: Pointer, tail: Pointer, next: Pointer },
    DeqHelp { tail: Pointer, next: Pointer },
    DeqValue { head: Pointer, next: Pointer },
    DeqCas { head: Pointer, next: Pointer, value: Value },
}

const DUMMY: Pointer = 1;

pub fn initial(bounds: Bounds) -> State {
    State {
        head: DUMMY,
        tail: DUMMY,
        heap: Heap::new(bounds.nodes),
        items: vec![],
        threads: vec![Thread::Idle; usize::from(bounds.threads)],
    }
}

pub fn successors(bounds: Bounds, grain: Grain, state: &State, found: &mut Vec<State>) -> Result<(), String> {
    for (index, &thread) in state.threads.iter().enumerate() {
        let mut to = |thread: Thread, change: &dyn Fn(&mut State)| {
            let mut next = state.clone();
            next.threads[index] = thread;
            change(&mut next);
            let roots: Vec<Pointer> = next.roots().collect();
            next.heap.clear_unreachable(roots.into_iter());
            found.push(next);
        };
        let same = &|_: &mut State| {};
        match thread {
            Thread::Idle => {
                if let Some(node) = state.heap.free(state.roots()) {
                    for value in 1..=bounds.values {
                        to(Thread::EnqNext { node, tail: state.tail }, &|next| {
                            next.heap.set(node, Cell { value, next: 0 });
                        });
                    }
                }
                to(Thread::DeqTail { head: state.head }, same);
            }

            Thread::EnqTail { node } => to(Thread::EnqNext { node, tail: state.tail }, same),
            Thread::EnqNext { node, tail } => {
                to(Thread::EnqCheck { node, tail, next: state.heap.at(tail).next }, same);
            }
            Thread::EnqCheck { node, tail, .. } if tail != state.tail => to(Thread::EnqTail { node }, same),
            Thread::EnqCheck { node, tail, next: 0 } => to(Thread::EnqLink { node, tail }, same),
            Thread::EnqCheck { node, tail, next } => to(Thread::EnqHelp { node, tail, next }, same),
            Thread::EnqLink { node, tail } if state.heap.at(tail).next == 0 => {
                to(Thread::EnqSwing { node, tail }, &|next| {
                    next.heap.set(tail, Cell { next: node, ..state.heap.at(tail) });
                    next.items.push(state.heap.at(node).value);
                });
            }
            Thread::EnqLink { node, .. } => to(Thread::EnqTail { node }, same),
            Thread::EnqSwing { node, tail } => to(Thread::Idle, &|next| next.swing(tail, node)),
            Thread::EnqHelp { node, tail, next: further } => {
                to(Thread::EnqTail { node }, &|next| next.swing(tail, further));
            }

            Thread::DeqHead => to(Thread::DeqTail { head: state.head }, same),
            Thread::DeqTail { head } => to(Thread::DeqNext { head, tail: state.tail }, same),
            Thread::DeqNext { head, tail } => {
                let next = state.heap.at(head).next;
                if next == 0 && !state.items.is_empty() {
                    return Err("deq: empty, but it is not".to_owned());
                }
                to(Thread::DeqCheck { head, tail, next }, same);
            }
            Thread::DeqCheck { head, .. } if head != state.head => to(Thread::DeqHead, same),
            Thread::DeqCheck { head, tail, next: 0 } if head == tail => to(Thread::Idle, same),
            Thread::DeqCheck { head, tail, next } if head == tail => to(Thread::DeqHelp { tail, next }, same),
            Thread::DeqCheck { head, next, .. } => match grain {
                Grain::Accesses => to(Thread::DeqValue { head, next }, same),
                Grain::Fused => to(Thread::DeqCas { head, next, value: state.heap.at(next).value }, same),
            },
            Thread::DeqHelp { tail, next: further } => to(Thread::DeqHead, &|next| next.swing(tail, further)),
            Thread::DeqValue { head, next } => {
                to(Thread::DeqCas { head, next, value: state.heap.at(next).value }, same);
            }
            Thread::DeqCas { head, next: dummy, value } if head == state.head => {
                if state.items.first() != Some(&value) {
                    return Err(format!("deq: {value}, but there is {:?}", state.items));
                }
                to(Thread::Idle, &|next| {
                    next.head = dummy;
                    // Dead: a thread that still reads it fails after that.
                    next.heap.set(dummy, Cell { value: 0, ..state.heap.at(dummy) });
                    next.items.remove(0);
                });
            }
            Thread::DeqCas { .. } => to(Thread::DeqHead, same),
        }
    }
    Ok(())
}

impl State {
    fn swing(&mut self, from: Pointer, to: Pointer) {
        if self.tail == from {
            self.tail = to;
        }
    }

    fn roots(&self) -> impl Iterator<Item = Pointer> {
        let locals = self.threads.iter().flat_map(|thread| match *thread {
            Thread::Idle | Thread::DeqHead => [0, 0, 0],
            Thread::EnqTail { node } => [node, 0, 0],
            Thread::EnqNext { node, tail }
            | Thread::EnqLink { node, tail }
            | Thread::EnqSwing { node, tail } => [node, tail, 0],
            Thread::EnqCheck { node, tail, next } | Thread::EnqHelp { node, tail, next } => {
                [node, tail, next]
            }
            Thread::DeqTail { head } => [head, 0, 0],
            Thread::DeqNext { head, tail } => [head, tail, 0],
            Thread::DeqCheck { head, tail, next } => [head, tail, next],
            Thread::DeqHelp { tail, next } => [tail, next, 0],
            Thread::DeqValue { head, next } | Thread::DeqCas { head, next, .. } => [head, next, 0],
        });
        [self.head, self.tail].into_iter().chain(locals)
    }
}
