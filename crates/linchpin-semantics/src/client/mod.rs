//! Clients: the environment that calls the operations of an open program.
//!
//! - The **general client** calls any operation with any arguments in each idle thread, for ever. With roles,
//!   it calls what the thread's role allows next.
//! - A **schedule** gives each thread a list of calls. Before it, thread 0 may make some calls alone.
//! - **Schedules**: all schedules of a scope at once.
//!
//! A thread's block keeps the client's *position*: a state of its role's automaton, the number of calls made,
//! or the number of the thread's contribution.

mod automaton;
mod schedules;

pub use schedules::{Restriction, ScheduleScope, Schedules, carries, is_nth, priority};

use crate::instance::Words;
use crate::instance::bounds::{Bounds, ThreadId};
use crate::instance::domain::{NoDomain, Purpose, product, values};
use crate::machine::Machine;
use crate::state::State;
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::index::{Index, number_of};
use linchpin_ir::program::{OpId, Program, Role};
use linchpin_ir::types::Word;

/// A call that a client may make.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct CallChoice {
    pub op: OpId,
    /// The arguments, self-contained ([`crate::portable`]).
    pub args: Box<[Word]>,
    /// The client's position with the thread after the call.
    pub next_position: u32,
}

#[derive(Clone, Debug)]
pub enum Client {
    General(General),
    Schedule(Schedule),
    Schedules(Schedules),
}

/// The general client.
#[derive(Clone, Debug)]
pub struct General {
    /// The calls by role, then by position.
    choices: Vec<Vec<Vec<CallChoice>>>,
    /// The role of each thread, by number.
    roles: Vec<usize>,
}

/// A fixed list of calls for each thread.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// The calls of each thread. The list of thread 0 begins with the prefix.
    calls: Vec<Vec<CallChoice>>,
    prefix: u32,
}

impl Client {
    /// Returns the general client within the bounds.
    pub fn general(program: &Program, bounds: &Bounds) -> Result<Client, Vec<Diagnostic>> {
        let args = arguments(program, bounds)?;
        let choices = |op: OpId, next: usize| {
            let choice =
                move |args: &Words| CallChoice { op, args: args[..].into(), next_position: number_of(next) };
            args[op.index()].iter().map(choice).collect::<Vec<_>>()
        };
        if program.roles.is_empty() {
            let all = program.ops.ids().flat_map(|op| choices(op, 0)).collect();
            return Ok(Client::General(General {
                choices: vec![vec![all]],
                roles: vec![0; bounds.threads as usize],
            }));
        }
        let position =
            |moves: Vec<(OpId, usize)>| moves.into_iter().flat_map(|(op, next)| choices(op, next)).collect();
        let role = |role: &Role| {
            let states = automaton::automaton(&role.calls).ok_or_else(|| vec![too_many_states(role)])?;
            Ok(states.into_iter().map(position).collect())
        };
        let choices = program.roles.iter().map(role).collect::<Result<_, Vec<Diagnostic>>>()?;
        Ok(Client::General(General { choices, roles: assign_roles(program, bounds)? }))
    }

    /// Returns a schedule: thread 0 makes `prefix` alone; then each thread makes its own calls.
    pub fn schedule(prefix: &[(OpId, Vec<Word>)], threads: &[Vec<(OpId, Vec<Word>)>]) -> Client {
        let list = |prefix: &[(OpId, Vec<Word>)], own: &[(OpId, Vec<Word>)]| {
            let call = |(at, (op, args)): (usize, &(OpId, Vec<Word>))| CallChoice {
                op: *op,
                args: args.as_slice().into(),
                next_position: number_of(at) + 1,
            };
            prefix.iter().chain(own).enumerate().map(call).collect::<Vec<_>>()
        };
        let of_thread = |(at, own): (usize, &Vec<_>)| list(if at == 0 { prefix } else { &[] }, own);
        Client::Schedule(Schedule {
            calls: threads.iter().enumerate().map(of_thread).collect(),
            prefix: number_of(prefix.len()),
        })
    }

    /// Returns the client of every schedule of a scope. `None`: no thread can make the pre-adds.
    pub fn schedules(program: &Program, general: &General, scope: &ScheduleScope) -> Option<Client> {
        Client::schedules_while(program, general, scope, &mut || true).ok().flatten()
    }

