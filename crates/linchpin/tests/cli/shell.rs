//! What is installed beside the program: completions and manual pages.

use crate::{linchpin, linchpin_in, scratch, scratch_with};
use snapbox::str;

#[test]
fn completions_know_every_command_and_the_options_of_check() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = linchpin().args(["completions", shell]).assert().code(0).stderr_eq("");
        let script = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
        for word in ["verify", "check", "prove", "history", "completions", "minimize-bounds", "hashes"] {
            assert!(script.contains(word), "{shell} does not know `{word}`");
        }
    }
    linchpin().args(["completions", "tcsh"]).assert().code(2);
}

/// The script of bash, run by bash where there is one.
#[test]
fn bash_completes_a_command() {
    let output = linchpin().args(["completions", "bash"]).assert().code(0);
    let script = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    let ask =
        "\nCOMP_WORDS=(linchpin pro); COMP_CWORD=1; _linchpin linchpin pro linchpin; echo ${COMPREPLY[@]}\n";
    let directory = scratch_with("shell_bash", "ask.sh", script + ask);
    let run = std::process::Command::new("bash").arg("ask.sh").current_dir(directory).output();
    // A system without bash has nothing to complete.
    let Ok(run) = run else { return };
    assert_eq!(String::from_utf8_lossy(&run.stdout).trim(), "prove", "{run:?}");
}

#[test]
fn every_command_has_a_page() {
    let directory = scratch("shell_man");
    linchpin_in(&directory).args(["man", "pages"]).assert().code(0).stderr_eq("").stdout_eq(str![[r#"
wrote pages/linchpin.1
wrote pages/linchpin-verify.1
wrote pages/linchpin-check.1
wrote pages/linchpin-prove.1
wrote pages/linchpin-points.1
wrote pages/linchpin-certify.1
wrote pages/linchpin-replay.1
wrote pages/linchpin-history.1
wrote pages/linchpin-run.1
wrote pages/linchpin-explore.1
wrote pages/linchpin-ir.1
wrote pages/linchpin-models.1
wrote pages/linchpin-new.1
wrote pages/linchpin-lsp.1
wrote pages/linchpin-fmt.1
wrote pages/linchpin-completions.1
wrote pages/linchpin-man.1

"#]]);
    let page = std::fs::read_to_string(directory.join("pages/linchpin-check.1")).expect("a page");
    for text in [".TH linchpin-check 1", "SYNOPSIS", "minimize\\-bounds", "Explore every execution"] {
        assert!(page.contains(text), "`{text}` is not in\n{page}");
    }
    std::fs::write(directory.join("file"), "").expect("written");
    linchpin_in(&directory).args(["man", "file"]).assert().code(2).stderr_eq(str![[r#"
error: the directory `file` cannot be made: [..]

"#]]);
}
