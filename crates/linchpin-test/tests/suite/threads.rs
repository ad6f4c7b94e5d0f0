//! The way *threads*: right objects pass, planted faults fail with a report.
#![cfg(not(any(linchpin_way = "shuttle", linchpin_way = "loom")))]

use linchpin_test::{Fault, Key, Property, Token, Value, model, object, role};
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Condvar, Mutex};
use std::time::Duration;

const SHORT: Duration = Duration::from_millis(300);
/// Planted faults are found long before; a loaded machine may need more.
const LONG: Duration = Duration::from_secs(30);

type Locked = Mutex<VecDeque<Value>>;

#[test]
fn a_locked_queue_passes_with_each_kind_of_specification() {
    let queue = || {
        object(Locked::default)
            .op("enq", |queue, value: Value| queue.lock().unwrap().push_back(value))
            .op("deq", |queue, ()| queue.lock().unwrap().pop_front())
            .budget(SHORT)
    };
    let plain = model(VecDeque::new)
        .adding("enq", |items, value: Value| items.push_back(value))
        .op("deq", |items, ()| items.pop_front());
    for covered in [queue().spec("Queue").check(), queue().spec(plain).check()] {
        assert!(covered.executions > 0 && covered.histories > 0 && covered.unjudged == 0, "{covered}");
        assert!(covered.to_string().contains("a sample of the schedules"));
    }
}

#[test]
fn a_stack_is_not_a_queue() {
    let failed = object(|| Mutex::new(Vec::new()))
        .op("enq", |stack, value: Value| stack.lock().unwrap().push(value))
        .op("deq", |stack, ()| stack.lock().unwrap().pop())
        .spec("Queue")
        .named("a_stack_is_not_a_queue")
        .budget(LONG)
        .run()
        .expect_err("last in, first out");
    assert!(matches!(failed.fault, Some(Fault::Illegal(_))));
    // One pre-add, then `enq` and `deq` by one thread: no smaller scenario fails.
    assert_eq!((failed.threads, failed.calls), (1, 2), "{failed}");
    assert!(failed.to_string().contains("must return 1, but returned 2"), "{failed}");
    assert!(failed.replay.ends_with("a_stack_is_not_a_queue.jsonl'"), "{}", failed.replay);
}

/// A counter that reads and writes in two steps.
#[derive(Default)]
struct Torn(AtomicUsize);

impl Torn {
    fn add(&self) -> usize {
        let old = self.0.load(Ordering::Relaxed);
        (0..20).for_each(|_| std::hint::spin_loop());
        self.0.store(old + 1, Ordering::Relaxed);
        old
    }
}

#[test]
fn a_lost_update_is_found() {
    let counter = || model(|| 0_usize).op("add", |count, ()| std::mem::replace(count, *count + 1));
    let torn = || object(Torn::default).op("add", |torn, ()| torn.add()).budget(LONG);
    let failed = torn().spec(counter()).run().expect_err("two threads get one number");
    assert!(failed.threads >= 2, "{failed}");
    assert!(failed.to_string().contains("must return"), "{failed}");
}

#[test]
fn sequential_consistency_allows_a_stale_read() {
    // A register whose readers see the last value but one.
    let stale = || {
        object(|| Mutex::new([Value(0); 2]))
            .op("write", |pair, value: Value| {
                let mut pair = pair.lock().unwrap();
                *pair = [pair[1], value];
            })
            .op("read", |pair, ()| pair.lock().unwrap()[0])
    };
    let register = || {
        model(|| Value(0))
            .adding("write", |state, value: Value| *state = value)
            .op("read", |state, ()| *state)
    };
    let failed = stale().spec(register()).budget(LONG).run().expect_err("the read is stale");
    assert!(failed.to_string().contains("not linearizable"), "{failed}");
    // One thread that reads its own write back notices.
    let failed = stale().spec(register()).property(Property::Sequential).budget(LONG).run();
    assert_eq!(failed.expect_err("a thread reads its own write").threads, 1);
}

#[test]
fn a_panic_is_a_failure() {
    let failed = object(|| Mutex::new(Vec::new()))
        .op("push", |stack, value: Value| stack.lock().unwrap().push(value))
        .op("pop", |stack, ()| {
            let mut stack = stack.lock().unwrap();
            assert!(stack.len() < 2, "two are too many");
            stack.pop()
        })
        .spec("Stack")
        .budget(LONG)
        .run()
        .expect_err("the pop panics");
    assert!(matches!(failed.fault, Some(Fault::Panic { thread: Some(0), .. })), "{failed}");
    assert!(failed.to_string().contains("T1 panicked in pop(): two are too many"), "{failed}");
}

/// A bounded queue that waits. With `forgets`, `deq` does not wake a waiting `enq`.
#[derive(Default)]
struct Bounded {
    items: Mutex<VecDeque<Value>>,
    changed: Condvar,
    forgets: AtomicBool,
}

impl Bounded {
    fn enq(&self, value: Value) {
        let full = |items: &mut VecDeque<Value>| items.len() == 1;
        let mut items = self.changed.wait_while(self.items.lock().unwrap(), full).unwrap();
        items.push_back(value);
        self.changed.notify_all();
    }

    fn deq(&self) -> Value {
        let empty = |items: &mut VecDeque<Value>| items.is_empty();
        let mut items = self.changed.wait_while(self.items.lock().unwrap(), empty).unwrap();
        if !self.forgets.load(Ordering::Relaxed) {
            self.changed.notify_all();
        }
        items.pop_front().unwrap()
    }
}

