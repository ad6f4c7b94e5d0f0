//! Small random objects of the kinds that stuck executions, fairness and results by thread depend on, with a
//! scope to search.
//!
//! An object is one or two *parts*: a slot that is filled and emptied, a counter, an owner, a mark for each
//! thread, a gate. Each operation has one meaning and several texts. Some texts are correct. Others never
//! release a lock, omit a notification, wait in a loop for an effect of no thread, or recurse endlessly.
//! Everything is a function of the seed.

use fastrand::Rng;
use linchpin_explore::{ClientRequest, Request, Restriction};
use std::fmt::Write;

pub struct Drawn {
    pub text: String,
    /// With schedules as the client.
    pub request: Request,
}

impl Drawn {
    pub fn of(seed: u64) -> Drawn {
        let mut rng = Rng::with_seed(seed);
        let mut parts: Vec<Part> =
            vec![slot(&mut rng), counter(&mut rng), owner(&mut rng), marks(&mut rng), gate(&mut rng)];
        rng.shuffle(&mut parts);
        parts.truncate(rng.usize(1..=2));
        let most = rng.usize(1..=3);
        let mut ops: Vec<Op> = Vec::new();
        let (mut shared, mut states) = (String::new(), String::new());
        for part in parts {
            let _ = writeln!(shared, "{}", part.shared);
            let _ = writeln!(states, "    {}", part.state);
            ops.extend(part.ops.into_iter().take(most));
        }
        ops.truncate(4);
        let roles = roles(&mut rng, &ops);
        let mut text = format!("object Drawn: Atomic;\nshared l: lock;\nshared c: condvar;\n{shared}{roles}");
        for Op { head, code, helper, .. } in &ops {
            let _ = writeln!(text, "{helper}op {head} {{ {code} }}");
        }
        let _ = write!(text, "spec Atomic {{\n{states}");
        for Op { head, when, meaning, tag, .. } in &ops {
            let _ = writeln!(text, "    {tag} op {head} {when} {{ {meaning} }}");
        }
        text.push_str("}\n");
        let request = scope(&mut rng, &ops, &text);
        Drawn { text, request }
    }
}

struct Part {
    shared: &'static str,
    state: &'static str,
    ops: Vec<Op>,
}

struct Op {
    head: &'static str,
    tag: &'static str,
    when: String,
    meaning: &'static str,
    code: String,
    helper: String,
}

/// An operation that waits until a condition holds, then acts.
fn waiting(
    rng: &mut Rng,
    head: &'static str,
    tag: &'static str,
    condition: &'static str,
    act: &'static str,
) -> Op {
    let notify = ["c.notify_all();", "c.notify_all();", "c.notify_one();", ""][rng.usize(..4)];
    let unlock = if rng.u32(..8) == 0 { "" } else { "l.unlock();" };
    let code = match rng.u32(..6) {
        0 => format!("atomic {{ await {condition}; {act} }}"),
        1 | 2 => format!("l.lock(); while !({condition}) {{ c.wait(l); }} {act} {notify} {unlock}"),
        3 => format!("loop {{ l.lock(); if {condition} {{ {act} l.unlock(); return; }} {unlock} }}"),
        4 => format!("await {condition}; {act}"),
        _ => format!("while !({condition}) {{}} {act}"),
    };
    // Without a condition it is another object: its calls must not wait.
    let when = if rng.u32(..6) == 0 { String::new() } else { format!("when {condition}") };
    Op { head, tag, when, meaning: act, code, helper: String::new() }
}

/// An operation that never waits in the specification.
fn plain(
    rng: &mut Rng,
    head: &'static str,
    tag: &'static str,
    body: &'static str,
    result: &'static str,
    meaning: &'static str,
) -> Op {
    let unlock = if rng.u32(..7) == 0 { "" } else { "l.unlock();" };
    let code = match rng.u32(..5) {
        0 | 1 => format!("l.lock(); {body} {unlock} {result}"),
        2 => format!("while !l.try_lock() {{}} {body} {unlock} {result}"),
        _ => format!("{body} {result}"),
    };
    Op { head, tag, when: String::new(), meaning, code, helper: String::new() }
}

fn slot(rng: &mut Rng) -> Part {
    let mut ops = vec![
        waiting(rng, "put()", "#[adds]", "!full", "full = true;"),
        waiting(rng, "take()", "#[removes]", "full", "full = false;"),
        plain(rng, "look() -> bool", "", "let r = full;", "return r;", "return full;"),
    ];
    if rng.u32(..4) == 0 {
        ops[0].head = "put(p: 0..2)";
    }
    if rng.bool() {
        ops.swap(1, 2);
    }
    Part { shared: "shared full: bool;", state: "state full: bool;", ops }
}

