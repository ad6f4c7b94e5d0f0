//! Whether a lemma is true in a sample: its definition, executed.

use super::syntax::{Atom, Lemma, Literal, Operand, Place, Root, Term};
use linchpin_engine::samples::{Sample, SampleThread, SampleValue};
use linchpin_ir::index::Index;
use linchpin_ir::types::Word;
use std::collections::BTreeSet;

/// The truth of a literal. A literal whose terms have no value is neither true nor false.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Truth {
    True,
    False,
    NoValue,
}

/// A sample, with what is reachable in it.
pub struct Scene<'s> {
    pub sample: &'s Sample,
    reachable: BTreeSet<usize>,
    /// The cells from which a link leads towards the watched cell.
    before_watched: BTreeSet<usize>,
}

/// The thread or cell from which a literal is read.
#[derive(Clone, Copy, Debug)]
pub enum Reader<'s> {
    Thread(&'s SampleThread),
    /// An index into [`Sample::cells`].
    Cell(usize),
}

impl<'s> Scene<'s> {
    pub fn new(sample: &'s Sample) -> Scene<'s> {
        let reachable = reach(sample, sample.shared.iter().flat_map(pointers));
        let leads = |cell: &usize| match (sample.watched, sample.cells.get(*cell)) {
            (Some(watched), Some(cell)) => reach(sample, pointers(&cell.fields)).contains(&watched),
            _ => false,
        };
        Scene { sample, reachable, before_watched: (0..sample.cells.len()).filter(leads).collect() }
    }

    /// Returns the threads that rest at a place, or all cells.
    pub fn readers(&self, place: Place) -> Vec<Reader<'s>> {
        match place {
            Place::Rest(op, rest) => {
                let threads = self.sample.threads.iter();
                threads.filter(|thread| thread.op == op && thread.rest == rest).map(Reader::Thread).collect()
            }
            Place::EveryCell => (0..self.sample.cells.len()).map(Reader::Cell).collect(),
        }
    }

    /// Returns whether a lemma holds for every thread or cell that it is about.
    pub fn holds(&self, lemma: &Lemma) -> bool {
        self.readers(lemma.place).into_iter().all(|reader| {
            let is_true = |literal: &Literal| self.truth(reader, literal) == Truth::True;
            !lemma.premises().iter().all(is_true) || is_true(&lemma.conclusion)
        })
    }

    /// Returns the truth of a literal.
    pub fn truth(&self, reader: Reader<'s>, literal: &Literal) -> Truth {
        match self.atom(reader, &literal.atom) {
            None => Truth::NoValue,
            Some(value) if value == literal.is_positive => Truth::True,
            Some(_) => Truth::False,
        }
    }

    /// Returns the value of an atom; `None` if its terms have none.
    fn atom(&self, reader: Reader<'s>, atom: &Atom) -> Option<bool> {
        let cell = |term: &Term| match self.scalar(reader, term)? {
            Scalar::Cell(cell) => Some(cell),
            _ => None,
        };
        let thread = match reader {
            Reader::Thread(thread) => Some(thread),
            Reader::Cell(_) => None,
        };
        match atom {
            Atom::Equal(left, right) => Some(self.operand(reader, left)? == self.operand(reader, right)?),
            Atom::Less(left, right) => {
                let rank = |value: Scalar| match value {
                    Scalar::KeyMin => Some((0, 0)),
                    Scalar::Number(number) => Some((1, number)),
                    Scalar::KeyMax => Some((2, 0)),
                    Scalar::Null | Scalar::Cell(_) | Scalar::Bool(_) => None,
                };
                Some(rank(self.operand(reader, left)?)? < rank(self.operand(reader, right)?)?)
            }
            Atom::Flag(term) => match self.scalar(reader, term)? {
                Scalar::Bool(flag) => Some(flag),
                _ => None,
            },
            Atom::Held(term) => match self.resolve(reader, term)? {
                At::Value(SampleValue::Lock(holder)) => {
                    Some(holder.is_some_and(|holder| thread.is_none_or(|thread| thread.thread == holder)))
                }
                _ => None,
            },
            Atom::Reachable(term) => Some(self.reachable.contains(&cell(term)?)),
            Atom::Private(term) => Some(!self.sample.cells.get(cell(term)?)?.is_published),
            Atom::OnKey => self.sample.is_in.and(thread).map(|thread| thread.has_seen_in.is_some()),
            Atom::TookEffect => thread?.took_effect,
            Atom::SeenIn => thread?.has_seen_in,
            Atom::SeenOut => thread?.has_seen_out,
            Atom::IsIn => self.sample.is_in,
            Atom::Behind(term) => {
                let cell = cell(term)?;
                self.sample.is_in.map(|_| self.before_watched.contains(&cell))
            }
        }
    }

