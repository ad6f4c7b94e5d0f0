//! Sequential specifications written once more, in Rust: what the oracle believes, beside the texts that it
//! is asked about.

use linchpin_ir::types::{NONE, Word};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sequential {
    Stack,
    Queue,
    Deque,
    Register,
    Set,
    Map,
    /// With so many places.
    Bounded(usize),
    PriorityQueue,
    Synchronous,
    /// Two calls of one operation meet and swap their values.
    Exchanger,
    /// `take` waits for a token; a token is a word of two values, and the object says `T?`.
    Tokens,
}

pub type Values = Vec<Vec<Word>>;

/// A call as the oracle sees it: the number of the operation in the text, and its arguments.
pub type Call<'a> = (usize, &'a [Word]);

impl Sequential {
    pub const ALL: [Sequential; 12] = [
        Sequential::Stack,
        Sequential::Queue,
        Sequential::Deque,
        Sequential::Register,
        Sequential::Set,
        Sequential::Map,
        Sequential::Bounded(1),
        Sequential::Bounded(2),
        Sequential::PriorityQueue,
        Sequential::Synchronous,
        Sequential::Exchanger,
        Sequential::Tokens,
    ];

    /// An object with this specification; what its operations do does not matter here.
    pub fn text(self) -> String {
        match self {
            Sequential::Stack => "object O: Stack; op push(v: data) {} op pop() -> data? { return none; }".into(),
            Sequential::Queue => "object O: Queue; op enq(v: data) {} op deq() -> data? { return none; }".into(),
            Sequential::Deque => "object O: Deque;
                op push_left(v: data) {} op push_right(v: data) {}
                op pop_left() -> data? { return none; } op pop_right() -> data? { return none; }"
                .into(),
            Sequential::Register => "object O: Register<0..=2>(0);
                op write(v: 0..=2) {} op read() -> 0..=2 { return 0; }"
                .into(),
            Sequential::Set => "object O: Set<data>; op add(x: data) -> bool { return true; }
                op remove(x: data) -> bool { return true; } op contains(x: data) -> bool { return true; }"
                .into(),
            Sequential::Map => "object O: Map<key, data>; op put(k: key, v: data) -> data? { return none; }
                op remove(k: key) -> data? { return none; } op get(k: key) -> data? { return none; }"
                .into(),
            Sequential::Bounded(capacity) => format!(
                "object O: BoundedQueue({capacity}); op enq(v: data) {{}} op deq() -> data? {{ return none; }}"
            ),
            Sequential::PriorityQueue => "object O: PQueue<0..2>;
                op add(item: data, priority: 0..2) {} op remove_min() -> data? { return none; }"
                .into(),
            Sequential::Synchronous => "object O: SynchronousQueue;
                op enq(v: data) {} op deq() -> data? { return none; }"
                .into(),
            Sequential::Exchanger => "object O: Exchanger;
                spec Exchanger { op exchange(v: data) -> data & op exchange(w: data) -> data { return w, v; } }
                op exchange(v: data) -> data? { return none; }"
                .into(),
            Sequential::Tokens => "object O: Tokens;
                word Token { item: data, again: bool }
                spec Tokens {
                    state last: Token?;
                    op give(v: data) { last = Token { item: v, again: last != none }; }
                    op take() -> Token when last != none { let t = last.unwrap(); last = none; return t; }
                }
                op give(v: data) {} op take() -> Token? { return none; }"
                .into(),
        }
    }

    pub fn initial(self) -> Vec<Word> {
        if self == Sequential::Register { vec![0] } else { Vec::new() }
    }

    /// The arguments that may be passed and the results that may come back, by operation.
    pub fn operations(self) -> Vec<(Values, Values)> {
        let values = || vec![vec![1], vec![2]];
        let maybe = || vec![vec![NONE], vec![1], vec![2]];
        let nothing = || vec![vec![]];
        let flag = || vec![vec![0], vec![1]];
        match self {
            Sequential::Stack | Sequential::Queue => vec![(values(), nothing()), (nothing(), maybe())],
            Sequential::Register => {
                let all = || vec![vec![0], vec![1], vec![2]];
                vec![(all(), nothing()), (nothing(), all())]
            }
            Sequential::Deque => {
                vec![(values(), nothing()), (values(), nothing()), (nothing(), maybe()), (nothing(), maybe())]
            }
            Sequential::Set => vec![(values(), flag()); 3],
            Sequential::Map => {
                let entries = (1..=2).flat_map(|key| [vec![key, 1], vec![key, 2]]).collect();
                vec![(entries, maybe()), (values(), maybe()), (values(), maybe())]
            }
            Sequential::Bounded(_) | Sequential::Synchronous => {
                vec![(values(), nothing()), (nothing(), maybe())]
            }
            Sequential::PriorityQueue => {
                let entries = (1..=3).flat_map(|item| [vec![item, 0], vec![item, 1]]).collect();
                vec![(entries, nothing()), (nothing(), vec![vec![NONE], vec![1], vec![2], vec![3]])]
            }
            Sequential::Exchanger => vec![(values(), maybe())],
            Sequential::Tokens => {
                let tokens = vec![vec![1, 1, 0], vec![1, 1, 1], vec![1, 2, 0], vec![1, 2, 1]];
                vec![(values(), nothing()), (nothing(), tokens)]
            }
        }
    }

