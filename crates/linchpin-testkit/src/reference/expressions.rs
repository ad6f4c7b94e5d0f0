//! Expressions: operands left to right, each shared read an access of its own.

use super::memory::{CellId, CellMemory, Segment, SharedRoot};
use super::thread::{At, Fault, Frame, Resolved, Root, Run, Stop, Thread};
use super::value::Value;
use linchpin_frontend::typing::hir::{
    BinaryOp, FunctionId, HashId, Sequence, TypedExpr, TypedExprKind, UnaryOp, VarId,
};
use linchpin_ir::index::Index;
use linchpin_ir::source::Span;
use linchpin_ir::types::{Pointee, StructId, TypeId, TypeKind};
use std::collections::BTreeMap;

impl Thread<'_> {
    pub fn value(&mut self, expr: &TypedExpr) -> Run<Value> {
        let span = expr.span;
        Ok(match &expr.kind {
            TypedExprKind::Constant(words) => {
                let empty = |_| &[][..];
                Value::decode(&self.program.types, &empty, expr.ty, &mut &words[..])
            }
            TypedExprKind::Me => Value::Thread(self.me.expect("`init` has no `me`")),
            TypedExprKind::Read(place) => {
                let from = self.resolve(place)?;
                self.read(&from, span)?
            }
            TypedExprKind::Unary(UnaryOp::Not, of) => Value::Bool(!self.truth(of)?),
            TypedExprKind::Unary(UnaryOp::Neg, of) => Value::Number(-self.number(of)?),
            TypedExprKind::Binary(BinaryOp::And, left, right) => {
                Value::Bool(self.truth(left)? && self.truth(right)?)
            }
            TypedExprKind::Binary(BinaryOp::Or, left, right) => {
                Value::Bool(self.truth(left)? || self.truth(right)?)
            }
            TypedExprKind::Binary(op, left, right) => {
                let left = self.value(left)?;
                let right = self.value(right)?;
                binary(*op, &left, &right).at(span)?
            }
            TypedExprKind::Some(of) => Value::Some(Box::new(self.value(of)?)),
            TypedExprKind::ToRange { value, low, high } => {
                let number = self.number(value)?;
                within(number, *low, *high).at(span)?
            }
            TypedExprKind::Unwrap(of) => match self.value(of)? {
                Value::Some(value) => *value,
                Value::None => return Err(Stop::Fault(Fault::Unwrap, span)),
                other => panic!("{other:?} is not optional"),
            },
            TypedExprKind::Word { fields, order, .. } => {
                let mut values = vec![Value::Unit; fields.len()];
                let unnamed = (0..fields.len()).filter(|field| !order.contains(field));
                for field in order.iter().copied().chain(unnamed) {
                    values[field] = self.value(&fields[field])?;
                }
                Value::Record(values)
            }
            TypedExprKind::Array(elements) => Value::Array(self.values(elements)?),
            TypedExprKind::Repeat(element, times) => {
                Value::Array(vec![self.value(element)?; *times as usize])
            }
            TypedExprKind::Collection(elements) => {
                let elements = self.values(elements)?;
                self.literal(expr.ty, elements, span)?
            }
            TypedExprKind::New { of, fields } => self.new_struct(*of, fields, span)?,
            TypedExprKind::NewArray { value, len } => self.new_array(expr.ty, value, len, span)?,
            TypedExprKind::ArrayLen(array) => {
                let pointer = self.value(array)?;
                self.access(|thread| match &thread.memory.cell(&pointer).at(span)?.contents {
                    Value::Array(elements) => Ok(Value::count(elements.len())),
                    other => panic!("{other:?} is not an array"),
                })?
            }
            TypedExprKind::Call { function, self_place, args } => {
                let self_place = self_place.as_ref().map(|place| self.resolve(place)).transpose()?;
                let args = self.values(args)?;
                self.enter(*function, self_place, args)?
            }
            TypedExprKind::Hash(hash, of) => {
                let of = self.value(of)?;
                self.hash(*hash, of, span)?
            }
            TypedExprKind::Ord(of) => match self.value(of)? {
                Value::Number(number) => Value::Number(number),
                Value::Bool(b) => Value::Number(b.into()),
                Value::Thread(t) => Value::count(t),
                Value::Undefined => return Err(Stop::Fault(Fault::Undefined, span)),
                other => panic!("{other:?} has no number"),
            },
            TypedExprKind::Choose { var, from, cond } => self.choose(*var, from, cond.as_deref())?,
            TypedExprKind::Primitive(primitive) => self.primitive(primitive, span)?,
            TypedExprKind::Method { receiver, method, args } => self.method(receiver, *method, args, span)?,
            TypedExprKind::Quantifier { all, collection, var, body } => {
                let elements = elements(&self.value(collection)?);
                let mut holds = *all;
                for element in elements {
                    self.set_var(*var, element);
                    if self.truth(body)? != *all {
                        holds = !*all;
                        break;
                    }
                }
                Value::Bool(holds)
            }
        })
    }

    pub fn values(&mut self, exprs: &[TypedExpr]) -> Run<Vec<Value>> {
        exprs.iter().map(|expr| self.value(expr)).collect()
    }

    pub fn truth(&mut self, expr: &TypedExpr) -> Run<bool> {
        match self.value(expr)? {
            Value::Bool(b) => Ok(b),
            other => panic!("{other:?} is neither true nor false"),
        }
    }

    pub fn number(&mut self, expr: &TypedExpr) -> Run<i64> {
        match self.value(expr)? {
            Value::Number(n) => Ok(n),
            other => panic!("{other:?} is not a number"),
        }
    }

    /// Calls a function: values go in by copy, `self` is the place itself.
    pub fn enter(&mut self, id: FunctionId, self_place: Option<Resolved>, args: Vec<Value>) -> Run<Value> {
        let function = &self.program.functions[id];
        let mut frame = Frame::new(self.program, &function.vars);
        frame.self_place = self_place;
        for (param, value) in function.params.iter().zip(args) {
            frame.vars[param.index()] = value;
        }
        self.frames.push(frame);
        let result = self.function_body(&function.body)?;
        self.frames.pop();
        Ok(result)
    }

    /// What `for` and `choose` run over.
    pub fn sequence(&mut self, over: &Sequence) -> Run<Vec<Value>> {
        Ok(match over {
            Sequence::Range { low, high, inclusive, reversed } => {
                let low = self.number(low)?;
                let high = self.number(high)?;
                let mut numbers: Vec<Value> =
                    (low..high + i64::from(*inclusive)).map(Value::Number).collect();
                if *reversed {
                    numbers.reverse();
                }
                numbers
            }
            Sequence::Threads => (0..self.program.threads as usize).map(Value::Thread).collect(),
            Sequence::Collection(collection) => elements(&self.value(collection)?),
            Sequence::Bool => vec![Value::Bool(false), Value::Bool(true)],
        })
    }

    fn choose(&mut self, var: VarId, from: &Sequence, cond: Option<&TypedExpr>) -> Run<Value> {
        let mut candidates = Vec::new();
        for candidate in self.sequence(from)? {
            self.set_var(var, candidate.clone());
            if cond.map_or(Ok(true), |cond| self.truth(cond))? {
                candidates.push(candidate);
            }
        }
        let picked = self.choice(candidates.len())?;
        self.set_var(var, candidates[picked].clone());
        Ok(candidates.swap_remove(picked))
    }

    fn literal(&self, ty: TypeId, elements: Vec<Value>, span: Span) -> Run<Value> {
        Ok(match self.program.types.kind(ty) {
            TypeKind::Seq(_) => Value::Seq(elements),
            TypeKind::Map(..) => Value::Map(BTreeMap::new()),
            _ if elements.iter().any(Value::has_undefined) => {
                return Err(Stop::Fault(Fault::Undefined, span));
            }
            TypeKind::Set(_) => Value::Set(elements.into_iter().collect()),
            TypeKind::Bag(_) => {
                let mut bag = BTreeMap::new();
                for element in elements {
                    *bag.entry(element).or_insert(0) += 1;
                }
                Value::Bag(bag)
            }
            other => panic!("{other:?} is not a collection"),
        })
    }

    /// Under garbage collection the cell appears with its values; otherwise each of them is written in an
    /// access.
    fn new_struct(&mut self, of: StructId, fields: &[(usize, TypedExpr)], span: Span) -> Run<Value> {
        let mut named = Vec::new();
        for (field, expr) in fields {
            named.push((*field, self.value(expr)?));
        }
        let mut contents = Value::default_cell(&self.program.types, Pointee::Struct(of));
        if self.memory.kind == CellMemory::Gc {
            if let Value::Record(values) = &mut contents {
                for (field, value) in named {
                    values[field] = value;
                }
            }
            return self.allocate(Pointee::Struct(of), contents);
        }
        let cell = self.allocate(Pointee::Struct(of), contents)?;
        for (field, value) in named {
            let root = Root::Shared(SharedRoot::Behind(cell.clone()));
            let at = Resolved { root, path: vec![Segment::Field(field)] };
            self.write(&at, value, span)?;
        }
        Ok(cell)
    }

    fn new_array(&mut self, ty: TypeId, value: &TypedExpr, len: &TypedExpr, span: Span) -> Run<Value> {
        let TypeKind::Pointer(of) = self.program.types.kind(ty) else { panic!("`new` gives a pointer") };
        let value = self.value(value)?;
        let len = usize::try_from(self.number(len)?).map_err(|_| Stop::Fault(Fault::Index, span))?;
        self.allocate(of, Value::Array(vec![value; len]))
    }

    /// Takes a cell; with none left it is disabled.
    fn allocate(&mut self, of: Pointee, contents: Value) -> Run<Value> {
        self.access(|thread| {
            let candidates: Vec<CellId> = thread.memory.candidates(thread.nodes);
            let cell = candidates[thread.pick(candidates.len())?];
            thread.memory.allocate(cell, of, contents);
            Ok(Value::Pointer(cell))
        })
    }

    /// Chooses the value of an arbitrary function at its first use. An earlier choice would make no
    /// difference.
    fn hash(&mut self, id: HashId, of: Value, span: Span) -> Run<Value> {
        if of.has_undefined() {
            return Err(Stop::Fault(Fault::Undefined, span));
        }
        let hash = &self.program.hashes[id];
        if let Some(body) = &hash.body {
            let mut frame = Frame::new(self.program, &hash.vars);
            frame.vars[hash.param.index()] = of;
            self.frames.push(frame);
            let result = self.value(body)?;
            self.frames.pop();
            return Ok(result);
        }
        let TypeKind::Range { low, high } = self.program.types.kind(hash.result) else {
            panic!("an arbitrary hash has a range as its result")
        };
        self.access(|thread| {
            let question = (id.index(), of);
            if let Some(known) = thread.memory.hashes.get(&question) {
                return Ok(known.clone());
            }
            let results: Vec<i64> = (low..=high).collect();
            let answer = Value::Number(results[thread.pick(results.len())?]);
            thread.memory.hashes.insert(question, answer.clone());
            Ok(answer)
        })
    }
}

