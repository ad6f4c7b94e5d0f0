//! What the scheduler learns about accesses: where the next one is, and whether the last one did anything.
//!
//! A thread that reads again what it read before, and wrote nothing since, is *idle*: it probably spins. The
//! scheduler may leave an idle thread at no cost. A thread is not idle any more when it reads something else
//! or changes something.
//!
//! All tasks of an execution share one thread of the operating system. So the table is local to the thread.

use shuttle_engine::runtime::execution::ExecutionState;
use shuttle_engine::runtime::thread::switch;
use std::cell::RefCell;
use std::panic::Location;

/// The place of an access in the source, and what it does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    pub location: &'static Location<'static>,
    pub what: &'static str,
}

/// What is known about one task.
#[derive(Clone, Debug, Default)]
pub struct TaskAccess {
    /// The access that the task is about to make. `None`: a lock, or another operation of the engine.
    pub next: Option<Place>,
    /// The number of reads since the last change that repeated an earlier read.
    pub idle: usize,
    /// The reads since the last change: place, address and value.
    reads: Vec<(&'static Location<'static>, usize, u64)>,
}

/// What is known about all tasks of the current execution.
#[derive(Clone, Debug, Default)]
pub struct Accesses {
    tasks: Vec<TaskAccess>,
    /// A task announced its access. The next decision of the scheduler takes the announcement.
    announced: bool,
    /// The number of accesses that changed memory.
    pub changes: u64,
}

/// Number of reads that a task remembers. A longer loop is not seen as idle.
const MOST_READS: usize = 256;

thread_local! {
    static ACCESSES: RefCell<Accesses> = RefCell::default();
}

/// Looks at the table.
pub fn with<R>(look: impl FnOnce(&mut Accesses) -> R) -> R {
    ACCESSES.with(|accesses| look(&mut accesses.borrow_mut()))
}

impl Accesses {
    /// Returns what is known about a task.
    pub fn task(&mut self, task: usize) -> &mut TaskAccess {
        if self.tasks.len() <= task {
            self.tasks.resize(task + 1, TaskAccess::default());
        }
        &mut self.tasks[task]
    }

    /// Forgets the last execution.
    pub fn clear(&mut self) {
        self.tasks.iter_mut().for_each(|task| *task = TaskAccess::default());
        self.announced = false;
        self.changes = 0;
    }

    /// A decision of the scheduler. If the current task did not announce an access, it did something else,
    /// such as to take a lock: that counts as a change.
    pub fn decide(&mut self, current: usize, is_yielding: bool) {
        if !std::mem::take(&mut self.announced) {
            self.task(current).next = None;
            if !is_yielding {
                self.changed(current);
            }
        }
    }

    fn changed(&mut self, task: usize) {
        self.changes += 1;
        let task = self.task(task);
        task.reads.clear();
        task.idle = 0;
    }
}

/// Returns the current task. `None`: there is no execution, or it is being torn down.
fn current() -> Option<usize> {
    ExecutionState::try_with(|state| state.try_current().map(|task| usize::from(task.id()))).ok().flatten()
}

/// Stops before an access, so that the scheduler can choose. Then makes the access.
///
/// `access` returns its result, the bits that it read, and whether it changed memory.
pub(crate) fn at<R>(place: Place, address: usize, access: impl FnOnce() -> (R, Option<u64>, bool)) -> R {
    let Some(task) = current() else { return access().0 };
    with(|accesses| {
        accesses.task(task).next = Some(place);
        accesses.announced = true;
    });
    switch();
    let (result, read, changes) = access();
    with(|accesses| {
        accesses.announced = false;
        if changes {
            accesses.changed(task);
        }
        let task = accesses.task(task);
        task.next = None;
        if let (Some(bits), false) = (read, changes) {
            let read = (place.location, address, bits);
            if task.reads.contains(&read) {
                task.idle += 1;
            } else {
                let is_news = |old: &(_, usize, u64)| old.0 == place.location && old.1 == address;
                if task.reads.iter().any(is_news) {
                    task.reads.clear();
                }
                task.idle = 0;
                if task.reads.len() < MOST_READS {
                    task.reads.push(read);
                }
            }
        }
    });
    result
}
