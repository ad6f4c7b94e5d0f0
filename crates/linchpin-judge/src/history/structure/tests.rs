//! What is read off specifications, and what is not.

use super::*;
use linchpin_frontend::lower::lower;
use linchpin_frontend::typing::check;
use linchpin_ir::interface::Setting;
use linchpin_ir::source::SourceMap;
use std::collections::BTreeMap;

fn structure(text: &str) -> ProgramStructure {
    let mut sources = SourceMap::default();
    let root = sources.add("model.lin", text);
    let checked = check(&mut sources, &BTreeMap::new(), root, &Setting::default());
    let typed = checked.program.unwrap_or_else(|| panic!("{:?}", checked.diagnostics));
    ProgramStructure::of(&lower(&sources, &typed).expect("a program"))
}

/// Returns the structure of an object with these operations and these members of its own specification.
fn of_spec(ops: &str, members: &str) -> ProgramStructure {
    structure(&format!("object O: Own; spec Own {{ {members} }} {ops}"))
}

#[test]
fn the_library() {
    let keyed = |text: &str| matches!(structure(text), ProgramStructure::Keyed { .. });
    let container = |text: &str| matches!(structure(text), ProgramStructure::Container(_));
    assert!(keyed(
        "object O: Set<key>; op add(x: key) -> bool { loop {} } op remove(x: key) -> bool { loop {} }
         op contains(x: key) -> bool { loop {} }"
    ));
    assert!(keyed(
        "object O: Map<key, data>; op put(k: key, v: data) -> data? { loop {} }
         op remove(k: key) -> data? { loop {} } op get(k: key) -> data? { loop {} }"
    ));
    let queue = "op enq(v: data) { loop {} } op deq() -> data? { loop {} }";
    assert!(container(&format!("object O: Queue; {queue}")));
    assert!(container(&format!("object O: BoundedQueue(2); {queue}")));
    assert!(container("object O: Stack; op push(v: data) { loop {} } op pop() -> data? { loop {} }"));
    assert!(container(
        "object O: Deque; op push_left(v: data) { loop {} } op push_right(v: data) { loop {} }
         op pop_left() -> data? { loop {} } op pop_right() -> data? { loop {} }"
    ));
    let opaque = |text: &str| matches!(structure(text), ProgramStructure::Opaque);
    assert!(opaque(&format!("object O: SynchronousQueue; {queue}")));
    let priority = "object O: PQueue<key>; op add(item: data, priority: key) { loop {} }
         op remove_min() -> data? { loop {} }";
    assert!(matches!(structure(priority), ProgramStructure::Unordered(_)));
    let register = "object O: Register<0..=3>(1); op write(v: 0..=3) { loop {} }
         op read() -> 0..=3 { loop {} }";
    assert!(matches!(structure(register), ProgramStructure::Register(_)));
}

/// The value that leaves first is read off the ends.
#[test]
fn which_value_leaves_first() {
    let ops = "op put(v: data) { loop {} } op take() -> data? { loop {} }";
    let with = |put: &str, take: &str| {
        let take = format!("{{ if s.is_empty() {{ return none; }} return s.{take}(); }}");
        let members = format!("state s: seq<data>; op put(v: data) {put} op take() -> data? {take}");
        let ProgramStructure::Container(roles) = of_spec(ops, &members) else { panic!("a container") };
        removal(&roles)
    };
    assert_eq!(with("{ s.push_back(v); }", "pop_front"), Removal::Oldest);
    assert_eq!(with("{ s.push_front(v); }", "pop_back"), Removal::Oldest);
    assert_eq!(with("{ s.push_front(v); }", "pop_front"), Removal::Newest);
    assert_eq!(with("{ s.push_back(v); }", "pop_back"), Removal::Newest);
    assert_eq!(with("when s.len() < 3 { s.push_back(v); }", "pop_front"), Removal::Other);
}

