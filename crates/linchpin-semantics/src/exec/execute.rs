//! What each instruction does.

use crate::code::outcome::{Blocked, Cut, FaultKind, TextId, Trap, holder, undefined};
use crate::code::{Candidates, Dcas, Instr, Limits, Op, ResolvedPlace, Span, Target, Term};
use crate::exec::alloc::LONGEST_ARRAY;
use crate::exec::eval::{trap, within_slot};
use crate::exec::events::{AccessEvent, Events};
use crate::exec::memory::Spot;
use crate::exec::run::Run;
use crate::instance::Words;
use crate::instance::bounds::ThreadId;
use crate::state::collection::apply;
use linchpin_ir::index::{Index, number_of};
use linchpin_ir::program::CollectionMethod;
use linchpin_ir::types::{UNDEFINED, Word, word_of};
use smallvec::SmallVec;

/// The largest number of candidates of a `choose`. More cut the execution.
const MOST_CANDIDATES: i64 = 1 << 16;

impl<'a, E: Events> Run<'a, E> {
    /// Executes one instruction. Returns the next address, or `None` after the return of the outermost
    /// method.
    pub(crate) fn execute(&mut self, instr: &'a Instr) -> Result<Option<usize>, Trap> {
        match &instr.op {
            Op::Assign { to, value } => {
                if to.width == 1 {
                    let word = self.thread.word(value)?;
                    self.thread.put_word(to, word)?;
                } else {
                    let words = self.thread.value(value)?;
                    self.thread.put(to, &words)?;
                }
            }
            Op::Branch { cond, then, otherwise } => {
                return Ok(Some(if self.thread.truth(cond)? { *then } else { *otherwise }));
            }
            Op::Choose { into, from, cond } => self.choose(*into, from, cond.as_ref())?,
            Op::Assert { cond, text } => {
                if !self.thread.truth(cond)? {
                    return Err(Trap::Fault(FaultKind::Assert, *text));
                }
            }
            Op::Assume(cond) => {
                if !self.thread.truth(cond)? {
                    return Err(Trap::Discarded);
                }
            }
            Op::Await(cond) => {
                if !self.thread.truth(cond)? {
                    return Err(Trap::Blocked(Blocked::Await));
                }
            }
            Op::Lin { maybe, of, cond } => {
                let counts = match cond {
                    Some(cond) => self.thread.truth(cond)?,
                    None => true,
                };
                if counts {
                    let target = self.lin_target(of.as_ref())?;
                    self.events.lin(target, *maybe);
                }
            }
            Op::Call { method, args, kept, .. } => {
                let code = self.code();
                if self.thread.state.depth(code, self.number) >= code.depth {
                    return Err(Trap::Cut(Cut::Depth));
                }
                let mut words = Words::new();
                for arg in args {
                    self.thread.words(arg, &mut words)?;
                }
                self.thread.state.push_frame(code, self.number, self.at, kept);
                self.thread.state.enter(code, self.number, *method, &words);
                return Ok(Some(code.methods[*method as usize].entry));
            }
            Op::Return { values, text } => {
                let mut words = Words::new();
                for value in values {
                    self.thread.words(value, &mut words)?;
                }
                return self.return_from(words, *text);
            }
            Op::Load { into, from } => {
                let spot = self.thread.spot(from)?;
                if spot.width == 1 {
                    let word = self.thread.read_word(spot);
                    self.thread.put_word(into, word)?;
                } else {
                    let words = Words::from_slice(self.thread.read(spot));
                    self.thread.put(into, &words)?;
                }
                self.saw(from, spot);
            }
            Op::Store { to, value } => {
                let words = self.thread.value(value)?;
                let spot = self.thread.spot(to)?;
                self.write(to, spot, &words);
            }
            Op::New { into, kind, fields } => {
                let mut values = Words::new();
                for (_, value) in fields {
                    self.thread.words(value, &mut values)?;
                }
                let (start, pointer) = self.allocate(*kind, 1)?;
                let mut values = &values[..];
                for (field, _) in fields {
                    let (value, others) = values.split_at(field.width as usize);
                    self.thread.state.heap[start..][field.range()].copy_from_slice(value);
                    values = others;
                }
                self.thread.put_word(into, pointer)?;
            }
            Op::NewArray { into, kind, value, len, text } => {
                let value = self.thread.value(value)?;
                let len = self.thread.word(len)?;
                let Ok(len) = u32::try_from(len) else {
                    return Err(Trap::Fault(FaultKind::Length(i64::from(len)), *text));
                };
                let (start, pointer) = self.allocate(*kind, len)?;
                for element in 0..len as usize {
                    let first = start + element * value.len();
                    self.thread.state.heap[first..first + value.len()].copy_from_slice(&value);
                }
                self.thread.put_word(into, pointer)?;
            }
            Op::ArrayLen { into, array, text } => {
                let pointer = self.thread.word(array)?;
                let len = self.thread.cell(pointer, *text)?.len;
                self.thread.put_word(into, word_of(len))?;
            }
            Op::Free { pointer, text } => {
                let pointer = self.thread.word(pointer)?;
                let code = self.code();
                if let Some(cell) = self.thread.state.free(code, pointer, *text)? {
                    self.events.freed(cell);
                }
            }
            Op::Collection { into, on, class, method, args, texts } => {
                let result = self.collection(on, *class, *method, args, *texts)?;
                if let Some(into) = into {
                    self.thread.put(into, &result)?;
                }
            }
            Op::Cas { into, place, old, new, definedness } => {
                let (done, _) = self.compare_and_set(place, old, new, *definedness)?;
                if let Some(into) = into {
                    self.thread.put_word(into, Word::from(done))?;
                }
            }
            Op::CmpXchg { into, place, old, new, definedness } => {
                let (_, was) = self.compare_and_set(place, old, new, *definedness)?;
                if let Some(into) = into {
                    self.thread.put(into, &was)?;
                }
            }
            Op::Dcas(dcas) => self.double_compare_and_set(dcas)?,
            Op::Swap { into, place, value } => {
                let spot = self.thread.spot(place)?;
                let value = self.thread.value(value)?;
                let was = Words::from_slice(self.thread.read(spot));
                self.write(place, spot, &value);
                if let Some(into) = into {
                    self.thread.put(into, &was)?;
                }
            }
            Op::FetchAdd { into, place, value, limits } => {
                let spot = self.thread.spot(place)?;
                let value = self.thread.word(value)?;
                let was = self.thread.read_word(spot);
                let sum = i64::from(was) + i64::from(value);
                let sum = match *limits {
                    Limits::Range { low, high } if sum < low || sum > high => {
                        return Err(Trap::Fault(FaultKind::Range { value: sum, low, high }, place.text));
                    }
                    Limits::Range { .. } => within_slot(sum)?,
                    Limits::Ints => {
                        let sum = within_slot(sum)?;
                        self.thread.within_ints(sum)?
                    }
                };
                self.write(place, spot, &[sum]);
                if let Some(into) = into {
                    self.thread.put_word(into, was)?;
                }
            }
            Op::LoadLinked { into, place } => {
                let spot = self.thread.spot(place)?;
                self.thread.set_link(spot);
                if let Some(into) = into {
                    let words = Words::from_slice(self.thread.read(spot));
                    self.thread.put(into, &words)?;
                }
                self.saw(place, spot);
            }
            Op::StoreConditional { into, place, value } => {
                let spot = self.thread.spot(place)?;
                let value = self.thread.value(value)?;
                let done = self.thread.is_linked(spot);
                if done {
                    self.write(place, spot, &value);
                } else {
                    self.saw(place, spot);
                }
                if let Some(into) = into {
                    self.thread.put_word(into, Word::from(done))?;
                }
            }
            Op::Lock(place) => {
                let spot = self.thread.spot(place)?;
                self.take(place, spot)?;
            }
            Op::Unlock(place) => {
                let spot = self.thread.spot(place)?;
                self.release(place, spot)?;
            }
            Op::TryLock { into, place } => {
                let spot = self.thread.spot(place)?;
                let free = self.thread.read_word(spot) == 0;
                if free {
                    self.take(place, spot)?;
                } else {
                    self.saw(place, spot);
                }
                if let Some(into) = into {
                    self.thread.put_word(into, Word::from(free))?;
                }
            }
            Op::IsLocked { into, place } => {
                let spot = self.thread.spot(place)?;
                let held = self.thread.read_word(spot) != 0;
                if let Some(into) = into {
                    self.thread.put_word(into, Word::from(held))?;
                }
                self.saw(place, spot);
            }
            Op::WaitBegin { condvar, lock } => {
                let (waiters, mutex) = (self.thread.spot(condvar)?, self.thread.spot(lock)?);
                self.release(lock, mutex)?;
                let word = self.thread.read_word(waiters);
                self.write(condvar, waiters, &[word | self.own_bit()]);
            }
            Op::WaitEnd { condvar, lock } => {
                let (waiters, mutex) = (self.thread.spot(condvar)?, self.thread.spot(lock)?);
                let word = self.thread.read_word(waiters);
                if word & self.own_bit() != 0 {
                    if !self.code().spurious {
                        return Err(Trap::Blocked(Blocked::Condition(
                            self.thread.location(condvar, waiters),
                        )));
                    }
                    self.events.woken_spuriously(self.thread.location(condvar, waiters));
                    self.write(condvar, waiters, &[word & !self.own_bit()]);
                }
                self.take(lock, mutex)?;
            }
            Op::Notify { condvar, all } => {
                let waiters = self.thread.spot(condvar)?;
                let word = self.thread.read_word(waiters);
                let left = if *all { 0 } else { self.without_one(word) };
                self.write(condvar, waiters, &[left]);
            }
            Op::Atomic => {}
        }
        Ok(Some(instr.next))
    }

