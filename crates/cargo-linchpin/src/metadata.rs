//! Where cargo has the packages of the project.

use crate::Problem;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The packages of a project and its dependencies, for all targets.
pub(crate) struct Metadata {
    json: Value,
}

/// A package.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Package {
    pub name: String,
    pub version: String,
    /// The directory of its manifest.
    pub directory: PathBuf,
}

/// Returns a command that runs the cargo that started this program.
pub(crate) fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

impl Metadata {
    /// Asks cargo. `manifest` names the project; `None`: the one of the current directory.
    pub fn read(manifest: Option<&Path>) -> Result<Metadata, Problem> {
        let mut command = cargo();
        command.args(["metadata", "--format-version", "1"]);
        command.args(manifest.into_iter().flat_map(|path| [Path::new("--manifest-path"), path]));
        let output = command.output().map_err(|error| {
            Problem::new(format!("cannot start cargo: {error}"), "install cargo, or set the variable CARGO")
        })?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr).trim_end().to_string();
            return Err(Problem::new(
                format!("cargo does not know this project\n{said}"),
                "correct its manifest",
            ));
        }
        let json = serde_json::from_slice(&output.stdout).map_err(|error| {
            Problem::new(format!("the answer of `cargo metadata` is not readable: {error}"), "update cargo")
        })?;
        Ok(Metadata { json })
    }

    /// Returns the packages with a name.
    pub fn packages(&self, name: &str) -> Vec<Package> {
        let all = self.json["packages"].as_array().into_iter().flatten();
        let named = all.filter(|package| package["name"] == *name);
        let package = |package: &Value| {
            let manifest = Path::new(package["manifest_path"].as_str()?);
            Some(Package {
                name: name.into(),
                version: package["version"].as_str()?.into(),
                directory: manifest.parent()?.into(),
            })
        };
        named.filter_map(package).collect()
    }

    /// Checks that a package is built with a feature, for some target.
    pub fn has_feature(&self, name: &str, feature: &str) -> bool {
        let packages = self.json["packages"].as_array().into_iter().flatten();
        let mut ids = packages.filter(|package| package["name"] == *name).map(|package| &package["id"]);
        let nodes: Vec<&Value> = self.json["resolve"]["nodes"].as_array().into_iter().flatten().collect();
        ids.any(|id| {
            let mut own = nodes.iter().filter(|node| node["id"] == *id);
            own.any(|node| node["features"].as_array().into_iter().flatten().any(|some| some == feature))
        })
    }

    pub fn target_directory(&self) -> PathBuf {
        self.json["target_directory"].as_str().unwrap_or("target").into()
    }

    pub fn root(&self) -> PathBuf {
        self.json["workspace_root"].as_str().unwrap_or(".").into()
    }

    /// Returns the crates of linchpin beside `linchpin-test`.
    pub fn sibling(&self, name: &str) -> Result<PathBuf, Problem> {
        let Some(package) = self.packages("linchpin-test").into_iter().next() else {
            return Err(Problem::new(
                "the project does not use linchpin-test",
                "add it to `[dev-dependencies]`: `linchpin-test = { path = \"…\" }`",
            ));
        };
        let parent = package.directory.parent().map(Path::to_path_buf).unwrap_or_default();
        Ok(parent.join(name))
    }
}
