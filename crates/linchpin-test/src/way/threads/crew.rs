//! Worker threads that run the batches of all scenarios.
//!
//! A worker of a batch makes the calls of one thread, in every execution of the batch. The workers meet
//! before each execution: they spin, because a thread that sleeps wakes too late for a race.

use crate::ledger::Ledger;
use crate::object::Client;
use crate::record::Log;
use crate::scenario::Planned;
use std::hint::spin_loop;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

/// A delay that gives the processor to another thread.
pub(super) const YIELD: u32 = u32::MAX;
/// Turns of a spinning worker before it gives the processor to another thread.
const SPINS: u32 = 200;

/// One thread of one execution.
pub(super) struct Lane {
    /// The number of the thread in the scenario.
    pub thread: usize,
    pub client: Box<dyn Client>,
    pub log: Arc<Log>,
    pub ledger: &'static Ledger,
    /// The turns to wait before each call.
    pub delays: Vec<u32>,
}

/// Executions of one scenario: for each thread the calls, and a lane for each execution.
pub(super) struct Batch {
    plans: Vec<Vec<Planned>>,
    lanes: Vec<Vec<Lane>>,
}

impl Batch {
    pub fn new(plans: Vec<Vec<Planned>>, lanes: Vec<Vec<Lane>>) -> Batch {
        Batch { plans, lanes }
    }
}

/// How a batch ended.
pub(super) enum Outcome {
    Finished,
    /// No call of this execution returned within the patience.
    Stuck {
        execution: usize,
        missing: usize,
        pace: Arc<Pace>,
    },
}

/// The progress of a batch.
pub(super) struct Pace {
    workers: usize,
    /// The number of workers that arrived at each execution.
    arrived: Vec<AtomicUsize>,
    /// The number of calls that returned.
    calls: AtomicUsize,
}

struct Job {
    plan: Vec<Planned>,
    lanes: Vec<Lane>,
    pace: Arc<Pace>,
    done: Sender<()>,
}

/// Workers that wait for jobs. A worker ends when the crew is dropped.
pub(super) struct Crew {
    workers: Vec<Sender<Job>>,
    done: (Sender<()>, Receiver<()>),
}

impl Default for Crew {
    fn default() -> Crew {
        Crew { workers: Vec::new(), done: channel() }
    }
}

impl Crew {
    /// Runs a batch. Ends early if no call returns for as long as `patience`.
    pub fn run(&mut self, batch: Batch, patience: Duration) -> Outcome {
        let executions = batch.lanes.iter().map(Vec::len).max().unwrap_or(0);
        let workers = batch.plans.len();
        let arrived = (0..executions).map(|_| AtomicUsize::new(0)).collect();
        let pace = Arc::new(Pace { workers, arrived, calls: AtomicUsize::new(0) });
        for (at, (plan, lanes)) in batch.plans.into_iter().zip(batch.lanes).enumerate() {
            let job = Job { plan, lanes, pace: pace.clone(), done: self.done.0.clone() };
            if at == self.workers.len() {
                let (send, receive) = channel();
                thread::spawn(move || work(&receive));
                self.workers.push(send);
            }
            // A worker receives until its crew is gone.
            let _ = self.workers[at].send(job);
        }
        self.wait(workers, pace, patience)
    }

    /// Waits again for a batch that seemed stuck.
    pub fn wait_on(&self, outcome: Outcome, patience: Duration) -> Outcome {
        match outcome {
            Outcome::Finished => Outcome::Finished,
            Outcome::Stuck { missing, pace, .. } => self.wait(missing, pace, patience),
        }
    }

    fn wait(&self, mut missing: usize, pace: Arc<Pace>, patience: Duration) -> Outcome {
        let mut seen = pace.calls.load(Ordering::SeqCst);
        while missing > 0 {
            match self.done.1.recv_timeout(patience) {
                Ok(()) => missing -= 1,
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    let now = pace.calls.load(Ordering::SeqCst);
                    if now != seen {
                        seen = now;
                        continue;
                    }
                    let begun = |arrived: &&AtomicUsize| arrived.load(Ordering::SeqCst) == pace.workers;
                    let execution = pace.arrived.iter().take_while(begun).count().saturating_sub(1);
                    return Outcome::Stuck { execution, missing, pace };
                }
            }
        }
        Outcome::Finished
    }
}

fn work(jobs: &Receiver<Job>) {
    while let Ok(Job { plan, lanes, pace, done }) = jobs.recv() {
        for (at, mut lane) in lanes.into_iter().enumerate() {
            meet(&pace.arrived[at], pace.workers);
            for (call, delay) in plan.iter().zip(&lane.delays) {
                match *delay {
                    YIELD => thread::yield_now(),
                    turns => (0..turns).for_each(|_| spin_loop()),
                }
                let goes_on = lane.log.call(lane.thread, &mut *lane.client, call, lane.ledger);
                pace.calls.fetch_add(1, Ordering::SeqCst);
                if !goes_on {
                    break;
                }
            }
            let Lane { thread, client, log, .. } = lane;
            if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(client))) {
                log.panicked(Some(thread), &*payload);
            }
        }
        // The crew is gone if this batch was given up.
        let _ = done.send(());
    }
}

/// Waits until all workers are here.
fn meet(arrived: &AtomicUsize, workers: usize) {
    arrived.fetch_add(1, Ordering::SeqCst);
    let mut turns = 0;
    while arrived.load(Ordering::SeqCst) < workers {
        turns += 1;
        if turns % SPINS == 0 {
            thread::yield_now();
        }
        spin_loop();
    }
}
