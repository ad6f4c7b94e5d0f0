//! Compiles the generated parser of `editors/tree-sitter-linchpin`.

fn main() {
    let source = "../../editors/tree-sitter-linchpin/src";
    println!("cargo:rerun-if-changed={source}/parser.c");
    cc::Build::new()
        .include(source)
        .file(format!("{source}/parser.c"))
        .warnings(false)
        .compile("linchpin_grammar");
}
