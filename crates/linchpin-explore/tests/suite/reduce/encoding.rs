//! Encoded states: reading inverts writing, even if a word does not fit the bits of its slot.

use super::support::*;
use linchpin_explore::reduce::{Canonicalizer, Scratch, StateSymmetry};
use linchpin_ir::index::Index;
use linchpin_ir::types::Word;
use linchpin_semantics::*;

const BOARD: &str = "
object Board: Board;
spec Board {
    op post(v: data) {}
}
shared last: data?;
op post(v: data) { last = v; }
";

fn board(values: u32) -> Machine {
    machine(BOARD, &Bounds { threads: 2, nodes: 1, values, ..Bounds::default() })
}

fn flat(machine: &Machine, state: &State) -> Vec<Word> {
    let mut words = Vec::new();
    machine.flatten(state, &mut words);
    words
}

/// Uses a canonicalizer for one value and one position, and states of a machine with more of both.
#[test]
fn words_out_of_range_are_not_cut_off() {
    let machine = board(9);
    let canonicalizer = Canonicalizer::new(&board(1), StateSymmetry::nothing(2), None, 1);
    let mut scratch = Scratch::default();
    let mut written = Vec::new();
    for (value, position) in [(1, 0), (2, 0), (8, 0), (9, 0), (1, 1), (1, 4)] {
        let call = CallChoice { op: op(&machine, "post"), args: [value].into(), next_position: position };
        let action = Action::Call(ThreadId::new(0), call);
        let (outcome, state) = outcomes(&machine, &initial(&machine), &action).remove(0);
        assert_eq!(outcome, Outcome::Done);
        let mut bytes = Vec::new();
        canonicalizer.write(&mut scratch, &state, &[0, 1], &mut bytes);
        let mut read = State::default();
        canonicalizer.read(&bytes, &mut read);
        assert_eq!(flat(&machine, &read), flat(&machine, &state), "value {value}, position {position}");
        assert!(!written.contains(&bytes), "value {value}, position {position}: written like another");
        written.push(bytes);
    }
}
