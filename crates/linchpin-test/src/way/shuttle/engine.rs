//! Runs one scenario on shuttle's engine, under a plan.
//!
//! **The main task** makes the object, makes the calls before the threads start, and spawns one task for each
//! thread. Then it only yields until all threads are done. The scheduler runs the main task only if no thread
//! can run. So if the main task runs while threads are left, the execution is stuck: that needs no deadlock
//! detector, and no panic inside the engine.
//!
//! **Free switches.** A switch costs a preemption if the current thread could go on. It is free if the
//! current thread has ended, waits, yields, or is idle: it repeated a read and changed nothing since
//! ([`linchpin_instrument::access`]). A thread that yields, or stays idle, must let another one run. It runs
//! again when memory has changed, or when all others wait too.
//!
//! **Stuck by spinning.** Every thread that can run is idle, and no access changes memory for long. Then the
//! threads wait for each other by spinning.
//!
//! Nothing that a test can reach panics in the engine: panics of the object are caught around each call.

use super::choices::Choices;
use super::plan::{Candidate, Plan};
use crate::case::Case;
use crate::ledger::Ledger;
use crate::object::Client;
use crate::record::{End, Log, Record};
use crate::scenario::{Planned, Scenario};
use linchpin_instrument::access::{self, Place};
use shuttle::scheduler::{Schedule, Scheduler, Task, TaskId};
use shuttle::{Config, FailurePersistence, MaxSteps, Runner};
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};
use std::time::Instant;

/// Number of repeated reads after which an idle thread must let another one run.
const IDLE: usize = 4;
/// Number of decisions without a change after which idle threads are stuck.
const STILL: usize = 1500;
/// Size of the stack of a task in bytes.
const STACK: usize = 1 << 18;

/// What one execution did.
#[derive(Clone, Debug)]
pub(super) struct Executed {
    pub record: Record,
    pub choices: Choices,
    pub preemptions: usize,
    /// The switches, if they were asked for.
    pub switches: Vec<Switch>,
}

/// A switch from one thread to another.
#[derive(Clone, Debug)]
pub(super) struct Switch {
    /// The thread that stops, and the access in front of which it stops. `None`: it ended or waits.
    pub from: Option<(usize, Option<Place>)>,
    pub to: usize,
    pub is_preemption: bool,
}

/// The result of some executions.
pub(super) struct Batch {
    pub plan: Plan,
    pub executed: Vec<Executed>,
    /// The number of executions that the limit on steps cut.
    pub cut: usize,
    /// The first of these, up to the limit.
    pub cut_example: Option<Executed>,
    /// The plan has no execution left.
    pub is_exhausted: bool,
}

/// Where the main task is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// Only the main task runs, and threads of the object's own if it waits for them.
    Alone,
    Threads,
}

struct Shared {
    plan: Plan,
    /// Executions left in this batch.
    left: usize,
    deadline: Instant,
    limit: usize,
    keeps_switches: bool,
    phase: Phase,
    /// The tasks of the threads, by their numbers in the engine.
    threads: Vec<usize>,
    /// Threads that still make calls.
    active: usize,
    log: Option<(Arc<Log>, usize)>,
    choices: Vec<u8>,
    preemptions: usize,
    switches: Vec<Switch>,
    steps: usize,
    /// The number of changes at the last change, and the number of decisions since.
    still: (u64, usize),
    /// The number of changes when each task had to let another one run; by the number of the task.
    left_at: Vec<Option<u64>>,
    batch: Vec<Executed>,
    cut: usize,
    cut_example: Option<Executed>,
    is_exhausted: bool,
}

type Handle = Arc<Mutex<Shared>>;

fn lock(shared: &Handle) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs at most `executions` executions of a scenario, and begins none after the deadline.
pub(super) fn run(
    case: &Arc<Case>,
    scenario: &Arc<Scenario>,
    plan: Plan,
    executions: usize,
    deadline: Instant,
    keeps_switches: bool,
    ledger: &'static Ledger,
) -> Batch {
    without_hook();
    let shared = Arc::new(Mutex::new(Shared {
        plan,
        left: executions,
        deadline,
        limit: case.options.steps,
        keeps_switches,
        phase: Phase::Alone,
        threads: Vec::new(),
        active: 0,
        log: None,
        choices: Vec::new(),
        preemptions: 0,
        switches: Vec::new(),
        steps: 0,
        still: (0, 0),
        left_at: Vec::new(),
        batch: Vec::new(),
        cut: 0,
        cut_example: None,
        is_exhausted: false,
    }));
    let task = {
        let (case, scenario, shared) = (case.clone(), scenario.clone(), shared.clone());
        move || execute(&case, &scenario, &shared, ledger)
    };
    let runner = Runner::new(Chooser { shared: shared.clone() }, config());
    let ended = catch_unwind(AssertUnwindSafe(|| runner.run(task)));
    let mut shared = lock(&shared);
    if let Err(payload) = ended {
        // A panic outside all calls: in a thread of the object's own, or in a destructor after the last call.
        let (log, before) = shared.log.clone().unwrap_or_else(|| (Arc::new(Log::new(0)), 0));
        log.panicked(None, &*payload);
        shared.end(log.record(before, End::Complete));
    }
    Batch {
        plan: std::mem::replace(&mut shared.plan, Plan::Random(fastrand::Rng::with_seed(0))),
        executed: std::mem::take(&mut shared.batch),
        cut: shared.cut,
        cut_example: shared.cut_example.take(),
        is_exhausted: shared.is_exhausted,
    }
}

