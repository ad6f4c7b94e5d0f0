//! Tests of whole checks: objects that are right, and objects with planted faults.

mod threads;