#[test]
fn a_wait_that_the_specification_allows_is_not_a_failure() {
    let bounded = |forgets: bool| {
        object(move || Bounded { forgets: forgets.into(), ..Bounded::default() })
            .op("enq", |queue, value: Value| queue.enq(value))
            .op("deq", |queue, ()| queue.deq())
            .spec("BoundedQueue(1)")
            .patience(Duration::from_millis(100))
    };
    let covered = bounded(false).calls(2).budget(Duration::from_secs(1)).check();
    assert!(covered.waits > 0, "{covered}");
    let failed = bounded(true).budget(LONG).run().expect_err("a waiting `enq` is not woken");
    assert!(matches!(failed.fault, Some(Fault::Stuck(_))), "{failed}");
}

#[test]
fn an_invariant_is_checked_after_the_last_call() {
    let failed = object(|| Mutex::new(Vec::new()))
        .op("push", |stack, value: Value| stack.lock().unwrap().push(value))
        .op("pop", |stack, ()| stack.lock().unwrap().pop())
        .spec("Stack")
        .invariant(|stack| match stack.lock().unwrap().len() {
            2 => Err("it holds two"),
            _ => Ok(()),
        })
        .budget(LONG)
        .run()
        .expect_err("two pushes");
    assert_eq!(failed.fault, Some(Fault::Invariant("it holds two".into())));
}

#[test]
fn a_lost_token_is_reported_if_the_test_asks() {
    let forgets = || {
        object(|| Mutex::new(Vec::<Token>::new()))
            .op("push", |stack, token: Token| match stack.lock().unwrap() {
                full if full.len() == 1 => std::mem::forget(token),
                mut stack => stack.push(token),
            })
            .spec(model(|| ()).adding("push", |(), _: Token| ()))
    };
    forgets().budget(SHORT).check();
    let failed = forgets().no_lost_tokens().budget(LONG).run().expect_err("the second token is forgotten");
    assert_eq!(failed.fault, Some(Fault::Lost(vec![2])));
}

/// The two ends of a channel.
struct Ends(Sender<Value>, Option<Receiver<Value>>);

#[test]
fn roles_have_handles_of_their_own() {
    let ends = || {
        let (send, receive) = channel();
        Ends(send, Some(receive))
    };
    let covered = object(ends)
        .role(
            role("sender").op("enq", |sender: &mut Sender<Value>, value: Value| {
                let _ = sender.send(value);
            }),
            |ends| ends.0.clone(),
        )
        .role(
            role("receiver")
                .at_most(1)
                .op("deq", |receiver: &mut Receiver<Value>, ()| receiver.try_recv().ok()),
            |ends| ends.1.take().expect("there is one receiver"),
        )
        .spec(
            // A channel whose receiver is gone takes a value and forgets it.
            model(VecDeque::new)
                .adding("enq", |items, value: Value| items.push_back(value))
                .op("deq", |items, ()| items.pop_front()),
        )
        .budget(SHORT)
        .check();
    assert!(covered.executions > 0, "{covered}");
}

#[test]
fn keys_are_used_in_every_combination() {
    type Map = Mutex<BTreeMap<Key, Value>>;
    let covered = object(Map::default)
        .op("put", |map, (key, value): (Key, Value)| map.lock().unwrap().insert(key, value))
        .op("remove", |map, key: Key| map.lock().unwrap().remove(&key))
        .op("get", |map, key: Key| map.lock().unwrap().get(&key).copied())
        .spec("Map")
        .calls(2)
        .budget(SHORT)
        .check();
    assert_eq!(covered.unjudged, 0, "{covered}");
}

#[test]
fn a_test_with_an_error_says_so() {
    let text = |spec: &str, setup: &str| {
        let mut test = object(Locked::default)
            .op("enq", |queue, value: Value| queue.lock().unwrap().push_back(value))
            .op("dequeue", |queue, ()| queue.lock().unwrap().pop_front())
            .named("mine");
        if !spec.is_empty() {
            test = test.spec(spec);
        }
        if !setup.is_empty() {
            test = test.setup(setup, 1);
        }
        test.run().expect_err("the test has an error").to_string()
    };
    assert_eq!(text("", ""), "mine: the test has no specification: add `.spec(\"Queue\")` or another one");
    assert_eq!(text("Queue", ""), "mine: `Queue` has no operation `dequeue`: did you mean `deq`?");
    assert_eq!(text("Quee", ""), "mine: no specification `Quee` in the library: did you mean `Queue`?");
    assert!(text("none.lin", "").starts_with("mine: cannot read the specification `none.lin`"));
    let wrong = object(|| ())
        .op("enq", |(), _: Value| ())
        .spec("Queue")
        .setup("push", 3)
        .named("mine")
        .run()
        .expect_err("there is no `push`");
    assert_eq!(wrong.to_string(), "mine: the set-up calls `push`, which is not an operation of the object");
}

#[test]
fn results_of_another_type_are_not_judged_and_counted() {
    let covered = object(Locked::default)
        .op("enq", |queue, value: Value| queue.lock().unwrap().push_back(value))
        .op("deq", |queue, ()| queue.lock().unwrap().pop_front().is_some())
        .spec("Queue")
        .budget(SHORT)
        .run()
        .expect("nothing is judged");
    assert!(covered.unjudged > 0 && covered.to_string().contains("not judged"), "{covered}");
}
