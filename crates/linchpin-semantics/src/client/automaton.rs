//! Compiles a role's regular expression to the minimal automaton of the calls that may come next.
//!
//! A thread repeats the expression `e` for ever, so the automaton accepts the *prefixes* of words of `L(e)*`.
//! Every state accepts. Two states are equal iff the same sequences of calls are possible from them. The
//! automaton is built from the positions of the expression (Glushkov): `first`, `last` and `follow`, where a
//! last position is also followed by the first ones. Subsets of positions make it deterministic, partition
//! refinement makes it minimal.

use linchpin_ir::program::{Calls, OpId};
use std::collections::{BTreeMap, BTreeSet};

/// The largest number of subsets of positions: there may be exponentially many.
pub(super) const MOST_STATES: usize = 1 << 12;

/// Returns for each state, from state 0, the operations that may be called and the next states. `None`: there
/// are more than [`MOST_STATES`] subsets.
pub(super) fn automaton(calls: &Calls) -> Option<Vec<Vec<(OpId, usize)>>> {
    let mut positions = Positions::default();
    let whole = positions.read(calls);
    for last in &whole.last {
        positions.follow[*last].extend(&whole.first);
    }
    determinise(&positions, whole.first).map(|moves| minimise(&moves))
}

#[derive(Default)]
struct Positions {
    ops: Vec<OpId>,
    follow: Vec<BTreeSet<usize>>,
}

/// The first and last positions of a part of the expression.
struct RegexPart {
    nullable: bool,
    first: BTreeSet<usize>,
    last: BTreeSet<usize>,
}

impl Positions {
    fn read(&mut self, calls: &Calls) -> RegexPart {
        match calls {
            Calls::Op(op) => {
                self.ops.push(*op);
                self.follow.push(BTreeSet::new());
                let here = BTreeSet::from([self.ops.len() - 1]);
                RegexPart { nullable: false, first: here.clone(), last: here }
            }
            Calls::Sequence(parts) => {
                let mut whole = RegexPart { nullable: true, first: BTreeSet::new(), last: BTreeSet::new() };
                for part in parts {
                    let part = self.read(part);
                    for last in &whole.last {
                        self.follow[*last].extend(&part.first);
                    }
                    if whole.nullable {
                        whole.first.extend(&part.first);
                    }
                    if !part.nullable {
                        whole.last.clear();
                    }
                    whole.last.extend(&part.last);
                    whole.nullable &= part.nullable;
                }
                whole
            }
            Calls::Choice(parts) => {
                let mut whole = RegexPart { nullable: false, first: BTreeSet::new(), last: BTreeSet::new() };
                for part in parts {
                    let part = self.read(part);
                    whole.nullable |= part.nullable;
                    whole.first.extend(part.first);
                    whole.last.extend(part.last);
                }
                whole
            }
            Calls::Star(part) => {
                let part = self.read(part);
                for last in &part.last {
                    self.follow[*last].extend(&part.first);
                }
                RegexPart { nullable: true, ..part }
            }
            Calls::Optional(part) => RegexPart { nullable: true, ..self.read(part) },
        }
    }
}

type Moves = Vec<BTreeMap<OpId, usize>>;

fn determinise(positions: &Positions, first: BTreeSet<usize>) -> Option<Moves> {
    let mut states = vec![first.clone()];
    let mut numbers = BTreeMap::from([(first, 0)]);
    let mut moves: Moves = Vec::new();
    while let Some(state) = states.get(moves.len()) {
        let mut targets: BTreeMap<OpId, BTreeSet<usize>> = BTreeMap::new();
        for position in state {
            targets.entry(positions.ops[*position]).or_default().extend(&positions.follow[*position]);
        }
        let number = |(op, target): (OpId, BTreeSet<usize>)| {
            let next = *numbers.entry(target.clone()).or_insert_with(|| {
                states.push(target);
                states.len() - 1
            });
            (op, next)
        };
        moves.push(targets.into_iter().map(number).collect());
        if states.len() > MOST_STATES {
            return None;
        }
    }
    Some(moves)
}

