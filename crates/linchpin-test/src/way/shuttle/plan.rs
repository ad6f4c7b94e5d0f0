//! How a scheduler chooses: all schedules with at most some preemptions, by priorities, at random, or as
//! told.
//!
//! A *decision* has a list of threads that may go on. The first is the current thread, if it may go on. Each
//! thread has a cost: 1 if the choice is a preemption, else 0.
//!
//! **All schedules.** The search is depth first. It keeps the stack of decisions of the last execution in
//! which more than one thread was affordable. The next execution repeats the stack up to the last decision
//! with an untried thread, and takes that thread. So each schedule with at most `bound` preemptions runs
//! exactly once, if the object repeats itself. The search compares the lists of threads of repeated
//! decisions, and ends if they differ.
//!
//! **By priorities** (PCT, Burckhardt et al. 2010): each thread has a random priority; at a few random
//! decisions the current thread falls below all others.

use super::choices::Choices;

/// A thread that may go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Candidate {
    pub task: usize,
    pub is_preemption: bool,
}

/// How to choose in all executions of one run of the engine.
#[derive(Debug)]
pub(super) enum Plan {
    Exhaustive(Exhaustive),
    Random(fastrand::Rng),
    Priorities(Priorities),
    Replay { choices: Choices, at: usize, differs: bool },
}

impl Plan {
    /// Begins an execution. `false`: there is none left.
    pub fn begin(&mut self) -> bool {
        match self {
            Plan::Exhaustive(search) => search.begin(),
            Plan::Priorities(priorities) => {
                priorities.begin();
                true
            }
            Plan::Random(_) => true,
            Plan::Replay { at, .. } => {
                *at = 0;
                true
            }
        }
    }

    /// Chooses among at least two candidates. Returns the position in the list.
    pub fn choose(&mut self, candidates: &[Candidate]) -> usize {
        match self {
            Plan::Exhaustive(search) => search.choose(candidates),
            Plan::Random(random) => random.usize(..candidates.len()),
            Plan::Priorities(priorities) => priorities.choose(candidates),
            Plan::Replay { choices, at, differs } => {
                let choice = choices.0.get(*at).map_or(0, |choice| usize::from(*choice));
                *at += 1;
                if choice < candidates.len() {
                    return choice;
                }
                *differs = true;
                0
            }
        }
    }
}

/// The search for all schedules with at most `bound` preemptions.
#[derive(Debug)]
pub(super) struct Exhaustive {
    bound: usize,
    stack: Vec<Decision>,
    /// The number of decisions of the current execution that were repeated or added.
    depth: usize,
    preemptions: usize,
    begun: bool,
    /// A schedule was left out because it has more preemptions than the bound.
    pub is_bounded: bool,
    /// A repeated decision had other candidates.
    pub differs: bool,
}

#[derive(Clone, Debug)]
struct Decision {
    candidates: Vec<Candidate>,
    /// The position of the chosen candidate.
    chosen: usize,
    /// The number of preemptions before the decision.
    preemptions: usize,
}

impl Exhaustive {
    pub fn new(bound: usize) -> Exhaustive {
        let (stack, depth, preemptions) = (Vec::new(), 0, 0);
        Exhaustive { bound, stack, depth, preemptions, begun: false, is_bounded: false, differs: false }
    }

    fn begin(&mut self) -> bool {
        if self.differs {
            return false;
        }
        if self.begun {
            loop {
                let Some(mut last) = self.stack.pop() else { return false };
                let next = (last.chosen + 1..last.candidates.len())
                    .find(|&at| !last.candidates[at].is_preemption || last.preemptions < self.bound);
                if let Some(next) = next {
                    last.chosen = next;
                    self.stack.push(last);
                    break;
                }
            }
        }
        self.begun = true;
        self.depth = 0;
        self.preemptions = 0;
        true
    }

    fn choose(&mut self, candidates: &[Candidate]) -> usize {
        let affordable = |candidate: &Candidate| !candidate.is_preemption || self.preemptions < self.bound;
        let some = candidates.iter().filter(|candidate| affordable(candidate)).count();
        self.is_bounded |= some < candidates.len();
        let chosen = if some < 2 {
            candidates.iter().position(affordable).unwrap_or(0)
        } else if let Some(decision) = self.stack.get(self.depth) {
            if decision.candidates != candidates {
                self.differs = true;
            }
            self.depth += 1;
            decision.chosen.min(candidates.len() - 1)
        } else {
            let chosen = candidates.iter().position(affordable).unwrap_or(0);
            let preemptions = self.preemptions;
            self.stack.push(Decision { candidates: candidates.to_vec(), chosen, preemptions });
            self.depth += 1;
            chosen
        };
        self.preemptions += usize::from(candidates[chosen].is_preemption);
        chosen
    }
}

/// Random priorities with a few random changes.
#[derive(Debug)]
pub(super) struct Priorities {
    random: fastrand::Rng,
    /// The number of changes in an execution.
    changes: usize,
    /// The priority of each task, by its number. A greater one goes first.
    of: Vec<u64>,
    /// The decisions at which the priority of the current thread falls.
    falls: Vec<usize>,
    decisions: usize,
    longest: usize,
    lowest: u64,
}

