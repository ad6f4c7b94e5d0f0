//! Who calls what: the environment of an open program.
//!
//! - The **general client** calls, in each idle thread and for ever, any operation with any arguments; where
//!   the object has roles, what the thread's role allows next.
//! - A **schedule** gives each thread a list of calls. Before it, thread 0 may make some calls alone.
//! - **Schedules**: all of a scope at once.
//!
//! A thread's block keeps the client's *position* with it: a state of its role's automaton, the number of
//! calls made, or the number of what it contributed.

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
    /// Self-contained ([`crate::state::portable`]).
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
    /// By role, then by position.
    choices: Vec<Vec<Vec<CallChoice>>>,
    /// The role of each thread, by number.
    roles: Vec<usize>,
}

/// A fixed list of calls for each thread.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// Those of thread 0 begin with the prefix.
    calls: Vec<Vec<CallChoice>>,
    prefix: u32,
}

impl Client {
    /// The most general client within the bounds.
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

    /// A schedule: `prefix` is made by thread 0, alone; then each thread makes its own calls.
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

    /// Every schedule of a scope; `None` where no thread can make its pre-adds.
    pub fn schedules(program: &Program, general: &General, scope: &ScheduleScope) -> Option<Client> {
        Client::schedules_while(program, general, scope, &mut || true).ok().flatten()
    }

    /// The same, as long as `go_on` says so: with restrictions there may be more positions than fit.
    pub fn schedules_while(
        program: &Program,
        general: &General,
        scope: &ScheduleScope,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Client>, Ended> {
        Ok(Schedules::new(program, general, scope, go_on)?.map(Client::Schedules))
    }

    /// What an idle thread may call now; nothing for one that is busy.
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

    /// Whether calls carry values because it says so, and not because any other value would do as well.
    pub fn names_values(&self, machine: &Machine, state: &State) -> bool {
        match self {
            Client::General(_) => false,
            Client::Schedule(_) => true,
            Client::Schedules(schedules) => schedules.names_values(machine, state),
        }
    }

    /// Whether a thread has no call left; never with the general client.
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

    /// Whether an idle thread is in the middle of something, so that a fair client makes its next call: its
    /// schedule has calls left for it, or its role's round has begun and no new one can begin here. Otherwise
    /// it may stay idle for ever. With all schedules at once it owes a call iff every schedule that goes on
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

    /// Whether the idle threads may stay idle for ever, whatever becomes of the pending calls: they have no
    /// call left that they could make, in its schedule or in one of its schedules that begins with the calls
    /// made so far. With the general client no idle thread has to call.
    pub fn may_rest(&self, machine: &Machine, state: &State) -> bool {
        let cannot_call = |thread| self.calls(machine, state, thread).next().is_none();
        match self {
            Client::General(_) => true,
            Client::Schedule(_) => machine.bounds().thread_ids().all(cannot_call),
            Client::Schedules(schedules) => schedules.may_rest(machine, state),
        }
    }

    /// How many positions it may be at with a thread: they are numbers below this.
    pub fn positions(&self) -> u32 {
        let most = match self {
            Client::General(general) => general.choices.iter().map(Vec::len).max().unwrap_or(1),
            Client::Schedule(schedule) => schedule.calls.iter().map(Vec::len).max().unwrap_or(0) + 1,
            Client::Schedules(schedules) => schedules.positions() as usize,
        };
        number_of(most)
    }

    /// Whether two threads may call the same, always: exchanging them changes nothing.
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

/// Making a client was ended from outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ended;

/// The calls that an idle thread may make, one after the other.
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
    /// What a thread may call at a position; a thread begins at position 0.
    pub fn choices(&self, thread: ThreadId, position: u32) -> &[CallChoice] {
        let role = self.roles.get(thread.index()).and_then(|role| self.choices.get(*role));
        role.and_then(|positions| positions.get(position as usize)).map_or(&[], |choices| choices)
    }

    /// The role of a thread, as an index into [`Program::roles`]; `None` where there are no roles.
    pub fn role(&self, program: &Program, thread: ThreadId) -> Option<usize> {
        self.roles.get(thread.index()).copied().filter(|_| !program.roles.is_empty())
    }
}

impl Schedule {
    /// The calls of a thread, thread 0's with the prefix.
    pub fn calls_of(&self, thread: ThreadId) -> &[CallChoice] {
        self.calls.get(thread.index()).map_or(&[], |calls| calls)
    }

    /// How many of thread 0's calls are made before the others begin.
    pub fn prefix(&self) -> u32 {
        self.prefix
    }

    /// The next call of an idle thread.
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

/// Every list of arguments of each operation.
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
    let label = format!("what may be called next depends on more than {} pasts", automaton::MOST_STATES);
    Diagnostic::error(title, role.span, label)
        .help("make the expression simpler, or its alternatives differ earlier")
}

/// Threads get their roles in the order of the text; one role without a number takes those that are left.
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
