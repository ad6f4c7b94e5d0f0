//! Primitives: the place's pointers first, then the operands, then one access that does it all.

use super::expressions::{equal, within};
use super::memory::Location;
use super::places::location;
use super::thread::{At, Fault, Run, Stop, Thread};
use super::value::Value;
use linchpin_frontend::typing::hir::{PlaceExpr, Primitive, TypedExpr};
use linchpin_ir::source::Span;
use linchpin_ir::types::TypeKind;

impl Thread<'_> {
    pub fn primitive(&mut self, primitive: &Primitive, span: Span) -> Run<Value> {
        match primitive {
            Primitive::Cas { place, old, new } => {
                let seen = self.exchange(place, old, new, span)?;
                Ok(Value::Bool(matches!(seen, Value::Record(pair) if pair[1] == Value::Bool(true))))
            }
            Primitive::CmpXchg { place, old, new } => match self.exchange(place, old, new, span)? {
                Value::Record(mut pair) => Ok(pair.swap_remove(0)),
                other => panic!("the log is out of step: {other:?}"),
            },
            Primitive::Dcas { places, olds, news } => {
                let first = self.shared(&places[0])?;
                let second = self.shared(&places[1])?;
                let olds = [self.value(&olds[0])?, self.value(&olds[1])?];
                let news = [self.value(&news[0])?, self.value(&news[1])?];
                self.access(|thread| {
                    let memory = &mut thread.memory;
                    let seen = [memory.read(&first).at(span)?, memory.read(&second).at(span)?];
                    let equal = equal(&seen[0], &olds[0]).at(span)? && equal(&seen[1], &olds[1]).at(span)?;
                    if equal {
                        let [new_first, new_second] = news;
                        memory.write(&first, new_first).at(span)?;
                        memory.write(&second, new_second).at(span)?;
                    }
                    Ok(Value::Bool(equal))
                })
            }
            Primitive::Swap { place, value } => {
                let at = self.shared(place)?;
                let value = self.value(value)?;
                self.access(|thread| {
                    let old = thread.memory.read(&at).at(span)?;
                    thread.memory.write(&at, value).at(span)?;
                    Ok(old)
                })
            }
            Primitive::FetchAdd { place, value } => {
                let at = self.shared(place)?;
                let more = self.number(value)?;
                let kind = self.program.types.kind(place.ty);
                self.access(|thread| {
                    let Value::Number(old) = thread.memory.read(&at).at(span)? else {
                        panic!("no number to add to")
                    };
                    let new = match kind {
                        TypeKind::Range { low, high } => within(old + more, low, high).at(span)?,
                        _ => Value::Number(old + more),
                    };
                    thread.memory.write(&at, new).at(span)?;
                    Ok(Value::Number(old))
                })
            }
            Primitive::Ll(place) => {
                let at = self.shared(place)?;
                self.access(|thread| {
                    let value = thread.memory.read(&at).at(span)?;
                    let me = thread.myself();
                    thread.memory.links[me] = Some(at);
                    Ok(value)
                })
            }
            Primitive::Sc { place, value } => {
                let at = self.shared(place)?;
                let value = self.value(value)?;
                self.access(|thread| {
                    thread.memory.read(&at).at(span)?;
                    let linked = thread.memory.links[thread.myself()].as_ref() == Some(&at);
                    if linked {
                        thread.memory.write(&at, value).at(span)?;
                    }
                    Ok(Value::Bool(linked))
                })
            }
            Primitive::Free(pointer) => {
                let pointer = self.value(pointer)?;
                self.access(|thread| {
                    thread.memory.free(&pointer).at(span)?;
                    Ok(Value::Unit)
                })
            }
            Primitive::Lock(place) => {
                let at = self.shared(place)?;
                self.access(|thread| thread.take(&at, span))
            }
            Primitive::Unlock(place) => {
                let at = self.shared(place)?;
                self.access(|thread| thread.give_back(&at, span))
            }
            Primitive::TryLock(place) => {
                let at = self.shared(place)?;
                self.access(|thread| match thread.take(&at, span) {
                    Ok(_) => Ok(Value::Bool(true)),
                    Err(Stop::Disabled) => Ok(Value::Bool(false)),
                    Err(other) => Err(other),
                })
            }
            Primitive::IsLocked(place) => {
                let at = self.shared(place)?;
                self.access(|thread| Ok(Value::Bool(thread.memory.read(&at).at(span)? != Value::Lock(None))))
            }
            Primitive::Wait { condvar, lock } => {
                let condvar = self.shared(condvar)?;
                let lock = self.shared(lock)?;
                self.access(|thread| {
                    thread.give_back(&lock, span)?;
                    let me = thread.myself();
                    thread.waiters(&condvar, span, |waiters| {
                        waiters.insert(me);
                    })
                })?;
                self.access(|thread| {
                    let Value::Condvar(waiters) = thread.memory.read(&condvar).at(span)? else {
                        panic!("no condition")
                    };
                    if waiters.contains(&thread.myself()) {
                        return Err(Stop::Disabled);
                    }
                    thread.take(&lock, span)
                })
            }
            Primitive::NotifyOne(place) => {
                let at = self.shared(place)?;
                self.access(|thread| {
                    let Value::Condvar(waiters) = thread.memory.read(&at).at(span)? else {
                        panic!("no condition")
                    };
                    let woken = match waiters.len() {
                        0 => None,
                        several => waiters.iter().copied().nth(thread.pick(several)?),
                    };
                    thread.waiters(&at, span, |waiters| waiters.retain(|&waiter| Some(waiter) != woken))
                })
            }
            Primitive::NotifyAll(place) => {
                let at = self.shared(place)?;
                self.access(|thread| thread.waiters(&at, span, |waiters| waiters.clear()))
            }
        }
    }

    /// The value that was there, and whether it was the expected one and so was replaced.
    fn exchange(&mut self, place: &PlaceExpr, old: &TypedExpr, new: &TypedExpr, span: Span) -> Run<Value> {
        let at = self.shared(place)?;
        let old = self.value(old)?;
        let new = self.value(new)?;
        self.access(|thread| {
            let seen = thread.memory.read(&at).at(span)?;
            let equal = equal(&seen, &old).at(span)?;
            if equal {
                thread.memory.write(&at, new).at(span)?;
            }
            Ok(Value::Record(vec![seen, Value::Bool(equal)]))
        })
    }

    fn shared(&mut self, place: &PlaceExpr) -> Run<Location> {
        Ok(location(&self.resolve(place)?))
    }

    fn take(&mut self, at: &Location, span: Span) -> Run<Value> {
        if self.memory.read(at).at(span)? != Value::Lock(None) {
            return Err(Stop::Disabled);
        }
        let me = self.myself();
        self.memory.write(at, Value::Lock(Some(me))).at(span)?;
        Ok(Value::Unit)
    }

    fn give_back(&mut self, at: &Location, span: Span) -> Run<Value> {
        if self.memory.read(at).at(span)? != Value::Lock(Some(self.myself())) {
            return Err(Stop::Fault(Fault::NotHeld, span));
        }
        self.memory.write(at, Value::Lock(None)).at(span)?;
        Ok(Value::Unit)
    }

    fn waiters(
        &mut self,
        at: &Location,
        span: Span,
        change: impl FnOnce(&mut std::collections::BTreeSet<usize>),
    ) -> Run<Value> {
        let mut value = self.memory.read(at).at(span)?;
        let Value::Condvar(waiters) = &mut value else { panic!("no condition") };
        change(waiters);
        self.memory.write(at, value).at(span)?;
        Ok(Value::Unit)
    }

    fn myself(&self) -> usize {
        self.me.expect("`init` has no `me`")
    }
}
