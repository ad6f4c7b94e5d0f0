//! The generated parser of `editors/tree-sitter-linchpin`, for the tests in `tests/grammar.rs`.

use tree_sitter_language::LanguageFn;

unsafe extern "C" {
    fn tree_sitter_linchpin() -> *const ();
}

/// Returns the grammar.
pub fn language() -> LanguageFn {
    // The function is that of the generated parser, which `build.rs` compiles.
    unsafe { LanguageFn::from_raw(tree_sitter_linchpin) }
}
