//! Runs a thread from where it rests to where it rests next, or to its return.
//!
//! **Steps.** [`Run::go`] executes the given instruction and everything after it, up to the next instruction
//! in front of which a thread rests. Then the dead locals are reset.
//!
//! **Ends.** Local work or an `atomic` block that repeats a state never ends, which is a fault. Brent's
//! method finds it: the state is compared with a snapshot that is renewed whenever the number of instructions
//! doubles. Work that is merely long is cut. So is work that adds too many words of memory. Old contents of
//! collections count until the step ends.

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

/// The number of instructions after which a step is cut.
const LONGEST_WORK: u32 = 100_000;
/// The number of words that one step may add to the state: cells, and all contents of collections.
const MOST_WORDS: usize = 1 << 22;
/// The number of instructions after which the loop detector is used.
const WATCHED_WORK: u32 = 256;

pub(crate) struct Run<'a, E> {
    pub thread: Thread<'a>,
    pub number: ThreadId,
    pub picks: &'a mut Picks,
    pub events: &'a mut E,
    pub mode: Mode<'a>,
    /// The address of the running instruction.
    pub at: usize,
    /// The results of a bare method.
    pub results: Words,
    /// The number of words of cells and collections at which the step is cut.
    most_words: usize,
}

/// What runs.
#[derive(Clone, Copy)]
pub(crate) enum Mode<'a> {
    /// A step of an operation: it ends where the thread rests.
    Step(&'a [OpCode]),
    /// A whole method: `init`, a clause, a hash function. No thread rests.
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

    /// Cuts a step that would add too many words; `more` are about to be added.
    pub fn make_room(&self, more: usize) -> Result<(), Trap> {
        let words = self.thread.state.stored_words().saturating_add(more);
        if words > self.most_words { Err(Trap::Cut(Cut::Words)) } else { Ok(()) }
    }

    /// Makes a step: executes the access at `start` and the local work after it.
    pub fn go(&mut self, start: usize) -> Result<End, Trap> {
        self.at = start;
        let end = self.run_on(true)?;
        self.park_thread(end);
        Ok(end)
    }

    /// Begins a call: local work up to the first access and, unless that access can block, through it.
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

    /// Returns the thread and the address whose live locals are roots.
    pub fn running(&self) -> Running {
        Some((self.number, self.at))
    }

    /// Runs to the next rest. `through`: the first instruction is executed even if a thread rests there.
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
            let next = self.execute(instr)?;
            if E::ACCESSES {
                self.tell_assignment(instr);
            }
            match next {
                Some(next) => self.at = next,
                None => return Ok(End::Returned),
            }
        }
    }

    /// Reports an assignment of a whole variable.
    fn tell_assignment(&mut self, instr: &Instr) {
        let Op::Assign { to, .. } = &instr.op else { return };
        if to.indices.is_empty() {
            let at = self.thread.block + to.at as usize;
            let state = &*self.thread.state;
            self.events.assigned(state, &state.words[at..at + to.width as usize]);
        }
    }

    /// Leaves the thread resting or idle. Resets dead locals.
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

    /// Returns from a method, to its caller or out of the run. Yields the next address, if any.
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

/// Detects work that repeats a state.
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

/// Converts a trap at an address to an outcome.
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
