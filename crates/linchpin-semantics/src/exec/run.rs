//! Running a thread: from where it rests to where it rests next, or to its return.
//!
//! **Steps.** [`Run::go`] executes the instruction it is given and everything after it, up to (not including)
//! the next one in front of which a thread rests. Then the locals that are dead there are reset.
//!
//! **Ends.** Local work or an `atomic` block that comes back to exactly where it was never ends: that is an
//! error, and found by Brent's method (compare with a snapshot that is taken anew whenever the number of
//! instructions doubles). Work that is merely long is cut: nothing is said about it. So is work that makes
//! more than so many words of memory: what a collection held before a change stays until the step ends.

use crate::code::layout::{AT, LINK_NONE, LINK_WIDTH, OP};
use crate::code::outcome::{Cut, Fault, FaultKind, Outcome, TextId, Trap, site_method};
use crate::code::{Code, Instr, Op};
use crate::exec::eval::Thread;
use crate::exec::events::Events;
use crate::exec::op_table::OpCode;
use crate::exec::picks::Picks;
use crate::instance::Words;
use crate::instance::bounds::ThreadId;
use crate::state::State;
use crate::state::portable;
use crate::state::roots::Running;
use linchpin_ir::index::Index;
use linchpin_ir::program::{OpId, Pc, Program};
use linchpin_ir::types::{Word, word_of};

/// Instructions in one step after which nobody waits any longer.
const LONGEST_WORK: u32 = 100_000;
/// Words that one step may add to the state: of cells, and of all that collections held on the way.
const MOST_WORDS: usize = 1 << 22;
/// From here on the work is watched for coming back to where it was.
const WATCHED_WORK: u32 = 256;

pub(crate) struct Run<'a, E> {
    pub thread: Thread<'a>,
    pub number: ThreadId,
    pub picks: &'a mut Picks,
    pub events: &'a mut E,
    pub mode: Mode<'a>,
    /// The address of the instruction that runs.
    pub at: usize,
    /// What a bare method returned.
    pub results: Words,
    /// Words of cells and collections beyond which the step is cut.
    most_words: usize,
}

/// What runs.
#[derive(Clone, Copy)]
pub(crate) enum Mode<'a> {
    /// A step of an operation: it ends where the thread rests.
    Step(&'a [OpCode]),
    /// A method from beginning to end: `init`, a clause, a hash function. Nothing rests.
    Bare,
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    Rested,
    Returned,
}

