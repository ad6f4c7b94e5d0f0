//! Reads the structure of a specification off its clauses, never off a name. A specification that the
//! analysis does not understand is [`ProgramStructure::Opaque`], which promises nothing.
//!
//! **Keyed.** Each operation has one parameter, its *key*. It touches the state only by methods of sets and
//! maps that access the element of that key. So the state is a product with one factor for each key, and each
//! operation reads and writes one factor only. A sequential execution is then legal iff, for each key, its
//! calls with that key are: executions of different keys may be merged in any way.
//!
//! **Container.** The state is one `seq`. An operation has one of three effects:
//!
//! - It puts its argument in at one of the ends.
//! - It takes an element out at one of the ends and returns it.
//! - It finds the `seq` empty, changes nothing and returns `none`.
//!
//! It may also wait for an element, or for the length to be below a constant. The values of elements play no
//! part. So:
//!
//! - *Projection.* Take from a legal sequential execution all calls about some values, and any calls that
//!   found the `seq` empty. The remaining execution is legal. Proof: its `seq` is always that of the whole
//!   execution without the other values. An element at an end stays at that end, an empty `seq` stays empty,
//!   and a `seq` that is short enough is shorter.
//! - *Renaming.* Whether an execution is legal does not depend on which values are which.
//!
//! Registers, logs and unordered containers are read off in `registers`, `logs` and `unordered`.

use super::clauses::{begins_with_defaults, is_whole, local, only_head};
use super::logs::{self, LogRole};
use super::record::{Call, ShownCall};
use super::registers::{self, RegisterRole};
use super::spec_oracle::{OrderHistory, as_returned};
use super::unordered::{self, UnorderedRole};
use linchpin_ir::index::{Index, IndexVec, number_of};
use linchpin_ir::interface::{BinaryOp, UnaryOp};
use linchpin_ir::program::{
    Clause, CollectionMethod, Expr, ExprKind, LocalId, Method, Op, OpId, Pc, Place, Program, Target,
};
use linchpin_ir::types::{TypeId, TypeKind, TypeTable, Word};
use linchpin_order::{Cells, ContainerCall, Removal, Structure};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The structure of a specification.
#[derive(Clone, Debug)]
pub(super) enum ProgramStructure {
    Keyed {
        /// The words of each operation's arguments that are its key.
        keys: IndexVec<OpId, Range<usize>>,
        /// The role of each operation, if each key has a register or a log.
        cells: Option<CellRoles>,
    },
    Log(IndexVec<OpId, LogRole>),
    Container(IndexVec<OpId, Role>),
    Register(IndexVec<OpId, RegisterRole>),
    Unordered(IndexVec<OpId, UnorderedRole>),
    Opaque,
}

/// The roles of the operations of a map, at one key.
#[derive(Clone, Debug)]
pub(super) enum CellRoles {
    Registers(IndexVec<OpId, RegisterRole>),
    Logs(IndexVec<OpId, LogRole>),
}

/// The effect of an operation of a container.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Role {
    Put {
        end: End,
        /// Whether the operation may wait for room.
        waits: bool,
    },
    Take {
        end: End,
        /// The result if the container is empty; `None` if the operation waits then.
        nothing: Option<Vec<Word>>,
        /// The position of the words of an element in the result.
        element_at: usize,
    },
}

/// An end of a `seq`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    Front,
    Back,
}

/// What a call of a container is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum About<'c> {
    Value(&'c [Word]),
    /// The call found the container empty.
    Nothing,
    /// The call is pending, and may take any value.
    Anything,
}

impl ProgramStructure {
    pub fn of(program: &Program) -> ProgramStructure {
        if let Some(keys) = keyed(program) {
            let registers = registers::cells(program).map(CellRoles::Registers);
            let cells = registers.or_else(|| logs::cells(program).map(CellRoles::Logs));
            return ProgramStructure::Keyed { keys, cells };
        }
        let container = || container(program).map(ProgramStructure::Container);
        let register = || registers::register(program).map(ProgramStructure::Register);
        let unordered = || unordered::unordered(program).map(ProgramStructure::Unordered);
        let log = || logs::log(program).map(ProgramStructure::Log);
        container().or_else(register).or_else(log).or_else(unordered).unwrap_or(ProgramStructure::Opaque)
    }

    /// Checks that a call of the operation with this result changes nothing, by its role in a container.
    pub fn is_idle(&self, op: OpId, result: &[Word]) -> bool {
        match self {
            ProgramStructure::Container(roles) => {
                matches!(&roles[op], Role::Take { nothing: Some(nothing), .. } if nothing == result)
            }
            ProgramStructure::Unordered(roles) => {
                matches!(&roles[op], UnorderedRole::Take { nothing: Some(nothing), .. } if nothing == result)
            }
            _ => false,
        }
    }

