//! The object under test: how to make one, and which operations each role of threads has.
//!
//! Each thread works on a *client*: a shared reference to the object, or a handle of its own that the object
//! gives out before the threads start. The types of objects and handles end here. The engines know numbers of
//! operations and data only.

use crate::ledger::Ledger;
use crate::value::{Argument, Choices, Datum, Parts, Reply};
use std::sync::Arc;

/// What a test knows about the operations of an object, without its types.
#[derive(Clone, Debug)]
pub(crate) struct Interface {
    pub roles: Vec<RoleInterface>,
    pub operations: Vec<Operation>,
}

/// An operation. Operations of all roles are numbered together.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    pub name: String,
    pub choices: Vec<Choices>,
}

#[derive(Clone, Debug)]
pub(crate) struct RoleInterface {
    /// Empty: every thread that shares the object.
    pub name: String,
    /// The largest number of threads in the role; `None` means no bound.
    pub threads: Option<usize>,
    /// The numbers of its operations.
    pub operations: Vec<usize>,
}

/// One object with the clients of its threads.
pub(crate) struct Instance {
    /// The client of each thread of the scenario.
    pub clients: Vec<Box<dyn Client>>,
    /// Checks the invariant and drops the object. Runs after all clients are dropped.
    pub finish: Box<dyn FnOnce() -> Result<(), String>>,
}

/// What one thread holds.
pub(crate) trait Client: Send {
    /// Makes a call. `operation` belongs to the role of the client.
    fn call(&mut self, operation: usize, parts: &[Datum], ledger: &'static Ledger) -> Datum;
}

/// Makes objects.
pub(crate) trait Factory: Send + Sync {
    /// Makes an object, and a client for each thread in the order of these roles.
    fn make(&self, roles: &[usize]) -> Instance;
}

type Invariant<T> = Arc<dyn Fn(&T) -> Result<(), String> + Send + Sync>;
type Make<T> = Arc<dyn Fn() -> T + Send + Sync>;
/// An operation on a handle.
pub(crate) type Run<H> = Arc<dyn Fn(&mut H, &mut Parts) -> Datum + Send + Sync>;

/// The typed side of an object.
pub(crate) struct Typed<T> {
    pub make: Make<T>,
    pub invariant: Option<Invariant<T>>,
    pub roles: Vec<TypedRole<T>>,
}

/// How a thread of a role comes to its client.
pub(crate) enum TypedRole<T> {
    /// The client is the shared object.
    Shared(Arc<dyn Fn(Arc<T>) -> Box<dyn Client> + Send + Sync>),
    /// The object gives out a handle before the threads start.
    Handle(Arc<dyn Fn(&mut T) -> Box<dyn Client> + Send + Sync>),
}

impl<T: 'static> Factory for Typed<T> {
    fn make(&self, roles: &[usize]) -> Instance {
        let mut object = (self.make)();
        let mut clients: Vec<Option<Box<dyn Client>>> = Vec::new();
        for &role in roles {
            clients.push(match &self.roles[role] {
                TypedRole::Handle(give) => Some(give(&mut object)),
                TypedRole::Shared(_) => None,
            });
        }
        let object = Arc::new(object);
        let shared = |role: usize| match &self.roles[role] {
            TypedRole::Shared(share) => Some(share(object.clone())),
            TypedRole::Handle(_) => None,
        };
        let clients =
            clients.into_iter().zip(roles).filter_map(|(client, &role)| client.or_else(|| shared(role)));
        let clients = clients.collect();
        let invariant = self.invariant.clone();
        let finish = move || {
            let result = invariant.map_or(Ok(()), |invariant| invariant(&object));
            drop(object);
            result
        };
        Instance { clients, finish: Box::new(finish) }
    }
}

/// Makes the client of a thread that shares the object.
pub(crate) type Share<T> = fn(Arc<T>, Operations<Arc<T>>) -> Box<dyn Client>;

/// A client with its operations, by their numbers.
struct TypedClient<H> {
    handle: H,
    operations: Operations<H>,
}

pub(crate) type Operations<H> = Arc<Vec<(usize, Run<H>)>>;

impl<H: Send> Client for TypedClient<H> {
    fn call(&mut self, operation: usize, parts: &[Datum], ledger: &'static Ledger) -> Datum {
        match self.operations.iter().find(|(number, _)| *number == operation) {
            Some((_, run)) => run(&mut self.handle, &mut Parts::new(parts, ledger)),
            None => Datum::Nothing,
        }
    }
}

/// Returns the client of a handle.
pub(crate) fn client<H: Send + 'static>(handle: H, operations: Operations<H>) -> Box<dyn Client> {
    Box::new(TypedClient { handle, operations })
}

/// Erases the types of an operation.
pub(crate) fn run<H, A: Argument, R: Reply>(
    operation: impl Fn(&mut H, A) -> R + Send + Sync + 'static,
) -> Run<H> {
    Arc::new(move |handle, parts| operation(handle, A::make(parts)).datum())
}

/// The operations of threads with a handle of their own, such as the owner of a deque or a receiver.
///
/// The object gives each thread of the role its handle before the threads start. The thread drops the handle
/// after its last call.
pub struct Role<H> {
    pub(crate) name: String,
    pub(crate) threads: Option<usize>,
    pub(crate) operations: Vec<(String, Vec<Choices>, Run<H>)>,
}

/// Begins a role. Its name appears in reports.
pub fn role<H: Send + 'static>(name: &str) -> Role<H> {
    Role { name: name.into(), threads: None, operations: Vec::new() }
}

impl<H: Send + 'static> Role<H> {
    /// Bounds the number of threads in the role. The default is no bound.
    pub fn at_most(mut self, threads: usize) -> Role<H> {
        self.threads = Some(threads);
        self
    }

    /// Adds an operation. The second parameter of the closure is its [`Argument`]; `()` is none, a tuple is
    /// several.
    pub fn op<A: Argument, R: Reply>(
        mut self,
        name: &str,
        operation: impl Fn(&mut H, A) -> R + Send + Sync + 'static,
    ) -> Role<H> {
        self.operations.push((name.into(), A::choices(), run(operation)));
        self
    }
}
