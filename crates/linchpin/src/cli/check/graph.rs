//! `check --dot`: every state of a small instance, or one state of the counterexample, as a graph.

use super::super::Failure;
use super::super::guard::Guard;
use super::super::instance::bounds_text;
use super::super::source::Source;
use super::requests::CheckRequest;
use linchpin_engine::BudgetMeter;
use linchpin_engine::state_space::TooMany;
use linchpin_explore::moves::state_space;
use linchpin_explore::{ClientRequest, Size};
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_report::quantities::grouped;
use linchpin_report::state_space::view;
use linchpin_semantics::{Client, Machine};

/// Number of states in a graph. Programs that lay out graphs fail beyond a few thousand nodes.
const MOST_STATES: usize = 2_000;

/// The instance to draw.
pub struct Instance {
    machine: Machine,
    client: Client,
    source: linchpin_engine::model::Compiled,
}

impl Instance {
    /// Returns the one instance of the requests.
    pub fn of(source: &Source, requests: &[CheckRequest]) -> Result<Instance, Failure> {
        let Size { setting, bounds } = only_size(requests)?;
        let compiled = source.compiled(&setting)?;
        let refuse = |findings: Vec<Diagnostic>| {
            let titles: Vec<String> = findings.into_iter().map(|finding| finding.title).collect();
            Failure::input(format!("no states can be drawn: {}", titles.join("; ")))
                .help("choose other bounds")
        };
        let machine = Machine::new(&compiled.program, &bounds).map_err(refuse)?;
        let client = Client::general(&compiled.program, &bounds).map_err(refuse)?;
        Ok(Instance { machine, client, source: compiled })
    }

    /// Returns the graph of all states.
    pub fn graph(&self, guard: &Guard) -> Result<String, Failure> {
        let meter = BudgetMeter::start(guard.budget.clone());
        let space = state_space(&self.machine, &self.client, MOST_STATES, &meter).map_err(|_| {
            Failure::input("`--dot`: there is no initial state").help("run the model: `linchpin run MODEL`")
        })?;
        let bounds = bounds_text(&self.source.program, self.machine.bounds());
        let space = space.map_err(|TooMany { states, is_complete }| {
            let states = grouped(states as u64);
            let least = if is_complete { "" } else { "more than " };
            let most = grouped(MOST_STATES as u64);
            Failure::input(format!(
                "`--dot`: {bounds} have {least}{states} states, and a graph has at most {most}"
            ))
            .help("use smaller bounds, or draw one state of a counterexample with `--state N`")
        })?;
        let view = view(&self.machine, &self.source.sources, &bounds, &space);
        Ok(linchpin_page::dot::state_space(&view))
    }
}

fn only_size(requests: &[CheckRequest]) -> Result<Size, Failure> {
    let several = |number: usize| {
        Failure::input(format!("`--dot` draws one instance, and there are {number}"))
            .help("give `--threads N --nodes N` and the other bounds of the model")
    };
    let [asked] = requests else { return Err(several(requests.len())) };
    if !matches!(asked.request.client, ClientRequest::General) {
        return Err(Failure::input("`--dot` does not apply to schedules").help("use `--client general`"));
    }
    let mut sizes = asked.request.sizes();
    match (sizes.next(), sizes.count()) {
        (Some(size), 0) => Ok(size),
        (_, more) => Err(several(more + 1)),
    }
}