    /// Returns the structure of a history: the key or the role of each call. `initial` returns the result
    /// that a call has in the initial state.
    pub fn of_history<'h>(
        &self,
        history: &'h OrderHistory<'h>,
        initial: impl Fn(&'h Call) -> Option<Vec<Word>>,
    ) -> Structure {
        let mut numbers: FxHashMap<&[Word], u32> = FxHashMap::default();
        let mut number = |words| {
            let next = number_of(numbers.len());
            *numbers.entry(words).or_insert(next)
        };
        let shown = |call: &'h linchpin_order::Call<&'h Call, Vec<Word>>| ShownCall {
            call: call.op,
            result: call.returned.as_ref().map(|returned| &returned.result[..]),
        };
        let calls = history.calls().iter().map(shown);
        match self {
            ProgramStructure::Keyed { keys, cells } => Structure::Keyed {
                keys: calls.clone().map(|shown| number(key(keys, shown.call))).collect(),
                cells: match cells {
                    Some(CellRoles::Registers(roles)) => {
                        registers::of_calls(roles, calls, initial).map(Cells::Registers)
                    }
                    Some(CellRoles::Logs(roles)) => logs::of_calls(roles, calls).map(Cells::Logs),
                    None => None,
                },
            },
            ProgramStructure::Log(roles) => {
                logs::of_calls(roles, calls).map_or(Structure::Opaque, Structure::Log)
            }
            ProgramStructure::Register(roles) => {
                registers::of_calls(roles, calls, initial).map_or(Structure::Opaque, Structure::Register)
            }
            ProgramStructure::Unordered(roles) => unordered::of_calls(roles, calls),
            ProgramStructure::Container(roles) => {
                let role = |shown: ShownCall<'h>| ContainerCall {
                    kind: number_of(shown.call.op.index()),
                    is_put: matches!(roles[shown.call.op], Role::Put { .. }),
                    about: match about(roles, shown) {
                        About::Value(value) => linchpin_order::About::Value(number(value)),
                        About::Nothing => linchpin_order::About::Nothing,
                        About::Anything => linchpin_order::About::Anything,
                    },
                };
                Structure::Container { calls: calls.map(role).collect(), removal: removal(roles) }
            }
            ProgramStructure::Opaque => Structure::Opaque,
        }
    }
}

/// Returns which value leaves a container with these roles first.
fn removal(roles: &IndexVec<OpId, Role>) -> Removal {
    let (mut puts, mut takes) = (Vec::new(), Vec::new());
    for role in roles.iter() {
        match role {
            Role::Put { waits: true, .. } => return Removal::Other,
            Role::Put { end, .. } => puts.push(*end),
            Role::Take { end, .. } => takes.push(*end),
        }
    }
    let [Some(put), Some(take)] = [only(&puts), only(&takes)] else { return Removal::Other };
    if put == take { Removal::Newest } else { Removal::Oldest }
}

/// Returns the end that all of them are.
fn only(ends: &[End]) -> Option<End> {
    let first = *ends.first()?;
    ends.iter().all(|end| *end == first).then_some(first)
}

/// Returns the words of the call's key.
fn key<'c>(keys: &IndexVec<OpId, Range<usize>>, call: &'c Call) -> &'c [Word] {
    call.args.get(keys[call.op].clone()).unwrap_or(&[])
}

/// Returns what the call is about, in a container with these roles.
fn about<'h>(roles: &IndexVec<OpId, Role>, shown: ShownCall<'h>) -> About<'h> {
    match (&roles[shown.call.op], shown.result) {
        (Role::Put { .. }, _) => About::Value(&shown.call.args),
        (Role::Take { .. }, None) => About::Anything,
        (Role::Take { nothing, element_at, .. }, Some(result)) => {
            let is_none = *element_at > 0 && result.first() != Some(&1);
            match nothing {
                Some(nothing) if nothing == result => About::Nothing,
                // A result that the specification never gives is not an element, and must not equal one.
                _ if is_none => About::Value(result),
                _ => About::Value(result.get(*element_at..).unwrap_or(&[])),
            }
        }
    }
}

fn keyed(program: &Program) -> Option<IndexVec<OpId, Range<usize>>> {
    let mut keys: IndexVec<OpId, Option<usize>> = program.ops.iter().map(|_| None).collect();
    for clause in &program.spec.clauses {
        let head = only_head(clause)?;
        let key = key_of(program, &clause.method)?;
        if keys[head.op].is_some_and(|known| known != key) {
            return None;
        }
        keys[head.op] = Some(key);
    }
    let words = |op: OpId| {
        let params = &program.ops[op].params;
        let key = keys[op]?;
        let start = params.iter().take(key).map(|&ty| program.types.width(ty)).sum();
        Some(start..start + program.types.width(*params.get(key)?))
    };
    program.ops.ids().map(words).collect::<Option<Vec<_>>>().map(IndexVec::from_iter)
}

