//! A copy of the workspace in which faults are planted, one at a time.

use crate::seeded::Fault;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The copy of the workspace. The workspace itself is never edited.
pub struct Tree {
    root: PathBuf,
    build: PathBuf,
    /// Keeps other runs out of the directory while this value lives.
    _lock: Lock,
}

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
        Ok(Tree { root, build, _lock: lock })
    }

    /// Plants a fault, runs its tests, and removes the fault.
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
                return Err(format!("the copy does not compile: {error}"));
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

/// Exclusive use of a directory: a file `lock` that is deleted at the end of the run.
struct Lock(PathBuf);

impl Lock {
    fn take(directory: &Path) -> io::Result<Lock> {
        std::fs::create_dir_all(directory)?;
        let path = directory.join("lock");
        match std::fs::File::create_new(&path) {
            Ok(_) => Ok(Lock(path)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(io::Error::other(format!(
                "another run uses this directory; choose another `--directory`, or delete `{}` if no run is left",
                path.display()
            ))),
            Err(error) => Err(error),
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Without the deletion the next run reports the file and how to remove it.
        let _ = std::fs::remove_file(&self.0);
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
        std::fs::remove_dir(&directory).unwrap();
    }
}
