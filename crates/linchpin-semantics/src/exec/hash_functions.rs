//! The tables of hash functions: computed by running their bodies, or chosen.

use crate::code::Code;
use crate::code::hash_tables::Source;
use crate::code::outcome::Trap;
use crate::exec::events::NoEvents;
use crate::exec::picks::Picks;
use crate::exec::run::{Mode, Run};
use crate::instance::Words;
use crate::instance::bounds::ThreadId;
use crate::state::State;
use linchpin_ir::index::{Index, number_of};
use linchpin_ir::program::{HashId, Program};
use linchpin_ir::types::{UNDEFINED, Word};

/// Computes the tables of given hash functions.
pub(crate) fn fill_tables(program: &Program, code: &mut Code) {
    for at in code.tables.given.clone() {
        let Some(body) = program.hashes[HashId::new(at)].body else { continue };
        let table = &code.tables.tables[at];
        if let Source::Fixed(_) = table.source {
            let result =
                |value: &Words| evaluate(code, &mut State::blank(code), number_of(body.index()), value);
            let results = table.domain.iter().map(result).collect();
            code.tables.tables[at].source = Source::Fixed(results);
        }
    }
}

/// Chooses the arbitrary hash functions, then computes those that depend on them.
pub(crate) fn choose_tables(code: &Code, state: &mut State, picks: &mut Picks) -> Result<(), Trap> {
    for table in &code.tables.tables {
        if let Source::InState { at, method: None, results } = &table.source {
            for entry in (0..table.domain.len()).filter(|_| !results.is_empty()) {
                let result = &results[picks.pick(results.len())];
                state.words[at + entry * table.width..][..table.width].copy_from_slice(result);
            }
        }
    }
    for table in code.tables.given.iter().map(|at| &code.tables.tables[*at]) {
        if let Source::InState { at, method: Some(method), .. } = &table.source {
            for (entry, value) in table.domain.iter().enumerate() {
                let result = evaluate(code, state, *method, value)?;
                state.words[at + entry * table.width..][..table.width].copy_from_slice(&result);
            }
        }
    }
    Ok(())
}

/// Returns the result of a function of one value.
fn evaluate(code: &Code, state: &mut State, method: u32, value: &[Word]) -> Result<Words, Trap> {
    let (mut picks, mut events) = (Picks::new(), NoEvents);
    let mut run = Run::new(code, state, ThreadId::new(0), UNDEFINED, &mut picks, &mut events, Mode::Bare);
    run.bare(method, value)?;
    Ok(run.results)
}