/// Returns the parameter by which the clause accesses the state, if the clause accesses it in no other way.
fn key_of(program: &Program, method: &Method) -> Option<usize> {
    let mut key = None;
    for instr in method.code.iter() {
        if is_beyond(&instr.op) {
            return None;
        }
        if instr.op.places().is_empty() {
            continue;
        }
        let Op::Collection { on: Target::Shared(place), method: called, args, .. } = &instr.op else {
            return None;
        };
        if !is_by_key(program, place, *called) {
            return None;
        }
        let param = local(args.first()?)?;
        let at = method.params.iter().position(|known| *known == param)?;
        if key.is_some_and(|known| known != at) {
            return None;
        }
        key = Some(at);
    }
    let key = key?;
    let is_changed = |op: &Op| {
        op.defines() == Some(method.params[key]) || op.updates().any(|local| local == method.params[key])
    };
    (!method.code.iter().any(|instr| is_changed(&instr.op))).then_some(key)
}

/// Checks that a method of a whole state variable accesses only the element of its first argument.
fn is_by_key(program: &Program, place: &Place, method: CollectionMethod) -> bool {
    use CollectionMethod::*;
    is_whole(place)
        && match program.types.kind(place.ty) {
            TypeKind::Set(_) => matches!(method, Contains | Add | Remove),
            TypeKind::Map(..) => matches!(method, Contains | Insert | Lookup | RemoveKey),
            _ => false,
        }
}

/// Checks for instructions beyond this analysis: functions that may touch the state, and hashes, which all
/// calls share.
fn is_beyond(op: &Op) -> bool {
    let mut found = matches!(op, Op::Call { .. });
    op.operands(&mut |operand| {
        operand.for_each(&mut |part| found |= matches!(part.kind, ExprKind::Hash(..)));
    });
    found
}

fn container(program: &Program) -> Option<IndexVec<OpId, Role>> {
    let spec = &program.spec;
    let [state] = spec.globals.variables.iter().collect::<Vec<_>>()[..] else { return None };
    let TypeKind::Seq(element) = program.types.kind(state.ty) else { return None };
    // An optional element could be confused with `none`.
    if matches!(program.types.kind(element), TypeKind::Option(_)) {
        return None;
    }
    if !begins_with_defaults(program) {
        return None;
    }
    let mut roles: IndexVec<OpId, Option<Role>> = program.ops.iter().map(|_| None).collect();
    for clause in &spec.clauses {
        let op = only_head(clause)?.op;
        let role = role_of(program, element, clause)?;
        if roles[op].as_ref().is_some_and(|known| *known != role) {
            return None;
        }
        roles[op] = Some(role);
    }
    roles.iter().cloned().collect::<Option<Vec<_>>>().map(IndexVec::from_iter)
}

fn role_of(program: &Program, element: TypeId, clause: &Clause) -> Option<Role> {
    let head = only_head(clause)?;
    let mut walk = Walk { types: &program.types, method: &clause.method, ends: Vec::new() };
    walk.from(clause.method.entry, Path::default(), 0)?;
    let change =
        only(&walk.ends.iter().filter_map(|path| path.change.map(|(_, end)| end)).collect::<Vec<_>>());
    let is_taking = walk.ends.iter().any(|end| matches!(end.change, Some((Change::Took, _))));
    if !is_taking {
        let [param] = program.ops[head.op].params[..] else { return None };
        // The end at which the element is put must not depend on the other elements.
        let all_put = walk
            .ends
            .iter()
            .all(|path| matches!(path.change, Some((Change::Put, _))) && path.is_empty.is_none());
        let waits = walk.ends.iter().any(|path| path.waits_for_room);
        let role = Role::Put { end: change?, waits };
        return (param == element && all_put && head.result.is_none()).then_some(role);
    }
    if !program.ops[head.op].params.is_empty() {
        return None;
    }
    let by_object = program.ops[head.op].result?;
    let element_at = match program.types.kind(by_object) {
        TypeKind::Option(of) if of == element => usize::from(!program.types.option_is_flat(element)),
        _ if by_object == element => 0,
        _ => return None,
    };
    let mut nothing = None;
    for end in &walk.ends {
        match (end.change, &end.returned) {
            (Some((Change::Took, _)), Some(Term::Taken)) => {}
            (None, Some(Term::None)) if end.is_empty == Some(true) => {
                let result = head.result.filter(|ty| program.types.kind(*ty) == TypeKind::Option(element))?;
                let words = program.types.defaults(result);
                nothing = Some(as_returned(program, head.op, Some(words.into())));
            }
            _ => return None,
        }
    }
    Some(Role::Take { end: change?, nothing, element_at })
}

