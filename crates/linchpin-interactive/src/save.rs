//! The execution as a trace for `replay`.
//!
//! The claim of a saved trace is what `replay` confirms of it: a violation, or nothing.

use crate::session::{Instance, Session};
use linchpin_ir::property::Property;
use linchpin_judge::replay::{Counterexample, fingerprint, replay};
use linchpin_judge::trace::{Choice, Claim, Instance as TraceInstance, Trace, TraceClient};
use linchpin_report::trace_file::TraceFile;

/// The claims that are tried, in order.
const CLAIMS: [Property; 4] =
    [Property::MemorySafe, Property::Assertions, Property::Linearizable, Property::DeadlockFree];

/// Returns the text of the file.
pub fn trace_text(session: &Session) -> Result<String, serde_json::Error> {
    let trace = match counterexample(session) {
        Some(found) => found.trace().clone(),
        None => trace(&session.instance, session.start_picks(), session.choices(), Claim::Nothing),
    };
    TraceFile::new(&session.instance.model, &trace).to_text()
}

/// Returns the violation that the execution shows. `None`: it shows none of [`CLAIMS`].
pub fn counterexample(session: &Session) -> Option<Counterexample> {
    CLAIMS.into_iter().find_map(|property| {
        let claim = Claim::Violates(property);
        let trace = trace(&session.instance, session.start_picks(), session.choices(), claim);
        replay(&session.instance.compiled.program, &trace).ok()
    })
}

/// Returns the violated property if `replay` confirms the claim.
pub fn confirmed(instance: &Instance, start: &[u32], choices: Vec<Choice>, claim: Claim) -> Option<Property> {
    let Claim::Violates(property) = claim else { return None };
    replay(&instance.compiled.program, &trace(instance, start, choices, claim)).ok().map(|_| property)
}

fn trace(instance: &Instance, start: &[u32], choices: Vec<Choice>, claim: Claim) -> Trace {
    let program = &instance.compiled.program;
    let instance = TraceInstance {
        model: program.name.to_string(),
        fingerprint: fingerprint(program),
        bounds: instance.machine.bounds().clone(),
        constants: program.constants.iter().map(|c| (c.name.to_string(), c.value)).collect(),
        client: TraceClient::General,
        fair: false,
    };
    Trace { instance, claim, initial: start.to_vec(), choices, cycle: None }
}
