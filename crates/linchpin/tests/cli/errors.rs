//! What is wrong with the input has a message of its own and exit code 2.

use crate::{linchpin, linchpin_in, scratch, scratch_with};
use snapbox::str;
use std::fs;

#[test]
fn a_missing_file() {
    let directory = scratch("missing_file");
    linchpin_in(&directory).args(["ir", "nothing_like_it.lin"]).assert().code(2).stdout_eq("").stderr_eq(
        str![[r#"
error: no file `nothing_like_it.lin`

"#]],
    );
}

#[test]
fn a_misspelt_file_and_a_file_that_is_in_the_catalogue() {
    let directory = scratch_with("misspelt_file", "my_stack.lin", "");
    linchpin_in(&directory).args(["ir", "my_stak.lin"]).assert().code(2).stderr_eq(str![[r#"
error: no file `my_stak.lin`
  help: did you mean `my_stack.lin`?

"#]]);
    linchpin_in(&directory).args(["ir", "treiber_stack.lin"]).assert().code(2).stderr_eq(str![[r#"
error: no file `treiber_stack.lin`
  help: for the model of the catalogue, write `treiber_stack` without `.lin`

"#]]);
}

#[test]
fn a_directory() {
    let directory = scratch_with("directory", "a.lin", "");
    linchpin_in(&directory).args(["ir", "."]).assert().code(2).stderr_eq(str![[r#"
error: `.` is a directory, not a model
  help: name a file, such as `./a.lin`

"#]]);
    fs::create_dir(directory.join("empty.lin")).expect("a test can make a directory");
    linchpin_in(&directory).args(["run", "empty.lin"]).assert().code(2).stderr_eq(str![[r#"
error: `empty.lin` is a directory, not a model

"#]]);
}

#[test]
fn a_file_that_is_not_text() {
    let directory = scratch_with("not_text", "latin.lin", b"//! fine\n// gr\xf6\xdfe\n");
    linchpin_in(&directory).args(["ir", "latin.lin"]).assert().code(2).stderr_eq(str![[r#"
error: `latin.lin` is not UTF-8 text: byte 14 (line 2) does not start a character
  help: save the file as UTF-8

"#]]);
}

#[cfg(unix)]
#[test]
fn a_file_that_the_system_does_not_give() {
    let directory = scratch("unreadable");
    std::os::unix::fs::symlink("loop.lin", directory.join("loop.lin")).expect("a test can make a link");
    let output = linchpin_in(&directory).args(["ir", "loop.lin"]).assert().code(2);
    let text = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
    assert!(text.starts_with("error: cannot read `loop.lin`: "), "{text}");
}

#[cfg(unix)]
#[test]
fn a_file_without_end() {
    linchpin().args(["ir", "/dev/zero"]).assert().code(2).stderr_eq(str![[r#"
error: `/dev/zero` is larger than 64 MiB

"#]]);
}

#[test]
fn an_unknown_name() {
    let directory = scratch("unknown_name");
    linchpin_in(&directory).args(["ir", "trieber_stack"]).assert().code(2).stderr_eq(str![[r#"
error: no model `trieber_stack` in the catalogue
  help: did you mean `treiber_stack`?

"#]]);
    linchpin_in(&directory).args(["run", "zzzzzz"]).assert().code(2).stderr_eq(str![[r#"
error: no model `zzzzzz` in the catalogue
  help: run `linchpin models` for the catalogue, or name a file with `.lin`

"#]]);
    let directory = scratch_with("unknown_name_beside", "mine.lin", "");
    linchpin_in(&directory).args(["run", "mine"]).assert().code(2).stderr_eq(str![[r#"
error: no model `mine` in the catalogue
  help: name the file: `mine.lin`

"#]]);
}

#[test]
fn an_empty_file() {
    let directory = scratch_with("empty_file", "empty.lin", "");
    linchpin_in(&directory).args(["ir", "empty.lin"]).assert().code(2).stderr_eq(str![[r#"
error: this file has no object
 --> empty.lin:1:1
  |
1 |
  | ^ expected `object Name: Spec;`
  |
  = help: add `object Name: Spec;`, or `use` this file from another one

error: `empty.lin` has an error

"#]]);
}

#[cfg(unix)]
#[test]
fn a_mebibyte_of_random_bytes_is_refused_within_a_second_of_work() {
    let mut random = fastrand::Rng::with_seed(1);
    let bytes: Vec<u8> = (0..1 << 20).map(|_| random.u8(..)).collect();
    // The same noise as text: what the parser makes of it, not what UTF-8 does.
    let text: String = bytes.iter().map(|byte| char::from(byte & 0x7f)).collect();
    let directory = scratch_with("random_bytes", "bytes.lin", &bytes);
    fs::write(directory.join("text.lin"), text).expect("a test can write a file");
    for file in ["bytes.lin", "text.lin"] {
        // The system ends what works for longer, whatever else the machine is busy with.
        snapbox::cmd::Command::new("sh")
            .args(["-c", "ulimit -t 1; exec \"$0\" ir \"$1\""])
            .arg(snapbox::cmd::cargo_bin!("linchpin"))
            .arg(directory.join(file))
            .assert()
            .code(2);
    }
}

#[test]
fn every_error_of_a_file_is_reported_at_once() {
    const FIVE: &str = "\
object Broken: Stack;

struct Node { val: data, next: *Nod }

shared head: *Node = 7;

op push(v: data) {
    let n = new Node { val: v };
    hed = n;
}

op pop() -> data? {
    if head == null { return none; }
}

check { threads: 2, nodes: 2; linearisable; }
";
    let directory = scratch_with("five_errors", "broken.lin", FIVE);
    linchpin_in(&directory).args(["ir", "broken.lin"]).assert().code(2).stdout_eq("").stderr_eq(str![[r#"
error: there is no type `Nod`
 --> broken.lin:3:33
  |
3 | struct Node { val: data, next: *Nod }
  |                                 ^^^ not found
  |
  = help: did you mean `Node`?

error: expected `*Node`, found `int`
 --> broken.lin:5:22
  |
5 | shared head: *Node = 7;
  |              -----   ^ this is `int`
  |              |
  |              the type is given here

error: there is no `hed`
 --> broken.lin:9:5
  |
9 |     hed = n;
  |     ^^^ not found here
  |
  = help: did you mean `head`?

error: operation `pop` can end without a result
  --> broken.lin:14:1
   |
12 | op pop() -> data? {
   |             ----- the result is declared here
13 |     if head == null { return none; }
14 | }
   | ^ the end is reached without `return`
   |
   = help: add a `return` at the end of every path

error: there is no property `linearisable`
  --> broken.lin:16:31
   |
16 | check { threads: 2, nodes: 2; linearisable; }
   |                               ^^^^^^^^^^^^ not known
   |
   = help: did you mean `linearizable`?

error: `broken.lin` has 5 errors

"#]]);
}

#[test]
fn a_module_that_cannot_be_read_is_named() {
    let directory = scratch_with("module_not_text", "model.lin", "object M: Lock;\nuse parts::*;\n");
    fs::write(directory.join("parts.lin"), b"\xff").expect("a test can write a file");
    linchpin_in(&directory).args(["ir", "model.lin"]).assert().code(2).stderr_eq(str![[r#"
error: `parts.lin` is not UTF-8 text: byte 0 (line 1) does not start a character
  help: save the file as UTF-8

"#]]);
}

#[test]
fn a_module_beside_the_file_is_found() {
    const MODEL: &str = "\
//! A lock from parts.
object Spin: Lock;
use parts::Flag;
role user = acquire release;
shared held: Flag;
op acquire() { while swap(held, Flag { up: true }) == (Flag { up: true }) {} }
op release() { held = Flag { up: false }; }
";
    let directory = scratch_with("module_beside", "spin.lin", MODEL);
    fs::write(directory.join("parts.lin"), "//! A bit.\nword Flag { up: bool }\n")
        .expect("a test can write a file");
    linchpin_in(&directory).args(["ir", "spin.lin"]).assert().code(0).stderr_eq("");
    linchpin().arg("ir").arg(directory.join("spin.lin")).assert().code(0).stderr_eq("");
}