/// Whether two values are equal. Asking it of an undefined one is a fault, also where another part decides;
/// only `none` differs from everything that is there.
pub fn equal(left: &Value, right: &Value) -> Result<bool, Fault> {
    match (left, right) {
        (Value::None, _) | (_, Value::None) => Ok(left == right),
        (Value::Some(left), Value::Some(right)) => equal(left, right),
        (Value::Record(left), Value::Record(right)) | (Value::Array(left), Value::Array(right)) => {
            let mut same = true;
            for (left, right) in left.iter().zip(right) {
                same &= equal(left, right)?;
            }
            Ok(same)
        }
        _ if left.has_undefined() || right.has_undefined() => Err(Fault::Undefined),
        _ => Ok(left == right),
    }
}

pub fn within(number: i64, low: i64, high: i64) -> Result<Value, Fault> {
    if (low..=high).contains(&number) { Ok(Value::Number(number)) } else { Err(Fault::Range) }
}

pub fn binary(op: BinaryOp, left: &Value, right: &Value) -> Result<Value, Fault> {
    match op {
        BinaryOp::Eq => return Ok(Value::Bool(equal(left, right)?)),
        BinaryOp::Ne => return Ok(Value::Bool(!equal(left, right)?)),
        _ => {}
    }
    let (left, right) = match (left, right) {
        (Value::Number(left), Value::Number(right)) => (*left, *right),
        (Value::Undefined, _) | (_, Value::Undefined) => return Err(Fault::Undefined),
        other => panic!("{other:?} are not numbers"),
    };
    Ok(match op {
        BinaryOp::Lt => Value::Bool(left < right),
        BinaryOp::Le => Value::Bool(left <= right),
        BinaryOp::Gt => Value::Bool(left > right),
        BinaryOp::Ge => Value::Bool(left >= right),
        BinaryOp::Add => Value::Number(left + right),
        BinaryOp::Sub => Value::Number(left - right),
        BinaryOp::Mul => Value::Number(left * right),
        BinaryOp::Div => Value::Number(left.checked_div(right).ok_or(Fault::Division)?),
        BinaryOp::Rem => Value::Number(left.checked_rem(right).ok_or(Fault::Division)?),
        BinaryOp::Eq | BinaryOp::Ne | BinaryOp::And | BinaryOp::Or => unreachable!("decided above"),
    })
}

/// The elements of a collection, each once unless it is a `seq`; the keys of a map.
pub fn elements(collection: &Value) -> Vec<Value> {
    match collection {
        Value::Seq(elements) => elements.clone(),
        Value::Set(elements) => elements.iter().cloned().collect(),
        Value::Bag(elements) => elements.keys().cloned().collect(),
        Value::Map(entries) => entries.keys().cloned().collect(),
        other => panic!("{other:?} is not a collection"),
    }
}
