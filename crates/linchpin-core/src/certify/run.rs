//! The steps of a program on configurations: the checker's own reading of every instruction.
//!
//! Where a configuration does not say how a step goes on, it is split into the cases. A case ends with the step, where it is blocked, or with
//! an error of the execution; what an invariant must exclude is a [`Trouble`].

use super::certificate::{Effect, Rest, SAME, Symbol};
use super::config::{Config, Home, Trouble, Val, Values, What};
use super::graph::{Algebra, Graph, Labels};
use super::layout::{Frame, Layout, Part};
use super::link::Group;
use crate::index::Index;
use crate::ir::fragment::{
    HeapBase, HeapExpr, HeapInstr, HeapLocal, HeapMethod, HeapOp, HeapPlace, HeapScalar, HeapType,
};
use crate::ir::{Access, OpId, Pc};
use smallvec::{SmallVec, smallvec};
use std::collections::BTreeSet;

pub(super) type Case = Box<Config>;
pub(super) type Cases = SmallVec<[Case; 2]>;
pub(super) type Split = SmallVec<[(Case, bool); 2]>;
pub(super) type Checked<T> = Result<T, Trouble>;

/// What a step is run for.
pub(super) struct Runner<'r> {
    pub layout: &'r Layout,
    pub algebra: &'r Algebra,
    pub rests: &'r [Rest],
    /// By operation and instruction, the number of the rest in front of it.
    pub rest_numbers: &'r [Vec<Option<u16>>],
    /// The observers, and where none of them can accept any more; `None` for memory.
    pub group: Option<(&'r Group, &'r BTreeSet<u16>)>,
    /// For memory: the only shared variable that keeps cells.
    pub root: Option<usize>,
    /// It is claimed that no edge leads to a smaller label.
    pub ordered: bool,
}

const MOST_WORK: u32 = 10_000;

/// Sums beyond this may be anything.
const MOST_COUNTED: i16 = 16;

/// Where a place is.
pub(super) enum Located {
    /// These parts of the shared variables.
    Parts(std::ops::Range<usize>),
    InCell,
    /// An index beyond the array: the execution ends with a fault.
    OutOfBounds,
    Unclear,
}

