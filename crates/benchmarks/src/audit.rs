//! Whether the Promela models say what they should: a comparison with a wrong model would be worth nothing.
//!
//! 1. They have exactly the states and transitions that [`mod@crate::reference`] has, and no statement that
//!    nothing reaches: no behaviour is cut.
//! 2. They find what is wrong when nodes are reused, in the smallest instances that show it (Friggens, table
//!    6.1), and nothing below those.
//! 3. They find a cycle without progress when removals wait, and none otherwise.

use crate::pan::{Outcome, Verdict};
use crate::problem::{Bounds, Model, Question};
use crate::reference;
use crate::spin::{Grain, Purpose, Room, Search, Variant};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Expected {
    /// The size that the reference has.
    Size,
    Holds,
    Violated,
}

/// Model, threads, nodes, values; each is run at both grains.
type Case = (Model, [u8; 3], Question, Variant, Expected);

const CASES: [Case; 16] = {
    use Expected::*;
    use Model::*;
    use Question::*;
    use Variant::*;
    [
        (TreiberStack, [2, 3, 2], LinearizationPoints, Plain, Size),
        (TreiberStack, [3, 3, 1], LinearizationPoints, Plain, Size),
        (MsQueue, [2, 3, 2], LinearizationPoints, Plain, Size),
        (MsQueue, [3, 3, 1], LinearizationPoints, Plain, Size),
        (TreiberStack, [2, 1, 2], LinearizationPoints, Reuse, Violated),
        (TreiberStack, [2, 2, 1], LinearizationPoints, Reuse, Violated),
        (TreiberStack, [2, 1, 1], LinearizationPoints, Reuse, Holds),
        (TreiberStack, [1, 2, 2], LinearizationPoints, Reuse, Holds),
        (MsQueue, [2, 2, 1], LinearizationPoints, Reuse, Violated),
        (MsQueue, [2, 1, 1], LinearizationPoints, Reuse, Holds),
        (MsQueue, [1, 3, 2], LinearizationPoints, Reuse, Holds),
        (TreiberStack, [2, 2, 2], LockFree, Plain, Holds),
        (TreiberStack, [1, 1, 1], LockFree, Waiting, Violated),
        (TreiberStack, [2, 2, 2], LockFree, Waiting, Violated),
        (MsQueue, [2, 3, 2], LockFree, Plain, Holds),
        (MsQueue, [2, 3, 2], LockFree, Waiting, Violated),
    ]
};

/// A line for each case; the last one says how many are not as they should be.
pub fn run(mut print: impl FnMut(&str)) -> Result<bool, String> {
    let mut wrong = 0;
    for (model, [threads, nodes, values], question, variant, expected) in CASES {
        for grain in [Grain::Fused, Grain::Accesses] {
            let bounds = Bounds { threads, nodes, values };
            let room = Room { depth: 1_000_000, slots: 20 };
            let purpose = Purpose::Answer;
            let search = Search { model, bounds, question, variant, grain, room, purpose };
            let (outcome, _) = search.compile()?.run()?;
            let objection = match expected {
                Expected::Size => objection_to_size(model, bounds, grain, &outcome)?,
                Expected::Holds => (outcome.verdict != Verdict::Holds).then(|| "should hold".to_owned()),
                Expected::Violated => (!matches!(outcome.verdict, Verdict::Violated(_)))
                    .then(|| "should be violated".to_owned()),
            };
            wrong += u32::from(objection.is_some());
            let case = format!("{} {bounds} {question}, {variant:?}, {grain:?}", model.name());
            let judged = objection.map_or_else(|| "as expected".to_owned(), |why| format!("WRONG: {why}"));
            print(&format!("{case}: {:?}, {} states: {judged}", outcome.verdict, outcome.states));
        }
    }
    print(&format!("{wrong} wrong"));
    Ok(wrong == 0)
}

fn objection_to_size(
    model: Model,
    bounds: Bounds,
    grain: Grain,
    outcome: &Outcome,
) -> Result<Option<String>, String> {
    let expected = reference::explore(model, bounds, grain)?;
    Ok(size_objection(expected, outcome))
}

/// Spin counts the step into the initial state as a transition.
fn size_objection(expected: reference::Size, outcome: &Outcome) -> Option<String> {
    let found =
        reference::Size { states: outcome.states, transitions: outcome.transitions.saturating_sub(1) };
    if outcome.verdict != Verdict::Holds {
        return Some("should hold".to_owned());
    }
    if found != expected {
        return Some(format!("{found:?}, but the reference has {expected:?}"));
    }
    (!outcome.unreached.is_empty()).then(|| format!("never reached: {}", outcome.unreached.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(states: u64, transitions: u64) -> Outcome {
        Outcome { verdict: Verdict::Holds, states, transitions, depth: 9, unreached: vec![] }
    }

    #[test]
    fn sizes_agree_up_to_the_first_step() {
        let size = reference::Size { states: 5, transitions: 7 };
        assert_eq!(size_objection(size, &outcome(5, 8)), None);
    }

    #[test]
    fn a_missing_state_an_unreached_statement_and_a_cut_search_are_objected_to() {
        let size = reference::Size { states: 5, transitions: 7 };
        assert!(size_objection(size, &outcome(4, 8)).is_some());
        assert!(size_objection(size, &outcome(5, 7)).is_some());
        let unreached = Outcome { unreached: vec!["head = n".to_owned()], ..outcome(5, 8) };
        assert!(size_objection(size, &unreached).is_some_and(|why| why.contains("head = n")));
        let cut = Outcome { verdict: Verdict::Cut("memory".to_owned()), ..outcome(5, 8) };
        assert!(size_objection(size, &cut).is_some());
    }
}
