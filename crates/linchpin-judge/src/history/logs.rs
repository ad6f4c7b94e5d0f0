//! Reads logs off the clauses of a specification: one, or one for each key of a map.
//!
//! **Log.** The state is one `seq`, or one map whose values are a `seq`. A key that is not in the map stands
//! for an empty `seq`. Each operation has one of three effects, on every path:
//!
//! - *Start*: the `seq` becomes its argument alone.
//! - *Append*: its argument is added at the end.
//! - *Read*: the `seq` stays as it is, and is returned.
//!
//! A clause is followed path by path. A value is known as words of the first state: a parameter, the `seq`
//! at the beginning, or the `seq` with parameters at its end. What is not known ends the analysis.

use super::clauses::{begins_with_defaults, is_whole, only_head};
use super::record::ShownCall;
use super::value_check::result_type;
use linchpin_ir::index::{IndexVec, number_of};
use linchpin_ir::interface::UnaryOp;
use linchpin_ir::program::{
    Clause, CollectionMethod, Expr, ExprKind, LocalId, Method, Op, OpId, Pc, Place, Program, Target,
};
use linchpin_ir::types::{TypeId, TypeKind, TypeTable, Word};
use linchpin_order::{LogCall, Logs};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The effect of an operation of a log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum LogRole {
    /// The words of the arguments that become the only value.
    Start(Range<usize>),
    /// The words of the arguments that are added.
    Append(Range<usize>),
    /// The number of words of a value.
    Read(usize),
}

/// Returns the roles of the operations if the specification is one log.
pub(super) fn log(program: &Program) -> Option<IndexVec<OpId, LogRole>> {
    let [state] = program.spec.globals.variables.iter().collect::<Vec<_>>()[..] else { return None };
    roles(program, state.ty, 0)
}

/// Returns the roles of the operations if the specification is a map of logs. The caller knows that each
/// operation uses one key only.
pub(super) fn cells(program: &Program) -> Option<IndexVec<OpId, LogRole>> {
    let [state] = program.spec.globals.variables.iter().collect::<Vec<_>>()[..] else { return None };
    let TypeKind::Map(_, contents) = program.types.kind(state.ty) else { return None };
    roles(program, contents, 1)
}

/// Returns the role of each call.
pub(super) fn of_calls<'h>(
    roles: &IndexVec<OpId, LogRole>,
    calls: impl Iterator<Item = ShownCall<'h>>,
) -> Option<Logs> {
    let mut numbers: FxHashMap<&[Word], u32> = FxHashMap::default();
    let mut number = |words| {
        let next = number_of(numbers.len());
        *numbers.entry(words).or_insert(next)
    };
    let mut role = |ShownCall { call, result }: ShownCall<'h>| {
        Some(match (&roles[call.op], result) {
            (LogRole::Start(words), _) => LogCall::Start(number(call.args.get(words.clone())?)),
            (LogRole::Append(words), _) => LogCall::Append(number(call.args.get(words.clone())?)),
            (LogRole::Read(_), None) => LogCall::Read(None),
            (LogRole::Read(width), Some(result)) => {
                // The first word is the number of values.
                let values = result.get(1..)?.chunks_exact(*width);
                LogCall::Read(Some(values.map(&mut number).collect()))
            }
        })
    };
    Some(Logs { calls: calls.map(&mut role).collect::<Option<_>>()? })
}

/// Returns the role of each operation of a log with this type. An operation has `keys` parameters besides
/// its value.
fn roles(program: &Program, contents: TypeId, keys: usize) -> Option<IndexVec<OpId, LogRole>> {
    let types = &program.types;
    let TypeKind::Seq(element) = types.kind(contents) else { return None };
    let is_nested =
        |kind| matches!(kind, TypeKind::Seq(_) | TypeKind::Set(_) | TypeKind::Bag(_) | TypeKind::Map(..));
    if !begins_with_defaults(program) || is_nested(types.kind(element)) || types.width(element) == 0 {
        return None;
    }
    let mut roles: IndexVec<OpId, Option<LogRole>> = program.ops.iter().map(|_| None).collect();
    for clause in &program.spec.clauses {
        let op = only_head(clause)?.op;
        if roles[op].is_some() {
            return None;
        }
        roles[op] = Some(role_of(program, clause, contents, element, keys)?);
    }
    roles.iter().cloned().collect::<Option<Vec<_>>>().map(IndexVec::from_iter)
}

