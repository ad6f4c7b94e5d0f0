//! Explains alarms: the abstract trace, and the calls that the explorer should try.

mod skeleton;
mod trace;

pub use trace::trace_to_alarm;
