//! The modelling language. Text becomes a tree ([`syntax`]), a typed program ([`typing`]) and a program of
//! steps ([`lower`]).

pub mod lower;
pub mod syntax;
pub mod typing;
