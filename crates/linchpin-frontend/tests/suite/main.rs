//! The tests of `linchpin-frontend`, in one binary.

mod lower_rules;
mod syntax_format;
mod syntax_generator;
mod syntax_laws;
mod syntax_messages;
mod syntax_messages_items;
mod syntax_recovery;
mod syntax_shapes;
mod typing;