fn role_of(
    program: &Program,
    clause: &Clause,
    contents: TypeId,
    element: TypeId,
    keys: usize,
) -> Option<LogRole> {
    let head = only_head(clause)?;
    let types = &program.types;
    let params = &program.ops[head.op].params;
    let mut walk = Walk { types, method: &clause.method, is_keyed: keys > 0, ends: Vec::new() };
    walk.from(clause.method.entry, Path::new(&clause.method), 0)?;
    if walk.ends.iter().all(|end| end.is_read()) {
        let is_read = params.len() == keys
            && head.result == Some(contents)
            && result_type(program, head.op) == Some(contents);
        return is_read.then(|| LogRole::Read(types.width(element)));
    }
    let added = walk.ends.first()?.added()?;
    let start = params.iter().take(added).map(|&ty| types.width(ty)).sum();
    let words = start..start + types.width(element);
    let is_write = params.len() == keys + 1 && params.get(added) == Some(&element) && head.result.is_none();
    if !is_write || !walk.ends.iter().all(|end| end.returned.is_none() && end.added() == Some(added)) {
        return None;
    }
    // A path on which the key is missing begins with the empty sequence, so it says nothing.
    let mut begins = walk.ends.iter().filter(|end| end.has != Some(false)).map(|end| end.contents.from_now);
    let from_now = begins.next()?;
    begins.all(|other| other == from_now).then_some(if from_now {
        LogRole::Append(words)
    } else {
        LogRole::Start(words)
    })
}

/// A sequence: that at the beginning or the empty one, and parameters that were added at its end.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Sequence {
    from_now: bool,
    added: Vec<usize>,
}

/// What is known of a local.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Term {
    /// The parameter with this number.
    Parameter(usize),
    /// The truth of "the key is in the map", or its negation if `false`.
    Has(bool),
    /// What the map holds at the key.
    Held(Sequence),
    Sequence(Sequence),
}

/// A path through a clause.
#[derive(Clone)]
struct Path {
    terms: FxHashMap<LocalId, Term>,
    /// Whether the key is in the map; `None`: not asked.
    has: Option<bool>,
    contents: Sequence,
    is_changed: bool,
    returned: Option<Term>,
}

struct Walk<'m> {
    method: &'m Method,
    types: &'m TypeTable,
    is_keyed: bool,
    ends: Vec<Path>,
}

/// The largest number of instructions on a path. Clauses of logs are short.
const LONGEST_PATH: usize = 32;

