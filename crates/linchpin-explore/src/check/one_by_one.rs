//! Every schedule of a scope by itself (`--keep-going`).
//!
//! All schedules at once is the faster question: where a property holds of all of them, that is the answer for each. Where it is
//! violated, each schedule is searched as if there were no other, and its failure is the shortest counterexample of its own.
//! Workers take schedules one after the other; a search is one worker's. What is kept of the failures does not depend on
//! who found them, or when.

use super::{Compiled, RequestError, Run};
use crate::answers::PropertyResults;
use crate::failures::Collection;
use crate::request::{Request, Size};
use crate::schedules::{Schedule, ScheduleLists};
use linchpin_engine::verdict::Effort;
use linchpin_engine::{Budget, BudgetMeter, Listener, Progress, Schedules, Silent, guarded, lock, together};
use linchpin_ir::property::Property;
use linchpin_semantics::client::General;
use linchpin_semantics::{Machine, ScheduleScope, SpecMachine};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

impl Run<'_> {
    /// Judges each schedule of a scope, of which so many were counted, by properties that some of them violate.
    pub(super) fn one_by_one(
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
            self.answers.remark("there are too many schedules to judge them one by one".into());
            properties.iter().for_each(|property| self.answers.left_out(*property, counted));
            return Ok(());
        };
        let all = listed.concat();
        *self.answers.effort.schedules.get_or_insert(0) += (all.len() as u64).saturating_sub(counted);
        let request = Request {
            properties: properties.clone(),
            jobs: 1,
            lin_points: false,
            keep_going: false,
            ..self.request.clone()
        };
        let crew = Crew {
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
            work: Mutex::new(Work { failures: self.answers.take_failures(), ..Work::default() }),
        };
        let helpers = self.request.jobs.clamp(1, all.len().max(1)) - 1;
        let mut line = Line {
            listener: &mut *self.listener,
            crew: &crew,
            of: self.schedules.of,
            started: Instant::now(),
        };
        together(&crew.is_over, (0..helpers).map(|_| || crew.work(&mut Silent)), || crew.work(&mut line));
        let work = guarded(crew.work.into_inner());
        if let Some((_, error)) = work.error {
            return Err(error);
        }
        self.answers.put_failures(work.failures);
        self.answers.effort.add(&work.effort);
        for property in properties {
            let judged = work.judged.get(&property).copied().unwrap_or(0);
            self.answers.left_out(property, all.len() as u64 - judged);
        }
        Ok(())
    }
}

/// Those who judge the schedules of one scope.
struct Crew<'c> {
    request: &'c Request,
    budget: &'c Budget,
    compiled: &'c Compiled,
    size: &'c Size,
    machine: &'c Machine,
    spec: &'c SpecMachine,
    /// The number of the first schedule, among those of all scopes.
    first: u64,
    schedules: &'c [Schedule],
    /// The next schedule that nobody has taken.
    next: AtomicUsize,
    done: AtomicU64,
    states: AtomicU64,
    /// One of them panicked: the others stop.
    is_over: AtomicBool,
    work: Mutex<Work>,
}

/// What they have found.
#[derive(Default)]
struct Work {
    failures: Collection,
    /// Schedules of which it is known whether they violate a property.
    judged: BTreeMap<Property, u64>,
    effort: Effort,
    /// Of the first schedule that cannot be judged at all.
    error: Option<(usize, RequestError)>,
}

impl Crew<'_> {
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
            let mut answers = PropertyResults::new(self.request);
            answers.begin(self.machine, self.request);
            let mut run = Run {
                request: self.request,
                budget: self.budget,
                listener: &mut *listener,
                started,
                answers: &mut answers,
                compiled: self.compiled,
                size: self.size,
                schedules: Schedules::default(),
            };
            let result = run.client(self.machine, self.spec, &schedule.client());
            self.states.fetch_add(answers.effort.states, Ordering::Relaxed);
            self.done.fetch_add(1, Ordering::Relaxed);
            let mut work = lock(&self.work);
            if let Err(error) = result {
                if work.error.as_ref().is_none_or(|(first, _)| number < *first) {
                    work.error = Some((number, error));
                }
                return;
            }
            work.effort.add(&answers.effort);
            let violated = answers.take_violations();
            for property in answers.open() {
                *work.judged.entry(property).or_default() += 1;
            }
            for (property, counterexample) in violated {
                work.failures.add(self.first + number as u64, property, counterexample);
            }
        }
    }
}

/// Tells how far the crew has come.
struct Line<'l> {
    listener: &'l mut dyn Listener,
    crew: &'l Crew<'l>,
    of: u64,
    started: Instant,
}

impl Listener for Line<'_> {
    fn progress(&mut self, progress: &Progress) {
        let (done, elapsed) = (self.crew.done.load(Ordering::Relaxed), self.started.elapsed());
        let left = self.crew.schedules.len() as u64 - done;
        self.listener.progress(&Progress {
            // Only shown.
            states: usize::try_from(self.crew.states.load(Ordering::Relaxed)).unwrap_or(usize::MAX)
                + progress.states,
            elapsed,
            forecast: None,
            schedules: Some(Schedules { done: self.crew.first + done, at_once: 1, of: self.of }),
            left: (done > 0).then(|| elapsed.mul_f64(left as f64 / done as f64)),
            ..*progress
        });
    }
}
