//! Methods of collections: the receiver's pointers, the arguments, then one access (or none, if the receiver
//! is local).

use super::memory::position;
use super::places::location;
use super::thread::{At, Fault, Resolved, Root, Run, Thread};
use super::value::Value;
use linchpin_frontend::typing::hir::{CollectionMethod, PlaceExpr, TypedExpr};
use linchpin_ir::source::Span;

impl Thread<'_> {
    pub fn method(
        &mut self,
        receiver: &PlaceExpr,
        method: CollectionMethod,
        args: &[TypedExpr],
        span: Span,
    ) -> Run<Value> {
        let on = self.resolve(receiver)?;
        let args = self.values(args)?;
        if !matches!(on.root, Root::Shared(_)) {
            return self.apply_locally(&on, method, &args, span);
        }
        let at = location(&on);
        self.access(|thread| {
            let mut collection = thread.memory.read(&at).at(span)?;
            let given = apply(&mut collection, method, &args).at(span)?;
            if !method.is_pure() {
                thread.memory.write(&at, collection).at(span)?;
            }
            Ok(given)
        })
    }

    fn apply_locally(
        &mut self,
        on: &Resolved,
        method: CollectionMethod,
        args: &[Value],
        span: Span,
    ) -> Run<Value> {
        let mut collection = self.read(on, span)?;
        let given = apply(&mut collection, method, args).at(span)?;
        if !method.is_pure() {
            self.write(on, collection, span)?;
        }
        Ok(given)
    }
}

/// What the method gives; it changes the collection.
fn apply(collection: &mut Value, method: CollectionMethod, args: &[Value]) -> Result<Value, Fault> {
    use CollectionMethod as M;
    let some = |value: Option<Value>| value.map_or(Value::None, |value| Value::Some(Box::new(value)));
    let searched = !matches!(collection, Value::Seq(_)) || method == M::Contains;
    let compared = args.first().filter(|_| searched);
    if compared.is_some_and(Value::has_undefined) {
        return Err(Fault::Undefined);
    }
    Ok(match (collection, method, args) {
        (Value::Seq(c), M::Len, []) => Value::count(c.len()),
        (Value::Set(c), M::Len, []) => Value::count(c.len()),
        (Value::Bag(c), M::Len, []) => Value::count(c.values().sum::<usize>()),
        (Value::Map(c), M::Len, []) => Value::count(c.len()),
        (Value::Seq(c), M::IsEmpty, []) => Value::Bool(c.is_empty()),
        (Value::Set(c), M::IsEmpty, []) => Value::Bool(c.is_empty()),
        (Value::Bag(c), M::IsEmpty, []) => Value::Bool(c.is_empty()),
        (Value::Map(c), M::IsEmpty, []) => Value::Bool(c.is_empty()),
        (Value::Seq(c), M::Clear, []) => {
            c.clear();
            Value::Unit
        }
        (Value::Set(c), M::Clear, []) => {
            c.clear();
            Value::Unit
        }
        (Value::Bag(c), M::Clear, []) => {
            c.clear();
            Value::Unit
        }
        (Value::Map(c), M::Clear, []) => {
            c.clear();
            Value::Unit
        }
        (Value::Seq(c), M::Contains, [x]) => {
            if c.iter().any(Value::has_undefined) {
                return Err(Fault::Undefined);
            }
            Value::Bool(c.contains(x))
        }
        (Value::Set(c), M::Contains, [x]) => Value::Bool(c.contains(x)),
        (Value::Bag(c), M::Contains, [x]) => Value::Bool(c.contains_key(x)),
        (Value::Map(c), M::Contains, [x]) => Value::Bool(c.contains_key(x)),
        (Value::Seq(c), M::PushBack, [x]) => {
            c.push(x.clone());
            Value::Unit
        }
        (Value::Seq(c), M::PushFront, [x]) => {
            c.insert(0, x.clone());
            Value::Unit
        }
        (Value::Seq(c), M::PopBack, []) => c.pop().ok_or(Fault::Index)?,
        (Value::Seq(c), M::PopFront, []) if c.is_empty() => return Err(Fault::Index),
        (Value::Seq(c), M::PopFront, []) => c.remove(0),
        (Value::Seq(c), M::Get, [i]) => c[position(i, c.len())?].clone(),
        (Value::Seq(c), M::Set, [i, x]) => {
            let at = position(i, c.len())?;
            c[at] = x.clone();
            Value::Unit
        }
        (Value::Seq(c), M::RemoveAt, [i]) => c.remove(position(i, c.len())?),
        (Value::Seq(c), M::InsertAt, [i, x]) => {
            c.insert(position(i, c.len() + 1)?, x.clone());
            Value::Unit
        }
        (Value::Set(c), M::Add, [x]) => Value::Bool(c.insert(x.clone())),
        (Value::Set(c), M::Remove, [x]) => Value::Bool(c.remove(x)),
        (Value::Bag(c), M::Add, [x]) => {
            *c.entry(x.clone()).or_insert(0) += 1;
            Value::Unit
        }
        (Value::Bag(c), M::Remove, [x]) => match c.get_mut(x) {
            Some(1) => {
                c.remove(x);
                Value::Bool(true)
            }
            Some(count) => {
                *count -= 1;
                Value::Bool(true)
            }
            None => Value::Bool(false),
        },
        (Value::Bag(c), M::Count, [x]) => Value::count(c.get(x).copied().unwrap_or(0)),
        (Value::Map(c), M::Insert, [k, v]) => some(c.insert(k.clone(), v.clone())),
        (Value::Map(c), M::Lookup, [k]) => some(c.get(k).cloned()),
        (Value::Map(c), M::RemoveKey, [k]) => some(c.remove(k)),
        (collection, method, args) => panic!("{collection:?} has no {method:?}{args:?}"),
    })
}