/// The engine neither writes files nor limits steps: the scheduler does.
fn config() -> Config {
    let mut config = Config::new();
    config.stack_size = STACK;
    config.failure_persistence = FailurePersistence::None;
    // The scheduler cuts executions long before. The engine uses this limit when it takes an execution down.
    config.max_steps = MaxSteps::ContinueAfter(1_000_000);
    config.silence_warnings = true;
    config
}

/// Lets the engine install its panic hook once, and takes the hook out again. The hook would print a schedule
/// for each panic of any test of the program.
fn without_hook() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let hook = std::panic::take_hook();
        Runner::new(Nothing(false), config()).run(|| {});
        std::panic::set_hook(hook);
    });
}

/// One execution, in the main task.
fn execute(case: &Arc<Case>, scenario: &Arc<Scenario>, shared: &Handle, ledger: &'static Ledger) {
    ledger.clear();
    let log = Arc::new(Log::new(scenario.threads.len()));
    lock(shared).log = Some((log.clone(), 0));
    let roles = scenario.roles();
    let instance = match catch_unwind(AssertUnwindSafe(|| case.factory.make(&roles))) {
        Ok(instance) => instance,
        Err(payload) => {
            log.panicked(None, &*payload);
            return lock(shared).end(log.record(0, End::Complete));
        }
    };
    // A torn execution leaves the object alone: its threads are in the middle of calls.
    let mut clients = ManuallyDrop::new(instance.clients);
    let finish = ManuallyDrop::new(instance.finish);
    for (thread, call) in &scenario.before {
        if !log.call(*thread, &mut *clients[*thread], call, ledger) {
            return lock(shared).end(log.record(0, End::Complete));
        }
    }
    let before = log.events();
    let clients = ManuallyDrop::into_inner(clients);
    let mut tasks = Vec::new();
    for (thread, client) in clients.into_iter().enumerate() {
        let body = Body { thread, client: ManuallyDrop::new(client), scenario: scenario.clone() };
        let (log, shared) = (log.clone(), shared.clone());
        tasks.push(shuttle::thread::spawn(move || body.run(&log, &shared, ledger)));
    }
    {
        let mut shared = lock(shared);
        shared.log = Some((log.clone(), before));
        shared.threads = tasks.iter().map(|task| usize::from(task.thread().id())).collect();
        shared.active = tasks.len();
        shared.phase = Phase::Threads;
    }
    while lock(shared).active > 0 {
        shuttle::thread::yield_now();
    }
    lock(shared).phase = Phase::Alone;
    let mut end = End::Complete;
    match catch_unwind(AssertUnwindSafe(ManuallyDrop::into_inner(finish))) {
        Ok(Ok(())) => {}
        Ok(Err(why)) => end = End::Invariant(why),
        Err(payload) => log.panicked(None, &*payload),
    }
    let (twice, lost) = ledger.faults();
    if !twice.is_empty() {
        end = End::Twice(twice);
    } else if !lost.is_empty() && case.options.reports_lost_tokens && end == End::Complete {
        end = End::Lost(lost);
    }
    lock(shared).end(log.record(before, end));
}

/// The body of a thread.
struct Body {
    thread: usize,
    client: ManuallyDrop<Box<dyn Client>>,
    scenario: Arc<Scenario>,
}

impl Body {
    fn run(mut self, log: &Log, shared: &Handle, ledger: &'static Ledger) {
        let calls: &[Planned] = &self.scenario.threads[self.thread].calls;
        let goes_on = calls.iter().all(|call| log.call(self.thread, &mut **self.client, call, ledger));
        if goes_on {
            let client = ManuallyDrop::into_inner(self.client);
            if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(client))) {
                log.panicked(Some(self.thread), &*payload);
            }
        }
        lock(shared).active -= 1;
    }
}

impl Shared {
    /// Keeps the record of the current execution.
    fn end(&mut self, record: Record) {
        self.log = None;
        self.batch.push(Executed {
            record,
            choices: Choices(std::mem::take(&mut self.choices)),
            preemptions: self.preemptions,
            switches: std::mem::take(&mut self.switches),
        });
    }

    /// Keeps the first execution that was cut.
    fn keep_cut(&mut self) {
        let Some((log, before)) = self.log.take().filter(|_| self.cut_example.is_none()) else { return };
        self.cut_example = Some(Executed {
            record: log.record(before, End::Complete),
            choices: Choices(self.choices.clone()),
            preemptions: self.preemptions,
            switches: self.switches.clone(),
        });
    }

