//! Treiber's stack, a state at a time.

use super::{Cell, Heap, Pointer, Value};
use crate::problem::Bounds;
use crate::spin::Grain;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct State {
    head: Pointer,
    heap: Heap,
    /// The abstract stack, the top last.
    items: Vec<Value>,
    threads: Vec<Thread>,
}

/// In front of which access a thread rests, with what it still needs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Thread {
    Idle,
    PushRead { node: Pointer },
    PushCas { node: Pointer, top: Pointer },
    PopRead,
    PopNext { top: Pointer },
    PopValue { top: Pointer, next: Pointer },
    PopCas { top: Pointer, next: Pointer, value: Value },
}

pub fn initial(bounds: Bounds) -> State {
    State {
        head: 0,
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
        let head = state.head;
        let same = &|_: &mut State| {};
        match thread {
            Thread::Idle | Thread::PopRead => {
                if thread == Thread::Idle
                    && let Some(node) = state.heap.free(state.roots())
                {
                    for value in 1..=bounds.values {
                        to(Thread::PushCas { node, top: head }, &|next| {
                            next.heap.set(node, Cell { value, next: 0 })
                        });
                    }
                }
                let Cell { value, next } = state.heap.at(head);
                match grain {
                    _ if head == 0 && !state.items.is_empty() => {
                        return Err("pop: empty, but it is not".to_owned());
                    }
                    _ if head == 0 => to(Thread::Idle, same),
                    Grain::Accesses => to(Thread::PopNext { top: head }, same),
                    Grain::Fused => to(Thread::PopCas { top: head, next, value }, same),
                }
            }
            Thread::PushRead { node } => to(Thread::PushCas { node, top: head }, same),
            Thread::PushCas { node, top } if top == head => {
                let value = state.heap.at(node).value;
                to(Thread::Idle, &|next| {
                    next.heap.set(node, Cell { value, next: top });
                    next.head = node;
                    next.items.push(value);
                });
            }
            Thread::PushCas { node, .. } => to(Thread::PushRead { node }, same),
            Thread::PopNext { top } => to(Thread::PopValue { top, next: state.heap.at(top).next }, same),
            Thread::PopValue { top, next } => {
                to(Thread::PopCas { top, next, value: state.heap.at(top).value }, same);
            }
            Thread::PopCas { top, next, value } if top == head => {
                if state.items.last() != Some(&value) {
                    return Err(format!("pop: {value}, but there is {:?}", state.items));
                }
                to(Thread::Idle, &|state| {
                    state.head = next;
                    state.items.pop();
                });
            }
            Thread::PopCas { .. } => to(Thread::PopRead, same),
        }
    }
    Ok(())
}

impl State {
    fn roots(&self) -> impl Iterator<Item = Pointer> {
        let locals = self.threads.iter().flat_map(|thread| match *thread {
            Thread::Idle | Thread::PopRead => [0, 0],
            Thread::PushRead { node } => [node, 0],
            Thread::PushCas { node, top } => [node, top],
            Thread::PopNext { top } => [top, 0],
            Thread::PopValue { top, next } | Thread::PopCas { top, next, .. } => [top, next],
        });
        [self.head].into_iter().chain(locals)
    }
}