impl Runner<'_> {
    /// No cells yet.
    pub fn empty_graph(&self) -> Graph {
        let labels = self.layout.label.map(|label| Labels { all: label.all, ordered: self.ordered });
        Graph::new(self.layout.sentinels(), labels)
    }

    pub fn is_memory(&self) -> bool {
        self.group.is_none()
    }

    /// Whether a trouble is one of what is asked.
    pub fn concerns(&self, trouble: &Trouble) -> bool {
        match trouble.what {
            What::Conformance(_) => !self.is_memory(),
            What::Memory(_) => self.is_memory(),
            What::Method(_) => true,
        }
    }

    /// Every end of a step, or of a call, of a thread. Ends that are in trouble are given apart.
    pub fn step(&self, config: &Config, actor: usize, troubles: &mut Vec<Trouble>) -> Vec<Case> {
        let mut ends = Vec::new();
        match config.threads[actor].at {
            Some(at) => {
                let rest = &self.rests[usize::from(at)];
                let frame = &self.layout.frames[rest.op.index()];
                let mut case = Box::new(config.clone());
                case.actor = actor;
                case.vars = frame.parts.iter().map(|_| Val::Is(Symbol::Unknown)).collect();
                for (slot, value) in rest.slots.iter().zip(&config.threads[actor].slots) {
                    for at in frame.local(slot.slot.local, Some(slot.slot.part)) {
                        case.vars[at] = *value;
                    }
                }
                self.follow(case, Some(rest.op), rest.pc, true, &mut ends, troubles);
            }
            None => {
                for op in self.layout.heap.ops().ids() {
                    let entry = self.layout.heap.ops()[op].method.entry;
                    for case in self.calls(config, actor, op) {
                        self.follow(case, Some(op), entry, false, &mut ends, troubles);
                    }
                }
            }
        }
        ends.iter_mut().for_each(|end| end.forget(self.rests));
        ends
    }

    /// Every end of `init`, which the thread that is put last runs.
    pub fn init(&self, config: Config, troubles: &mut Vec<Trouble>) -> Vec<Case> {
        let mut case = Box::new(config);
        case.actor = case.threads.len() - 1;
        case.vars = self.layout.init.parts.iter().map(|part| default(*part)).collect();
        let mut ends = Vec::new();
        self.follow(case, None, self.layout.heap.init().entry, true, &mut ends, troubles);
        ends
    }

    /// An idle thread calls an operation, with each choice of arguments. No value of an observer variable is an argument twice.
    fn calls(&self, config: &Config, actor: usize, op: OpId) -> Vec<Case> {
        let method = &self.layout.heap.ops()[op].method;
        let frame = &self.layout.frames[op.index()];
        let mut first = Box::new(config.clone());
        first.actor = actor;
        first.vars = frame.parts.iter().map(|part| default(*part)).collect();
        let mut cases = vec![first];
        for param in &method.params {
            let choices: Vec<Symbol> = match &method.locals[*param].ty {
                HeapType::Scalar(HeapScalar::Bool) => vec![Symbol::Small(0), Symbol::Small(1)],
                HeapType::Scalar(HeapScalar::Small { low, high }) => {
                    (*low..=*high).filter_map(|value| i8::try_from(value).ok()).map(Symbol::Small).collect()
                }
                HeapType::Scalar(HeapScalar::Key) => (0..super::link::KEY_CLASSES).map(Symbol::Key).collect(),
                HeapType::Scalar(HeapScalar::Data) => {
                    let variables = self.group.map_or(0, |(group, _)| group.variables as u8);
                    (0..variables).map(Symbol::Tracked).chain([Symbol::Other]).collect()
                }
                _ => vec![Symbol::Unknown],
            };
            let mut longer = Vec::new();
            for case in &cases {
                for choice in &choices {
                    let mut case = case.clone();
                    if let Symbol::Tracked(variable) = choice {
                        if case.used >> variable & 1 == 1 {
                            continue;
                        }
                        case.used |= 1 << variable;
                        case.visible = true;
                    }
                    for at in frame.local(*param, None) {
                        case.vars[at] = Val::Is(*choice);
                    }
                    longer.push(case);
                }
            }
            cases = longer;
        }
        cases
    }

    pub fn code(&self, op: Option<OpId>) -> (&HeapMethod, &Frame) {
        match op {
            Some(op) => (&self.layout.heap.ops()[op].method, &self.layout.frames[op.index()]),
            None => (self.layout.heap.init(), &self.layout.init),
        }
    }

    /// From an instruction to the end of the step. A call takes the first access only if it cannot block.
    fn follow(
        &self,
        case: Case,
        op: Option<OpId>,
        from: Pc,
        resumed: bool,
        ends: &mut Vec<Case>,
        troubles: &mut Vec<Trouble>,
    ) {
        let (method, _) = self.code(op);
        let mut open = vec![(case, from, false)];
        while let Some((mut case, pc, mut accessed)) = open.pop() {
            let instr = &method.code[pc];
            if let (Access::Step { can_block }, Some(op)) = (instr.access, op) {
                if accessed || (can_block && !resumed) {
                    self.attempt(self.rest(case, op, pc, instr.span), ends, troubles);
                    continue;
                }
                accessed = true;
            }
            case.fuel += 1;
            if case.fuel > MOST_WORK {
                let what = What::Method("local work may not end");
                troubles.push(Trouble { what, span: instr.span });
                continue;
            }
            if let HeapOp::Return(value) = &instr.op {
                self.attempt(self.end(case, op, value.as_ref(), instr.span), ends, troubles);
                continue;
            }
            let mut next = Vec::new();
            self.attempt(self.instruction(case, op, instr), &mut next, troubles);
            open.extend(next.into_iter().map(|(case, pc)| (case, pc, accessed)));
        }
    }

    fn attempt<T>(&self, outcome: (Vec<T>, Vec<Trouble>), cases: &mut Vec<T>, troubles: &mut Vec<Trouble>) {
        cases.extend(outcome.0);
        troubles.extend(outcome.1);
    }

    fn instruction(
        &self,
        mut case: Case,
        op: Option<OpId>,
        instr: &HeapInstr,
    ) -> (Vec<(Case, Pc)>, Vec<Trouble>) {
        let (_, frame) = self.code(op);
        let mut after = Vec::new();
        let mut troubles = Vec::new();
        let next = instr.next;
        match &instr.op {
            HeapOp::Atomic { .. } => after.push((case, next)),
            HeapOp::Assign { to, value } => {
                for (mut case, values) in self.value(frame, case, value) {
                    assign(frame, &mut case, to, &values);
                    after.push((case, next));
                }
            }
            HeapOp::Branch { cond, then, otherwise } => {
                let split = self.condition(frame, case, cond);
                after.extend(
                    split.into_iter().map(|(case, yes)| (case, if yes { *then } else { *otherwise })),
                );
            }
            HeapOp::ChooseBool { into } => {
                for chosen in [0, 1] {
                    let mut case = case.clone();
                    frame.local(*into, None).for_each(|at| case.vars[at] = Val::Is(Symbol::Small(chosen)));
                    after.push((case, next));
                }
            }
            HeapOp::Assert(cond) | HeapOp::Assume(cond) | HeapOp::Await(cond) => {
                let split = self.condition(frame, case, cond);
                after.extend(split.into_iter().filter(|(_, yes)| *yes).map(|(case, _)| (case, next)));
            }
            HeapOp::Lin { maybe, cond } => {
                let split = match cond {
                    Some(cond) => self.condition(frame, case, cond),
                    None => smallvec![(case, true)],
                };
                for (case, yes) in split {
                    match if yes { self.point(case, op, *maybe, instr.span) } else { Ok(case) } {
                        Ok(case) => after.push((case, next)),
                        Err(trouble) => troubles.push(trouble),
                    }
                }
            }
            HeapOp::Load { into, from } => {
                for (mut case, values) in self.read(frame, case, from, instr.span, &mut troubles) {
                    assign(frame, &mut case, into, &values);
                    after.push((case, next));
                }
            }
            HeapOp::Store { to, value } => {
                for (case, values) in self.value(frame, case, value) {
                    let written = self.write(frame, case, to, &values, instr.span, &mut troubles);
                    after.extend(written.into_iter().map(|case| (case, next)));
                }
            }
            HeapOp::Swap { into, place, value } => {
                for (case, values) in self.value(frame, case, value) {
                    for (case, old) in self.read(frame, case, place, instr.span, &mut troubles) {
                        for mut case in self.write(frame, case, place, &values, instr.span, &mut troubles) {
                            into.iter().for_each(|into| assign(frame, &mut case, into, &old));
                            after.push((case, next));
                        }
                    }
                }
            }
            HeapOp::Cas { into, place, old, new } | HeapOp::CmpXchg { into, place, old, new } => {
                let tells_value = matches!(instr.op, HeapOp::CmpXchg { .. });
                for (case, found) in self.read(frame, case, place, instr.span, &mut troubles) {
                    let wanted = self.parts(frame, &case, old);
                    for (case, equal) in self.equal(case, &found, &wanted) {
                        let values = self.parts(frame, &case, new);
                        let done: Cases = if equal {
                            self.write(frame, case, place, &values, instr.span, &mut troubles)
                        } else {
                            smallvec![case]
                        };
                        let success: Values = smallvec![Val::Is(Symbol::Small(i8::from(equal)))];
                        let told = if tells_value { &found } else { &success };
                        for mut case in done {
                            into.iter().for_each(|into| assign(frame, &mut case, into, told));
                            after.push((case, next));
                        }
                    }
                }
            }
            HeapOp::New { into, fields, .. } => {
                for (mut case, cell) in self.allocate(frame, case, op, fields, instr.span, &mut troubles) {
                    assign(frame, &mut case, into, &[cell]);
                    after.push((case, next));
                }
            }
            HeapOp::Free(pointer) => {
                let freed = self.free(frame, case, pointer, instr.span, &mut troubles);
                after.extend(freed.into_iter().map(|case| (case, next)));
            }
            HeapOp::Lock(place) | HeapOp::TryLock { place, .. } => {
                let bit = match self.lock(frame, &case, place) {
                    Ok(Some(bit)) => bit,
                    Ok(None) => return (Vec::new(), Vec::new()),
                    Err(what) => return (Vec::new(), vec![Trouble { what, span: instr.span }]),
                };
                let free = case.held & bit == 0;
                if free {
                    case.held |= bit;
                    case.me().holds |= bit;
                    case.visible = true;
                }
                if let HeapOp::TryLock { into, .. } = &instr.op {
                    let told = Val::Is(Symbol::Small(i8::from(free)));
                    into.iter().for_each(|into| assign(frame, &mut case, into, &[told]));
                    after.push((case, next));
                } else if free {
                    after.push((case, next));
                }
            }
            HeapOp::IsLocked { into, place } => {
                let held = match self.lock(frame, &case, place) {
                    Ok(Some(bit)) => case.held & bit != 0,
                    Ok(None) => return (Vec::new(), Vec::new()),
                    Err(what) => return (Vec::new(), vec![Trouble { what, span: instr.span }]),
                };
                let told = Val::Is(Symbol::Small(i8::from(held)));
                into.iter().for_each(|into| assign(frame, &mut case, into, &[told]));
                after.push((case, next));
            }
            HeapOp::Unlock(place) => match self.lock(frame, &case, place) {
                Ok(Some(bit)) if case.me().holds & bit != 0 => {
                    case.held &= !bit;
                    case.me().holds &= !bit;
                    case.visible = true;
                    after.push((case, next));
                }
                Ok(_) => {}
                Err(what) => troubles.push(Trouble { what, span: instr.span }),
            },
            HeapOp::Dcas { .. } | HeapOp::Return(_) => {
                let what = What::Method("an instruction that this method does not take");
                troubles.push(Trouble { what, span: instr.span });
            }
        }
        (after, troubles)
    }

    /// The bit of a lock; `None` where its index is out of bounds, which ends the execution.
    fn lock(&self, frame: &Frame, case: &Config, place: &HeapPlace) -> Result<Option<u32>, What> {
        match self.shared_parts(frame, case, place) {
            Located::Parts(parts) => match self.layout.lock_bit(&parts) {
                0 => Err(What::Method("a lock that is none")),
                bit => Ok(Some(bit)),
            },
            Located::OutOfBounds => Ok(None),
            Located::Unclear => Err(What::Method("the index may be anything")),
            Located::InCell => Err(What::Method("a lock in a cell")),
        }
    }

    /// Where a place is among the shared variables.
    pub fn shared_parts(&self, frame: &Frame, case: &Config, place: &HeapPlace) -> Located {
        match &place.base {
            HeapBase::Global(global) => Located::Parts(self.layout.shared(*global, 0, 0, place.part)),
            HeapBase::Element { array, index, field } => match self.parts(frame, case, index)[..] {
                [Val::Is(Symbol::Small(number))] => match usize::try_from(number) {
                    Ok(element) if element < self.layout.elements(*array) => {
                        Located::Parts(self.layout.shared(*array, element, *field, place.part))
                    }
                    _ => Located::OutOfBounds,
                },
                _ => Located::Unclear,
            },
            HeapBase::Field { .. } => Located::InCell,
        }
    }

    fn value(&self, frame: &Frame, case: Case, expr: &HeapExpr) -> SmallVec<[(Case, Values); 2]> {
        use HeapExpr::*;
        match expr {
            Not(_) | And(..) | Or(..) | Equal(..) | Less(..) => {
                let split = self.condition(frame, case, expr).into_iter();
                split.map(|(case, yes)| (case, smallvec![Val::Is(Symbol::Small(i8::from(yes)))])).collect()
            }
            _ => {
                let values = self.parts(frame, &case, expr);
                smallvec![(case, values)]
            }
        }
    }

    /// The value of an expression in which nothing is decided.
    pub fn parts(&self, frame: &Frame, case: &Config, expr: &HeapExpr) -> Values {
        let is = |symbol| smallvec![Val::Is(symbol)];
        match expr {
            HeapExpr::Null => is(Symbol::Null),
            HeapExpr::None => is(Symbol::Absent),
            HeapExpr::Undefined => is(Symbol::Undefined),
            HeapExpr::Bool(yes) => is(Symbol::Small(i8::from(*yes))),
            HeapExpr::Small(number) => is(i8::try_from(*number).map_or(Symbol::Unknown, Symbol::Small)),
            HeapExpr::Local(local) => frame.local(*local, None).map(|at| case.vars[at]).collect(),
            HeapExpr::Part(of, part) => {
                let parts = self.parts(frame, case, of);
                smallvec![parts.get(*part).copied().unwrap_or(Val::Is(Symbol::Unknown))]
            }
            HeapExpr::Some(of) => self.parts(frame, case, of),
            HeapExpr::Word(all) => all.iter().flat_map(|part| self.parts(frame, case, part)).collect(),
            HeapExpr::NextAge(of) => match self.parts(frame, case, of)[..] {
                [Val::Age { current, stepped: false, home }] => {
                    smallvec![Val::Age { current, stepped: true, home }]
                }
                _ => smallvec![Val::Age { current: false, stepped: true, home: Home::Lost }],
            },
            HeapExpr::KeyMin => is(Symbol::Key(0)),
            HeapExpr::KeyMax => is(Symbol::Key(super::link::KEY_CLASSES - 1)),
            HeapExpr::Plus(a, b) | HeapExpr::Minus(a, b) => {
                let sign = if matches!(expr, HeapExpr::Plus(..)) { 1 } else { -1 };
                match (&self.parts(frame, case, a)[..], &self.parts(frame, case, b)[..]) {
                    ([Val::Is(Symbol::Small(a))], [Val::Is(Symbol::Small(b))]) => {
                        let sum = i16::from(*a) + sign * i16::from(*b);
                        let counted = Some(sum).filter(|sum| sum.abs() <= MOST_COUNTED);
                        is(counted.map_or(Symbol::Unknown, |sum| Symbol::Small(sum as i8)))
                    }
                    _ => is(Symbol::Unknown),
                }
            }
            _ => is(Symbol::Unknown),
        }
    }

    pub fn condition(&self, frame: &Frame, case: Case, cond: &HeapExpr) -> Split {
        match cond {
            HeapExpr::Not(inner) => {
                let split = self.condition(frame, case, inner).into_iter();
                split.map(|(case, yes)| (case, !yes)).collect()
            }
            HeapExpr::And(a, b) | HeapExpr::Or(a, b) => {
                let goes_on = matches!(cond, HeapExpr::And(..));
                let mut all = Split::new();
                for (case, yes) in self.condition(frame, case, a) {
                    if yes == goes_on {
                        all.extend(self.condition(frame, case, b));
                    } else {
                        all.push((case, yes));
                    }
                }
                all
            }
            HeapExpr::Equal(a, b) => {
                let mut all = Split::new();
                for (case, left) in self.value(frame, case, a) {
                    for (case, right) in self.value(frame, case, b) {
                        all.extend(self.equal(case, &left, &right));
                    }
                }
                all
            }
            HeapExpr::Less(a, b) => {
                match (self.parts(frame, &case, a)[..].first(), self.parts(frame, &case, b)[..].first()) {
                    (Some(Val::Is(Symbol::Small(a))), Some(Val::Is(Symbol::Small(b)))) => {
                        smallvec![(case, a < b)]
                    }
                    // Every key of a class is smaller than every one of the next.
                    (Some(Val::Is(Symbol::Key(a))), Some(Val::Is(Symbol::Key(b)))) if a != b => {
                        smallvec![(case, a < b)]
                    }
                    _ => smallvec![(case.clone(), true), (case, false)],
                }
            }
            _ => match self.parts(frame, &case, cond)[..] {
                [Val::Is(Symbol::Small(number))] => smallvec![(case, number != 0)],
                _ => smallvec![(case.clone(), true), (case, false)],
            },
        }
    }

    /// Whether two values are equal: the cases in which all parts are, and those in which one is not. Nothing more is found out of
    /// values of which a part is known to differ.
    fn equal(&self, case: Case, left: &[Val], right: &[Val]) -> Split {
        if left.iter().zip(right).any(|(a, b)| known_equal(&case, *a, *b) == Some(false)) {
            return smallvec![(case, false)];
        }
        let mut all = Split::new();
        let mut equal: Cases = smallvec![case];
        for (a, b) in left.iter().zip(right) {
            let mut still = Cases::new();
            for case in equal {
                for (case, yes) in self.equal_part(case, *a, *b) {
                    if yes {
                        still.push(case);
                    } else {
                        all.push((case, false));
                    }
                }
            }
            equal = still;
        }
        all.extend(equal.into_iter().map(|case| (case, true)));
        all
    }

    fn equal_part(&self, case: Case, a: Val, b: Val) -> Split {
        match (known_equal(&case, a, b), a, b) {
            (Some(yes), _, _) => smallvec![(case, yes)],
            (None, Val::Node(a), Val::Node(b)) => self.split(case, a, b, SAME),
            (None, _, _) => smallvec![(case.clone(), true), (case, false)],
        }
    }

    /// The cases in which two nodes are so related, and those in which they are not.
    pub fn split(&self, case: Case, a: u8, b: u8, set: u8) -> Split {
        let (a, b) = (usize::from(a), usize::from(b));
        let now = case.graph.get(a, b);
        if now & set == 0 || now & !set == 0 {
            return smallvec![(case, now & set != 0)];
        }
        let mut all = Split::new();
        for (kept, yes) in [(set, true), (!set, false)] {
            let mut case = case.clone();
            if case.graph.restrict(self.algebra, a, b, kept).is_ok() {
                all.push((case, yes));
            }
        }
        all
    }

    /// A linearization point, passed by the actor.
    fn point(
        &self,
        mut case: Case,
        op: Option<OpId>,
        maybe: bool,
        span: crate::source::Span,
    ) -> Checked<Case> {
        let (Some((group, _)), Some(op)) = (self.group, op) else { return Ok(case) };
        let trouble = |text: &str| Trouble { what: What::Conformance(text.into()), span };
        let (method, frame) = self.code(Some(op));
        let args: SmallVec<[Val; 2]> = method
            .params
            .iter()
            .flat_map(|param| frame.local(*param, None))
            .map(|at| case.vars[at])
            .collect();
        if args.contains(&Val::Is(Symbol::Unknown)) {
            return Err(trouble("the arguments are not clear at the point"));
        }
        match (case.me().effect, maybe) {
            (Effect::Done(_) | Effect::Due, true) => Ok(case),
            (Effect::Done(_) | Effect::Due, false) => Err(trouble("a call may take effect twice")),
            (_, false) => {
                case.me().effect = Effect::Due;
                case.event = Some(args);
                Ok(case)
            }
            (_, true) => {
                let event = self.event(op, &args, Some(Symbol::Absent));
                let to = group.step(case.location, &event);
                let right = group.accepting(to).is_none();
                if right && to != case.location {
                    return Err(trouble("a tentative point may change what observers know"));
                }
                case.me().effect = Effect::Tentative { right };
                Ok(case)
            }
        }
    }
}

