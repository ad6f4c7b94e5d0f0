//! One instance, measured.

use crate::edited::Edited;
use linchpin_engine::model::{Model, RequestError};
use linchpin_engine::verdict::{Limit, Verdict};
use linchpin_engine::{Budget, Listener, Silent, cores};
use linchpin_explore::{Reductions, Request, check};
use linchpin_ir::property::Property;
use linchpin_report::counterexample::draw;
use linchpin_report::line::Palette;
use std::time::{Duration, Instant};

/// The instance, and what is judged.
#[derive(Clone, Debug)]
pub struct Instance {
    pub model: &'static str,
    pub threads: u32,
    /// Where the model has cells.
    pub nodes: Option<u32>,
    pub values: u32,
    pub constants: Vec<(&'static str, i64)>,
    pub property: Property,
    pub lin_points: bool,
    pub reductions: Reductions,
    /// Threads make one call each, and the calls that end what it began; otherwise they call for ever.
    pub one_call: Option<&'static [&'static str]>,
    pub jobs: usize,
}

impl Instance {
    /// (threads, nodes, values), linearizability by refinement, every reduction.
    pub fn new(model: &'static str, [threads, nodes, values]: [u32; 3]) -> Instance {
        Instance {
            model,
            threads,
            nodes: Some(nodes),
            values,
            constants: Vec::new(),
            property: Property::Linearizable,
            lin_points: false,
            reductions: Reductions::ALL,
            one_call: None,
            jobs: cores(),
        }
    }
}

/// The measurements of one instance.
#[derive(Clone, Debug)]
pub struct Measured {
    pub verdict: &'static str,
    /// The search ended.
    pub is_done: bool,
    /// The length of the counterexample, and of its loop if it has one.
    pub steps: Option<usize>,
    pub steps_of_loop: Option<usize>,
    pub states: u64,
    pub seconds: f64,
    /// The memory of the states.
    pub bytes: Option<u64>,
    /// Why the search ended early, and the forecast of the states.
    pub limit: Option<Limit>,
    pub forecast: Option<u64>,
    /// The drawing of the counterexample.
    pub drawing: Option<String>,
}

impl Measured {
    fn too_small() -> Measured {
        Measured {
            verdict: "too small",
            is_done: true,
            steps: None,
            steps_of_loop: None,
            states: 0,
            seconds: 0.0,
            bytes: None,
            limit: None,
            forecast: None,
            drawing: None,
        }
    }

    /// Steps, or those of the stem and of the loop.
    pub fn steps_text(&self) -> String {
        match (self.steps, self.steps_of_loop) {
            (Some(all), Some(of_loop)) => format!("{} + {of_loop}", all - of_loop),
            (Some(all), None) => all.to_string(),
            (None, _) => String::new(),
        }
    }

    pub fn states_text(&self) -> String {
        if self.is_done { grouped(self.states) } else { format!("> {}", grouped(self.states)) }
    }

    pub fn seconds_text(&self) -> String {
        if self.is_done { format!("{:.2}", self.seconds) } else { "—".into() }
    }

    /// In MB, as the papers have it.
    pub fn memory_text(&self) -> String {
        self.bytes.map_or_else(String::new, |bytes| grouped(bytes.div_ceil(1_000_000)))
    }
}

/// Columns of a drawing.
const WIDTH: usize = 110;
/// The memory that one instance may take.
const MEMORY: u64 = 16 << 30;

pub fn measure(instance: &Instance, time: Duration) -> Result<Measured, String> {
    let budget =
        Budget { time: Some(time), memory: Some(MEMORY), stop: Default::default(), memory_in_use: || None };
    measure_within(instance, &budget, &mut Silent)
}

pub fn measure_within(
    instance: &Instance,
    budget: &Budget,
    listener: &mut dyn Listener,
) -> Result<Measured, String> {
    let model = instance.model;
    let plain = Edited::new(model, None)?;
    let text = match instance.one_call {
        Some(endings) => plain.with_one_call_a_thread(endings),
        None => plain,
    };
    let only = |number: u32| number..=number;
    let constant = |(name, value): &(&str, i64)| (name.to_string(), *value..=*value);
    let request = Request {
        threads: only(instance.threads),
        nodes: instance.nodes.map(only),
        values: only(instance.values),
        constants: instance.constants.iter().map(constant).collect(),
        properties: vec![instance.property],
        lin_points: instance.lin_points,
        reductions: instance.reductions,
        jobs: instance.jobs,
        ..Request::default()
    };
    let started = Instant::now();
    let findings = match check(&text, &request, budget, listener) {
        Ok(findings) => findings,
        Err(RequestError::Message { .. }) => return Ok(Measured::too_small()),
        Err(RequestError::Model { .. }) => return Err(format!("`{model}` has errors")),
    };
    let finding = findings.first().ok_or("nothing was judged")?;
    let counterexample = match finding.verdict() {
        Verdict::Violated(counterexample) => Some(counterexample),
        Verdict::Holds | Verdict::Unknown(_) => None,
    };
    let trace = counterexample.map(|counterexample| counterexample.trace());
    let steps = trace.map(|trace| trace.choices.len());
    let start = trace.and_then(|trace| trace.cycle);
    let is_vacuous = matches!(finding.verdict(), Verdict::Unknown(Limit::Vacuous(_)));
    Ok(Measured {
        verdict: if is_vacuous { "too small" } else { finding.verdict().as_str() },
        is_done: is_vacuous || !matches!(finding.verdict(), Verdict::Unknown(_)),
        steps,
        steps_of_loop: steps.zip(start).map(|(all, start)| all - start),
        states: finding.effort.states,
        seconds: started.elapsed().as_secs_f64(),
        bytes: finding.effort.search.bytes_per_state.map(|bytes| bytes * finding.effort.states),
        limit: match finding.verdict() {
            Verdict::Unknown(limit) => Some(limit.clone()),
            Verdict::Holds | Verdict::Violated(_) => None,
        },
        forecast: finding.effort.search.forecast,
        drawing: counterexample.and_then(|counterexample| {
            let setting = request.largest()?.setting;
            Some(draw(&text.compile(&setting).ok()?.sources, counterexample, WIDTH, Palette::Colours))
        }),
    })
}

pub fn triple_text([threads, nodes, values]: [u32; 3]) -> String {
    format!("({threads},{nodes},{values})")
}

/// As the papers print numbers: in groups of three digits.
pub use linchpin_report::quantities::grouped;
