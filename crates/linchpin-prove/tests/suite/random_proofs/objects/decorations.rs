//! Decorations: statements about their own variables at random places of operations.
//!
//! A decoration is a text of sections. `shared` has declarations, `init` has statements of `init`. Each other
//! section is one statement, which goes to a random place of an operation; the sections of one operation keep
//! their order. `#` becomes a number of the decoration, and a hole `«a¦b»` becomes one of its alternatives.
//! The result may be right or wrong.

use super::statements;
use fastrand::Rng;

struct Decoration {
    name: &'static str,
    shared: &'static str,
    init: &'static str,
    /// In this order in one operation.
    steps: &'static [&'static str],
    /// In any operation, each by itself.
    others: &'static [&'static str],
}

const BASE: Decoration = Decoration { name: "", shared: "", init: "", steps: &[], others: &[] };

/// A word with two ages and all that may be done with copies of them.
const AGES: &str = "word W# { p: *Node, a: age, b: age } shared w#: W#;";
const BAD: &str = "«let z#: *Node = null; z#.next = null;¦return none;¦return;»";

const DECORATIONS: &[Decoration] = &[
    Decoration {
        name: "copies of two ages",
        shared: AGES,
        steps: &[
            "let f# = w#;",
            "let g# = w#;",
            "if f#.«a¦b» «==¦!=» g#.«a¦b» && f#.«a¦b» «==¦!=» g#.«a¦b» { BAD }",
        ],
        others: &[
            "{ let s# = w#; cas(w#, s#, W# { p: s#.p, a: s#.a« + 1¦», b: s#.b« + 1¦» }); }",
            "{ let s# = w#; cas(w#, s#, W# { p: s#.p, a: s#.a« + 1¦», b: s#.b« + 1¦» }); }",
        ],
        ..BASE
    },
    Decoration {
        name: "an age that comes back",
        shared: "word W# { p: *Node, a: age } shared w#: W#;",
        steps: &["let o# = w#;", "let s# = w#;", "cas(w#, s#, W# { p: s#.p, a: «o#¦s#».a« + 1¦¦ + 1» });"],
        others: &[
            "{ let x# = w#; let y# = w#; let z# = w#; if x#.a != y#.a && x#.a == z#.a { BAD } }",
            "{ let x# = w#; cas(w#, x#, W# { p: x#.p, a: x#.a + 1 }); }",
        ],
        ..BASE
    },
    Decoration {
        name: "cmpxchg and what it found",
        shared: "word W# { p: *Node, a: age } shared w#: W#;",
        steps: &[
            "let s# = w#;",
            "let x# = cmpxchg(w#, s#, W# { p: s#.p, a: s#.a« + 1¦» });",
            "if x#«¦.a¦» «==¦!=» s#«¦.a¦» { «BAD¦let r# = w#; if r# == x# { BAD }» }",
        ],
        ..BASE
    },
    Decoration {
        name: "two words with ages",
        shared: "word W# { p: *Node, a: age } shared w#: W#; @ shared u#: W#;",
        steps: &[
            "let s# = w#;",
            "let t# = u#;",
            "cas(u#, t#, W# { p: t#.p, a: t#.a + 1 });",
            "let x# = w#; if x# «==¦!=» s# { BAD }",
        ],
        ..BASE
    },
    Decoration {
        name: "counter in shared memory",
        shared: "shared c#: 0..3;",
        others: &["{ let k# = c#; if k# < «2¦1¦3» { c# = k# + 1; } }", "{ let k# = c#; c# = «0¦k#»; }"],
        ..BASE
    },
    Decoration {
        name: "counter of an operation",
        steps: &["let i#: 0..3 = 0;", "«if i# < 2 { i# += 1; }¦i# += 1;¦i# = i# + 1;»"],
        ..BASE
    },
    Decoration {
        name: "unbounded counter of an operation",
        steps: &["let i# = 0;", "i# += 1;", "«assert i# < 3;¦if i# > 1 { i# = 0; }¦let j# = i# + 1;»"],
        ..BASE
    },
    Decoration {
        name: "array",
        shared: "shared a#: [«bool¦0..4»; 2];",
        steps: &["let x# = 0;", "if choose bool { x# += 1; }", "let y# = a#[x#«¦¦ + 1»];"],
        ..BASE
    },
    Decoration {
        name: "assertion about a flag",
        shared: "shared g#: bool;",
        others: &["assert !g#;", "g# = «false¦true»;"],
        ..BASE
    },
    Decoration {
        name: "assertion about a pointer",
        others: &["assert «top != null¦n != null¦next != null¦h != null¦first != null»;"],
        ..BASE
    },
    Decoration {
        name: "another lock",
        shared: "shared l#: lock;",
        steps: &[
            "«l#.lock();¦l#.lock();¦if l#.try_lock() { l#.unlock(); }¦let b# = l#.is_locked();»",
            "l#.unlock();",
        ],
        ..BASE
    },
    Decoration {
        name: "a lock that is tried",
        shared: "shared l#: lock;",
        others: &[
            "if l#.try_lock() { «l#.unlock();¦l#.unlock(); l#.unlock();» }",
            "{ let b# = l#.is_locked(); if b# { «assert true;¦assert false;» } }",
        ],
        ..BASE
    },
    Decoration {
        name: "key",
        shared: "shared k#: key;",
        init: "«k# = key::MIN;¦»",
        others: &[
            "{ let y# = k#; if y# «==¦<» key::MAX { k# = y#; } }",
            "«cas(k#, key::MIN, key::MAX);¦swap(k#, key::MIN);¦k# = key::MAX;»",
        ],
        ..BASE
    },
    Decoration {
        name: "data through cells",
        shared: "shared p#: *Node; shared q#: *Node; shared r#: *Node;",
        init: "p# = new Node {}; q# = new Node {}; r# = new Node {}; «q#.val = p#.val;¦» «r#.val = q#.val;¦»",
        others: &[
            "{ let y# = p#; let z# = q#; z#.val = y#.val; }",
            "{ let y# = q#; let z# = r#; z#.val = y#.val; }",
        ],
        ..BASE
    },
    Decoration {
        name: "a result through cells",
        shared: "shared p#: *Node; shared q#: *Node; shared r#: *Node;",
        init: "p# = new Node {}; q# = new Node {}; r# = new Node {}; q#.val = p#.val; «r#.val = q#.val;¦»",
        others: &["if choose bool { let z# = «r#¦q#¦p#»; return z#.val; }"],
        ..BASE
    },
    Decoration {
        name: "a choice",
        others: &["if choose bool { «continue;¦lin;¦let e# = true; assert e#;» }"],
        ..BASE
    },
    Decoration {
        name: "atomic",
        shared: "shared g#: bool;",
        others: &["atomic { let t# = g#; g# = «!t#¦true¦t#»; }", "assert «g#¦!g#»;"],
        ..BASE
    },
    Decoration { name: "await", shared: "shared g#: bool;", others: &["await «!g#¦!g#¦g#»;"], ..BASE },
    Decoration {
        name: "helper",
        shared: "shared g#: bool; fn turn#() -> bool { let was# = g#; g# = !was#; return was#; }",
        others: &["«turn#();¦if turn#() { assert «true¦false»; }»"],
        ..BASE
    },
    Decoration {
        name: "defer",
        shared: "shared g#: bool;",
        others: &["defer g# = «false¦true»;", "«assert !g#;¦let t# = g#;»"],
        ..BASE
    },
    Decoration {
        name: "a loop that waits",
        shared: "shared g#: bool;",
        others: &["loop { let t# = g#; if «!t#¦!t#¦t#» { break; } }"],
        ..BASE
    },
    Decoration { name: "assumption", shared: "shared g#: bool;", others: &["assume «!g#¦g#»;"], ..BASE },
    Decoration {
        name: "a beginning",
        shared: "shared g#: bool;",
        init: "«assert «!g#¦g#»;¦assume «!g#¦g#»;¦g# = true;»",
        others: &["assert «g#¦!g#»;"],
        ..BASE
    },
    Decoration {
        name: "re-read", others: &["{ let t# = head; let u# = head; «assert t# == u#;¦»}"], ..BASE
    },
];