    /// Returns the client of every schedule of a scope, unless `go_on` becomes false. With restrictions there
    /// may be too many positions.
    pub fn schedules_while(
        program: &Program,
        general: &General,
        scope: &ScheduleScope,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Client>, Ended> {
        Ok(Schedules::new(program, general, scope, go_on)?.map(Client::Schedules))
    }

    /// Returns the calls that an idle thread may make now; none for a busy thread.
    pub fn calls<'c>(&'c self, machine: &Machine, state: &State, thread: ThreadId) -> Calls<'c> {
        if !machine.is_idle(state, thread) {
            return Calls(Which::Any([].iter()));
        }
        let position = machine.position(state, thread) as usize;
        Calls(match self {
            Client::General(general) => Which::Any(general.choices(thread, number_of(position)).iter()),
            Client::Schedule(schedule) => Which::Any(schedule.next(machine, state, thread).iter()),
            Client::Schedules(schedules) => Which::Allowed(schedules.calls(machine, state, thread)),
        })
    }

    /// Checks whether the client prescribes the values of calls. Otherwise values are interchangeable.
    pub fn names_values(&self, machine: &Machine, state: &State) -> bool {
        match self {
            Client::General(_) => false,
            Client::Schedule(_) => true,
            Client::Schedules(schedules) => schedules.names_values(machine, state),
        }
    }

    /// Checks whether a thread has no call left. Always false for the general client.
    pub fn is_finished(&self, machine: &Machine, state: &State, thread: ThreadId) -> bool {
        let schedule = match self {
            Client::Schedule(schedule) => schedule,
            Client::General(_) => return false,
            Client::Schedules(_) => {
                return machine.is_idle(state, thread) && self.calls(machine, state, thread).next().is_none();
            }
        };
        let calls = schedule.calls.get(thread.index()).map_or(0, Vec::len);
        machine.is_idle(state, thread) && machine.position(state, thread) as usize >= calls
    }

    /// Checks whether a fair client makes another call of an idle thread. That holds if the thread's schedule
    /// has calls left, or if its role's round has begun and no new round can begin here. Otherwise the thread
    /// may stay idle for ever. With all schedules at once, a call is owed iff every schedule that continues
    /// from here has one for some idle thread ([`Client::may_rest`]).
    pub fn owes(&self, machine: &Machine, state: &State, thread: ThreadId) -> bool {
        let next = || self.calls(machine, state, thread);
        match self {
            Client::General(general) => {
                let begins = general.choices(thread, 0);
                begins.iter().any(|call| next().all(|other| other.op != call.op))
            }
            Client::Schedule(_) => next().next().is_some(),
            Client::Schedules(_) => next().next().is_some() && !self.may_rest(machine, state),
        }
    }

    /// Checks whether the idle threads may stay idle for ever, even if no pending call returns. They have no
    /// call left in the schedule, or in one of the schedules that begin with the calls made so far. The
    /// general client never requires a call.
    pub fn may_rest(&self, machine: &Machine, state: &State) -> bool {
        let cannot_call = |thread| self.calls(machine, state, thread).next().is_none();
        match self {
            Client::General(_) => true,
            Client::Schedule(_) => machine.bounds().thread_ids().all(cannot_call),
            Client::Schedules(schedules) => schedules.may_rest(machine, state),
        }
    }

    /// Returns the number of positions. Every position is smaller.
    pub fn positions(&self) -> u32 {
        let most = match self {
            Client::General(general) => general.choices.iter().map(Vec::len).max().unwrap_or(1),
            Client::Schedule(schedule) => schedule.calls.iter().map(Vec::len).max().unwrap_or(0) + 1,
            Client::Schedules(schedules) => schedules.positions() as usize,
        };
        number_of(most)
    }

    /// Checks whether two threads may always make the same calls, so that exchanging them changes nothing.
    pub fn are_alike(&self, a: ThreadId, b: ThreadId) -> bool {
        match self {
            Client::General(general) => general.roles.get(a.index()) == general.roles.get(b.index()),
            Client::Schedule(schedule) => {
                let with_prefix = |thread: ThreadId| schedule.prefix > 0 && thread.index() == 0;
                let calls = |thread: ThreadId| schedule.calls.get(thread.index());
                a == b || (!with_prefix(a) && !with_prefix(b) && calls(a) == calls(b))
            }
            Client::Schedules(schedules) => schedules.role(a) == schedules.role(b),
        }
    }
}

/// The error when `go_on` ended the construction of a client.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ended;

/// Iterates over the calls that an idle thread may make.
pub struct Calls<'c>(Which<'c>);

