//! The tests of `linchpin-report`, in one binary.

mod readers;
