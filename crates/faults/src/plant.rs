//! A copy of the workspace in which faults are planted, one at a time.

use crate::seeded::Fault;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The copy of the workspace. The workspace itself is never edited.
pub struct Tree {
    root: PathBuf,
    build: PathBuf,
    /// Keeps other runs out of the directory while this value lives.
    _lock: Lock,
    /// Selections of tests that pass in the copy without a fault.
    passing: RefCell<BTreeSet<Selection>>,
}

/// A package and the arguments of `cargo test` that choose its tests.
type Selection = (&'static str, &'static [&'static str]);

/// Which test noticed a fault.
pub enum Caught {
    By(String),
    NotAtAll,
}

impl Tree {
    /// Copies the files that git lists. An equal file of an earlier run stays, so cargo does not build it
    /// again.
    pub fn copy(directory: &Path) -> io::Result<Tree> {
        let lock = Lock::take(directory)?;
        let root = directory.join("tree");
        std::fs::create_dir_all(&root)?;
        let listed =
            Command::new("git").args(["ls-files", "--cached", "--others", "--exclude-standard"]).output()?;
        if !listed.status.success() {
            return Err(io::Error::other(
                "`git ls-files` failed; run this command in a checkout of the project",
            ));
        }
        for file in String::from_utf8_lossy(&listed.stdout).lines() {
            if Path::new(file).is_file() {
                copy_if_new(Path::new(file), &root.join(file))?;
            }
        }
        let build = std::path::absolute(directory.join("build"))?;
        Ok(Tree { root, build, _lock: lock, passing: RefCell::default() })
    }

    /// Runs the tests that noticed faults last time, before any fault is planted. A test that fails without a
    /// fault notices nothing.
    pub fn check_likely(&self, faults: &[(&Fault, Option<String>)]) -> Result<(), String> {
        let mut tests: BTreeMap<(&str, &[&str]), BTreeSet<&str>> = BTreeMap::new();
        for (fault, likely) in faults {
            for (package, arguments) in fault.tests {
                tests.entry((package, target(arguments))).or_default().extend(likely.as_deref());
            }
        }
        for ((package, target), names) in tests {
            let names: Vec<&str> = names.into_iter().collect();
            if !names.is_empty()
                && let Some(failed) = self.first_failure(package, &exactly(target, &names))?
            {
                return Err(format!("`{failed}` fails without a fault"));
            }
        }
        Ok(())
    }

    /// Plants a fault, runs its tests, and removes the fault. `likely` is the test that noticed the fault
    /// last time: it is run first, by itself.
    pub fn plant(&self, fault: &Fault, likely: Option<&str>) -> Result<Caught, String> {
        for (package, arguments) in fault.tests {
            if let Some(test) = likely
                && let Some(failed) = self
                    .with_fault(fault, || self.first_failure(package, &exactly(target(arguments), &[test])))?
            {
                return Ok(Caught::By(failed));
            }
        }
        for selection in fault.tests {
            self.passes_without_fault(*selection)?;
            let (package, arguments) = selection;
            if let Some(failed) = self.with_fault(fault, || self.first_failure(package, arguments))? {
                return Ok(Caught::By(failed));
            }
        }
        Ok(Caught::NotAtAll)
    }

    /// Runs something while the fault is planted.
    fn with_fault<T>(&self, fault: &Fault, run: impl Fn() -> Result<T, String>) -> Result<T, String> {
        let path = self.root.join(fault.file);
        let text = std::fs::read_to_string(&path).map_err(|error| format!("`{}`: {error}", fault.file))?;
        let broken = fault.plant(&text)?;
        std::fs::write(&path, broken).map_err(|error| error.to_string())?;
        let outcome = run();
        std::fs::write(&path, text).map_err(|error| error.to_string())?;
        outcome
    }

    /// Each selection of tests has to pass once without a fault.
    fn passes_without_fault(&self, selection: Selection) -> Result<(), String> {
        if self.passing.borrow().contains(&selection) {
            return Ok(());
        }
        let (package, arguments) = selection;
        if let Some(failed) = self.first_failure(package, arguments)? {
            return Err(format!("`{failed}` fails without the fault"));
        }
        self.passing.borrow_mut().insert(selection);
        Ok(())
    }

    /// Builds and runs tests. The name of the first test that fails, in the order of the output.
    fn first_failure(&self, package: &str, arguments: &[&str]) -> Result<Option<String>, String> {
        let (compiles, output) = self.cargo(package, arguments, true)?;
        if !compiles {
            let error = output.lines().find(|line| line.starts_with("error")).unwrap_or("");
            return Err(format!("the copy does not compile: {error}"));
        }
        let (passed, output) = self.cargo(package, arguments, false)?;
        if passed {
            return Ok(None);
        }
        let failed = output.lines().find_map(|line| line.strip_prefix("test ")?.strip_suffix(" ... FAILED"));
        Ok(Some(failed.unwrap_or(package).to_string()))
    }

    fn cargo(&self, package: &str, arguments: &[&str], build_only: bool) -> Result<(bool, String), String> {
        let mut command = Command::new("cargo");
        command.current_dir(&self.root).env("CARGO_TARGET_DIR", &self.build);
        // Each fault needs a build, so builds are incremental and have no debug information.
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
        let output = command.output().map_err(|error| format!("cannot run cargo: {error}"))?;
        let text = [output.stdout, output.stderr].concat();
        Ok((output.status.success(), String::from_utf8_lossy(&text).into_owned()))
    }
}

/// The arguments that choose the test target.
fn target<'a>(arguments: &'a [&'a str]) -> &'a [&'a str] {
    arguments.split(|argument| *argument == "--").next().unwrap_or(&[])
}

/// The arguments that run these tests of a target and no others.
fn exactly<'a>(target: &[&'a str], tests: &[&'a str]) -> Vec<&'a str> {
    [target, &["--", "--exact"], tests].concat()
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

/// Exclusive use of a directory, as long as this value lives. The system gives the lock back when the process
/// ends, however it ends.
struct Lock {
    _file: File,
}

impl Lock {
    fn take(directory: &Path) -> io::Result<Lock> {
        std::fs::create_dir_all(directory)?;
        let file = File::options().create(true).truncate(false).write(true).open(directory.join("lock"))?;
        match file.try_lock() {
            Ok(()) => Ok(Lock { _file: file }),
            Err(TryLockError::WouldBlock) => {
                Err(io::Error::other("another run uses this directory; choose another with `--directory`"))
            }
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_runs_cannot_share_a_directory() {
        let directory = std::env::temp_dir().join(format!("faults-lock-{}", std::process::id()));
        let first = Lock::take(&directory).unwrap();
        let error = Lock::take(&directory).err().expect("the directory is taken").to_string();
        assert!(error.starts_with("another run uses this directory"), "{error}");
        drop(first);
        drop(Lock::take(&directory).unwrap());
        std::fs::remove_dir_all(&directory).unwrap();
    }
}
