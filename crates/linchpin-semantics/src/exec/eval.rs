//! Evaluates pure expressions. A term of one slot yields a word; any other term appends its words to a
//! buffer.
//!
//! Arithmetic is exact. A result that no slot can hold cuts the execution. So does a stored `int` that leaves
//! its bound. A value outside its range type is a fault. An undefined value may be copied; any other use is a
//! fault.

use crate::code::definedness::check_pair;
use crate::code::outcome::{Cut, FaultKind, TextId, Trap, undefined};
use crate::code::{Arithmetic, Code, Index, Local, Order, Span, Term};
use crate::instance::Words;
use crate::state::State;
use crate::state::collection::{Misuse, apply, arrange};
use linchpin_ir::types::{NONE, UNDEFINED, Word, word_of};

/// A running thread, as its expressions see it.
pub struct Thread<'a> {
    pub code: &'a Code,
    pub state: &'a mut State,
    /// The first word of its block.
    pub block: usize,
    /// Its number; undefined while no thread runs (`init`).
    pub me: Word,
}

impl Thread<'_> {
    /// Returns the value of a term of one slot.
    pub fn word(&mut self, term: &Term) -> Result<Word, Trap> {
        match term {
            Term::Constant(word) => Ok(*word),
            Term::Slot(at) => Ok(self.state.words[self.block + *at as usize]),
            Term::Me => Ok(self.me),
            Term::Indexed(local) => {
                let at = self.local(local)?;
                Ok(self.state.words[at])
            }
            Term::Not(of) => Ok(Word::from(self.word(of)? == 0)),
            Term::Negate(of) => within_slot(-i64::from(self.word(of)?)),
            Term::And(sides) => Ok(if self.word(&sides[0])? == 0 { 0 } else { self.word(&sides[1])? }),
            Term::Or(sides) => Ok(if self.word(&sides[0])? != 0 { 1 } else { self.word(&sides[1])? }),
            Term::Same { sides, negated } => {
                let (left, right) = (self.word(&sides[0])?, self.word(&sides[1])?);
                Ok(Word::from((left == right) != *negated))
            }
            Term::SameDefined { sides, negated, texts } => {
                let (left, right) = (self.word(&sides[0])?, self.word(&sides[1])?);
                if check_pair(left, right).is_err() {
                    return Err(undefined(texts[usize::from(left != UNDEFINED)]));
                }
                Ok(Word::from((left == right) != *negated))
            }
            Term::SameWide { sides, negated, definedness, text } => {
                let (mut left, mut right) = (Words::new(), Words::new());
                self.words(&sides[0], &mut left)?;
                self.words(&sides[1], &mut right)?;
                let same = self.code.definedness[*definedness as usize]
                    .same(&left, &right)
                    .map_err(|_| undefined(*text))?;
                Ok(Word::from(same != *negated))
            }
            Term::Order { order, sides, texts } => {
                let (left, right) = (self.word(&sides[0])?, self.word(&sides[1])?);
                if left == UNDEFINED || right == UNDEFINED {
                    return Err(undefined(texts[usize::from(left != UNDEFINED)]));
                }
                Ok(Word::from(match order {
                    Order::Less => left < right,
                    Order::LessOrEqual => left <= right,
                    Order::Greater => left > right,
                    Order::GreaterOrEqual => left >= right,
                }))
            }
            Term::Arithmetic { arithmetic, sides, text } => {
                let (left, right) = (i64::from(self.word(&sides[0])?), i64::from(self.word(&sides[1])?));
                let by_zero = || Trap::Fault(FaultKind::DivisionByZero, *text);
                within_slot(match arithmetic {
                    Arithmetic::Add => left + right,
                    Arithmetic::Sub => left - right,
                    Arithmetic::Mul => left * right,
                    Arithmetic::Div => left.checked_div(right).ok_or_else(by_zero)?,
                    Arithmetic::Rem => left.checked_rem(right).ok_or_else(by_zero)?,
                })
            }
            Term::NextAge { of, modulo } => {
                let next = within_slot(i64::from(self.word(of)?) + 1)?;
                Ok(modulo.map_or(next, |modulo| next % modulo))
            }
            Term::ToRange { value, low, high, text } => {
                let value = i64::from(self.word(value)?);
                if value < *low || value > *high {
                    return Err(Trap::Fault(FaultKind::Range { value, low: *low, high: *high }, *text));
                }
                Ok(word_of(value))
            }
            Term::WithinInts(of) => {
                let value = self.word(of)?;
                self.within_ints(value)
            }
            Term::UnwrapFlat { of, text } => match self.word(of)? {
                NONE => Err(Trap::Fault(FaultKind::Unwrap, *text)),
                value => Ok(value),
            },
            Term::Ord { of, text } => match self.word(of)? {
                UNDEFINED | NONE => Err(undefined(*text)),
                value => Ok(value),
            },
            Term::Quantifier { all, class, collection, var, body } => {
                let handle = self.word(collection)?;
                self.quantifier(*all, *class, handle, *var, body)
            }
            Term::Collection { class, elements, text } => {
                let mut words = Words::new();
                for element in elements {
                    self.words(element, &mut words)?;
                }
                arrange(self.code.classes.get(*class), &mut words)
                    .map_err(|misuse| trap(misuse, [*text; 2]))?;
                Ok(self.state.contents.intern(*class, &words))
            }
            Term::Words(_)
            | Term::Slots(_)
            | Term::Part { .. }
            | Term::Element { .. }
            | Term::Present(_)
            | Term::UnwrapWide { .. }
            | Term::Concat(_)
            | Term::Repeat(..)
            | Term::Hash { .. }
            | Term::Method { .. } => {
                let mut out = Words::new();
                self.words(term, &mut out)?;
                debug_assert_eq!(out.len(), 1, "a term of one slot: {term:?}");
                Ok(out.first().copied().unwrap_or(0))
            }
        }
    }

    /// Appends the value of a term of any width.
    pub fn words(&mut self, term: &Term, out: &mut Words) -> Result<(), Trap> {
        match term {
            Term::Words(words) => out.extend_from_slice(words),
            Term::Slots(span) => {
                let at = self.block + span.at as usize;
                out.extend_from_slice(&self.state.words[at..at + span.width as usize]);
            }
            Term::Indexed(local) => {
                let at = self.local(local)?;
                out.extend_from_slice(&self.state.words[at..at + local.width as usize]);
            }
            Term::Part { of, part } => {
                let mut whole = Words::new();
                self.words(of, &mut whole)?;
                out.extend_from_slice(&whole[part.range()]);
            }
            Term::Element { of, index } => {
                let mut whole = Words::new();
                self.words(of, &mut whole)?;
                let at = self.index(index, 0)?;
                out.extend_from_slice(&whole[at..at + index.stride as usize]);
            }
            Term::Present(of) => {
                out.push(1);
                self.words(of, out)?;
            }
            Term::UnwrapWide { of, text } => {
                let mut whole = Words::new();
                self.words(of, &mut whole)?;
                if whole.first() != Some(&1) {
                    return Err(Trap::Fault(FaultKind::Unwrap, *text));
                }
                out.extend_from_slice(&whole[1..]);
            }
            Term::Concat(parts) => {
                for part in parts {
                    self.words(part, out)?;
                }
            }
            Term::Repeat(of, times) => {
                let start = out.len();
                self.words(of, out)?;
                let end = out.len();
                if *times == 0 {
                    out.truncate(start);
                }
                for _ in 1..*times {
                    for at in start..end {
                        out.push(out[at]);
                    }
                }
            }
            Term::Hash { hash, of, text } => {
                let mut value = Words::new();
                self.words(of, &mut value)?;
                let code = self.code;
                code.tables.look_up(*hash, &value, &self.state.words, *text, out)?;
            }
            Term::Method { method, class, on, args, texts } => {
                let handle = self.word(on)?;
                let mut words = Words::new();
                for arg in args {
                    self.words(arg, &mut words)?;
                }
                let (class, contents) = (self.code.classes.get(*class), self.state.contents.get(handle));
                let changed = apply(class, *method, contents, &words, out, &mut Words::new())
                    .map_err(|misuse| trap(misuse, *texts))?;
                debug_assert!(!changed, "an expression leaves collections as they are");
            }
            _ => out.push(self.word(term)?),
        }
        Ok(())
    }

    pub fn truth(&mut self, term: &Term) -> Result<bool, Trap> {
        Ok(self.word(term)? != 0)
    }

    /// Returns the first word of a variable of the thread, or of a part of one.
    pub fn local(&mut self, local: &Local) -> Result<usize, Trap> {
        let mut at = self.block + local.at as usize;
        for index in &local.indices {
            at += self.index(index, 0)?;
        }
        Ok(at)
    }

    /// Returns the offset of an array element in slots. `len` is the length of an array on the heap.
    pub fn index(&mut self, index: &Index, len: u32) -> Result<usize, Trap> {
        let value = self.word(&index.index)?;
        let len = index.len.unwrap_or(len);
        match u32::try_from(value) {
            Ok(at) if at < len => Ok(at as usize * index.stride as usize),
            _ if value == UNDEFINED => Err(undefined(index.text)),
            _ => Err(Trap::Fault(FaultKind::Index { index: i64::from(value), len }, index.text)),
        }
    }

    /// Cuts the execution if an `int` leaves its bound.
    pub fn within_ints(&self, value: Word) -> Result<Word, Trap> {
        if value == NONE || (-self.code.ints..=self.code.ints).contains(&value) {
            Ok(value)
        } else {
            Err(Trap::Cut(Cut::Ints))
        }
    }

    fn quantifier(
        &mut self,
        all: bool,
        class: u32,
        handle: Word,
        var: Span,
        body: &Term,
    ) -> Result<Word, Trap> {
        let stride = self.code.classes.get(class).stride();
        let at = self.block + var.at as usize;
        let mut next = 0;
        while let Some(element) = self.state.contents.get(handle).get(next..next + var.width as usize) {
            self.state.words[at..at + var.width as usize].copy_from_slice(element);
            if self.truth(body)? != all {
                return Ok(Word::from(!all));
            }
            next += stride;
        }
        Ok(Word::from(all))
    }
}

/// Converts a number to a word. Cuts the execution if it does not fit or equals [`UNDEFINED`] or [`NONE`].
pub fn within_slot(value: i64) -> Result<Word, Trap> {
    const MOST: Word = Word::MAX - 1;
    Word::try_from(value).ok().filter(|word| (-MOST..=MOST).contains(word)).ok_or(Trap::Cut(Cut::Ints))
}

/// Converts a misuse of a collection to a fault.
pub fn trap(misuse: Misuse, [on, arg]: [TextId; 2]) -> Trap {
    match misuse {
        Misuse::Undefined => undefined(arg),
        Misuse::Index { index, len } => Trap::Fault(FaultKind::Index { index: i64::from(index), len }, arg),
        Misuse::Empty => Trap::Fault(FaultKind::Empty, on),
    }
}