impl<'a, E: Events> Run<'a, E> {
    pub fn new(
        code: &'a Code,
        state: &'a mut State,
        number: ThreadId,
        me: Word,
        picks: &'a mut Picks,
        events: &'a mut E,
        mode: Mode<'a>,
    ) -> Run<'a, E> {
        let most_words = state.stored_words().saturating_add(MOST_WORDS);
        let thread = Thread { code, state, block: code.layout.block_of(number), me };
        Run { thread, number, picks, events, mode, at: 0, results: Words::new(), most_words }
    }

    /// Cuts a step that would add too many words; `more` are about to be.
    pub fn make_room(&self, more: usize) -> Result<(), Trap> {
        let words = self.thread.state.stored_words().saturating_add(more);
        if words > self.most_words { Err(Trap::Cut(Cut::Words)) } else { Ok(()) }
    }

    /// Executes the instruction at `start`, if `first` it is one that may rest and does not, and what comes
    /// after it.
    pub fn go(&mut self, start: usize) -> Result<End, Trap> {
        self.at = start;
        let end = self.run_on(true)?;
        self.park_thread(end);
        Ok(end)
    }

    /// The beginning of a call: local work up to the first resting place and, unless that can block, through
    /// it.
    pub fn begin(&mut self, entry: usize) -> Result<End, Trap> {
        self.at = entry;
        let mut end = self.run_on(false)?;
        if end == End::Rested && self.code().instrs[self.at].fuses {
            end = self.run_on(true)?;
        }
        self.park_thread(end);
        Ok(end)
    }

    /// Runs a bare method; its results are in [`Run::results`].
    pub fn bare(&mut self, method: u32, args: &[Word]) -> Result<(), Trap> {
        let code = self.code();
        self.thread.state.enter(code, self.number, method, args);
        self.at = code.methods[method as usize].entry;
        let end = self.run_on(true)?;
        debug_assert_eq!(end, End::Returned);
        self.clear_frame();
        Ok(())
    }

    pub fn code(&self) -> &'a Code {
        self.thread.code
    }

    /// The thread and the instruction in front of which its locals are roots.
    pub fn running(&self) -> Running {
        Some((self.number, self.at))
    }

    /// `through`: the instruction it stands in front of is executed even if a thread rests there.
    fn run_on(&mut self, through: bool) -> Result<End, Trap> {
        let code = self.code();
        let rests = matches!(self.mode, Mode::Step(_));
        let mut through = through;
        let mut detector = LoopDetector::default();
        loop {
            let instr: &'a Instr = &code.instrs[self.at];
            if instr.rests && rests && !through {
                return Ok(End::Rested);
            }
            through = false;
            detector.count += 1;
            if detector.count >= WATCHED_WORK {
                detector.check(self.at, self.thread.state)?;
            }
            if E::ADDRESSES {
                self.events.reached(self.at);
            }
            if E::ACCESSES {
                let method = &code.methods[instr.method as usize];
                self.events.instruction(method.site, Pc::new(self.at - method.start));
            }
            match self.execute(instr)? {
                Some(next) => self.at = next,
                None => return Ok(End::Returned),
            }
        }
    }

    /// Leaves the thread resting, or idle.
    fn park_thread(&mut self, end: End) {
        let code = self.code();
        match end {
            End::Returned => self.clear_frame(),
            End::Rested => {
                let instr = &code.instrs[self.at];
                let method = &code.methods[instr.method as usize];
                let frame = self.thread.block + code.layout.frame;
                let words = &mut self.thread.state.words;
                for span in &instr.dead {
                    let range = span.range();
                    words[frame + range.start..frame + range.end].copy_from_slice(&method.defaults[range]);
                }
                words[self.thread.block + AT] = word_of(self.at) + 1;
                if !instr.link_live {
                    self.forget_link();
                }
            }
        }
    }

    fn clear_frame(&mut self) {
        let layout = &self.code().layout;
        let block = self.thread.block;
        let words = &mut self.thread.state.words;
        words[block + AT] = 0;
        words[block + OP] = 0;
        words[block + layout.frame..block + layout.block].fill(0);
        let link_live = match self.mode {
            Mode::Step(ops) => ops
                .iter()
                .any(|op| self.code().instrs[self.code().methods[op.method as usize].entry].link_live),
            Mode::Bare => false,
        };
        if !link_live {
            self.forget_link();
        }
    }

    fn forget_link(&mut self) {
        if let Some(link) = self.code().layout.link {
            let at = self.thread.block + link;
            self.thread.state.words[at..at + LINK_WIDTH].fill(LINK_NONE);
        }
    }

    /// The return of a method: into its caller, or out of the run. The next address, if any.
    pub fn return_from(&mut self, values: Words, text: TextId) -> Result<Option<usize>, Trap> {
        let code = self.code();
        if let Some(address) = self.thread.state.pop_frame(code, self.number) {
            let call = &code.instrs[address];
            if let Op::Call { into: Some(into), .. } = &call.op {
                self.thread.put(into, &values)?;
            }
            return Ok(Some(call.next));
        }
        match self.mode {
            Mode::Bare => self.results = values,
            Mode::Step(ops) => {
                let op = self.thread.state.words[self.thread.block + OP];
                let Some(at) = usize::try_from(op).ok().and_then(|op| op.checked_sub(1)) else {
                    return Ok(None);
                };
                if let Some(definedness) = &ops[at].result_definedness
                    && portable::check_defined(code, self.thread.state, definedness, &ops[at].result, &values)
                        .is_err()
                {
                    return Err(Trap::Fault(FaultKind::UndefinedReturned, text));
                }
                if ops[at].result_is_flat {
                    self.events.returned(self.number, OpId::new(at), &values);
                } else {
                    let mut result = Words::new();
                    portable::export(code, self.thread.state, &ops[at].result, &values, &mut result);
                    self.events.returned(self.number, OpId::new(at), &result);
                }
            }
        }
        Ok(None)
    }
}

/// Looks for work that comes back to where it was.
#[derive(Default)]
struct LoopDetector {
    count: u32,
    snapshot: Option<Box<(usize, State)>>,
}

impl LoopDetector {
    #[cold]
    fn check(&mut self, at: usize, state: &State) -> Result<(), Trap> {
        if let Some(snapshot) = &self.snapshot
            && snapshot.0 == at
            && snapshot.1.same_words(state)
        {
            return Err(Trap::Fault(FaultKind::Endless, TextId(0)));
        }
        if self.count >= LONGEST_WORK {
            return Err(Trap::Cut(Cut::Work));
        }
        if self.count.is_power_of_two() {
            match &mut self.snapshot {
                None => self.snapshot = Some(Box::new((at, state.clone()))),
                Some(snapshot) => {
                    snapshot.0 = at;
                    snapshot.1.clone_from(state);
                }
            }
        }
        Ok(())
    }
}

/// What a trap at an address means for the caller.
pub(crate) fn outcome_of(program: &Program, code: &Code, at: usize, trap: Trap) -> Outcome {
    match trap {
        Trap::Blocked(blocked) => Outcome::Disabled(blocked),
        Trap::Cut(cut) => Outcome::Cut(cut),
        Trap::Discarded => Outcome::Discarded,
        Trap::Fault(kind, text) => {
            let method = &code.methods[code.instrs[at].method as usize];
            let pc = Pc::new(at - method.start);
            let source = site_method(program, method.site);
            let instr = &source.code[pc];
            let message = kind.message(code.text(text));
            let (span, context) = (instr.span, instr.context);
            Outcome::Fault(Box::new(Fault { kind, message, site: method.site, pc, span, context }))
        }
    }
}