impl Priorities {
    pub fn new(random: fastrand::Rng, changes: usize) -> Priorities {
        let (of, falls) = (Vec::new(), Vec::new());
        Priorities { random, changes, of, falls, decisions: 0, longest: 1, lowest: 0 }
    }

    fn begin(&mut self) {
        self.longest = self.longest.max(self.decisions);
        self.decisions = 0;
        self.lowest = 1 << 20;
        self.of.clear();
        self.falls = (0..self.changes).map(|_| self.random.usize(..self.longest)).collect();
    }

    fn choose(&mut self, candidates: &[Candidate]) -> usize {
        for candidate in candidates {
            while self.of.len() <= candidate.task {
                let priority = self.random.u64(1 << 21..1 << 40);
                self.of.push(priority);
            }
        }
        let falls = self.falls.contains(&self.decisions);
        // A free switch means that the current thread waits for another one.
        let waits = candidates.iter().skip(1).any(|candidate| !candidate.is_preemption);
        self.decisions += 1;
        if falls || (waits && self.random.bool()) {
            self.lowest -= 1;
            self.of[candidates[0].task] = self.lowest;
        }
        let best = (0..candidates.len()).max_by_key(|&at| self.of[candidates[at].task]);
        best.unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Runs two threads of so many steps under a plan. Returns the order of the threads.
    fn execute(plan: &mut Plan, steps: [usize; 2]) -> Option<Vec<usize>> {
        if !plan.begin() {
            return None;
        }
        let (mut left, mut order, mut current) = (steps, Vec::new(), None);
        while left != [0, 0] {
            let mut candidates: Vec<Candidate> = Vec::new();
            let goes_on = current.filter(|&task: &usize| left[task] > 0);
            candidates.extend(goes_on.map(|task| Candidate { task, is_preemption: false }));
            for task in 0..2 {
                if left[task] > 0 && Some(task) != goes_on {
                    candidates.push(Candidate { task, is_preemption: goes_on.is_some() });
                }
            }
            let at = if candidates.len() > 1 { plan.choose(&candidates) } else { 0 };
            let task = candidates[at].task;
            left[task] -= 1;
            order.push(task);
            current = Some(task);
        }
        Some(order)
    }

    /// The number of preemptions: switches away from a thread with steps left.
    fn preemptions(order: &[usize], steps: [usize; 2]) -> usize {
        let done = |at: usize| order[..at].iter().filter(|&&task| task == order[at - 1]).count();
        (1..order.len()).filter(|&at| order[at] != order[at - 1] && done(at) < steps[order[at - 1]]).count()
    }

    fn all(steps: [usize; 2]) -> Vec<Vec<usize>> {
        let mut orders: Vec<Vec<usize>> = vec![vec![]];
        for _ in 0..steps[0] + steps[1] {
            orders = orders.iter().flat_map(|o| (0..2).map(move |t| [&o[..], &[t]].concat())).collect();
        }
        let is_right = |order: &Vec<usize>| order.iter().filter(|&&task| task == 1).count() == steps[1];
        orders.into_iter().filter(is_right).collect()
    }

    #[test]
    fn the_search_runs_each_schedule_within_the_bound_once() {
        for (steps, bound) in [([3, 4], 0), ([3, 4], 1), ([3, 4], 2), ([4, 4], 9)] {
            let mut plan = Plan::Exhaustive(Exhaustive::new(bound));
            let mut seen = BTreeSet::new();
            while let Some(order) = execute(&mut plan, steps) {
                assert!(seen.insert(order), "twice");
            }
            let expected: BTreeSet<Vec<usize>> =
                all(steps).into_iter().filter(|order| preemptions(order, steps) <= bound).collect();
            assert_eq!(seen, expected, "{steps:?}, at most {bound} preemptions");
            let Plan::Exhaustive(search) = plan else { unreachable!("the plan does not change") };
            assert_eq!(search.is_bounded, expected.len() < all(steps).len());
        }
    }

    #[test]
    fn priorities_and_chance_reach_every_schedule() {
        let expected = all([3, 3]).len();
        let random = fastrand::Rng::with_seed(7);
        for mut plan in [Plan::Random(random.clone()), Plan::Priorities(Priorities::new(random, 5))] {
            let seen: BTreeSet<_> = (0..20_000).filter_map(|_| execute(&mut plan, [3, 3])).collect();
            assert_eq!(seen.len(), expected, "{plan:?}");
        }
    }

    #[test]
    fn a_search_notices_an_object_that_does_not_repeat_itself() {
        let mut plan = Plan::Exhaustive(Exhaustive::new(9));
        let mut steps = [2, 2];
        let mut executions = 0;
        while execute(&mut plan, steps).is_some() {
            executions += 1;
            steps = [2 + executions % 2, 2];
        }
        let Plan::Exhaustive(search) = plan else { unreachable!("the plan does not change") };
        assert!(search.differs);
    }
}
