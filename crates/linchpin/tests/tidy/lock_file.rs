//! The lock file: no crate of this workspace needs a native library.

use crate::tree::{crates, read};

/// Crates whose names end in `-sys` and that link nothing but the system's own libraries.
const ALLOWED: [&str; 4] = ["js-sys", "web-sys", "windows-sys", "linux-raw-sys"];

#[test]
fn no_crate_links_a_native_library() {
    let lock = read(&crates().join("../Cargo.lock"));
    let names = lock.lines().filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'));
    let native: Vec<&str> = names.filter(|name| name.ends_with("-sys") && !ALLOWED.contains(name)).collect();
    assert!(native.is_empty(), "{native:?}");
}
