//! The names inside a specification: its parameters with their arguments, and its state variables.

use crate::typing::hir::StateId;
use linchpin_ir::types::{TypeId, TypeTable, Word};
use std::sync::Arc;

/// The names that a specification's text may use besides those of its file.
#[derive(Clone, Default)]
pub(in crate::typing) struct SpecScope {
    params: Vec<(Arc<str>, Argument)>,
    state: Vec<(Arc<str>, StateId, TypeId)>,
}

/// The value of a parameter of a specification.
#[derive(Clone)]
pub(in crate::typing) struct Argument {
    pub ty: TypeId,
    pub words: Vec<Word>,
}

impl SpecScope {
    pub fn new(params: Vec<(Arc<str>, Argument)>, state: Vec<(Arc<str>, StateId, TypeId)>) -> SpecScope {
        SpecScope { params, state }
    }

    /// With more parameters.
    pub fn with(&self, params: &[(Arc<str>, Argument)]) -> SpecScope {
        let params = params.iter().chain(&self.params).cloned().collect();
        SpecScope { params, state: self.state.clone() }
    }

    pub fn parameter(&self, name: &str) -> Option<&Argument> {
        self.params.iter().find(|(known, _)| &**known == name).map(|(_, argument)| argument)
    }

    pub fn state(&self, name: &str) -> Option<(StateId, TypeId)> {
        self.state.iter().find(|(known, _, _)| &**known == name).map(|(_, id, ty)| (*id, *ty))
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.params.iter().map(|(name, _)| &**name).chain(self.state.iter().map(|(name, _, _)| &**name))
    }
}

impl Argument {
    pub fn as_number(&self, types: &TypeTable) -> Option<i64> {
        match self.words[..] {
            [word] if types.is_number(self.ty) => Some(i64::from(word)),
            _ => None,
        }
    }
}