fn counter(rng: &mut Rng) -> Part {
    let meaning = "let r = n; n = (n + 1) % 3; return r;";
    let mut bump = plain(rng, "bump() -> 0..3", "", "let r = n; n = (r + 1) % 3;", "return r;", meaning);
    match rng.u32(..6) {
        0 => {
            bump.helper =
                "fn retry() -> 0..3 { let o = n; if cas(n, o, (o + 1) % 3) { return o; } return retry(); }\n"
                    .into();
            bump.code = "return retry();".into();
        }
        1 => {
            bump.helper =
                "fn dig() -> 0..3 { let o = n; if o == 2 { return dig(); } n = o + 1; return o; }\n".into();
            bump.code = "return dig();".into();
        }
        2 => bump.code = "loop { let o = n; if cas(n, o, (o + 1) % 3) { return o; } }".into(),
        3 => bump.code = "let o = n; while !cas(n, o, (o + 1) % 3) {} return o;".into(),
        _ => {}
    }
    let read = plain(rng, "read() -> 0..3", "", "let r = n;", "return r;", "return n;");
    Part { shared: "shared n: 0..3;", state: "state n: 0..3;", ops: vec![bump, read] }
}

fn owner(rng: &mut Rng) -> Part {
    let meaning = "if owner == none { owner = me; } return owner == me;";
    let mut claim =
        plain(rng, "claim() -> bool", "", "if owner == none { owner = me; }", "return owner == me;", meaning);
    if rng.bool() {
        claim.code = "let won = cas(owner, none, me); return won || owner == me;".into();
    }
    let resign = plain(
        rng,
        "resign()",
        "",
        "if owner == me { owner = none; }",
        "",
        "if owner == me { owner = none; }",
    );
    let mine = plain(rng, "mine() -> bool", "", "let o = owner;", "return o == me;", "return owner == me;");
    let mut ops = vec![claim, mine, resign];
    rng.shuffle(&mut ops);
    Part { shared: "shared owner: thread?;", state: "state owner: thread?;", ops }
}

fn marks(rng: &mut Rng) -> Part {
    let meaning = "let r = signed[me]; signed[me] = true; return r;";
    let mut sign =
        plain(rng, "sign() -> bool", "", "let r = signed[me]; signed[me] = true;", "return r;", meaning);
    if rng.u32(..3) == 0 {
        sign.code = "let r = any; any = true; return r;".into();
    }
    let first = plain(rng, "first() -> bool", "", "let r = signed[me];", "return r;", "return signed[me];");
    Part {
        shared: "shared signed: [bool; threads]; shared any: bool;",
        state: "state signed: [bool; threads];",
        ops: vec![sign, first],
    }
}

fn gate(rng: &mut Rng) -> Part {
    let mut ops = vec![
        waiting(rng, "pass()", "", "up", ""),
        plain(rng, "lower()", "", "up = false;", "", "up = false;"),
        plain(rng, "raise()", "", "up = true;", "c.notify_all();", "up = true;"),
    ];
    if rng.bool() {
        ops.swap(1, 2);
    }
    Part { shared: "shared up: bool;", state: "state up: bool;", ops }
}

fn roles(rng: &mut Rng, ops: &[Op]) -> String {
    let name = |op: &Op| op.head.split('(').next().unwrap_or_default().to_string();
    let names: Vec<String> = ops.iter().map(name).collect();
    match (rng.u32(..6), &names[..]) {
        (0, [first, second, ..]) => format!("role user = {first} {second};\n"),
        (1, [first, second, rest @ ..]) => {
            let others = [std::slice::from_ref(second), rest].concat().join(" | ");
            format!("role one: 1 = {first};\nrole others = {others};\n")
        }
        (2, [first, second, third, ..]) => {
            format!("role one: 1 = {first};\nrole others = {second} {third};\n")
        }
        (3, [first, second, third, ..]) => {
            format!("role one: 1 = {third};\nrole others = {first} {second};\n")
        }
        _ => String::new(),
    }
}

fn scope(rng: &mut Rng, ops: &[Op], text: &str) -> Request {
    let threads = if rng.u32(..6) == 0 { 3 } else { 2 };
    let least = rng.u32(threads..=3);
    let most = if rng.u32(..3) == 0 { 4 } else { 3 };
    let has_adds = text.contains("#[adds]") && !text.contains("role others");
    let preadds = if has_adds && rng.u32(..3) == 0 { rng.u32(1..=2) } else { 0 };
    let mut restrictions = Vec::new();
    if text.contains("#[removes]") && text.contains("#[adds]") && rng.u32(..3) == 0 {
        restrictions.push(Restriction::AddsDominate);
    }
    if text.contains("p: 0..2") && rng.bool() {
        restrictions.push(Restriction::DistinctPriorities);
    }
    let longest = if ops.len() > 3 || threads == 3 { 3 } else { most };
    Request {
        threads: threads..=threads,
        nodes: Some(1..=1),
        values: 1..=1,
        keys: 1..=1,
        ints: 4,
        depth: 3,
        spurious: text.contains("c.wait") && rng.bool(),
        client: ClientRequest::Schedules {
            steps: least..=longest.max(least),
            preadds: preadds..=preadds,
            restrictions,
        },
        ..Request::default()
    }
}
