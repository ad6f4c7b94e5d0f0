//! The help texts.

use crate::{linchpin, linchpin_in, scratch_with};
use linchpin_ir::property::Property;
use snapbox::{Data, file, str};
use std::path::Path;

#[test]
fn the_program_and_its_commands() {
    linchpin().arg("--help").assert().code(0).stderr_eq("").stdout_eq(str![[r#"
A verifier for concurrent data structures. Finds a shortest execution that violates a property, or
shows that there is none

Usage: linchpin <COMMAND>

Commands:
  verify       Search for violations in growing bounds, then prove; print a table of verdicts
  check        Explore every execution within bounds
  prove        Prove an object correct for any number of threads, nodes and values
  points       Find linearization points and confirm them within bounds
  certify      Check a certificate, without prover code
  replay       Replay a saved counterexample and show it
  history      Judge a recorded history against a specification
  run          Show one random execution
  explore      Explore executions by hand, in a browser or in the terminal
  ir           Print the steps that a model becomes
  models       List the catalogue, or show one of its models
  new          Write a first model from a template
  lsp          Run the language server over the standard streams, for editors
  fmt          Format models in place
  completions  Print a script that completes the command line in a shell
  man          Write the manual pages into a directory
  help         Print this message or the help of the given subcommand(s)

Options:
  -h, --help     Print help
  -V, --version  Print version

MODEL is a path to a `.lin` file or a name of the catalogue (`linchpin models`).

Exit codes: 0 everything holds, 1 a violation, 2 a bad command line, model or input file, 3 unknown.

First steps:  linchpin run treiber_stack           show one execution
              linchpin models show treiber_stack   print the model
              linchpin new my_queue --spec Queue   write a new model

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
    let pages: [(&str, Data); 15] = [
        ("verify", file!["help/verify.txt"]),
        ("check", file!["help/check.txt"]),
        ("prove", file!["help/prove.txt"]),
        ("points", file!["help/points.txt"]),
        ("certify", file!["help/certify.txt"]),
        ("replay", file!["help/replay.txt"]),
        ("history", file!["help/history.txt"]),
        ("run", file!["help/run.txt"]),
        ("explore", file!["help/explore.txt"]),
        ("ir", file!["help/ir.txt"]),
        ("models", file!["help/models.txt"]),
        ("new", file!["help/new.txt"]),
        ("fmt", file!["help/fmt.txt"]),
        ("completions", file!["help/completions.txt"]),
        ("man", file!["help/man.txt"]),
    ];
    for (command, page) in pages {
        linchpin().args([command, "--help"]).assert().code(0).stderr_eq("").stdout_eq(page);
    }
}

#[test]
fn help_fits_the_terminal() {
    for command in ["", "verify", "check", "prove", "points", "history", "run", "new", "fmt"] {
        let arguments = [command, "--help"].into_iter().filter(|word| !word.is_empty());
        let output = linchpin().args(arguments).env("COLUMNS", "80").assert().code(0);
        let text = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
        let long: Vec<&str> = text.lines().filter(|line| line.chars().count() > 80).collect();
        assert!(long.is_empty(), "{command}: {long:#?}");
    }
}

/// The help, the README, the reference and `check` blocks name the same properties.
#[test]
fn every_property_is_named_where_one_looks() {
    let read = |file: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
        std::fs::read_to_string(path).expect("the document is there")
    };
    let (readme, reference) = (read("README.md"), read("docs/language.md"));
    let help = linchpin().args(["check", "--help"]).assert().code(0);
    let help = String::from_utf8_lossy(&help.get_output().stdout).into_owned();
    let mut expectations = String::new();
    for property in Property::ALL {
        let in_a_block = property.as_str().replace('-', "_");
        assert!(help.contains(property.as_str()), "{property} is not in the help");
        assert!(readme.contains(&format!("`{property}`")), "{property} is not in the README");
        assert!(reference.contains(&format!("`{in_a_block}`")), "{property} is not in the reference");
        expectations += &format!(" {in_a_block};");
    }
    let text = format!(
        "object Cell: Register<0..2>(0);\nshared x: 0..2;\nop write(v: 0..2) {{ x = v; }}\n\
         op read() -> 0..2 {{ return x; }}\ncheck {{ threads: 1;{expectations} }}\n"
    );
    let directory = scratch_with("every_property", "cell.lin", text);
    linchpin_in(&directory).args(["ir", "cell.lin"]).assert().code(0).stderr_eq("");
}