enum Which<'c> {
    Any(std::slice::Iter<'c, CallChoice>),
    Allowed(schedules::Allowed<'c>),
}

impl<'c> Iterator for Calls<'c> {
    type Item = &'c CallChoice;

    fn next(&mut self) -> Option<&'c CallChoice> {
        match &mut self.0 {
            Which::Any(choices) => choices.next(),
            Which::Allowed(choices) => choices.next(),
        }
    }
}

impl General {
    /// Returns what a thread may call at a position. The initial position is 0.
    pub fn choices(&self, thread: ThreadId, position: u32) -> &[CallChoice] {
        let role = self.roles.get(thread.index()).and_then(|role| self.choices.get(*role));
        role.and_then(|positions| positions.get(position as usize)).map_or(&[], |choices| choices)
    }

    /// Returns the role of a thread, as an index into [`Program::roles`]; `None` without roles.
    pub fn role(&self, program: &Program, thread: ThreadId) -> Option<usize> {
        self.roles.get(thread.index()).copied().filter(|_| !program.roles.is_empty())
    }
}

impl Schedule {
    /// Returns the calls of a thread; those of thread 0 include the prefix.
    pub fn calls_of(&self, thread: ThreadId) -> &[CallChoice] {
        self.calls.get(thread.index()).map_or(&[], |calls| calls)
    }

    /// Returns the number of calls that thread 0 makes before the others begin.
    pub fn prefix(&self) -> u32 {
        self.prefix
    }

    /// Returns the next call of an idle thread.
    fn next(&self, machine: &Machine, state: &State, thread: ThreadId) -> &[CallChoice] {
        if thread.index() != 0 && !self.has_begun(machine, state) {
            return &[];
        }
        let rest = self.calls_of(thread).get(machine.position(state, thread) as usize..);
        rest.map_or(&[], |rest| &rest[..rest.len().min(1)])
    }

    fn has_begun(&self, machine: &Machine, state: &State) -> bool {
        let first = ThreadId::new(0);
        let made = machine.position(state, first);
        made > self.prefix || (made == self.prefix && (self.prefix == 0 || machine.is_idle(state, first)))
    }
}

/// Returns all lists of arguments of each operation.
fn arguments(program: &Program, bounds: &Bounds) -> Result<Vec<Vec<Words>>, Vec<Diagnostic>> {
    let of_op = |op: &linchpin_ir::program::Operation| {
        let params = op.params.iter().map(|param| values(&program.types, bounds, Purpose::Argument, *param));
        product(params).map_err(|error| {
            let (label, help) = match error {
                NoDomain::Endless(ty) => (
                    format!("no client can list the values of `{}`", program.types.name(ty)),
                    "take a range, an enum, `data` or `key` as a parameter, or run schedules",
                ),
                NoDomain::TooMany => {
                    ("there are too many arguments".into(), "lower the bounds, or make the ranges smaller")
                }
            };
            vec![
                Diagnostic::error(format!("`{}` cannot be called in every way", op.name), op.span, label)
                    .help(help),
            ]
        })
    };
    program.ops.iter().map(of_op).collect()
}

fn too_many_states(role: &Role) -> Diagnostic {
    let title = format!("the role `{}` has too many states", role.name);
    let label = format!("the next call depends on more than {} different pasts", automaton::MOST_STATES);
    Diagnostic::error(title, role.span, label)
        .help("make the expression simpler, or its alternatives differ earlier")
}

/// Assigns roles to threads in the order of the text. One role without a number takes the remaining threads.
fn assign_roles(program: &Program, bounds: &Bounds) -> Result<Vec<usize>, Vec<Diagnostic>> {
    let threads = bounds.threads as usize;
    let fixed: usize = program.roles.iter().filter_map(|role| role.count).map(|count| count as usize).sum();
    let mut open = program.roles.iter().filter(|role| role.count.is_none());
    let (first, second) = (open.next(), open.next());
    if let Some(second) = second {
        let title = "two roles take all other threads";
        return Err(vec![
            Diagnostic::error(title, second.span, "this one too")
                .help("give all roles but one a number of threads"),
        ]);
    }
    let span = first.or(program.roles.last()).map_or(program.object_span, |role| role.span);
    if fixed > threads || (fixed < threads && first.is_none()) {
        let title = format!("the roles take {fixed} threads, and there are {threads}");
        let help = if fixed > threads {
            "run more threads"
        } else {
            "let one role take all others: leave out its number"
        };
        return Err(vec![Diagnostic::error(title, span, "this is the last role").help(help)]);
    }
    let count = |role: &Role| role.count.map_or(threads - fixed, |count| count as usize);
    Ok(program.roles.iter().enumerate().flat_map(|(at, role)| std::iter::repeat_n(at, count(role))).collect())
}
