//! The properties that can be asked for, by the names of the command line.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use linchpin_core::verdict::{Property, UnknownProperty};

/// Takes the name of a property; the help lists them all.
pub fn parser() -> impl TypedValueParser<Value = Property> {
    one_of(&Property::ALL)
}

/// Takes the name of one of these properties.
pub fn one_of(properties: &[Property]) -> impl TypedValueParser<Value = Property> {
    let names = PossibleValuesParser::new(properties.iter().map(|property| property.as_str()));
    names.try_map(|name| -> Result<Property, UnknownProperty> { name.parse() })
}

/// Judged at the ends of schedules only: the general client has none.
pub fn needs_schedules(property: Property) -> bool {
    use Property::{BarrierConsistent, QuiescentlyConsistent, SequentiallyConsistent};
    matches!(property, SequentiallyConsistent | QuiescentlyConsistent | BarrierConsistent)
}
