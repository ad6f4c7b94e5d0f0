//! The builder of a test.

use crate::case::{Case, Options, Way};
use crate::check::run;
use crate::object::{
    Factory, Interface, Operation, Operations, Role, RoleInterface, Run, Share, Typed, TypedRole, client,
    run as erase,
};
use crate::outcome::{Covered, Failed};
use crate::scenario::{Bounds, Scenarios};
use crate::spec::Spec;
use crate::value::{Argument, Reply};
use linchpin_order::Consistency;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

/// A test of an object. Made by [`object`].
#[must_use = "a test runs when `check` or `run` is called"]
pub struct Object<T> {
    typed: Typed<T>,
    interface: Interface,
    /// The operations of threads that share the object.
    shared: Vec<(usize, Run<Arc<T>>)>,
    share: Option<Share<T>>,
    spec: Option<Spec>,
    setup: Vec<(String, usize)>,
    bounds: Bounds,
    options: Options,
}

/// Begins a test of the objects that `make` makes. Each execution makes a new one.
pub fn object<T: 'static>(make: impl Fn() -> T + Send + Sync + 'static) -> Object<T> {
    Object {
        typed: Typed { make: Arc::new(make), invariant: None, roles: Vec::new() },
        interface: Interface { roles: Vec::new(), operations: Vec::new() },
        shared: Vec::new(),
        share: None,
        spec: None,
        setup: Vec::new(),
        bounds: Bounds { threads: 3, calls: 4, before: 0..=1, keys: 2 },
        options: Options::default(),
    }
}

impl<T: Send + Sync + 'static> Object<T> {
    /// Adds an operation of threads that share the object. The second parameter of the closure is its
    /// [`Argument`]; `()` is none, a tuple is several.
    pub fn op<A: Argument, R: Reply>(
        mut self,
        name: &str,
        operation: impl Fn(&T, A) -> R + Send + Sync + 'static,
    ) -> Object<T> {
        let number = self.interface.operations.len();
        self.interface.operations.push(Operation { name: name.into(), choices: A::choices() });
        self.shared.push((number, erase(move |object: &mut Arc<T>, argument| operation(object, argument))));
        self.share = Some(|object, operations| client(object, operations));
        self
    }
}

