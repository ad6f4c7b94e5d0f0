//! The help texts.

use crate::linchpin;
use snapbox::{Data, file, str};

#[test]
fn the_program_and_its_commands() {
    linchpin().arg("--help").assert().code(0).stderr_eq("").stdout_eq(str![[r#"
A verifier for concurrent data structures: finds the shortest execution that breaks an object, or shows that there is none

Usage: linchpin <COMMAND>

Commands:
  verify   Hunt for a violation in growing bounds, then prove; a table of verdicts
  check    Explore every execution within bounds
  prove    Prove an object correct for any number of threads, nodes and values
  certify  Check a certificate, with no prover code
  replay   Run a saved counterexample again and show it
  history  Judge a recorded history against a specification
  run      Show one random execution
  ir       Print the steps that a model becomes
  models   List the catalogue, or show one of its models
  new      Write a first model to start from
  fmt      Format models in place
  help     Print this message or the help of the given subcommand(s)

Options:
  -h, --help     Print help
  -V, --version  Print version

MODEL is a path to a `.lin` file or a name of the catalogue (`linchpin models`).

Exit codes: 0 everything holds, 1 a violation, 2 a bad command line, model or input file, 3 unknown.

To begin:  linchpin run treiber_stack           watch one execution
           linchpin models show treiber_stack   read the model
           linchpin new my_queue --spec Queue   write your own

"#]]);
    linchpin().assert().code(2).stdout_eq("");
    linchpin().arg("--version").assert().code(0).stdout_eq(str![[r#"
linchpin 0.1.0

"#]]);
    linchpin().arg("chek").assert().code(2).stderr_eq(str![[r#"
error: unrecognized subcommand 'chek'

  tip: a similar subcommand exists: 'check'

Usage: linchpin <COMMAND>

For more information, try '--help'.

"#]]);
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