    fn lin_target(&mut self, of: Option<&(Term, TextId)>) -> Result<ThreadId, Trap> {
        let Some((of, text)) = of else { return Ok(self.number) };
        let target = self.thread.word(of)?;
        usize::try_from(target).map(ThreadId::new).map_err(|_| undefined(*text))
    }

    fn choose(&mut self, into: Span, from: &Candidates, cond: Option<&Term>) -> Result<(), Trap> {
        let (low, high) = match from {
            Candidates::Bool => (0, 1),
            Candidates::Threads => (0, self.threads() - 1),
            Candidates::Range(low, high) => {
                (i64::from(self.thread.word(low)?), i64::from(self.thread.word(high)?))
            }
            Candidates::Elements { of, class } => return self.choose_element(into, of, *class, cond),
        };
        if high - low >= MOST_CANDIDATES {
            return Err(Trap::Cut(Cut::Size));
        }
        let at = self.thread.block + into.at as usize;
        let chosen = match cond {
            None => low + i64::from(number_of(self.pick(usize::try_from(high - low + 1).unwrap_or(0))?)),
            Some(cond) => {
                let mut fitting = Words::new();
                for candidate in low..=high {
                    self.thread.state.words[at] = word_of(candidate);
                    if self.thread.truth(cond)? {
                        fitting.push(word_of(candidate));
                    }
                }
                i64::from(fitting[self.pick(fitting.len())?])
            }
        };
        self.thread.state.words[at] = word_of(chosen);
        Ok(())
    }

