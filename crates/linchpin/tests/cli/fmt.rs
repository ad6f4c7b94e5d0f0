//! `fmt`: in place, idempotent, and never on a file with errors.

use crate::{linchpin_in, scratch, scratch_with};
use snapbox::str;
use std::fs;
use std::path::Path;

const UGLY: &str = "//! Ugly.\nobject L:Lock;\nrole user=acquire release;\nshared held:bool;\n// kept\nop acquire(){while swap(held,true){}}\nop release(){held=false;}\n";

#[test]
fn a_file_is_rewritten_once() {
    let directory = scratch_with("fmt_once", "ugly.lin", UGLY);
    linchpin_in(&directory).args(["fmt", "--check", "ugly.lin"]).assert().code(1).stdout_eq(str![[r#"
not formatted: ugly.lin

"#]]);
    assert_eq!(fs::read_to_string(directory.join("ugly.lin")).ok().as_deref(), Some(UGLY));
    linchpin_in(&directory).args(["fmt", "ugly.lin"]).assert().code(0).stdout_eq(str![[r#"
formatted ugly.lin

"#]]);
    let formatted = fs::read_to_string(directory.join("ugly.lin")).expect("it is still there");
    snapbox::assert_data_eq!(
        formatted,
        str![[r#"
//! Ugly.
object L: Lock;
role user = acquire release;
shared held: bool;
// kept
op acquire() {
    while swap(held, true) {}
}
op release() { held = false; }

"#]]
    );
    linchpin_in(&directory).args(["fmt", "ugly.lin"]).assert().code(0).stdout_eq("");
    linchpin_in(&directory).args(["fmt", "--check", "ugly.lin"]).assert().code(0).stdout_eq("");
}

#[test]
fn a_file_with_errors_is_left_as_it_is_and_the_others_are_formatted() {
    const BROKEN: &str = "object L: Lock\nshared held:bool;\n";
    let directory = scratch_with("fmt_broken", "broken.lin", BROKEN);
    fs::write(directory.join("ugly.lin"), UGLY).expect("a test can write a file");
    linchpin_in(&directory)
        .args(["fmt", "broken.lin", "ugly.lin", "absent.lin"])
        .assert()
        .code(2)
        .stdout_eq(str![[r#"
formatted ugly.lin

"#]])
        .stderr_eq(str![[r#"
error: `;` is missing
 --> broken.lin:1:15
  |
1 | object L: Lock
  |               ^ expected `;`

error: `broken.lin` has an error
error: no file `absent.lin`

"#]]);
    assert_eq!(fs::read_to_string(directory.join("broken.lin")).ok().as_deref(), Some(BROKEN));
}

#[test]
fn the_catalogue_is_formatted_and_formatting_is_idempotent() {
    let directory = scratch("fmt_catalogue");
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut names = Vec::new();
    for group in ["correct", "wrong"] {
        for entry in fs::read_dir(models.join(group)).expect("the catalogue is there") {
            let path = entry.expect("it can be read").path();
            let name = path.file_name().expect("a file has a name").to_owned();
            fs::copy(&path, directory.join(&name)).expect("a test can write a file");
            names.push(name);
        }
    }
    assert!(names.len() >= 20);
    linchpin_in(&directory).arg("fmt").args(&names).assert().code(0).stderr_eq("");
    linchpin_in(&directory)
        .args(["fmt", "--check"])
        .args(&names)
        .assert()
        .code(0)
        .stdout_eq("")
        .stderr_eq("");
}