    /// Every way in which these calls may take effect together: the state after them and the result of each.
    pub fn effects(self, state: &[Word], calls: &[Call]) -> Vec<(Vec<Word>, Values)> {
        let alone = |(op, args): Call| self.effects_alone(state, op, args);
        match (self, calls) {
            (Sequential::Synchronous, &[(0, v), (1, _)]) => vec![(vec![], vec![vec![], v.to_vec()])],
            (Sequential::Synchronous, &[(1, _), (0, v)]) => vec![(vec![], vec![v.to_vec(), vec![]])],
            (Sequential::Exchanger, &[(0, v), (0, w)]) => vec![(vec![], vec![w.to_vec(), v.to_vec()])],
            (Sequential::Synchronous | Sequential::Exchanger, _) => vec![],
            (_, &[call]) => alone(call).into_iter().map(|(state, result)| (state, vec![result])).collect(),
            _ => vec![],
        }
    }

    fn effects_alone(self, state: &[Word], op: usize, args: &[Word]) -> Vec<(Vec<Word>, Vec<Word>)> {
        let with = |more: &[Word]| [state, more].concat();
        let without = |at: usize| {
            let mut rest = state.to_vec();
            rest.remove(at);
            rest
        };
        match (self, op) {
            (Sequential::Stack | Sequential::Queue, 0) => vec![(with(args), vec![])],
            (Sequential::Bounded(capacity), 0) if state.len() < capacity => vec![(with(args), vec![])],
            (Sequential::Bounded(_), 0) => vec![],
            (Sequential::Bounded(_), _) if state.is_empty() => vec![],
            (Sequential::Stack | Sequential::Queue, _) if state.is_empty() => vec![(vec![], vec![NONE])],
            (Sequential::Stack, _) => vec![(without(state.len() - 1), vec![state[state.len() - 1]])],
            (Sequential::Queue | Sequential::Bounded(_), _) => vec![(without(0), vec![state[0]])],
            (Sequential::Deque, 0) => vec![([args, state].concat(), vec![])],
            (Sequential::Deque, 1) => vec![(with(args), vec![])],
            (Sequential::Deque, _) if state.is_empty() => vec![(vec![], vec![NONE])],
            (Sequential::Deque, 2) => vec![(without(0), vec![state[0]])],
            (Sequential::Deque, _) => vec![(without(state.len() - 1), vec![state[state.len() - 1]])],
            (Sequential::Map, op) => {
                // Keys and values in turn.
                let mut entries: Vec<(Word, Word)> =
                    state.chunks(2).map(|entry| (entry[0], entry[1])).collect();
                let at = entries.iter().position(|(key, _)| *key == args[0]);
                let was = at.map_or(NONE, |at| entries[at].1);
                if op < 2 {
                    entries.retain(|(key, _)| *key != args[0]);
                }
                if op == 0 {
                    entries.push((args[0], args[1]));
                    entries.sort();
                }
                vec![(entries.into_iter().flat_map(|(key, value)| [key, value]).collect(), vec![was])]
            }
            (Sequential::Register, 0) => vec![(args.to_vec(), vec![])],
            (Sequential::Register, _) => vec![(state.to_vec(), state.to_vec())],
            (Sequential::Set, op) => {
                let at = state.iter().position(|x| x == &args[0]);
                let sorted = |mut items: Vec<Word>| {
                    items.sort();
                    items
                };
                match (op, at) {
                    (0, None) => vec![(sorted(with(args)), vec![1])],
                    (1, Some(at)) => vec![(without(at), vec![1])],
                    (2, Some(_)) => vec![(state.to_vec(), vec![1])],
                    _ => vec![(state.to_vec(), vec![0])],
                }
            }
            (Sequential::PriorityQueue, 0) => vec![(with(args), vec![])],
            (Sequential::PriorityQueue, _) => {
                let Some(least) = state.chunks(2).map(|entry| entry[1]).min() else {
                    return vec![(vec![], vec![NONE])];
                };
                let least = state.chunks(2).enumerate().filter(|(_, entry)| entry[1] == least);
                let take = |(at, entry): (usize, &[Word])| {
                    let rest = [&state[..at * 2], &state[at * 2 + 2..]].concat();
                    (rest, vec![entry[0]])
                };
                least.map(take).collect()
            }
            (Sequential::Tokens, 0) => vec![(vec![args[0], Word::from(!state.is_empty())], vec![])],
            (Sequential::Tokens, _) if state.is_empty() => vec![],
            (Sequential::Tokens, _) => vec![(vec![], [&[1], state].concat())],
            (Sequential::Synchronous | Sequential::Exchanger, _) => vec![],
        }
    }
}