    fn choose_element(&mut self, into: Span, of: &Term, class: u32, cond: Option<&Term>) -> Result<(), Trap> {
        let handle = self.thread.word(of)?;
        let stride = self.code().classes.get(class).stride();
        let (at, width) = (self.thread.block + into.at as usize, into.width as usize);
        let mut fitting: SmallVec<[usize; 16]> = SmallVec::new();
        let mut next = 0;
        while let Some(element) = self.thread.state.contents.get(handle).get(next..next + width) {
            let contents = self.thread.state.contents.get(handle);
            let is_new = !contents[..next].chunks_exact(stride).any(|earlier| earlier[..width] == *element);
            if is_new {
                self.thread.state.words[at..at + width].copy_from_slice(element);
                if match cond {
                    Some(cond) => self.thread.truth(cond)?,
                    None => true,
                } {
                    fitting.push(next);
                }
            }
            next += stride;
        }
        let first = fitting[self.pick(fitting.len())?];
        let state = &mut *self.thread.state;
        state.words[at..at + width].copy_from_slice(&state.contents.get(handle)[first..first + width]);
        Ok(())
    }

    /// Picks one of `n`. The step is disabled if `n` is 0.
    fn pick(&mut self, n: usize) -> Result<usize, Trap> {
        if n == 0 { Err(Trap::Blocked(Blocked::NoCandidate)) } else { Ok(self.picks.pick(n)) }
    }

    /// Allocates a cell. Returns its first slot and the pointer to it.
    fn allocate(&mut self, kind: u32, len: u32) -> Result<(usize, Word), Trap> {
        let (code, running) = (self.code(), self.running());
        self.make_room(code.cell_width(kind, len.min(LONGEST_ARRAY)))?;
        let cell = self.thread.state.allocate(code, self.picks, running, kind, len)?;
        self.events.allocated(cell);
        Ok((self.thread.state.cells[cell.index()].start as usize, cell.pointer()))
    }

    fn collection(
        &mut self,
        on: &Target,
        class: u32,
        method: CollectionMethod,
        args: &[Term],
        texts: [TextId; 2],
    ) -> Result<Words, Trap> {
        let mut words = Words::new();
        for arg in args {
            self.thread.words(arg, &mut words)?;
        }
        let spot = match on {
            Target::Local(local) => Spot { cell: 0, at: self.thread.local(local)?, width: 1 },
            Target::Shared(place) => self.thread.spot(place)?,
        };
        let handle = self.thread.read_word(spot);
        let (mut result, mut changed) = (Words::new(), Words::new());
        let contents = self.thread.state.contents.get(handle);
        let is_changed =
            apply(self.code().classes.get(class), method, contents, &words, &mut result, &mut changed)
                .map_err(|misuse| trap(misuse, texts))?;
        self.make_room(changed.len())?;
        let after = if is_changed { self.thread.state.contents.intern(class, &changed) } else { handle };
        match on {
            Target::Local(_) => self.thread.state.words[spot.at] = after,
            Target::Shared(place) if is_changed => self.write(place, spot, &[after]),
            Target::Shared(place) => self.saw(place, spot),
        }
        Ok(result)
    }

