//! Models by name or by text, and instances of them, ready to be searched.

use linchpin_engine::model::{Compiled, Model, RequestError};
use linchpin_engine::verdict::{Finding, Verdict};
use linchpin_engine::{Budget, Silent};
use linchpin_explore::{
    ClientRequest, MonitorKind, Reductions, Request, Search, SearchProblem, SearchResult, ViolationKind,
    check,
};
use linchpin_frontend::lower::lower;
use linchpin_frontend::typing;
use linchpin_ir::interface::Setting;
use linchpin_ir::property::Property;
use linchpin_ir::source::SourceMap;
use linchpin_portfolio::catalogue;
use linchpin_portfolio::catalogue::CatalogueModules;
use linchpin_semantics::{Bounds, Client, Machine, SpecMachine};
use std::sync::Arc;
use std::time::Duration;

/// A text that can be lowered for any setting.
pub struct Text {
    name: String,
    text: String,
}

impl Text {
    pub fn new(text: impl Into<String>) -> Text {
        Text { name: "test.lin".into(), text: text.into() }
    }

    pub fn of(model: &str) -> Text {
        let entry = catalogue::find(model).unwrap_or_else(|| panic!("the catalogue holds {model}"));
        Text { name: entry.path(), text: entry.text.into() }
    }

    /// The same with some text replaced; it occurs once.
    pub fn with(&self, old: &str, new: &str) -> Text {
        assert_eq!(self.text.matches(old).count(), 1, "`{old}` occurs once in {}", self.name);
        Text { name: self.name.clone(), text: self.text.replace(old, new) }
    }

    pub fn compiled(&self, setting: &Setting) -> Compiled {
        self.compile(setting).unwrap_or_else(|error| panic!("{}: {error:?}", self.name))
    }
}

impl Model for Text {
    fn compile(&self, setting: &Setting) -> Result<Compiled, RequestError> {
        let mut sources = SourceMap::default();
        let root = sources.add(self.name.clone(), self.text.clone());
        let checked = typing::check(&mut sources, &CatalogueModules, root, setting);
        let refuse = |sources, findings| RequestError::Model { sources: Arc::new(sources), findings };
        let Some(typed) = checked.program else { return Err(refuse(sources, checked.diagnostics)) };
        match lower(&sources, &typed) {
            Ok(program) => Ok(Compiled { sources: Arc::new(sources), program: Arc::new(program) }),
            Err(findings) => Err(refuse(sources, findings)),
        }
    }
}

/// Threads, nodes and values; as many keys as values.
pub type Size = (u32, u32, u32);

pub fn bounds((threads, nodes, values): Size) -> Bounds {
    Bounds { threads, nodes, values, keys: values, ints: 4, ..Bounds::default() }
}

/// A program within bounds.
pub struct Instance {
    pub machine: Machine,
    pub spec: SpecMachine,
}

impl Instance {
    pub fn new(text: &Text, size: Size) -> Instance {
        let setting = Setting { threads: size.0, ..Setting::default() };
        let program = text.compiled(&setting).program;
        let machine = Machine::new(&program, &bounds(size)).expect("the bounds fit");
        let spec = SpecMachine::new(&program, &bounds(size)).expect("the bounds fit");
        Instance { machine, spec }
    }

    pub fn of(model: &str, size: Size) -> Instance {
        Instance::new(&Text::of(model), size)
    }

    pub fn general(&self) -> Client {
        Client::general(self.machine.program(), self.machine.bounds()).expect("its values can be listed")
    }

    /// A schedule by names of operations and arguments.
    pub fn schedule(&self, prefix: &[Planned], threads: &[&[Planned]]) -> Client {
        let program = self.machine.program();
        let call = |(name, args): &Planned| {
            let op = program.ops.entries().find(|(_, op)| *op.name == **name);
            (op.unwrap_or_else(|| panic!("an operation `{name}`")).0, args.to_vec())
        };
        let calls = |list: &[Planned]| list.iter().map(call).collect::<Vec<_>>();
        let lists: Vec<_> = threads.iter().map(|list| calls(list)).collect();
        Client::schedule(&calls(prefix), &lists)
    }

    pub fn points(&self) -> MonitorKind {
        MonitorKind::Points { floats: self.machine.program().ops.iter().map(|op| op.free_point).collect() }
    }

    /// A search that has run to its end, by one worker and without reductions.
    pub fn search<'i>(
        &'i self,
        client: &'i Client,
        monitor: Option<MonitorKind>,
        wanted: &[ViolationKind],
    ) -> (Search<'i>, SearchResult) {
        self.reduced_search(client, monitor, wanted, Reductions::NONE, 1)
    }

    /// A search that has run to its end.
    pub fn reduced_search<'i>(
        &'i self,
        client: &'i Client,
        monitor: Option<MonitorKind>,
        wanted: &[ViolationKind],
        reductions: Reductions,
        jobs: usize,
    ) -> (Search<'i>, SearchResult) {
        let Instance { machine, spec } = self;
        let question = SearchProblem {
            machine,
            client,
            spec,
            monitor,
            wanted: wanted.to_vec(),
            reductions,
            jobs,
            most_levels: None,
            most_nodes: None,
            planted: None,
        };
        let mut search = Search::new(question);
        let summary = search.run(&unlimited(), &mut Silent).expect("it can be searched");
        assert_eq!(summary.exhausted, None);
        (search, summary)
    }
}

pub type Planned<'a> = (&'a str, &'a [i32]);

pub fn unlimited() -> Budget {
    Budget { time: None, memory: None, stop: Default::default(), memory_in_use: || None }
}

pub fn seconds(seconds: u64) -> Budget {
    Budget { time: Some(Duration::from_secs(seconds)), ..unlimited() }
}

/// One property of one instance with the general client.
pub fn request(property: Property, (threads, nodes, values): Size) -> Request {
    Request {
        threads: threads..=threads,
        nodes: Some(nodes..=nodes),
        values: values..=values,
        keys: values..=values,
        properties: vec![property],
        ..Request::default()
    }
}

/// The same with schedules of so many calls.
pub fn scheduled(property: Property, size: Size, steps: u32) -> Request {
    let client = ClientRequest::Schedules { steps: steps..=steps, preadds: 0..=1, restrictions: Vec::new() };
    Request { client, ..request(property, size) }
}

pub fn findings(model: &dyn Model, request: &Request, budget: &Budget) -> Vec<Finding> {
    check(model, request, budget, &mut Silent).expect("it can be checked")
}

/// The one finding of a request for one property, without a limit.
pub fn finding(model: &dyn Model, request: &Request) -> Finding {
    let mut findings = findings(model, request, &unlimited());
    assert_eq!(findings.len(), 1);
    findings.remove(0)
}

pub fn holds(finding: &Finding) -> bool {
    matches!(finding.verdict(), Verdict::Holds)
}

pub fn violated(finding: &Finding) -> bool {
    matches!(finding.verdict(), Verdict::Violated(_))
}
