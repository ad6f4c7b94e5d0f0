//! The help texts.

use crate::linchpin;
use snapbox::{Data, file, str};

#[test]
fn the_program_and_its_commands() {
    linchpin().arg("--help").assert().code(0).stderr_eq("").stdout_eq(str![]);
    linchpin().assert().code(2).stdout_eq("");
    linchpin().arg("--version").assert().code(0).stdout_eq(str![]);
    linchpin().arg("chek").assert().code(2).stderr_eq(str![]);
}

#[test]
fn each_command() {
    let pages: [(&str, Data); 11] = [
        ("verify", file!["help/verify.txt"]),
        ("check", file!["help/check.txt"]),
        ("prove", file!["help/prove.txt"]),
        ("certify", file!["help/certify.txt"]),
        ("replay", file!["help/replay.txt"]),
        ("history", file!["help/history.txt"]),
        ("run", file!["help/run.txt"]),
        ("ir", file!["help/ir.txt"]),
        ("models", file!["help/models.txt"]),
        ("new", file!["help/new.txt"]),
        ("fmt", file!["help/fmt.txt"]),
    ];
    for (command, page) in pages {
        linchpin().args([command, "--help"]).assert().code(0).stderr_eq("").stdout_eq(page);
    }
}
