//! Helpers and methods: some are always the same (they stand for an idiom each), some are random.

use super::{Generator, Helper, Ty};

impl Generator {
    pub(super) fn functions(&mut self) {
        for text in FIXED {
            self.out.push_str(text);
        }
        self.helpers = vec![
            helper("turn", &[], Some(Ty::Number), 0),
            helper("late", &[Ty::Number], Some(Ty::Number), 0),
            helper("walk", &[Ty::Pointer, Ty::Bool], Some(Ty::Number), 4),
            helper("taken", &[Ty::Number], Some(Ty::Bool), 2),
            helper("store_twice", &[Ty::Number, Ty::Number], None, 2),
        ];
        for number in 0..self.rng.usize(0..=2) {
            let result = [None, Some(Ty::Number), Some(Ty::Bool)][self.rng.usize(0..3)];
            let params = vec![
                ("p".to_string(), Ty::Number),
                ("q".to_string(), Ty::ALL[self.rng.usize(0..Ty::ALL.len())]),
            ];
            let name = format!("helper{number}");
            let listed: Vec<String> =
                params.iter().map(|(name, ty)| format!("{name}: {}", ty.text())).collect();
            let result_text = result.map_or(String::new(), |ty| format!(" -> {}", ty.text()));
            self.body(&format!("fn {name}({}){result_text}", listed.join(", ")), &params, result, 3);
            self.helpers.push(Helper {
                name,
                params: params.into_iter().map(|(_, ty)| ty).collect(),
                result,
                cost: 3,
            });
        }
    }
}

fn helper(name: &str, params: &[Ty], result: Option<Ty>, cost: i64) -> Helper {
    Helper { name: name.into(), params: params.to_vec(), result, cost }
}

const FIXED: [&str; 10] = [
    // Changes a variable of the thread in the middle of an expression that may have read it.
    "fn turn() -> Small {\n    mine = (mine + 1) % 8;\n    return mine;\n}\n",
    // Changes the variable that its argument may have been.
    "fn late(p: Small) -> Small {\n    mine = (mine + 2) % 8;\n    return (p + mine) % 8;\n}\n",
    "fn none_at_all() -> Small? { return none; }\n",
    "fn some_datum() -> data {\n    let d: data;\n    return d;\n}\n",
    // Recursion: a frame for each cell of a list that other threads change meanwhile.
    "fn walk_on(n: *Node, more: int) -> int {
    if n == null || more == 0 { return 0; }
    return n.val + walk_on(n.next, more - 1);
}\n",
    "fn walk(n: *Node, far: bool) -> Small {
    let steps = 1;
    if far { steps = 2; }
    return walk_on(n, steps) % 8;
}\n",
    // A lock that is given back on every way out.
    "fn taken(wanted: Small) -> bool {
    guard.lock();
    defer guard.unlock();
    for i in 0..2 {
        if row[i] == wanted { return true; }
    }
    return false;
}\n",
    "fn store_twice(a: Small, b: Small) {
    defer x = a;
    if b > 3 { return; }
    defer y = b;
    a = (a + b) % 8;
}\n",
    "impl Link {
    fn toggle(self) -> bool {
        let old = self.mark;
        self.mark = !old;
        return old;
    }
    fn shift(self, by: Small) -> Small {
        self.tag = (self.tag + by) % 8;
        return by;
    }
    fn step(self, to: *Node) -> bool {
        let seen = self;
        return cas(self, seen, Link { ptr: to, tag: seen.tag, mark: seen.mark, age: seen.age + 1 });
    }
}\n",
    "impl Node {
    fn bump(self) -> Small {
        let old = self.val;
        self.val = (old + 1) % 8;
        return old;
    }
}
impl Pair {
    fn total(self) -> Small { return (self.first + self.second) % 8; }
    fn exchange(self) {
        let kept = self.first;
        self.first = self.second;
        self.second = kept;
    }
}\n",
];
