//! `crossbeam-skiplist`: `insert` of a present key is not atomic (crossbeam issue 1023).
//!
//! `insert` marks the old node as removed and then inserts the new one. Between the two the key is absent, so
//! a concurrent `get` returns `None` although the key is present before and after.

use crossbeam_skiplist::SkipMap;
use linchpin_test::{Fault, Key, Value, model, object};
use std::collections::BTreeMap;

fn map() -> linchpin_test::Object<SkipMap<Key, Value>> {
    object(SkipMap::new)
        .op("insert", |map, (key, value): (Key, Value)| {
            map.insert(key, value);
        })
        .op("get", |map, key: Key| map.get(&key).map(|entry| *entry.value()))
        .op("remove", |map, key: Key| map.remove(&key).map(|entry| *entry.value()))
        .spec(
            model(BTreeMap::new)
                .adding("insert", |map, (key, value): (Key, Value)| {
                    map.insert(key, value);
                })
                .op("get", |map, key: Key| map.get(&key).copied())
                .op("remove", |map, key: Key| map.remove(&key)),
        )
}

#[test]
#[cfg(linchpin_way = "shuttle")]
fn insert_is_not_atomic() {
    let failed = map().keys(1).run().expect_err("issue 1023");
    println!("{failed}");
    assert!(matches!(failed.fault, Some(Fault::Illegal(_))));
    assert_eq!((failed.threads, failed.calls), (2, 2));
}
