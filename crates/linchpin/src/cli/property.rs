//! The properties that can be asked for, by the names of the command line.

use clap::builder::{PossibleValue, PossibleValuesParser, StyledStr, TypedValueParser};
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Command, Error};
use linchpin_ir::property::{Property, UnknownProperty};
use std::ffi::OsStr;

/// Takes the name of a property; the help lists them all.
pub fn parser() -> impl TypedValueParser<Value = Property> {
    OrPoints(one_of(&Property::ALL))
}

/// Who asks for the points as if they were a property is told the option that judges them.
#[derive(Clone)]
struct OrPoints<P>(P);

/// As a `check` block and an option spell it.
const POINTS: [&str; 3] = ["points", "lin-points", "lin_points"];

impl<P: TypedValueParser> TypedValueParser for OrPoints<P> {
    type Value = P::Value;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<P::Value, Error> {
        self.0.parse_ref(command, arg, value).map_err(|mut error| {
            if POINTS.iter().any(|points| value == *points) {
                let tip = StyledStr::from("to judge the annotated linearization points, use '--lin-points'");
                error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
            }
            error
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        self.0.possible_values()
    }
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
