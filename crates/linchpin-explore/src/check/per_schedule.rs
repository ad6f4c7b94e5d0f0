//! Every schedule of a scope by itself (`--keep-going`).
//!
//! A search of all schedules at once is faster: where a property holds, it holds for each schedule. Where it
//! is violated, each schedule is searched by itself, and its failure is its own shortest counterexample.
//! Workers take schedules one after the other. One worker makes the whole search of a schedule. The stored
//! failures do not depend on the order of the workers.

use super::failures::Collection;
use super::property_results::PropertyResults;
use super::{CheckRun, Compiled, RequestError};
use crate::problem::{Request, Schedule, ScheduleLists, Size};
use linchpin_engine::verdict::Effort;
use linchpin_engine::{Budget, BudgetMeter, Listener, Progress, Schedules, Silent, guarded, lock, together};
use linchpin_ir::property::Property;
use linchpin_semantics::client::General;
use linchpin_semantics::{Machine, ScheduleScope, SpecMachine};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

impl CheckRun<'_> {
    /// Judges each schedule of a scope, for properties that some schedule violates.
    pub(super) fn per_schedule(
        &mut self,
        (machine, spec): (&Machine, &SpecMachine),
        general: &General,
        scope: &ScheduleScope,
        (properties, counted): (Vec<Property>, u64),
    ) -> Result<(), RequestError> {
        let lists = ScheduleLists {
            program: &self.compiled.program,
            general,
            threads: self.size.bounds.threads as usize,
            restrictions: &scope.restrictions,
        };
        let watch = BudgetMeter::start(self.rest_of_budget());
        let mut go_on = || watch.exhausted(0).is_none();
        let of_length = |steps: u32| lists.all(steps as usize, scope.preadds as usize, &mut go_on);
        let listed: Option<Vec<Vec<Schedule>>> = scope.steps.clone().map(of_length).collect();
        let Some(listed) = listed else {
            self.results.remark("there are too many schedules to judge them one by one".into());
            properties.iter().for_each(|property| self.results.left_out(*property, counted));
            return Ok(());
        };
        let all = listed.concat();
        *self.results.effort.schedules.get_or_insert(0) += (all.len() as u64).saturating_sub(counted);
        let request = Request {
            properties: properties.clone(),
            jobs: 1,
            lin_points: false,
            keep_going: false,
            ..self.request.clone()
        };
        let queue = ScheduleQueue {
            request: &request,
            budget: &self.rest_of_budget(),
            compiled: self.compiled,
            size: self.size,
            machine,
            spec,
            first: self.schedules.done,
            schedules: &all,
            next: AtomicUsize::new(0),
            done: AtomicU64::new(0),
            states: AtomicU64::new(0),
            is_over: AtomicBool::new(false),
            results: Mutex::new(ScheduleResults {
                failures: self.results.take_failures(),
                ..ScheduleResults::default()
            }),
        };
        let helpers = self.request.jobs.clamp(1, all.len().max(1)) - 1;
        let mut progress = QueueProgress {
            listener: &mut *self.listener,
            queue: &queue,
            of: self.schedules.of,
            started: Instant::now(),
        };
        together(&queue.is_over, (0..helpers).map(|_| || queue.work(&mut Silent)), || {
            queue.work(&mut progress)
        });
        let results = guarded(queue.results.into_inner());
        if let Some((_, error)) = results.error {
            return Err(error);
        }
        self.results.put_failures(results.failures);
        self.results.effort.add(&results.effort);
        for property in properties {
            let judged = results.judged.get(&property).copied().unwrap_or(0);
            self.results.left_out(property, all.len() as u64 - judged);
        }
        Ok(())
    }
}

/// The shared data of the workers that judge the schedules of one scope.
struct ScheduleQueue<'c> {
    request: &'c Request,
    budget: &'c Budget,
    compiled: &'c Compiled,
    size: &'c Size,
    machine: &'c Machine,
    spec: &'c SpecMachine,
    /// The number of the first schedule, among the schedules of all scopes.
    first: u64,
    schedules: &'c [Schedule],
    /// The next schedule that no worker has taken.
    next: AtomicUsize,
    done: AtomicU64,
    states: AtomicU64,
    /// A worker panicked: the others stop.
    is_over: AtomicBool,
    results: Mutex<ScheduleResults>,
}

/// The results of all workers.
#[derive(Default)]
struct ScheduleResults {
    failures: Collection,
    /// The number of judged schedules, by property.
    judged: BTreeMap<Property, u64>,
    effort: Effort,
    /// The error of the first schedule that cannot be judged.
    error: Option<(usize, RequestError)>,
}

impl ScheduleQueue<'_> {
    /// Judges schedule after schedule, until none is left or the budget ends.
    fn work(&self, listener: &mut dyn Listener) {
        let started = Instant::now();
        let mut watch = BudgetMeter::start(self.budget.clone());
        let Budget { time, memory, memory_in_use, .. } = *self.budget;
        loop {
            watch.report(listener, |elapsed| {
                let bytes = memory_in_use().unwrap_or(0);
                Progress { elapsed, bytes, time, memory, ..Progress::default() }
            });
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(schedule) = self.schedules.get(number) else { return };
            if watch.exhausted(0).is_some() || self.is_over.load(Ordering::Relaxed) {
                return;
            }
            let mut results = PropertyResults::new(self.request);
            results.begin(self.machine, self.request);
            let mut run = CheckRun {
                request: self.request,
                budget: self.budget,
                listener: &mut *listener,
                started,
                results: &mut results,
                compiled: self.compiled,
                size: self.size,
                schedules: Schedules::default(),
            };
            let result = run.client(self.machine, self.spec, &schedule.client());
            self.states.fetch_add(results.effort.states, Ordering::Relaxed);
            self.done.fetch_add(1, Ordering::Relaxed);
            let mut shared = lock(&self.results);
            if let Err(error) = result {
                if shared.error.as_ref().is_none_or(|(first, _)| number < *first) {
                    shared.error = Some((number, error));
                }
                return;
            }
            shared.effort.add(&results.effort);
            let violated = results.take_violations();
            for property in results.open() {
                *shared.judged.entry(property).or_default() += 1;
            }
            for (property, counterexample) in violated {
                shared.failures.add(self.first + number as u64, property, counterexample);
            }
        }
    }
}

/// Adds the progress of all workers to the progress of one search.
struct QueueProgress<'l> {
    listener: &'l mut dyn Listener,
    queue: &'l ScheduleQueue<'l>,
    of: u64,
    started: Instant,
}

impl Listener for QueueProgress<'_> {
    fn progress(&mut self, progress: &Progress) {
        let (done, elapsed) = (self.queue.done.load(Ordering::Relaxed), self.started.elapsed());
        let left = self.queue.schedules.len() as u64 - done;
        self.listener.progress(&Progress {
            // The number is only displayed.
            states: usize::try_from(self.queue.states.load(Ordering::Relaxed)).unwrap_or(usize::MAX)
                + progress.states,
            elapsed,
            forecast: None,
            schedules: Some(Schedules { done: self.queue.first + done, at_once: 1, of: self.of }),
            left: (done > 0).then(|| elapsed.mul_f64(left as f64 / done as f64)),
            ..*progress
        });
    }
}
