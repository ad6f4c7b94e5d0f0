//! Parsers for the names of properties.

use clap::builder::{PossibleValue, PossibleValuesParser, StyledStr, TypedValueParser};
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Command, Error};
use linchpin_ir::property::{Property, UnknownProperty};
use std::ffi::OsStr;

/// Returns the parser of all properties. The help lists their names.
pub fn parser() -> impl TypedValueParser<Value = Property> {
    OrPoints(one_of(&Property::ALL))
}

/// Suggests `--lin-points` if the value names the points.
#[derive(Clone)]
struct OrPoints<P>(P);

/// Spellings of the points in `check` blocks and options.
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

/// Returns a parser of these properties.
pub fn one_of(properties: &[Property]) -> impl TypedValueParser<Value = Property> {
    let names = PossibleValuesParser::new(properties.iter().map(|property| property.as_str()));
    names.try_map(|name| -> Result<Property, UnknownProperty> { name.parse() })
}

/// Returns whether a property is judged at the end of schedules. The general client has no schedules.
pub fn needs_schedules(property: Property) -> bool {
    use Property::{BarrierConsistent, QuiescentlyConsistent, SequentiallyConsistent};
    matches!(property, SequentiallyConsistent | QuiescentlyConsistent | BarrierConsistent)
}