impl Walk<'_> {
    /// Follows all paths from here to the returns; `None` if the analysis does not understand an instruction.
    fn from(&mut self, at: Pc, mut path: Path, steps: usize) -> Option<()> {
        if steps > LONGEST_PATH {
            return None;
        }
        let instr = self.method.code.get(at)?;
        match &instr.op {
            Op::Collection { into, on: Target::Shared(place), method, args } if is_whole(place) => {
                let result = self.on_state(*method, args, &mut path)?;
                match (into, result) {
                    (Some(into), Some(term)) => drop(path.terms.insert(into.whole_local()?, term)),
                    (Some(_), None) => return None,
                    (None, _) => {}
                }
            }
            Op::Collection {
                into: None,
                on: Target::Local(place),
                method: CollectionMethod::PushBack,
                args,
            } => {
                let [value] = &args[..] else { return None };
                let Term::Parameter(value) = path.term(self.types, value)? else { return None };
                let Some(Term::Sequence(sequence)) = path.terms.get_mut(&place.whole_local()?) else {
                    return None;
                };
                sequence.added.push(value);
            }
            Op::Assign { to, value } => {
                let term = path.term(self.types, value)?;
                path.terms.insert(to.whole_local()?, term);
            }
            Op::Load { into, from } if self.is_contents(from) => {
                path.terms.insert(into.whole_local()?, Term::Sequence(path.contents.clone()));
            }
            Op::Store { to, value } if self.is_contents(to) => {
                let Term::Sequence(sequence) = path.term(self.types, value)? else { return None };
                path.change(sequence);
            }
            Op::Branch { cond, then, otherwise } => {
                let Term::Has(if_has) = path.term(self.types, cond)? else { return None };
                for (to, has) in [(*then, if_has), (*otherwise, !if_has)] {
                    if path.has.is_none_or(|known| known == has) {
                        self.from(to, Path { has: Some(has), ..path.clone() }, steps + 1)?;
                    }
                }
                return Some(());
            }
            Op::Return(values) => {
                path.returned = match values.as_slice() {
                    [] => None,
                    [value] => Some(path.term(self.types, value)?),
                    _ => return None,
                };
                self.ends.push(path);
                return Some(());
            }
            _ => return None,
        }
        self.from(instr.next, path, steps + 1)
    }

    fn is_contents(&self, place: &Place) -> bool {
        !self.is_keyed && is_whole(place)
    }

    /// Returns the result of a method of the state, if it is known and needed.
    fn on_state(&self, method: CollectionMethod, args: &[Expr], path: &mut Path) -> Option<Option<Term>> {
        match (self.is_keyed, method, args) {
            (true, CollectionMethod::Contains, [_]) if !path.is_changed => Some(Some(Term::Has(true))),
            (true, CollectionMethod::Lookup, [_]) => Some(Some(Term::Held(path.contents.clone()))),
            (true, CollectionMethod::Insert, [_, value]) => {
                let Term::Sequence(sequence) = path.term(self.types, value)? else { return None };
                path.change(sequence);
                Some(None)
            }
            (false, CollectionMethod::PushBack, [value]) => {
                let Term::Parameter(value) = path.term(self.types, value)? else { return None };
                let mut sequence = path.contents.clone();
                sequence.added.push(value);
                path.change(sequence);
                Some(None)
            }
            (false, CollectionMethod::Clear, []) => {
                path.change(Sequence { from_now: false, added: Vec::new() });
                Some(None)
            }
            _ => None,
        }
    }
}

impl Path {
    fn new(method: &Method) -> Path {
        let params = method.params.iter().enumerate();
        Path {
            terms: params.map(|(at, local)| (*local, Term::Parameter(at))).collect(),
            has: None,
            contents: Sequence { from_now: true, added: Vec::new() },
            is_changed: false,
            returned: None,
        }
    }

    fn change(&mut self, contents: Sequence) {
        self.contents = contents;
        self.is_changed = true;
    }

    fn term(&self, types: &TypeTable, expr: &Expr) -> Option<Term> {
        match &expr.kind {
            ExprKind::Local(local) => self.terms.get(local).cloned(),
            ExprKind::Unary(UnaryOp::Not, inner) => match self.term(types, inner)? {
                Term::Has(is) => Some(Term::Has(!is)),
                _ => None,
            },
            // A missing key has nothing to unwrap.
            ExprKind::Unwrap(inner) => match self.term(types, inner)? {
                Term::Held(sequence) if self.has == Some(true) || self.is_changed => {
                    Some(Term::Sequence(sequence))
                }
                _ => None,
            },
            ExprKind::Constant(words) => {
                let is_empty =
                    matches!(types.kind(expr.ty), TypeKind::Seq(_)) && *words == types.defaults(expr.ty);
                is_empty.then_some(Term::Sequence(Sequence { from_now: false, added: Vec::new() }))
            }
            ExprKind::Collection(elements) => {
                let parameter = |element| match self.term(types, element)? {
                    Term::Parameter(at) => Some(at),
                    _ => None,
                };
                let added = elements.iter().map(parameter).collect::<Option<_>>()?;
                Some(Term::Sequence(Sequence { from_now: false, added }))
            }
            _ => None,
        }
    }

    /// Checks that the path leaves the sequence as it is, and returns the sequence.
    fn is_read(&self) -> bool {
        let Some(Term::Sequence(Sequence { from_now, added })) = &self.returned else { return false };
        !self.is_changed && added.is_empty() && (*from_now || self.has == Some(false))
    }

    /// Returns the only parameter that the path adds.
    fn added(&self) -> Option<usize> {
        match &self.contents.added[..] {
            [parameter] => Some(*parameter),
            _ => None,
        }
    }
}