/// Known facts about a value of a clause.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Term {
    /// The truth of "the `seq` is empty", or its negation if `false`.
    Empty(bool),
    Length,
    /// The element that was taken out.
    Taken,
    None,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Change {
    Put,
    Took,
}

/// A path through a clause.
#[derive(Clone, Default)]
struct Path {
    terms: FxHashMap<LocalId, Term>,
    is_empty: Option<bool>,
    change: Option<(Change, End)>,
    waits_for_room: bool,
    returned: Option<Term>,
}

struct Walk<'m> {
    types: &'m TypeTable,
    method: &'m Method,
    ends: Vec<Path>,
}

/// The largest number of instructions on a path. Clauses of containers are short.
const LONGEST_PATH: usize = 32;

impl Walk<'_> {
    /// Follows all paths from here to the returns; `None` if the analysis does not understand an instruction.
    fn from(&mut self, at: Pc, mut path: Path, steps: usize) -> Option<()> {
        if steps > LONGEST_PATH {
            return None;
        }
        let instr = self.method.code.get(at)?;
        match &instr.op {
            Op::Collection { into, on: Target::Shared(place), method, args } => {
                if !is_whole(place) || path.change.is_some() {
                    return None;
                }
                let term = self.on_state(*method, args, &mut path)?;
                if let (Some(into), Some(term)) = (into, term) {
                    path.terms.insert(into.whole_local()?, term);
                }
            }
            Op::Assign { to, value } => {
                let term = path.term(self.types, value)?;
                path.terms.insert(to.whole_local()?, term);
            }
            Op::Await(cond) => path.wait(self.types, cond)?,
            Op::Branch { cond, then, otherwise } => {
                let Term::Empty(if_empty) = path.term(self.types, cond)? else { return None };
                for (to, is_empty) in [(*then, if_empty), (*otherwise, !if_empty)] {
                    if path.is_empty.is_none_or(|known| known == is_empty) {
                        let path = Path { is_empty: Some(is_empty), ..path.clone() };
                        self.from(to, path, steps + 1)?;
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

    /// Returns the result of a method of the `seq`.
    fn on_state(&self, method: CollectionMethod, args: &[Expr], path: &mut Path) -> Option<Option<Term>> {
        match method {
            CollectionMethod::IsEmpty => Some(Some(Term::Empty(true))),
            CollectionMethod::Len => Some(Some(Term::Length)),
            CollectionMethod::PushBack | CollectionMethod::PushFront => {
                let is_param = local(args.first()?) == self.method.params.first().copied();
                let is_back = method == CollectionMethod::PushBack;
                path.change = Some((Change::Put, if is_back { End::Back } else { End::Front }));
                is_param.then_some(None)
            }
            CollectionMethod::PopBack | CollectionMethod::PopFront => {
                let is_back = method == CollectionMethod::PopBack;
                path.change = Some((Change::Took, if is_back { End::Back } else { End::Front }));
                Some(Some(Term::Taken))
            }
            _ => None,
        }
    }
}

impl Path {
    fn term(&self, types: &TypeTable, expr: &Expr) -> Option<Term> {
        match &expr.kind {
            ExprKind::Local(local) => self.terms.get(local).copied(),
            ExprKind::Unary(UnaryOp::Not, inner) => match self.term(types, inner)? {
                Term::Empty(is) => Some(Term::Empty(!is)),
                _ => None,
            },
            ExprKind::Some(inner) => self.term(types, inner).filter(|term| *term == Term::Taken),
            ExprKind::Constant(words) => {
                let is_optional = matches!(types.kind(expr.ty), TypeKind::Option(_));
                (is_optional && *words == types.defaults(expr.ty)).then_some(Term::None)
            }
            _ => None,
        }
    }

    /// Waits for an element, or for the length to be below a constant.
    fn wait(&mut self, types: &TypeTable, cond: &Expr) -> Option<()> {
        if let ExprKind::Binary(BinaryOp::Lt | BinaryOp::Le, left, right) = &cond.kind {
            let is_room =
                self.term(types, left) == Some(Term::Length) && matches!(right.kind, ExprKind::Constant(_));
            self.waits_for_room |= is_room;
            return is_room.then_some(());
        }
        match self.term(types, cond)? {
            Term::Empty(false) if self.is_empty != Some(true) => {
                self.is_empty = Some(false);
                Some(())
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
