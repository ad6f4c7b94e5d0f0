//! Properties about infinite executions: one search to its end, its graph, and all open progress rules on
//! that graph.
//!
//! Which reductions keep the verdict depends on the property ([`crate::progress`]). A reduction that does not
//! keep it is left out, and a remark tells so.

use super::{CheckRun, RequestError};
use crate::expand::{bit, planned_call};
use crate::problem::{Reductions, SearchProblem};
use crate::progress::{
    BadComponents, Graph, Lasso, NoGraph, ProductGraph, Rule, ThreadStatus, lasso, own_steps,
};
use crate::reduce::ReductionPlan;
use crate::search::{Search, SearchError};
use crate::store::NodeId;
use crate::trace::Choices;
use linchpin_engine::BudgetMeter;
use linchpin_engine::verdict::Limit;
use linchpin_ir::index::Index;
use linchpin_ir::program::{Candidates, Op, Program};
use linchpin_ir::property::Property;
use linchpin_judge::replay::Counterexample;
use linchpin_judge::trace::{Action, Choice, Claim};
use linchpin_semantics::{
    CallChoice, Client, Cut, Machine, NoEvents, Outcome, Picks, SpecError, State, ThreadId,
};

impl CheckRun<'_> {
    /// Judges every rule, and the wanted violations of the problem. All rules are fair, or none is.
    pub(super) fn endless(&mut self, problem: SearchProblem<'_>, rules: &[Rule]) -> Result<(), RequestError> {
        if !rules.iter().any(|rule| self.is_open(*rule)) {
            return Ok(());
        }
        let reductions = self.sound(problem.reductions, rules);
        let problem = SearchProblem { reductions, ..problem };
        let is_fair = rules.iter().any(|rule| rule.fair);
        let make_plan = if is_fair { ReductionPlan::keeping_threads } else { ReductionPlan::new };
        let plan = make_plan(problem.machine, problem.client, reductions);
        let mut search = Search::with_plan(problem, plan);
        search.is_exhaustive = true;
        let result =
            search.run(&self.rest_of_budget(), self.listener).map_err(|error| self.unsearchable(error))?;
        self.results.note(&result, (self.budget.memory_in_use)());
        self.judge(&search, &result, Property::Linearizable, false);
        let open: Vec<Rule> = rules.iter().copied().filter(|rule| self.is_open(*rule)).collect();
        if open.is_empty() {
            return Ok(());
        }
        let mut watch = BudgetMeter::start(self.rest_of_budget());
        let graph = match Graph::of(&search, &mut watch, self.listener) {
            Ok(graph) => graph,
            Err(NoGraph::Spec(error)) => return Err(self.unsearchable(SearchError::Spec(error))),
            Err(NoGraph::Exhausted(exhausted)) => {
                let why = result.exhausted.unwrap_or(exhausted);
                for rule in open {
                    self.results.stalled(rule, why, self.budget.time);
                }
                return Ok(());
            }
            Err(NoGraph::TooManyThreads) => {
                for rule in open {
                    let limit = Limit::NotSupported("progress of so many threads".into());
                    self.results.undecided(rule, limit);
                }
                return Ok(());
            }
        };
        for rule in open {
            let product = ProductGraph::new(&graph, rule);
            let held = search.store.bytes() + graph.bytes() + product.bytes();
            if let Some(exhausted) = watch.exhausted(held) {
                self.results.stalled(rule, exhausted, self.budget.time);
                continue;
            }
            let bad = product.bad();
            if !bad.is_empty() {
                match self.shortest_lasso(&search, &product, &bad) {
                    Ok(counterexample) if rule.by_points => self.results.refute_progress(counterexample),
                    Ok(counterexample) => self.results.violate(rule.property, counterexample),
                    Err(why) => self.results.undecided(rule, Limit::Unconfirmed(why)),
                }
            } else if let Some(recursion) = self.fair_recursion(&search, &graph, rule) {
                match recursion {
                    Ok(counterexample) => self.results.violate(rule.property, counterexample),
                    Err(why) => self.results.undecided(rule, Limit::Unconfirmed(why)),
                }
            } else if let Some(exhausted) = result.exhausted {
                self.results.stalled(rule, exhausted, self.budget.time);
            } else if result.coverage.cut.contains_key(&Cut::Depth) {
                self.results.undecided(rule, Limit::Depth(search.problem.machine.bounds().depth));
            } else if rule.property == Property::WaitFree && !rule.fair {
                let names = self.compiled.program.ops.iter().map(|op| op.name.clone());
                let most = own_steps(&product, self.compiled.program.ops.len());
                self.results.note_own_steps(names.zip(most));
            }
        }
        Ok(())
    }

    /// Returns an execution in which a thread nests calls too deep while a fair scheduler need not run any
    /// other thread. Only for `terminating` under fairness. `None`: there is none. Under fairness threads
    /// keep their names.
    fn fair_recursion(
        &self,
        search: &Search<'_>,
        graph: &Graph,
        rule: Rule,
    ) -> Option<Result<Counterexample, String>> {
        if rule.property != Property::Terminating || !rule.fair {
            return None;
        }
        let all_threads = (0..graph.threads).fold(0, |mask, thread| mask | bit(thread));
        let is_fair = |node: usize, thread: usize| {
            let ThreadStatus { too_deep, fairness_exempt, .. } = graph.status(node);
            too_deep & bit(thread) != 0 && (fairness_exempt | bit(thread)) == all_threads
        };
        let pairs = (0..graph.size()).flat_map(|node| (0..graph.threads).map(move |thread| (node, thread)));
        let found = pairs.filter(|(node, thread)| is_fair(*node, *thread)).map(|(node, thread)| {
            let id = graph.node_id(node);
            let mut bytes = Vec::new();
            search.store.copy(id, &mut bytes);
            (search.level_of(id), bytes, thread, id)
        });
        let (level, _, thread, id) = found.min()?;
        Some(self.recursion(search, (id, level), ThreadId::new(thread)))
    }

    /// Returns an execution to a node, and the step of a thread that nests calls too deep.
    fn recursion(
        &self,
        search: &Search<'_>,
        (node, level): (NodeId, usize),
        thread: ThreadId,
    ) -> Result<Counterexample, String> {
        let (Choices { initial, mut steps }, end) = self.arrive(search, (node, level))?;
        let last = too_deep(search.problem.machine, search.problem.client, &end.state, thread);
        steps.push(last.ok_or("no step of the thread nests calls too deep")?);
        let claim = Claim::Violates(Property::Terminating);
        self.confirmed(search, claim, Choices { initial, steps }, None)
    }

    fn is_open(&self, rule: Rule) -> bool {
        self.results.open_rules(self.request.fair).contains(&rule)
    }

    /// Returns the requested reductions that keep the verdicts.
    fn sound(&mut self, asked: Reductions, rules: &[Rule]) -> Reductions {
        let waits = can_wait(&self.compiled.program);
        let mut partial_order = asked.partial_order;
        for rule in rules {
            let property = rule.property;
            let why = if rule.fair {
                "it is about fair executions".to_string()
            } else if rule.by_points {
                "points are visible".to_string()
            } else if property == Property::ObstructionFree {
                "it is about every state".to_string()
            } else if rule.counts_waiting() && waits {
                "calls can wait".to_string()
            } else {
                continue;
            };
            partial_order = false;
            let threads = if rule.fair && asked.symmetry { ", no symmetry of threads" } else { "" };
            if asked.partial_order {
                self.results.remark(format!("no partial order reduction{threads} for {property}: {why}"));
            } else if !threads.is_empty() {
                self.results.remark(format!("no symmetry of threads for {property}: {why}"));
            }
        }
        Reductions { partial_order, ..asked }
    }

    /// Returns a lasso with a shortest stem, and then a shortest loop. Partial order reduction keeps
    /// verdicts, not lengths. So a second search without it, limited in size, looks for a shorter lasso.
    fn shortest_lasso(
        &mut self,
        search: &Search<'_>,
        product: &ProductGraph<'_>,
        bad: &BadComponents,
    ) -> Result<Counterexample, String> {
        let found = self.lasso(search, product, bad);
        if !search.problem.reductions.partial_order {
            return found;
        }
        let mut second = Search::new(SearchProblem {
            reductions: Reductions { partial_order: false, ..search.problem.reductions },
            wanted: Vec::new(),
            most_nodes: found.is_ok().then_some(search.store.number_of_nodes() * 16 + 100_000),
            ..search.problem.clone()
        });
        second.is_exhaustive = true;
        let result = second.run(&self.rest_of_budget(), self.listener);
        if !result.is_ok_and(|result| result.exhausted.is_none()) {
            return found;
        }
        let mut watch = BudgetMeter::start(self.rest_of_budget());
        let Ok(graph) = Graph::of(&second, &mut watch, self.listener) else { return found };
        let product = ProductGraph::new(&graph, product.rule);
        let bad = product.bad();
        self.lasso(&second, &product, &bad).or(found)
    }

    fn lasso(
        &self,
        search: &Search<'_>,
        product: &ProductGraph<'_>,
        bad: &BadComponents,
    ) -> Result<Counterexample, String> {
        let lost = |_: SpecError| "the specification has a fault on the path".to_string();
        let Lasso { choices: Choices { initial, steps }, start } =
            lasso(search, product, bad).map_err(lost)?.ok_or("no lasso was found")?;
        let claim = if product.rule.by_points {
            Claim::RefutesProgressByPoints
        } else {
            Claim::Violates(product.rule.property)
        };
        self.confirmed(search, claim, Choices { initial, steps }, Some(start))
    }
}