/// A key of a map is a register if `put` and `get` are all that there is.
#[test]
fn what_looks_like_registers() {
    let cells = |ops: &str, members: &str| match of_spec(ops, &format!("state m: map<key, data>; {members}"))
    {
        ProgramStructure::Keyed { cells, .. } => matches!(cells, Some(CellRoles::Registers(_))),
        _ => false,
    };
    let ops = "op put(k: key, v: data) { loop {} } op get(k: key) -> data? { loop {} }";
    let get = "op get(k: key) -> data? { return m.get(k); }";
    assert!(cells(ops, &format!("op put(k: key, v: data) {{ m.insert(k, v); }} {get}")));
    let twice = "op put(k: key, v: data) { if !m.contains(k) { m.insert(k, v); } }";
    assert!(!cells(ops, &format!("{twice} {get}")), "keeps the old value");
    let old = "op put(k: key, v: data) -> data? { loop {} } op get(k: key) -> data? { loop {} }";
    let put = "op put(k: key, v: data) -> data? { return m.insert(k, v); }";
    assert!(!cells(old, &format!("{put} {get}")), "returns the old value");
    let register = |write: &str, read: &str| {
        let ops = "op write(v: 0..=3) { loop {} } op read() -> 0..=3 { loop {} }";
        let members = format!("state x: 0..=3; op write(v: 0..=3) {write} op read() -> 0..=3 {read}");
        matches!(of_spec(ops, &members), ProgramStructure::Register(_))
    };
    assert!(register("{ x = v; }", "{ return x; }"));
    assert!(!register("{ if v > x { x = v; } }", "{ return x; }"), "keeps the maximum");
    assert!(!register("{ x = v; }", "{ let y = x; x = 0; return y; }"), "a read that writes");
    assert!(!register("when x == 0 { x = v; }", "{ return x; }"), "a write that waits");
}

/// A sequence that is replaced, extended and read as a whole is a log.
#[test]
fn what_looks_like_a_log() {
    let ops = "op put(v: data) { loop {} } op add(v: data) { loop {} } op get() -> seq<data> { loop {} }";
    let with = |put: &str, add: &str, get: &str| {
        let members = format!(
            "state s: seq<data>; op put(v: data) {{ {put} }} op add(v: data) {{ {add} }} op get() -> seq<data> {{ {get} }}"
        );
        match of_spec(ops, &members) {
            ProgramStructure::Log(roles) => Some(roles.iter().cloned().collect::<Vec<_>>()),
            _ => None,
        }
    };
    let roles = vec![LogRole::Start(0..1), LogRole::Append(0..1), LogRole::Read(1)];
    let (put, add, get) = ("s = [v];", "s.push_back(v);", "return s;");
    assert_eq!(with(put, add, get), Some(roles.clone()));
    assert_eq!(with("s.clear(); s.push_back(v);", add, get), Some(roles));
    assert_eq!(with(put, "s.push_front(v);", get), None, "the other end");
    assert_eq!(with(put, "s.push_back(v); s.push_back(v);", get), None, "twice");
    assert_eq!(with(put, "if !s.contains(v) { s.push_back(v); }", get), None, "looks at values");
    assert_eq!(with(put, add, "let t: seq<data> = s; s.clear(); return t;"), None, "a read that writes");
    assert_eq!(with(put, add, "return [];"), None, "returns something else");
    assert_eq!(with("s = [v, v];", add, get), None, "two values");
    assert_eq!(with(put, "if s.len() < 3 { s.push_back(v); }", get), None, "a limit");
}

/// A map of logs, in which a missing key has nothing.
#[test]
fn what_looks_like_logs_at_keys() {
    let ops = "op put(k: key, v: data) { loop {} } op add(k: key, v: data) { loop {} }
         op get(k: key) -> seq<data> { loop {} }";
    let with = |put: &str, add: &str, get: &str| {
        let members = format!(
            "state m: map<key, seq<data>>; op put(k: key, v: data) {{ {put} }}
             op add(k: key, v: data) {{ {add} }} op get(k: key) -> seq<data> {{ {get} }}"
        );
        match of_spec(ops, &members) {
            ProgramStructure::Keyed { cells: Some(CellRoles::Logs(roles)), .. } => {
                Some(roles.iter().cloned().collect::<Vec<_>>())
            }
            _ => None,
        }
    };
    let put = "let s: seq<data> = [v]; m.insert(k, s);";
    let add =
        "let s: seq<data> = []; if m.contains(k) { s = m.get(k).unwrap(); } s.push_back(v); m.insert(k, s);";
    let get = "if !m.contains(k) { return []; } return m.get(k).unwrap();";
    let roles = vec![LogRole::Start(1..2), LogRole::Append(1..2), LogRole::Read(1)];
    assert_eq!(with(put, add, get), Some(roles));
    let keeps = "if !m.contains(k) { let s: seq<data> = [v]; m.insert(k, s); }";
    assert_eq!(with(keeps, add, get), None, "keeps the old values");
    let only_there =
        "if m.contains(k) { let s: seq<data> = m.get(k).unwrap(); s.push_back(v); m.insert(k, s); }";
    assert_eq!(with(put, only_there, get), None, "nothing happens without the key");
    let never = "if m.contains(k) { return []; } return [];";
    assert_eq!(with(put, add, never), None, "returns nothing");
    let other =
        "let s: seq<data> = [v]; if m.contains(k) { s = m.get(k).unwrap(); s.push_back(v); } m.insert(k, s);";
    assert!(with(put, other, get).is_some(), "the same in other words");
}

