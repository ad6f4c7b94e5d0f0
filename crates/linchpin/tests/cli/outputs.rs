//! Outputs. Exit codes are a function of the verdicts, no output overwrites an input, and no verdict is lost.

use crate::{linchpin_in, scratch, scratch_with};
use snapbox::cmd::cargo_bin;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

/// A counter that loses updates.
const BAD: &str = "
object C: Adder;
spec Adder { state n: 0..=9; op add() -> 0..=9 { n = (n + 1) % 10; return n; } }
shared h: int;
op add() -> 0..=9 { let x = h; h = (x + 1) % 10; return (x + 1) % 10; }
check { threads: 2; linearizable; }
";

/// The same, right.
fn good() -> String {
    BAD.replace(
        "let x = h; h = (x + 1) % 10; return",
        "let x = 0; atomic { x = h; h = (x + 1) % 10; } return",
    )
}

/// The exit code of a command whose reader leaves after a byte.
fn code_in_a_pipe(directory: &Path, arguments: &[&str]) -> Option<i32> {
    let mut child = Command::new(cargo_bin!("linchpin"))
        .current_dir(directory)
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it runs");
    let mut out = child.stdout.take().expect("a pipe");
    if !arguments.contains(&"--quiet") {
        let _ = out.read(&mut [0]);
    }
    drop(out);
    child.wait().expect("it ends").code()
}

#[test]
fn a_closed_pipe_does_not_change_the_exit_code() {
    let directory = scratch_with("closed_pipe", "bad.lin", BAD);
    fs::write(directory.join("good.lin"), good()).expect("written");
    let history = "{\"thread\": 1, \"call\": \"deq\"}\n{\"thread\": 1, \"return\": \"deq\", \"result\": 7}\n";
    fs::write(directory.join("h.jsonl"), history).expect("written");
    let saved = linchpin_in(&directory).args(["check", "bad.lin", "--trace", "t.json", "--quiet"]);
    saved.assert().code(1);
    for _ in 0..4 {
        for (code, arguments) in [
            (1, &["check", "bad.lin", "--quiet"][..]),
            (1, &["check", "bad.lin"]),
            (1, &["check", "bad.lin", "--json", "-"]),
            (0, &["check", "good.lin"]),
            (1, &["verify", "bad.lin", "--timeout", "1s"]),
            (1, &["replay", "t.json"]),
            (1, &["history", "h.jsonl", "--spec", "Queue"]),
            (2, &["check", "none.lin"]),
            (0, &["models"]),
        ] {
            assert_eq!(code_in_a_pipe(&directory, arguments), Some(code), "{arguments:?}");
        }
    }
}

#[test]
fn what_cannot_be_written_hides_no_verdict() {
    let directory = scratch_with("unwritable", "bad.lin", BAD);
    fs::write(directory.join("good.lin"), good()).expect("written");
    for option in ["--trace", "--json"] {
        let run = linchpin_in(&directory)
            .args(["check", "bad.lin", option, "no/such/file"])
            .output()
            .expect("it runs");
        let (out, err) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
        assert!(out.contains("linearizable  violated"), "{out}");
        assert!(err.contains("`no/such/file` cannot be written"), "{err}");
        assert_eq!(run.status.code(), Some(1), "{option}");
    }
    let run = linchpin_in(&directory)
        .args(["check", "good.lin", "--json", "no/such/file"])
        .output()
        .expect("it runs");
    assert!(String::from_utf8_lossy(&run.stdout).contains("linearizable  holds"));
    assert_eq!(run.status.code(), Some(2));
    // A full device: the error is reported, and the violation keeps its exit code.
    if let Ok(full) = fs::File::options().write(true).open("/dev/full") {
        for (code, model) in [(1, "bad.lin"), (2, "good.lin")] {
            let run = Command::new(cargo_bin!("linchpin"))
                .current_dir(&directory)
                .args(["check", model])
                .stdout(full.try_clone().expect("a file"))
                .output()
                .expect("it runs");
            assert!(String::from_utf8_lossy(&run.stderr).contains("cannot write the output"));
            assert_eq!(run.status.code(), Some(code), "{model}");
        }
    }
}

#[test]
fn no_output_overwrites_an_input() {
    let directory = scratch_with("overwriting", "m.lin", BAD);
    fs::hard_link(directory.join("m.lin"), directory.join("other_name")).expect("a link");
    let history = "{\"thread\": 1, \"call\": \"deq\"}\n{\"thread\": 1, \"return\": \"deq\", \"result\": 7}\n";
    fs::write(directory.join("h.jsonl"), history).expect("written");
    fs::write(directory.join("helper.lin"), "fn twice(x: int) -> int { return x + x; }").expect("written");
    fs::write(directory.join("user.lin"), format!("{}\nuse helper::twice;", BAD.trim())).expect("written");
    for arguments in [
        &["check", "m.lin", "--trace", "m.lin"][..],
        &["check", "m.lin", "--json", "./m.lin"],
        &["check", "m.lin", "--json", "other_name"],
        &["check", "m.lin", "--threads", "2", "--minimize-bounds", "--json", "m.lin"],
        &["prove", "m.lin", "--certificate", "m.lin"],
        &["prove", "m.lin", "--json", "m.lin"],
        &["history", "h.jsonl", "--spec", "Queue", "--json", "h.jsonl"],
        &["history", "h.jsonl", "--spec", "m.lin", "--json", "m.lin"],
        &["check", "m.lin", "--json", "same", "--trace", "./same"],
    ] {
        let run = linchpin_in(&directory).args(arguments).output().expect("it runs");
        let err = String::from_utf8_lossy(&run.stderr);
        assert_eq!(run.status.code(), Some(2), "{arguments:?}: {err}");
        assert!(
            err.contains("would overwrite an input") || err.contains("name the same file"),
            "{arguments:?}: {err}"
        );
        assert_eq!(fs::read_to_string(directory.join("m.lin")).expect("it is there"), BAD);
        assert_eq!(fs::read_to_string(directory.join("h.jsonl")).expect("it is there"), history);
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_is_told_and_ends_with_3() {
    let large = ["check", "treiber_stack", "--threads", "4", "--nodes", "8", "--values", "4"];
    let (code, said) = interrupted(&large);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("unknown  interrupted"), "{said}");
    // Small instances hold by then. The proof of all sizes is open.
    let (code, said) = interrupted(&["verify", "ms_queue_tagged", "--timeout", "120s"]);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("interrupted"), "{said}");
}

/// Runs a command, interrupts it after a second, and returns its exit code and output.
#[cfg(unix)]
fn interrupted(arguments: &[&str]) -> (Option<i32>, String) {
    let directory = scratch(&format!("interrupted_{}", arguments[0]));
    let child = Command::new(cargo_bin!("linchpin"))
        .current_dir(&directory)
        .args(arguments)
        .stdout(Stdio::piped())
        .spawn()
        .expect("it runs");
    std::thread::sleep(std::time::Duration::from_secs(1));
    let interrupt = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("it runs");
    assert!(interrupt.success());
    let ended = child.wait_with_output().expect("it ends");
    (ended.status.code(), String::from_utf8_lossy(&ended.stdout).into_owned())
}