/// Whether two parts are equal, where that is known.
fn known_equal(case: &Config, a: Val, b: Val) -> Option<bool> {
    use Symbol::{Absent, Null, Small};
    match (a, b) {
        (Val::Node(a), Val::Node(b)) => match case.graph.get(usize::from(a), usize::from(b)) {
            SAME => Some(true),
            set if set & SAME == 0 => Some(false),
            _ => None,
        },
        (Val::Is(Null), Val::Is(Null)) | (Val::Is(Absent), Val::Is(Absent)) => Some(true),
        (Val::Is(Null), Val::Node(_)) | (Val::Node(_), Val::Is(Null)) => Some(false),
        (Val::Is(Small(a)), Val::Is(Small(b))) => Some(a == b),
        (Val::Is(Symbol::Key(a)), Val::Is(Symbol::Key(b))) if a != b => Some(false),
        (Val::Is(Absent), Val::Is(Small(_) | Symbol::Key(_) | Symbol::Tracked(_) | Symbol::Other))
        | (Val::Is(Small(_) | Symbol::Key(_) | Symbol::Tracked(_) | Symbol::Other), Val::Is(Absent)) => {
            Some(false)
        }
        // Two copies of one age: the current one is unlike all that are not.
        (Val::Age { current: a, stepped: s, home: h }, Val::Age { current: b, stepped: t, home: k })
            if s == t && h == k && h != Home::Lost =>
        {
            match (a, b) {
                (true, true) => Some(true),
                (false, false) => None,
                _ => Some(false),
            }
        }
        _ => None,
    }
}

fn assign(frame: &Frame, case: &mut Config, to: &HeapLocal, values: &[Val]) {
    for (at, value) in frame.local(to.local, to.part).zip(values) {
        case.vars[at] = *value;
    }
}

/// What a variable holds before anything is assigned to it.
pub(super) fn default(part: Part) -> Val {
    Val::Is(match part {
        Part::Pointer => Symbol::Null,
        Part::Data | Part::Key => Symbol::Undefined,
        Part::Small(default) => Symbol::Small(default),
        Part::Age | Part::Lock => Symbol::Unknown,
    })
}