    /// Returns whether no thread can make progress although memory does not change any more.
    fn spins(&mut self, tasks: &[usize]) -> bool {
        let (changes, idle) = access::with(|accesses| {
            (accesses.changes, tasks.iter().all(|&task| accesses.task(task).idle >= IDLE))
        });
        if self.still.0 != changes {
            self.still = (changes, 0);
        }
        self.still.1 += 1;
        idle && self.still.1 > STILL
    }
}

/// The scheduler.
struct Chooser {
    shared: Handle,
}

impl Scheduler for Chooser {
    fn new_execution(&mut self) -> Option<Schedule> {
        let mut shared = lock(&self.shared);
        if shared.left == 0 || Instant::now() >= shared.deadline {
            return None;
        }
        if !shared.plan.begin() {
            shared.is_exhausted = true;
            return None;
        }
        shared.left -= 1;
        shared.phase = Phase::Alone;
        shared.threads.clear();
        shared.choices.clear();
        shared.switches.clear();
        shared.preemptions = 0;
        shared.steps = 0;
        shared.still = (0, 0);
        shared.left_at.clear();
        access::with(access::Accesses::clear);
        Some(Schedule::new(0))
    }

    fn next_task(&mut self, runnable: &[&Task], current: Option<TaskId>, yields: bool) -> Option<TaskId> {
        let mut shared = lock(&self.shared);
        let shared = &mut *shared;
        let now = current.map(usize::from);
        if let Some(now) = now {
            access::with(|accesses| accesses.decide(now, yields));
        }
        shared.steps += 1;
        if shared.steps > shared.limit {
            shared.cut += 1;
            shared.keep_cut();
            return None;
        }
        // A blocked task in the list could wake without a reason. No thread needs that.
        let ids: Vec<usize> =
            runnable.iter().filter(|task| !task.blocked()).map(|task| usize::from(task.id())).collect();
        let main = 0;
        if shared.phase == Phase::Alone {
            let next = if ids.contains(&main) { main } else { *ids.first()? };
            return Some(TaskId::from(next));
        }
        let threads: Vec<usize> = ids.iter().copied().filter(|&task| task != main).collect();
        if threads.is_empty() || shared.spins(&threads) {
            if shared.active == 0 {
                return Some(TaskId::from(main));
            }
            if let Some((log, before)) = shared.log.clone() {
                shared.end(log.record(before, End::Stuck));
            }
            return None;
        }
        let goes_on = now.filter(|now| threads.contains(now));
        let idle = goes_on.map_or(0, |now| access::with(|accesses| accesses.task(now).idle));
        let must_leave = (yields || idle >= IDLE) && threads.len() > 1;
        let is_free = yields || idle > 0;
        let mut candidates: Vec<Candidate> = Vec::with_capacity(threads.len());
        if let Some(task) = goes_on.filter(|_| !must_leave) {
            candidates.push(Candidate { task, is_preemption: false });
        }
        let changes = access::with(|accesses| accesses.changes);
        if let Some(task) = goes_on.filter(|_| must_leave) {
            if shared.left_at.len() <= task {
                shared.left_at.resize(task + 1, None);
            }
            shared.left_at[task] = Some(changes);
        }
        // A thread that had to leave waits for a change, if another one can run instead.
        let waits = |task: usize| shared.left_at.get(task).is_some_and(|left| *left == Some(changes));
        let others = || threads.iter().copied().filter(|&task| Some(task) != goes_on);
        let all_wait = candidates.is_empty() && others().all(waits);
        let is_preemption = goes_on.is_some() && !is_free;
        let others = others().filter(|&task| all_wait || !waits(task));
        candidates.extend(others.map(|task| Candidate { task, is_preemption }));
        let at = if candidates.len() > 1 { shared.plan.choose(&candidates) } else { 0 };
        if candidates.len() > 1 {
            shared.choices.push(u8::try_from(at).unwrap_or(u8::MAX));
        }
        let Candidate { task, is_preemption } = candidates[at];
        shared.preemptions += usize::from(is_preemption);
        if shared.keeps_switches && now != Some(task) {
            let number = |task: usize| shared.threads.iter().position(|&own| own == task);
            let place = |task: usize| access::with(|accesses| accesses.task(task).next);
            let from = goes_on.and_then(|now| Some((number(now)?, place(now))));
            if let Some(to) = number(task) {
                shared.switches.push(Switch { from, to, is_preemption });
            }
        }
        Some(TaskId::from(task))
    }

    fn next_u64(&mut self) -> u64 {
        0
    }
}

/// Runs one execution of nothing.
struct Nothing(bool);

impl Scheduler for Nothing {
    fn new_execution(&mut self) -> Option<Schedule> {
        (!std::mem::replace(&mut self.0, true)).then(|| Schedule::new(0))
    }

    fn next_task(&mut self, runnable: &[&Task], _: Option<TaskId>, _: bool) -> Option<TaskId> {
        runnable.first().map(|task| task.id())
    }

    fn next_u64(&mut self) -> u64 {
        0
    }
}
