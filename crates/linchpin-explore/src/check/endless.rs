//! PropertyResults about executions that go on for ever: one search to its end, its graph, and every open question about cycles asked
//! of it.
//!
//! Which reductions keep the answer depends on the question ([`super::super::progress`]); where one does not it is left out,
//! and the result says so.

use super::{RequestError, Run};
use crate::concretise::Choices;
use crate::deeds::bit;
use crate::expand::planned_call;
use crate::progress::{Bad, Graph, Lasso, Marked, NoGraph, Rule, ThreadStatus, lasso, own_steps};
use crate::reduction::{Reduction, Reductions};
use crate::search::{Search, SearchError, SearchProblem};
use crate::store::NodeId;
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

impl Run<'_> {
    /// Every rule, all of them fair or none, and whatever else the question wants.
    pub(super) fn endless(
        &mut self,
        question: SearchProblem<'_>,
        rules: &[Rule],
    ) -> Result<(), RequestError> {
        if !rules.iter().any(|rule| self.is_open(*rule)) {
            return Ok(());
        }
        let reductions = self.sound(question.reductions, rules);
        let question = SearchProblem { reductions, ..question };
        let is_fair = rules.iter().any(|rule| rule.fair);
        let reduce = if is_fair { Reduction::keeping_threads } else { Reduction::new };
        let reduction = reduce(question.machine, question.client, reductions);
        let mut search = Search::reduced(question, reduction);
        search.is_exhaustive = true;
        let summary =
            search.run(&self.rest_of_budget(), self.listener).map_err(|error| self.unsearchable(error))?;
        self.answers.note(&summary, (self.budget.memory_in_use)());
        self.judge(&search, &summary, Property::Linearizable, false);
        let open: Vec<Rule> = rules.iter().copied().filter(|rule| self.is_open(*rule)).collect();
        if open.is_empty() {
            return Ok(());
        }
        let mut watch = BudgetMeter::start(self.rest_of_budget());
        let graph = match Graph::of(&search, &mut watch, self.listener) {
            Ok(graph) => graph,
            Err(NoGraph::Spec(error)) => return Err(self.unsearchable(SearchError::Spec(error))),
            Err(NoGraph::Exhausted(exhausted)) => {
                let why = summary.exhausted.unwrap_or(exhausted);
                for rule in open {
                    self.answers.stalled(rule, why, self.budget.time);
                }
                return Ok(());
            }
            Err(NoGraph::TooManyThreads) => {
                for rule in open {
                    let limit = Limit::NotSupported("progress of so many threads".into());
                    self.answers.undecided(rule, limit);
                }
                return Ok(());
            }
        };
        for rule in open {
            let marked = Marked::new(&graph, rule);
            let held = search.store.bytes() + graph.bytes() + marked.bytes();
            if let Some(exhausted) = watch.exhausted(held) {
                self.answers.stalled(rule, exhausted, self.budget.time);
                continue;
            }
            let bad = marked.bad();
            if !bad.is_empty() {
                match self.shortest_lasso(&search, &marked, &bad) {
                    Ok(counterexample) if rule.by_points => self.answers.refute_progress(counterexample),
                    Ok(counterexample) => self.answers.violate(rule.property, counterexample),
                    Err(why) => self.answers.undecided(rule, Limit::Unconfirmed(why)),
                }
            } else if let Some(recursion) = self.fair_recursion(&search, &graph, rule) {
                match recursion {
                    Ok(counterexample) => self.answers.violate(rule.property, counterexample),
                    Err(why) => self.answers.undecided(rule, Limit::Unconfirmed(why)),
                }
            } else if let Some(exhausted) = summary.exhausted {
                self.answers.stalled(rule, exhausted, self.budget.time);
            } else if summary.coverage.cut.contains_key(&Cut::Depth) {
                self.answers.undecided(rule, Limit::Depth(search.question.machine.bounds().depth));
            } else if rule.property == Property::WaitFree && !rule.fair {
                let names = self.compiled.program.ops.iter().map(|op| op.name.clone());
                let most = own_steps(&marked, self.compiled.program.ops.len());
                self.answers.note_own_steps(names.zip(most));
            }
        }
        Ok(())
    }

    /// An execution in which a thread nests its calls too deep while a fair scheduler owes the others nothing, for `terminating`
    /// under fairness; `None`: there is none. Threads keep their names where fairness is asked for.
    fn fair_recursion(
        &self,
        search: &Search<'_>,
        graph: &Graph,
        rule: Rule,
    ) -> Option<Result<Counterexample, String>> {
        if rule.property != Property::Terminating || !rule.fair {
            return None;
        }
        let everybody = (0..graph.threads).fold(0, |mask, thread| mask | bit(thread));
        let is_fair = |node: usize, thread: usize| {
            let ThreadStatus { too_deep, excused, .. } = graph.standing(node);
            too_deep & bit(thread) != 0 && (excused | bit(thread)) == everybody
        };
        let pairs = (0..graph.size()).flat_map(|node| (0..graph.threads).map(move |thread| (node, thread)));
        let found = pairs.filter(|(node, thread)| is_fair(*node, *thread)).map(|(node, thread)| {
            let place = graph.place(node);
            let mut bytes = Vec::new();
            search.store.copy(place, &mut bytes);
            (search.level_of(place), bytes, thread, place)
        });
        let (level, _, thread, place) = found.min()?;
        Some(self.recursion(search, (place, level), ThreadId::new(thread)))
    }

    fn recursion(
        &self,
        search: &Search<'_>,
        (node, level): (NodeId, usize),
        thread: ThreadId,
    ) -> Result<Counterexample, String> {
        let (Choices { initial, mut steps }, here) = self.arrive(search, (node, level))?;
        let last = too_deep(search.question.machine, search.question.client, &here.state, thread);
        steps.push(last.ok_or("no step nests calls too deep there")?);
        let claim = Claim::Violates(Property::Terminating);
        self.confirmed(search, claim, Choices { initial, steps }, None)
    }

    fn is_open(&self, rule: Rule) -> bool {
        self.answers.open_rules(self.request.fair).contains(&rule)
    }

    /// The reductions that keep the answers, of those that were asked for.
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
                self.answers.remark(format!("no partial order reduction{threads} for {property}: {why}"));
            } else if !threads.is_empty() {
                self.answers.remark(format!("no symmetry of threads for {property}: {why}"));
            }
        }
        Reductions { partial_order, ..asked }
    }

    /// The execution with a shortest stem, and then a shortest loop. As for other violations, partial order reduction keeps
    /// verdicts only: a second search without it, not much larger, looks for a shorter one.
    fn shortest_lasso(
        &mut self,
        search: &Search<'_>,
        marked: &Marked<'_>,
        bad: &Bad,
    ) -> Result<Counterexample, String> {
        let found = self.lasso(search, marked, bad);
        if !search.question.reductions.partial_order {
            return found;
        }
        let mut second = Search::new(SearchProblem {
            reductions: Reductions { partial_order: false, ..search.question.reductions },
            wanted: Vec::new(),
            most_nodes: found.is_ok().then_some(search.store.number_of_nodes() * 16 + 100_000),
            ..search.question.clone()
        });
        second.is_exhaustive = true;
        let summary = second.run(&self.rest_of_budget(), self.listener);
        if !summary.is_ok_and(|summary| summary.exhausted.is_none()) {
            return found;
        }
        let mut watch = BudgetMeter::start(self.rest_of_budget());
        let Ok(graph) = Graph::of(&second, &mut watch, self.listener) else { return found };
        let marked = Marked::new(&graph, marked.rule);
        let bad = marked.bad();
        self.lasso(&second, &marked, &bad).or(found)
    }

    fn lasso(&self, search: &Search<'_>, marked: &Marked<'_>, bad: &Bad) -> Result<Counterexample, String> {
        let lost = |_: SpecError| "the specification failed on the way".to_string();
        let Lasso { choices: Choices { initial, steps }, start } =
            lasso(search, marked, bad).map_err(lost)?.ok_or("no execution goes round and round")?;
        let claim = if marked.rule.by_points {
            Claim::RefutesProgressByPoints
        } else {
            Claim::Violates(marked.rule.property)
        };
        self.confirmed(search, claim, Choices { initial, steps }, Some(start))
    }
}

/// The call or step of a thread that nests calls too deep.
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

/// Whether some step of some operation can be disabled, other than by the bound on nodes.
pub(super) fn can_wait(program: &Program) -> bool {
    let code = program.methods.iter().flat_map(|method| method.code.iter());
    code.into_iter().any(|instr| match &instr.op {
        Op::Lock(_) | Op::Await(_) | Op::WaitBegin { .. } | Op::WaitEnd { .. } => true,
        Op::Choose { from: Candidates::Bool | Candidates::Threads, cond: None, .. } => false,
        Op::Choose { .. } => true,
        _ => false,
    })
}
