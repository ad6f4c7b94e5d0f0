//! One thread inside one operation: run again from its beginning, fed from the log, then one access further.

use super::memory::{Memory, Segment, SharedRoot};
use super::value::Value;
use linchpin_frontend::typing::hir::{FunctionId, Program, ThreadVarId, Var, VarId};
use linchpin_ir::index::{Index, IndexVec};
use linchpin_ir::source::Span;

/// What ended an execution.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Fault {
    Null,
    Undefined,
    Freed,
    DoubleFree,
    Assert,
    Range,
    Index,
    Unwrap,
    Division,
    /// `unlock` or `wait` without the lock.
    NotHeld,
    /// Local work that never ends; this reading only notices that it takes too long.
    Endless,
}

/// Why a run of an operation stopped before its end.
#[derive(Clone, PartialEq, Debug)]
pub enum Stop {
    /// In front of the next access.
    Rests,
    /// The access cannot happen now.
    Disabled,
    /// A false `assume`.
    Discarded,
    Fault(Fault, Span),
    /// More accesses, or more work between two, than the test follows.
    TooLong,
}

pub type Run<T> = Result<T, Stop>;

/// Where the alternatives of a choice are counted through: run, [`Picks::advance`], run again.
#[derive(Default)]
pub struct Picks {
    taken: Vec<(usize, usize)>,
    position: usize,
}

impl Picks {
    /// One of `0..of`; `None` if there is none.
    fn pick(&mut self, of: usize) -> Option<usize> {
        if of == 0 {
            return None;
        }
        if self.position == self.taken.len() {
            self.taken.push((0, of));
        }
        let (choice, _) = self.taken[self.position];
        self.position += 1;
        Some(choice)
    }

    /// Goes to the next combination; false after the last.
    pub fn advance(&mut self) -> bool {
        self.position = 0;
        while let Some((choice, of)) = self.taken.pop() {
            if choice + 1 < of {
                self.taken.push((choice + 1, of));
                return true;
            }
        }
        false
    }
}

/// Variables of one running function.
#[derive(Clone, Debug)]
pub struct Frame {
    pub vars: Vec<Value>,
    pub defaults: Vec<Value>,
    pub self_place: Option<Resolved>,
}

impl Frame {
    pub fn new(program: &Program, vars: &IndexVec<VarId, Var>) -> Frame {
        let defaults: Vec<Value> = vars.iter().map(|var| Value::default_of(&program.types, var.ty)).collect();
        Frame { vars: defaults.clone(), defaults, self_place: None }
    }
}

/// A place whose pointers and indices were evaluated.
#[derive(Clone, Debug)]
pub struct Resolved {
    pub root: Root,
    pub path: Vec<Segment>,
}

#[derive(Clone, Debug)]
pub enum Root {
    /// A variable of the frame with this number.
    Var(usize, VarId),
    ThreadVar(ThreadVarId),
    Shared(SharedRoot),
    /// A value that is nowhere.
    Temporary(Value),
}

pub struct Thread<'r> {
    pub program: &'r Program,
    pub nodes: usize,
    /// `None` in `init`.
    pub me: Option<usize>,
    pub memory: Memory,
    pub thread_vars: Vec<Value>,
    pub picks: &'r mut Picks,
    /// What each access and choice gave, in order; a mark for each `atomic` block.
    pub log: Vec<Value>,
    pub log_limit: usize,
    replayed: usize,
    /// Accesses that may still happen before the thread rests.
    budget: usize,
    pub atomic: usize,
    pub frames: Vec<Frame>,
    /// The last `return`.
    pub returned_at: Option<Span>,
    statements: usize,
}

impl<'r> Thread<'r> {
    pub fn new(
        program: &'r Program,
        nodes: usize,
        me: Option<usize>,
        memory: Memory,
        picks: &'r mut Picks,
    ) -> Thread<'r> {
        Thread {
            program,
            nodes,
            me,
            memory,
            thread_vars: Vec::new(),
            picks,
            log: Vec::new(),
            log_limit: usize::MAX,
            replayed: 0,
            budget: 1,
            atomic: 0,
            frames: Vec::new(),
            returned_at: None,
            statements: 0,
        }
    }

    /// Runs an operation, from its beginning, through what the log holds and one access more. `Ok` is its
    /// result.
    pub fn run(&mut self, operation: FunctionId, args: &[Value]) -> Run<Value> {
        let result = self.enter(operation, None, args.to_vec())?;
        match self.returned_at {
            Some(span) if result.has_undefined() => Err(Stop::Fault(Fault::Undefined, span)),
            _ => Ok(result),
        }
    }

    /// The same, in front of the next access: what the thread's own variables are there.
    pub fn look(&mut self, operation: FunctionId, args: &[Value]) -> Run<Value> {
        self.budget = 0;
        self.run(operation, args)
    }

    /// Counts a statement; too many without an end are given up.
    pub fn work(&mut self) -> Run<()> {
        self.statements += 1;
        if self.statements > 20_000 { Err(Stop::TooLong) } else { Ok(()) }
    }

    /// One access: what the log says it gave, or, once, what it gives now.
    pub fn access(&mut self, act: impl FnOnce(&mut Thread) -> Run<Value>) -> Run<Value> {
        if let Some(past) = self.log.get(self.replayed) {
            self.replayed += 1;
            return Ok(past.clone());
        }
        if self.atomic == 0 {
            if self.budget == 0 {
                return Err(Stop::Rests);
            }
            self.budget -= 1;
        }
        let given = act(self)?;
        self.log.push(given.clone());
        self.replayed += 1;
        if self.log.len() > self.log_limit {
            return Err(Stop::TooLong);
        }
        Ok(given)
    }

    /// What happens in `body` happens in one access.
    pub fn atomically<T>(&mut self, body: impl FnOnce(&mut Thread<'r>) -> Run<T>) -> Run<T> {
        if self.atomic == 0 {
            self.access(|_| Ok(Value::Unit))?;
        }
        self.atomic += 1;
        let outcome = body(self);
        self.atomic -= 1;
        outcome
    }

    /// One of several; with none the access is disabled. Part of an access or, through [`Thread::choice`],
    /// one of its own.
    pub fn pick(&mut self, of: usize) -> Run<usize> {
        self.picks.pick(of).ok_or(Stop::Disabled)
    }

    pub fn choice(&mut self, of: usize) -> Run<usize> {
        match self.access(|thread| Ok(Value::count(thread.pick(of)?)))? {
            Value::Number(picked) => Ok(usize::try_from(picked).expect("a pick is at least 0")),
            other => panic!("the log is out of step: {other:?}"),
        }
    }

    pub fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("code runs in a frame")
    }

    pub fn set_var(&mut self, var: VarId, value: Value) {
        self.frame().vars[var.index()] = value;
    }
}

/// Puts a place to a fault.
pub trait At<T> {
    fn at(self, span: Span) -> Run<T>;
}

impl<T> At<T> for Result<T, Fault> {
    fn at(self, span: Span) -> Run<T> {
        self.map_err(|fault| Stop::Fault(fault, span))
    }
}