impl<T: 'static> Object<T> {
    /// Adds threads with a handle of their own. `give` takes the handle out of the object before the threads
    /// start.
    pub fn role<H: Send + 'static>(
        mut self,
        role: Role<H>,
        give: impl Fn(&mut T) -> H + Send + Sync + 'static,
    ) -> Object<T> {
        let mut operations = Vec::new();
        for (name, choices, run) in role.operations {
            operations.push((self.interface.operations.len(), run));
            self.interface.operations.push(Operation { name, choices });
        }
        self.interface.roles.push(RoleInterface {
            name: role.name,
            threads: role.threads,
            operations: operations.iter().map(|(number, _)| *number).collect(),
        });
        let operations = Arc::new(operations);
        self.typed
            .roles
            .push(TypedRole::Handle(Arc::new(move |object| client(give(object), operations.clone()))));
        self
    }

    /// Sets the specification: a name of the library, a `.lin` file, or a [model](crate::model).
    pub fn spec(mut self, spec: impl Into<Spec>) -> Object<T> {
        self.spec = Some(spec.into());
        self
    }

    /// Sets the largest number of threads. The default is 3.
    pub fn threads(mut self, threads: usize) -> Object<T> {
        self.bounds.threads = threads;
        self
    }

    /// Sets the largest number of calls of all threads together. The default is 4.
    pub fn calls(mut self, calls: usize) -> Object<T> {
        self.bounds.calls = calls;
        self
    }

    /// Sets the number of calls before the threads start. Only operations that add something are called, as
    /// the specification says. The default is `0..=1`.
    pub fn before(mut self, calls: RangeInclusive<usize>) -> Object<T> {
        self.bounds.before = calls;
        self
    }

    /// Sets the number of keys. The default is 2.
    pub fn keys(mut self, keys: u32) -> Object<T> {
        self.bounds.keys = keys;
        self
    }

    /// Adds calls that every execution makes first. The set-up does not count as calls, and no thread runs
    /// beside it.
    pub fn setup(mut self, operation: &str, times: usize) -> Object<T> {
        self.setup.push((operation.into(), times));
        self
    }

    /// Sets the property. The default is linearizability.
    pub fn property(mut self, property: Consistency) -> Object<T> {
        self.options.consistency = property;
        self
    }

    /// Sets a condition of the object after the last call of every complete execution.
    pub fn invariant<E: Display>(
        mut self,
        holds: impl Fn(&T) -> Result<(), E> + Send + Sync + 'static,
    ) -> Object<T> {
        let holds = move |object: &T| holds(object).map_err(|error| error.to_string());
        self.typed.invariant = Some(Arc::new(holds));
        self
    }

    /// Reports a [`Token`](crate::Token) that is neither given back nor dropped with the object. An object
    /// that drops its values later, such as one with epochs, fails this.
    pub fn no_lost_tokens(mut self) -> Object<T> {
        self.options.reports_lost_tokens = true;
        self
    }

    /// Sets the time limit. The default is 5 s.
    pub fn budget(mut self, time: Duration) -> Object<T> {
        self.options.budget = time;
        self
    }

    /// Sets the largest number of preemptions of the exhaustive search. The default is 2. The way *threads*
    /// does not use it.
    pub fn preemptions(mut self, preemptions: usize) -> Object<T> {
        self.options.preemptions = preemptions;
        self
    }

    /// Sets the number of accesses after which an execution is cut. The default is 4,000. The way *threads*
    /// does not use it.
    pub fn steps(mut self, steps: usize) -> Object<T> {
        self.options.steps = steps;
        self
    }

    /// Sets the time after which calls of real threads count as stuck. The default is 1 s.
    pub fn patience(mut self, time: Duration) -> Object<T> {
        self.options.patience = time;
        self
    }

    /// Sets the seed of random choices. The default is 0.
    pub fn seed(mut self, seed: u64) -> Object<T> {
        self.options.seed = seed;
        self
    }

    /// Runs this test in one way only. A test run in another way returns without an execution.
    pub fn only(mut self, way: Way) -> Object<T> {
        self.options.only = Some(way);
        self
    }

    /// Sets the name in reports. The default is the name of the test.
    pub fn named(mut self, name: &str) -> Object<T> {
        self.options.name = name.into();
        self
    }

    /// Runs the test. Prints what was covered.
    ///
    /// # Panics
    ///
    /// Panics with the report if an execution violates the specification, or if the test itself has an error.
    #[track_caller]
    pub fn check(self) -> Covered {
        match self.run() {
            Ok(covered) => {
                println!("{covered}");
                covered
            }
            Err(failed) => panic!("{failed}"),
        }
    }

    /// Runs the test and returns the failure instead of a panic.
    pub fn run(mut self) -> Result<Covered, Box<Failed>> {
        if let Some(share) = self.share {
            let numbers: Vec<usize> = self.shared.iter().map(|(number, _)| *number).collect();
            let operations: Operations<Arc<T>> = Arc::new(self.shared);
            let role = RoleInterface { name: String::new(), threads: None, operations: numbers };
            self.interface.roles.push(role);
            self.typed
                .roles
                .push(TypedRole::Shared(Arc::new(move |object| share(object, operations.clone()))));
        }
        let refuse = |why: String| Err(Box::new(Failed::refused(&self.options.name, why)));
        let Some(spec) = self.spec else {
            return refuse("the test has no specification: add `.spec(\"Queue\")` or another one".into());
        };
        if self.interface.operations.is_empty() {
            return refuse("the test has no operations: add `.op(…)`".into());
        }
        let bounds = self.bounds;
        if bounds.threads == 0 || bounds.calls == 0 || bounds.before.is_empty() {
            return refuse(
                "the test has no scenario: its bounds on threads, calls or pre-adds are empty".into(),
            );
        }
        if let Err(why) = spec.0.check(&self.interface) {
            return refuse(why);
        }
        let adds = |operation: &str| spec.0.adds(operation);
        let scenarios = match Scenarios::new(&self.interface, &adds, &self.setup, bounds) {
            Ok(scenarios) => scenarios,
            Err(why) => return refuse(why),
        };
        let factory: Arc<dyn Factory> = Arc::new(self.typed);
        run(Case { interface: self.interface, factory, spec, scenarios, options: self.options })
    }
}