/// Returns the call or step of a thread that nests calls too deep.
fn too_deep(machine: &Machine, client: &Client, state: &State, thread: ThreadId) -> Option<Choice> {
    let program = machine.program();
    let try_all = |action: Action, go: &dyn Fn(&mut State, &mut Picks) -> Outcome| {
        let mut picks = Picks::new();
        loop {
            picks.restart();
            if go(&mut state.clone(), &mut picks) == Outcome::Cut(Cut::Depth) {
                return Some(Choice { thread, action, picks: picks.chosen().collect() });
            }
            if !picks.advance() {
                return None;
            }
        }
    };
    if !machine.is_idle(state, thread) {
        return try_all(Action::Step, &|to, picks| machine.step(to, thread, picks, &mut NoEvents));
    }
    client.calls(machine, state, thread).find_map(|call| {
        let CallChoice { op, args, next_position } = call;
        try_all(Action::Call(planned_call(program, *op, args)), &|to, picks| {
            machine.call(to, thread, *op, args, *next_position, picks, &mut NoEvents)
        })
    })
}

/// Checks whether some step of some operation can be disabled, other than by the node bound.
pub(super) fn can_wait(program: &Program) -> bool {
    let code = program.methods.iter().flat_map(|method| method.code.iter());
    code.into_iter().any(|instr| match &instr.op {
        Op::Lock(_) | Op::Await(_) | Op::WaitBegin { .. } | Op::WaitEnd { .. } => true,
        Op::Choose { from: Candidates::Bool | Candidates::Threads, cond: None, .. } => false,
        Op::Choose { .. } => true,
        _ => false,
    })
}
