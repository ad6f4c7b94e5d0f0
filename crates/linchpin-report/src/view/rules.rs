//! What can be violated, in words: the properties, and annotated linearization points.

use linchpin_ir::property::Property;

/// The name of annotated linearization points among the properties.
pub const POINTS: &str = "points";

/// Returns each name with a sentence, in a fixed order.
pub fn all() -> Vec<(&'static str, &'static str)> {
    let mut rules: Vec<_> =
        Property::ALL.into_iter().map(|property| (property.as_str(), text(property))).collect();
    rules.push((POINTS, "Each operation passes its annotated linearization points, and takes effect there."));
    rules
}

fn text(property: Property) -> &'static str {
    match property {
        Property::Linearizable => {
            "Each operation takes effect at one moment between its call and its return."
        }
        Property::SequentiallyConsistent => {
            "One order of all operations explains all results and keeps the order of each thread."
        }
        Property::QuiescentlyConsistent => {
            "One order of all operations explains all results and keeps the order across quiescent moments."
        }
        Property::BarrierConsistent => {
            "For each quiescent moment, one order that keeps the order across it explains all results."
        }
        Property::Observers => "No observer of the specification accepts, at the annotated points.",
        Property::MemorySafe => "No step uses a freed cell, `null` or an undefined value, and no cell leaks.",
        Property::DeadlockFree => "No call waits for ever, unless the specification allows it.",
        Property::Assertions => "Every assertion of the model and of the language holds.",
        Property::Terminating => "Every execution of finitely many calls ends.",
        Property::LockFree => "Whatever the scheduler does, some call returns again and again.",
        Property::WaitFree => {
            "Every call returns after finitely many own steps, whatever the scheduler does."
        }
        Property::ObstructionFree => "Every call returns if its thread runs alone for long enough.",
        Property::StarvationFree => "Every call returns under every weakly fair scheduler.",
    }
}
