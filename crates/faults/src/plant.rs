//! A copy of the workspace in which faults are planted, one at a time.

use crate::seeded::Fault;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The copy. The workspace itself is never edited.
pub struct Tree {
    root: PathBuf,
    build: PathBuf,
}

/// Which test noticed a fault.
pub enum Caught {
    By(String),
    NotAtAll,
}

impl Tree {
    /// Copies what git knows of the workspace. Files that are already there and equal stay as they are, so that a build can go on.
    pub fn copy(directory: &Path) -> io::Result<Tree> {
        let root = directory.join("tree");
        std::fs::create_dir_all(&root)?;
        let listed =
            Command::new("git").args(["ls-files", "--cached", "--others", "--exclude-standard"]).output()?;
        if !listed.status.success() {
            return Err(io::Error::other("`git ls-files` failed; run this in a checkout of the project"));
        }
        for file in String::from_utf8_lossy(&listed.stdout).lines() {
            if Path::new(file).is_file() {
                copy_if_new(Path::new(file), &root.join(file))?;
            }
        }
        let build = std::path::absolute(directory.join("build"))?;
        Ok(Tree { root, build })
    }

    /// Plants a fault, runs its tests, and takes the fault out again.
    pub fn plant(&self, fault: &Fault) -> Result<Caught, String> {
        let path = self.root.join(fault.file);
        let text = std::fs::read_to_string(&path).map_err(|error| format!("`{}`: {error}", fault.file))?;
        let broken = fault.plant(&text)?;
        std::fs::write(&path, broken).map_err(|error| error.to_string())?;
        let outcome = self.run(fault);
        std::fs::write(&path, text).map_err(|error| error.to_string())?;
        outcome
    }

    fn run(&self, fault: &Fault) -> Result<Caught, String> {
        for (package, arguments) in fault.tests {
            let built = self.cargo(package, arguments, true)?;
            if !built.0 {
                let error = built.1.lines().find(|line| line.starts_with("error")).unwrap_or("");
                return Err(format!("it does not compile: {error}"));
            }
            let (passed, output) = self.cargo(package, arguments, false)?;
            if !passed {
                let failed = output.lines().find_map(|line| {
                    line.strip_prefix("test ")?
                        .split(" ... FAILED")
                        .next()
                        .filter(|_| line.ends_with("FAILED"))
                });
                return Ok(Caught::By(failed.unwrap_or(package).to_string()));
            }
        }
        Ok(Caught::NotAtAll)
    }

    fn cargo(&self, package: &str, arguments: &[&str], build_only: bool) -> Result<(bool, String), String> {
        let mut command = Command::new("cargo");
        command.current_dir(&self.root).env("CARGO_TARGET_DIR", &self.build);
        // Every fault is a build of its own.
        command.env("CARGO_PROFILE_DEV_DEBUG", "none").env("CARGO_PROFILE_DEV_INCREMENTAL", "true");
        command.args(["test", "--quiet", "-p", package]);
        let mut split = arguments.split(|argument| *argument == "--");
        command.args(split.next().unwrap_or(&[]));
        if build_only {
            command.arg("--no-run");
        } else {
            command.args(["--", "--format=pretty"]);
            split.for_each(|filters| {
                command.args(filters);
            });
        }
        let output = command.output().map_err(|error| format!("cargo cannot be run: {error}"))?;
        let text = [output.stdout, output.stderr].concat();
        Ok((output.status.success(), String::from_utf8_lossy(&text).into_owned()))
    }
}

fn copy_if_new(from: &Path, to: &Path) -> io::Result<()> {
    let contents = std::fs::read(from)?;
    if std::fs::read(to).is_ok_and(|known| known == contents) {
        return Ok(());
    }
    if let Some(parent) = to.parent() {
        std::fs::create_dir_all(parent)?;
    }
    std::fs::write(to, contents)
}
