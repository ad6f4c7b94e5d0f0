//! Lowering, judged by its steps: rule by rule on small models, and on the catalogue.

mod control;
mod footprints;
mod fragments;
mod memory;
mod models;
mod places;
mod refusals;
mod steps;
mod support;
mod validator;