    fn operand(&self, reader: Reader<'s>, operand: &Operand) -> Option<Scalar> {
        match operand {
            Operand::Null => Some(Scalar::Null),
            Operand::KeyMin => Some(Scalar::KeyMin),
            Operand::KeyMax => Some(Scalar::KeyMax),
            Operand::Term(term) => self.scalar(reader, term),
        }
    }

    fn scalar(&self, reader: Reader<'s>, term: &Term) -> Option<Scalar> {
        match self.resolve(reader, term)? {
            At::Cell(cell) => Some(Scalar::Cell(cell)),
            At::Value(value) => match value {
                SampleValue::Null => Some(Scalar::Null),
                SampleValue::Cell(cell) => Some(Scalar::Cell(*cell)),
                SampleValue::Bool(flag) => Some(Scalar::Bool(*flag)),
                SampleValue::Number(number) => Some(Scalar::Number(*number)),
                SampleValue::KeyMin => Some(Scalar::KeyMin),
                SampleValue::KeyMax => Some(Scalar::KeyMax),
                SampleValue::Other | SampleValue::Lock(_) | SampleValue::Record(_) => None,
            },
        }
    }

    /// Returns what a term reads; `None` behind null, and for a local that is not live.
    fn resolve(&self, reader: Reader<'s>, term: &Term) -> Option<At<'s>> {
        let mut at = match (term.root, reader) {
            (Root::Local(local), Reader::Thread(thread)) => {
                At::Value(&thread.locals.iter().find(|(id, _)| *id == local)?.1)
            }
            (Root::Shared(global), _) => At::Value(self.sample.shared.get(global.index())?),
            (Root::Cell, Reader::Cell(cell)) => At::Cell(cell),
            (Root::Local(_), Reader::Cell(_)) | (Root::Cell, Reader::Thread(_)) => return None,
        };
        for name in &term.fields {
            let record = match at {
                At::Cell(cell) | At::Value(&SampleValue::Cell(cell)) => &self.sample.cells.get(cell)?.fields,
                At::Value(value) => value,
            };
            at = At::Value(record.field(name)?);
        }
        Some(at)
    }
}

/// What a term reads.
#[derive(Clone, Copy)]
enum At<'s> {
    Cell(usize),
    Value(&'s SampleValue),
}

/// A value that can be compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scalar {
    Null,
    Cell(usize),
    Bool(bool),
    Number(Word),
    KeyMin,
    KeyMax,
}

fn pointers(value: &SampleValue) -> Vec<usize> {
    match value {
        SampleValue::Cell(cell) => vec![*cell],
        SampleValue::Record(fields) => fields.iter().flat_map(|(_, field)| pointers(field)).collect(),
        _ => Vec::new(),
    }
}

fn reach(sample: &Sample, starts: impl IntoIterator<Item = usize>) -> BTreeSet<usize> {
    let mut open: Vec<usize> = starts.into_iter().collect();
    let mut found = BTreeSet::new();
    while let Some(at) = open.pop() {
        if found.insert(at)
            && let Some(cell) = sample.cells.get(at)
        {
            open.extend(pointers(&cell.fields));
        }
    }
    found
}
