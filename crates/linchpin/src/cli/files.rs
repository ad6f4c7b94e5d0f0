//! Output files of commands.
//!
//! 1. An output never overwrites an input or another output, under any name of the file.
//! 2. A write is atomic: the text goes into a temporary file in the same directory, which is then renamed.
//!    Other kinds of files (a pipe, `/dev/stdout`) are written directly.

use super::Failure;
use linchpin_ir::source::SourceMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// An option that names a file to write.
#[derive(Clone, Copy)]
pub struct Output<'a> {
    pub option: &'static str,
    /// The file; `-` is standard output.
    pub path: &'a Path,
}

impl<'a> Output<'a> {
    /// Returns the options that are present.
    pub fn given<const N: usize>(options: [(&'static str, &'a Option<PathBuf>); N]) -> Vec<Output<'a>> {
        let given = options.into_iter().filter_map(|(option, path)| Some((option, path.as_deref()?)));
        given.map(|(option, path)| Output { option, path }).collect()
    }
}

/// Rejects an output that is an input or another output, before any work.
pub fn outputs_apply(outputs: &[Output<'_>], inputs: &[PathBuf]) -> Result<(), Failure> {
    let files: Vec<&Output<'_>> = outputs.iter().filter(|output| !is_standard_output(output.path)).collect();
    for (at, output) in files.iter().enumerate() {
        let Some(identity) = Identity::of(output.path) else { continue };
        if let Some(input) = inputs.iter().find(|input| Identity::of(input).as_ref() == Some(&identity)) {
            return Err(Failure::input(format!(
                "`{} {}` would overwrite an input: `{}`",
                output.option,
                output.path.display(),
                input.display()
            ))
            .help("choose another file"));
        }
        if let Some(other) =
            files[..at].iter().find(|other| Identity::of(other.path).as_ref() == Some(&identity))
        {
            let path = output.path.display();
            return Err(Failure::input(format!(
                "`{}` and `{}` name the same file: `{path}`",
                other.option, output.option
            ))
            .help("choose another file for one of the options"));
        }
    }
    Ok(())
}

/// Returns the files of a model: its own file and its modules.
pub fn model_inputs(sources: &SourceMap) -> Vec<PathBuf> {
    sources.files().map(|(_, file)| PathBuf::from(&file.name)).collect()
}

pub fn is_standard_output(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Writes a file atomically.
pub fn write_whole(path: &Path, text: &str) -> Result<(), Failure> {
    let write = || {
        // A symbolic link stays; its target gets the text.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        match fs::metadata(&target) {
            Ok(known) if !known.is_file() => {
                File::options().write(true).open(&target)?.write_all(text.as_bytes())
            }
            known => replace(&target, text, known.ok().map(|known| known.permissions())),
        }
    };
    write().map_err(|error: io::Error| {
        Failure::input(format!("`{}` cannot be written: {error}", path.display()))
    })
}

fn replace(target: &Path, text: &str, permissions: Option<fs::Permissions>) -> io::Result<()> {
    // A read-only file must not be replaced.
    if permissions.is_some() {
        File::options().write(true).open(target)?;
    }
    let directory = target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = target.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_string_lossy();
    let temporary = directory.join(format!(".{name}.{}.tmp", std::process::id()));
    let written = File::options().write(true).create_new(true).open(&temporary).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        permissions.map_or(Ok(()), |permissions| file.set_permissions(permissions))?;
        file.sync_all()?;
        fs::rename(&temporary, target)
    });
    if written.is_err() {
        // A failed removal is ignored: the first error is reported.
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// The identity of a file: device and inode of an existing file, otherwise the canonical directory and the
/// name.
#[derive(PartialEq, Eq, Debug)]
enum Identity {
    #[cfg(unix)]
    Inode(u64, u64),
    Path(PathBuf),
}

impl Identity {
    /// Returns the identity. `None`: the directory does not exist.
    fn of(path: &Path) -> Option<Identity> {
        #[cfg(unix)]
        if let Ok(known) = fs::metadata(path) {
            use std::os::unix::fs::MetadataExt;
            return Some(Identity::Inode(known.dev(), known.ino()));
        }
        if let Ok(known) = fs::canonicalize(path) {
            return Some(Identity::Path(known));
        }
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some(Identity::Path(fs::canonicalize(parent).ok()?.join(path.file_name()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directory(name: &str) -> PathBuf {
        let directory = std::env::temp_dir().join(format!("linchpin_files_{name}_{}", std::process::id()));
        fs::create_dir_all(&directory).expect("a directory");
        directory
    }

    #[test]
    fn an_input_is_known_by_other_names_too() {
        let directory = directory("names");
        let input = directory.join("m.lin");
        fs::write(&input, "object").expect("written");
        let dotted = directory.join(".").join("m.lin");
        fs::hard_link(&input, directory.join("hard")).expect("a link");
        let mut names = vec![input.clone(), dotted, directory.join("hard")];
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&input, directory.join("soft")).expect("a link");
            names.push(directory.join("soft"));
        }
        for name in &names {
            let output = Output { option: "--json", path: name };
            assert!(outputs_apply(&[output], std::slice::from_ref(&input)).is_err(), "{}", name.display());
        }
        let other = Output { option: "--json", path: &directory.join("other") };
        assert!(outputs_apply(&[other], std::slice::from_ref(&input)).is_ok());
        let twice = || Output { option: "--json", path: Path::new("/tmp/linchpin_new_file") };
        assert!(outputs_apply(&[twice(), twice()], &[]).is_err());
        fs::remove_dir_all(directory).expect("removed");
    }

    #[test]
    fn a_file_is_replaced_whole_and_nothing_is_left_beside_it() {
        let directory = directory("whole");
        let path = directory.join("report.json");
        for text in ["first, and long", "second"] {
            write_whole(&path, text).expect("written");
            assert_eq!(fs::read_to_string(&path).expect("read"), text);
        }
        assert_eq!(fs::read_dir(&directory).expect("listed").count(), 1);
        assert!(write_whole(&directory.join("no").join("report.json"), "text").is_err());
        assert!(write_whole(&directory, "text").is_err());
        fs::remove_dir_all(directory).expect("removed");
    }
}
