//! Values of options: settings of constants; bounds, sizes and durations are the engines' own words. Each
//! refuses what it cannot mean, with the form it wants.

pub use linchpin_engine::{BoundRange, MemorySize, TimeLimit};
use std::str::FromStr;

/// `CAP=2`: a value for a `const` of the model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConstantSetting {
    pub name: String,
    pub value: i64,
}

impl FromStr for ConstantSetting {
    type Err = String;

    fn from_str(text: &str) -> Result<ConstantSetting, String> {
        let error = || "expected a constant and a number such as `CAP=2`".to_string();
        let (name, value) = text.split_once('=').ok_or_else(error)?;
        let value = value.trim().parse().map_err(|_| error())?;
        let name = name.trim().to_string();
        if name.is_empty() { Err(error()) } else { Ok(ConstantSetting { name, value }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_has_a_name_and_a_number() {
        assert_eq!("CAP=-2".parse(), Ok(ConstantSetting { name: "CAP".into(), value: -2 }));
        for bad in ["", "CAP", "=2", "CAP=", "CAP=x"] {
            assert!(bad.parse::<ConstantSetting>().is_err(), "{bad}");
        }
    }
}