    /// Returns whether the values were equal, and the old value.
    fn compare_and_set(
        &mut self,
        place: &ResolvedPlace,
        old: &Term,
        new: &Term,
        definedness: u32,
    ) -> Result<(bool, Words), Trap> {
        let spot = self.thread.spot(place)?;
        let old = self.thread.value(old)?;
        let new = self.thread.value(new)?;
        let was = Words::from_slice(self.thread.read(spot));
        let same = self.code().definedness[definedness as usize]
            .same(&was, &old)
            .map_err(|_| undefined(place.text))?;
        if same {
            self.write(place, spot, &new);
        } else {
            self.saw(place, spot);
        }
        Ok((same, was))
    }

    fn double_compare_and_set(&mut self, dcas: &Dcas) -> Result<(), Trap> {
        let spots = [self.thread.spot(&dcas.places[0])?, self.thread.spot(&dcas.places[1])?];
        // Operands are evaluated even if the comparison fails, so that a fault in them does not depend on it.
        let news = [self.thread.value(&dcas.news[0])?, self.thread.value(&dcas.news[1])?];
        let mut same = true;
        for (side, spot) in spots.into_iter().enumerate() {
            let old = self.thread.value(&dcas.olds[side])?;
            let definedness = &self.code().definedness[dcas.definedness[side] as usize];
            let read = self.thread.read(spot);
            same &= definedness.same(read, &old).map_err(|_| undefined(dcas.places[side].text))?;
        }
        for ((place, spot), new) in dcas.places.iter().zip(spots).zip(&news) {
            if same {
                self.write(place, spot, new);
            } else {
                self.saw(place, spot);
            }
        }
        if let Some(into) = &dcas.into {
            self.thread.put_word(into, Word::from(same))?;
        }
        Ok(())
    }

    fn take(&mut self, place: &ResolvedPlace, spot: Spot) -> Result<(), Trap> {
        let word = self.thread.read_word(spot);
        if word != 0 {
            let lock = self.thread.location(place, spot);
            return Err(Trap::Blocked(Blocked::Lock { lock, holder: holder(word) }));
        }
        if self.thread.me == UNDEFINED {
            return Err(undefined(place.text));
        }
        self.write(place, spot, &[self.thread.me + 1]);
        Ok(())
    }

    fn release(&mut self, place: &ResolvedPlace, spot: Spot) -> Result<(), Trap> {
        let word = self.thread.read_word(spot);
        if word == 0 || self.thread.me == UNDEFINED || word != self.thread.me + 1 {
            return Err(Trap::Fault(FaultKind::NotHolder { holder: holder(word) }, place.text));
        }
        self.write(place, spot, &[0]);
        Ok(())
    }

    fn own_bit(&self) -> Word {
        1 << self.number.index()
    }

    /// Removes one waiter, by a pick.
    fn without_one(&mut self, waiters: Word) -> Word {
        let chosen = self.picks.pick(waiters.count_ones() as usize);
        let bit = (0..Word::BITS).map(|at| waiters & (1 << at)).filter(|bit| *bit != 0).nth(chosen);
        waiters & !bit.unwrap_or(0)
    }

    fn threads(&self) -> i64 {
        i64::from(self.code().threads)
    }

    fn write(&mut self, place: &ResolvedPlace, spot: Spot, words: &[Word]) {
        if !E::ACCESSES {
            return self.thread.write(spot, words);
        }
        let before = Words::from_slice(self.thread.read(spot));
        self.thread.write(spot, words);
        let location = self.thread.location(place, spot);
        let access = AccessEvent { location, ty: place.ty, before: &before, after: Some(words) };
        self.events.access(self.thread.state, &access);
    }

    /// Reports a read.
    fn saw(&mut self, place: &ResolvedPlace, spot: Spot) {
        if !E::ACCESSES {
            return;
        }
        let before = Words::from_slice(self.thread.read(spot));
        let location = self.thread.location(place, spot);
        let access = AccessEvent { location, ty: place.ty, before: &before, after: None };
        self.events.access(self.thread.state, &access);
    }
}