pub fn names() -> impl Iterator<Item = &'static str> {
    DECORATIONS.iter().map(|decoration| decoration.name)
}

/// Adds a decoration, and says which.
pub fn decorate(rng: &mut Rng, lines: &mut Vec<String>, number: usize) -> &'static str {
    let decoration = &DECORATIONS[rng.usize(0..DECORATIONS.len())];
    let text = |rng: &mut Rng, section: &str| {
        filled(rng, &section.replace("BAD", BAD)).replace('#', &number.to_string())
    };
    for step in decoration.others {
        let places = statements(lines);
        if let Some(&at) = rng.choice(&places) {
            let step = text(rng, step);
            lines.insert(at, format!("    {step}"));
        }
    }
    let places = statements(lines);
    if let Some(&start) = rng.choice(&places)
        && !decoration.steps.is_empty()
    {
        let mut at = start;
        for step in decoration.steps {
            let step = text(rng, step);
            lines.insert(at, format!("    {step}"));
            // The next one stands behind, in the same operation as far as that reaches.
            let end = lines[at + 1..].iter().position(|line| line.starts_with('}')).unwrap_or(0) + at + 1;
            let later: Vec<usize> =
                statements(lines).into_iter().filter(|place| *place > at && *place < end).collect();
            at = if rng.bool() { at + 1 } else { rng.choice(&later).copied().unwrap_or(at + 1) };
        }
    }
    if !decoration.init.is_empty()
        && let Some(init) = lines.iter().position(|line| line.starts_with("init {"))
    {
        let end = lines[init..].iter().position(|line| line.starts_with('}')).unwrap_or(1);
        let statement = text(rng, decoration.init);
        lines.insert(init + end, format!("    {statement}"));
    }
    if !decoration.shared.is_empty() {
        let declarations =
            text(rng, decoration.shared).replace("; shared", ";\nshared").replace("} shared", "}\nshared");
        let declarations = declarations.replace("@ ", "").replace("; fn", ";\nfn");
        let first = lines.iter().position(|line| line.starts_with("shared ")).unwrap_or(1);
        let last = lines.iter().position(|line| line.starts_with("init {")).unwrap_or(first);
        let at = if rng.bool() { first } else { last };
        let new: Vec<String> = declarations.lines().map(String::from).collect();
        lines.splice(at..at, new);
    }
    decoration.name
}

/// Adds unused shared variables, so that the numbers of two others differ by 256.
pub fn crowd(rng: &mut Rng, lines: &mut Vec<String>) -> &'static str {
    let shared: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].starts_with("shared ")).collect();
    if shared.len() < 2 {
        return "many variables";
    }
    let first = rng.usize(0..shared.len() - 1);
    let second = rng.usize(first + 1..shared.len());
    let count = 256 - (second - first);
    let new: Vec<String> = (0..count).map(|number| format!("shared unused{number}: bool;")).collect();
    lines.splice(shared[first] + 1..shared[first] + 1, new);
    "many variables"
}

/// One alternative of each hole; holes may stand in holes.
fn filled(rng: &mut Rng, template: &str) -> String {
    let mut text = template.to_string();
    // The innermost hole first: the last that opens before the first that closes.
    while let Some(end) = text.find('»') {
        let Some(start) = text[..end].rfind('«') else { panic!("a hole that is not open: {template}") };
        let alternatives: Vec<&str> = text[start + '«'.len_utf8()..end].split('¦').collect();
        let chosen = alternatives[rng.usize(0..alternatives.len())].to_string();
        text.replace_range(start..end + '»'.len_utf8(), &chosen);
    }
    text
}