/// A value that leaves has the least priority, or any.
#[test]
fn what_looks_like_a_priority_queue() {
    let with = |put: &str, choose: &str, result: &str| {
        let ops = "op put(v: data, p: key) { loop {} } op take() -> data? { loop {} }";
        let members = format!(
            "state b: bag<E>; op put(v: data, p: key) {{ {put} }} op take() -> data? {{
             if b.is_empty() {{ return none; }} let e = choose e in b{choose}; b.remove(e);
             return {result}; }}"
        );
        let text = format!("object O: Own; word E {{ v: data, p: key }} spec Own {{ {members} }} {ops}");
        matches!(structure(&text), ProgramStructure::Unordered(_))
    };
    let (put, least) = ("b.add(E { v, p });", " where b.all(|f| e.p <= f.p)");
    assert!(with(put, least, "e.v"));
    assert!(with(put, "", "e.v"), "any value");
    assert!(!with(put, " where b.all(|f| f.p <= e.p)", "e.v"), "the greatest");
    assert!(!with(put, " where b.any(|f| e.p <= f.p)", "e.v"), "not the last");
    assert!(!with("b.add(E { v, p }); b.add(E { v, p });", least, "e.v"), "twice");
    assert!(!with("if b.is_empty() { b.add(E { v, p }); }", least, "e.v"), "once");
}

/// A set whose operations access more than the element of their key is not a product.
#[test]
fn what_looks_like_a_set() {
    let ops = "op add(x: key, y: key) -> bool { loop {} } op count(x: key) -> bool { loop {} }";
    let with = |add: &str, count: &str| {
        let members = format!(
            "state a: set<key>; state b: map<key, key>;
             op add(x: key, y: key) -> bool {{ {add} }} op count(x: key) -> bool {{ {count} }}"
        );
        matches!(of_spec(ops, &members), ProgramStructure::Keyed { .. })
    };
    let contains = "return a.contains(x);";
    assert!(with("if a.add(x) { b.insert(x, y); return true; } return false;", contains));
    assert!(!with("return a.add(x) && a.add(y);", contains), "two keys");
    assert!(!with("return a.add(y);", "return a.len() == 0;"), "the number of elements");
    assert!(!with("return a.add(x);", "return a.all(|e| e == x);"), "all elements");
    assert!(!with("x = y; return a.add(x);", contains), "another key under the same name");
    assert!(!with("a.clear(); return a.add(x);", contains), "the whole set");
    assert!(!with("return a.add(x);", "return true;"), "no key");
}

/// The key may be the second parameter, if it always is.
#[test]
fn the_key_is_found_by_what_is_done_with_it() {
    let ops = "op put(v: data, k: key) { loop {} } op get(k: key) -> data? { loop {} }";
    let members = "state m: map<key, data>; op put(v: data, k: key) { m.insert(k, v); }
         op get(k: key) -> data? { return m.get(k); }";
    let ProgramStructure::Keyed { keys, .. } = of_spec(ops, members) else { panic!("keyed") };
    assert_eq!(keys.iter().cloned().collect::<Vec<_>>(), [1..2, 0..1]);
}

/// An object whose results depend on the number of elements, or on their values, is not a container.
#[test]
fn what_looks_like_a_queue() {
    let ops = "op put(v: data) { loop {} } op take() -> data? { loop {} }";
    let with = |put: &str, take: &str| {
        let members = format!("state s: seq<data>; op put(v: data) {put} op take() -> data? {take}");
        matches!(of_spec(ops, &members), ProgramStructure::Container(_))
    };
    let take = "{ if s.is_empty() { return none; } return s.pop_front(); }";
    assert!(with("{ s.push_back(v); }", take));
    assert!(with("{ s.push_front(v); }", "{ if !s.is_empty() { return s.pop_back(); } return none; }"));
    assert!(with("when s.len() < 3 { s.push_back(v); }", take));
    assert!(!with("{ if s.is_empty() { s.push_back(v); } else { s.push_front(v); } }", take), "either end");
    assert!(!with("when !s.is_empty() { s.push_back(v); }", take), "waits for others");
    assert!(!with("{ if !s.contains(v) { s.push_back(v); } }", take), "looks at values");
    assert!(!with("{ s.push_back(v); s.push_back(v); }", take), "twice");
    assert!(!with("{ s.push_back(v); }", "{ if s.len() < 2 { return none; } return s.pop_front(); }"));
    assert!(!with("{ s.push_back(v); }", "{ return none; }"), "none although there is something");
    assert!(!with("{ s.push_back(v); }", "{ if s.is_empty() { return none; } return s[0]; }"), "leaves it");
}
