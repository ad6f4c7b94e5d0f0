//! What a proof of a set says at each line, as lemmas.

use crate::ProofResult;
use crate::cmp::samples;
use linchpin_engine::Budget;
use linchpin_engine::model::{Compiled, RequestError};
use linchpin_prove::cmp::CmpProver;
use linchpin_prove::lemma::{Lemma, PoolLimits, Printer, mine};

/// Returns the invariant of a proof of a set as lemmas, in the order of their places. Those of the
/// compositional method are the lemmas of its certificate. Those of `sets` are the mined literals that are
/// true in every view, so in every state. Empty for other proofs.
pub fn lemmas_of(proving: &ProofResult, budget: &Budget) -> Result<Vec<Lemma>, RequestError> {
    if let Some(proof) = &proving.cmp {
        return Ok(proof.lemmas.clone());
    }
    let program = &proving.compiled.program;
    let (Some(certificate), Ok(prover)) = (&proving.set_certificate, CmpProver::new(program)) else {
        return Ok(Vec::new());
    };
    let pool = mine(program, &samples(program)?, None, PoolLimits::default(), budget)?;
    let mut shown = prover.shown_in(certificate, pool.always());
    shown.sort();
    Ok(shown)
}

/// Returns lemmas in their notation, a line each.
pub fn lemmas_text(compiled: &Compiled, lemmas: &[Lemma]) -> Vec<String> {
    let printer = Printer { program: &compiled.program, sources: &compiled.sources };
    lemmas.iter().map(|lemma| printer.lemma(lemma)).collect()
}
