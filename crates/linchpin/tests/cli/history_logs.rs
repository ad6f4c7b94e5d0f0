//! `history`: logs of Jepsen, compressed files, standard input, and what decided a history.
//!
//! The logs in `histories` are those of Porcupine's tests (MIT licence, beside them). The verdicts are those
//! that its authors expect.

use crate::history::{LEGAL, history};
use crate::{linchpin_in, scratch, scratch_with};
use std::fs;
use std::path::{Path, PathBuf};

fn logs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/histories")
}

#[test]
fn logs_of_etcd_have_the_verdicts_that_are_expected() {
    let expected = [("000", 1), ("002", 0), ("005", 0), ("007", 0), ("011", 1), ("018", 0)];
    for (number, code) in expected {
        let name = format!("etcd_{number}.log");
        linchpin_in(&logs())
            .args(["history", &name, "--spec", "cas_register.lin", "--quiet"])
            .assert()
            .code(code)
            .stderr_eq("");
    }
}

/// A failed call did not happen, and one with an unknown outcome may have.
#[test]
fn outcomes_of_a_log() {
    let log = |outcome: &str, read: &str| {
        format!(
            "{{:process 0, :type :invoke, :f :write, :value 7}}\n\
             {{:process 0, :type {outcome}, :f :write, :value 7}}\n\
             {{:process :nemesis, :type :info, :f :stop}}\n\
             {{:process 0, :type :invoke, :f :read, :value nil}}\n\
             {{:process 0, :type :ok, :f :read, :value {read}}}\n"
        )
    };
    let spec = logs().join("cas_register.lin");
    for (outcome, read, code) in [
        (":ok", "7", 0),
        (":ok", "nil", 1),
        (":fail", "7", 1),
        (":fail", "nil", 0),
        (":info", "7", 0),
        (":info", "nil", 0),
    ] {
        let directory = scratch_with("history_outcomes", "h.edn", log(outcome, read));
        linchpin_in(&directory)
            .args(["history", "h.edn", "--quiet", "--spec"])
            .arg(&spec)
            .assert()
            .code(code)
            .stderr_eq("");
    }
}

#[test]
fn a_bad_log_has_a_message_with_its_place() {
    let text = "{:process 0, :type :invoke, :f :enq, :value 7}\n{:process 0, :type :ok, :f\n";
    let refused = history("history_bad_log", text, &["--spec", "Queue"]).code(2);
    let message = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    assert!(message.contains("this line is not EDN") && message.contains("h.jsonl:2:"), "{message}");
}

/// `{"thread": 1, …` twice, compressed by `gzip` and by `zstd`.
#[test]
fn compressed_files_and_standard_input() {
    let directory = scratch("history_compressed");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut gzip, LEGAL.as_bytes()).expect("in memory");
    let gzip = gzip.finish().expect("in memory");
    let zstd =
        ruzstd::encoding::compress_to_vec(LEGAL.as_bytes(), ruzstd::encoding::CompressionLevel::Fastest);
    for (name, bytes) in [("h.jsonl.gz", gzip), ("h.jsonl.zst", zstd)] {
        fs::write(directory.join(name), &bytes).expect("written");
        let arguments = ["history", name, "--spec", "Queue", "--quiet"];
        linchpin_in(&directory).args(arguments).assert().code(0).stderr_eq("");
        // A file that ends in the middle is an error.
        fs::write(directory.join(name), &bytes[..bytes.len() / 2]).expect("written");
        let torn = linchpin_in(&directory).args(arguments).assert().code(2);
        let message = String::from_utf8_lossy(&torn.get_output().stderr).into_owned();
        assert!(message.contains(&format!("cannot read `{name}`")), "{message}");
    }
    linchpin_in(&directory)
        .args(["history", "-", "--spec", "Queue", "--quiet"])
        .stdin(LEGAL)
        .assert()
        .code(0)
        .stderr_eq("");
}

/// Values that are put once are decided by an algorithm of their own, and the result says so.
#[test]
fn a_long_history_says_what_decided_it() {
    let mut text = String::new();
    for round in 0..1_500 {
        for thread in 0..8 {
            let value = 8 * round + thread;
            text += &format!("{{\"thread\": {thread}, \"call\": \"push\", \"args\": [{value}]}}\n");
        }
        for thread in 0..8 {
            text += &format!("{{\"thread\": {thread}, \"return\": \"push\"}}\n");
        }
        for thread in 0..8 {
            text += &format!("{{\"thread\": {thread}, \"call\": \"pop\"}}\n");
        }
        for thread in 0..8 {
            let value = 8 * round + (thread + 3) % 8;
            text += &format!("{{\"thread\": {thread}, \"return\": \"pop\", \"result\": {value}}}\n");
        }
    }
    let shown = history("history_decided", &text, &["--spec", "Stack"]).code(0);
    let shown = String::from_utf8_lossy(&shown.get_output().stdout).into_owned();
    assert!(shown.contains("; decided by the algorithm for stacks"), "{shown}");
    // The last value of the first round leaves in the last round.
    let wrong = text.replacen("\"result\": 3}", "\"result\": 11995}", 1);
    let wrong = match wrong.rfind("\"result\": 11995}") {
        Some(at) => wrong[..at].to_string() + "\"result\": 3}" + &wrong[at + "\"result\": 11995}".len()..],
        None => wrong,
    };
    let shown = history("history_decided_wrong", &wrong, &["--spec", "Stack"]).code(1);
    let shown = String::from_utf8_lossy(&shown.get_output().stdout).into_owned();
    assert!(shown.contains(" is legal, whatever the other calls do"), "{shown}");
}

/// Two threads make the same call at once; which of the two was last depends on the threads.
#[test]
fn calls_that_depend_on_their_threads_are_not_alike() {
    let spec = "spec Owner { state owner: thread?; op claim() { owner = me; }
        op mine() -> bool { return owner == me; } }";
    for last in ["a", "b"] {
        let text = format!(
            "{{\"thread\": \"a\", \"call\": \"claim\"}}\n{{\"thread\": \"b\", \"call\": \"claim\"}}\n\
             {{\"thread\": \"a\", \"return\": \"claim\"}}\n{{\"thread\": \"b\", \"return\": \"claim\"}}\n\
             {{\"thread\": \"{last}\", \"call\": \"mine\"}}\n\
             {{\"thread\": \"{last}\", \"return\": \"mine\", \"result\": true}}\n"
        );
        let directory = scratch_with("history_owner", "h.jsonl", text);
        fs::write(directory.join("owner.lin"), spec).expect("written");
        linchpin_in(&directory)
            .args(["history", "h.jsonl", "--spec", "owner.lin", "--quiet"])
            .assert()
            .code(0)
            .stderr_eq("");
    }
}