/// Merges equivalent states, and numbers the classes in the order of a walk from the first.
fn minimise(moves: &Moves) -> Vec<Vec<(OpId, usize)>> {
    let mut block = vec![0; moves.len()];
    loop {
        let mut numbers = BTreeMap::new();
        let refined: Vec<usize> = (0..moves.len())
            .map(|state| {
                let next: Vec<(OpId, usize)> =
                    moves[state].iter().map(|(op, to)| (*op, block[*to])).collect();
                let count = numbers.len();
                *numbers.entry((block[state], next)).or_insert(count)
            })
            .collect();
        if refined == block {
            break;
        }
        block = refined;
    }
    let mut order = vec![0];
    let mut numbers = BTreeMap::from([(block[0], 0)]);
    let mut out = Vec::new();
    while let Some(&state) = order.get(out.len()) {
        let number = |(op, to): (&OpId, &usize)| {
            let next = *numbers.entry(block[*to]).or_insert_with(|| {
                order.push(*to);
                order.len() - 1
            });
            (*op, next)
        };
        out.push(moves[state].iter().map(number).collect());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use linchpin_ir::index::Index;

    fn op(at: usize) -> Calls {
        Calls::Op(OpId::new(at))
    }

    /// Checks by derivatives whether a word is a prefix of `e e e …`. The reference.
    fn is_prefix(calls: &Calls, word: &[usize]) -> bool {
        fn after(calls: &Calls, word: &[usize]) -> BTreeSet<usize> {
            // The lengths of prefixes of `word` that `calls` matches. `usize::MAX`: all of `word` is a proper
            // prefix of a match.
            match calls {
                Calls::Op(op) => match word.first() {
                    None => BTreeSet::from([usize::MAX]),
                    Some(at) if OpId::new(*at) == *op => BTreeSet::from([1]),
                    Some(_) => BTreeSet::new(),
                },
                Calls::Sequence(parts) => {
                    parts.iter().fold(BTreeSet::from([0]), |ends, part| then(&ends, part, word))
                }
                Calls::Choice(parts) => parts.iter().flat_map(|part| after(part, word)).collect(),
                Calls::Optional(part) => after(part, word).into_iter().chain([0]).collect(),
                Calls::Star(part) => {
                    let mut ends = BTreeSet::from([0]);
                    loop {
                        let more: BTreeSet<usize> = ends.union(&then(&ends, part, word)).copied().collect();
                        if more == ends {
                            return ends;
                        }
                        ends = more;
                    }
                }
            }
        }
        fn then(ends: &BTreeSet<usize>, part: &Calls, word: &[usize]) -> BTreeSet<usize> {
            let mut out = BTreeSet::new();
            for &end in ends {
                if end == usize::MAX {
                    out.insert(end);
                    continue;
                }
                out.extend(after(part, &word[end..]).into_iter().map(|more| more.saturating_add(end)));
            }
            out
        }
        let ends = after(&Calls::Star(Box::new(calls.clone())), word);
        ends.contains(&word.len()) || ends.contains(&usize::MAX)
    }

    fn random(random: &mut fastrand::Rng, depth: u32) -> Calls {
        let parts = |random: &mut fastrand::Rng| {
            (0..random.u32(1..4)).map(|_| self::random(random, depth - 1)).collect()
        };
        match if depth == 0 { 0 } else { random.u32(..5) } {
            0 => op(random.usize(..3)),
            1 => Calls::Sequence(parts(random)),
            2 => Calls::Choice(parts(random)),
            3 => Calls::Star(Box::new(self::random(random, depth - 1))),
            _ => Calls::Optional(Box::new(self::random(random, depth - 1))),
        }
    }

    #[test]
    fn the_same_sequences_as_by_derivatives() {
        let mut rng = fastrand::Rng::with_seed(4);
        let mut refused = 0;
        for _ in 0..300 {
            let calls = random(&mut rng, 3);
            let states = automaton(&calls).expect("a small one");
            for _ in 0..20 {
                let word: Vec<usize> = (0..rng.usize(..7)).map(|_| rng.usize(..3)).collect();
                let step = |state: Option<usize>, at: &usize| {
                    states[state?].iter().find(|(op, _)| *op == OpId::new(*at)).map(|(_, next)| *next)
                };
                let accepted = word.iter().fold(Some(0), step).is_some();
                assert_eq!(accepted, is_prefix(&calls, &word), "{calls:?} {word:?}");
                refused += u32::from(!accepted);
            }
        }
        assert!(refused > 1000, "only {refused} words were refused");
    }

    #[test]
    fn arrive_and_depart_need_two_states() {
        // query | arrive query* depart
        let calls =
            Calls::Choice(vec![op(2), Calls::Sequence(vec![op(0), Calls::Star(Box::new(op(2))), op(1)])]);
        let (arrive, depart, query) = (OpId::new(0), OpId::new(1), OpId::new(2));
        let expected = vec![vec![(arrive, 1), (query, 0)], vec![(depart, 0), (query, 1)]];
        assert_eq!(automaton(&calls), Some(expected));
    }

    #[test]
    fn the_call_that_was_n_ago_needs_too_many_states() {
        let either = || Calls::Choice(vec![op(0), op(1)]);
        let calls = |ago: usize| {
            let mut parts = vec![Calls::Star(Box::new(either())), op(0)];
            parts.extend((0..ago).map(|_| either()));
            Calls::Sequence(parts)
        };
        assert!(automaton(&calls(6)).is_some());
        assert_eq!(automaton(&calls(40)), None);
    }
}
