//! Recorded histories: CPU time and memory of `linchpin history`, and of Porcupine where it is given.
//!
//! Porcupine is not a part of this repository. `--porcupine BINARY` names a program that is run as
//! `BINARY KIND FILE` and prints `holds`, `violated` or `unknown`; the kinds are `register`, `etcd` and `kv`.
//! `--logs DIR` names a directory with the folders `jepsen` and `kv` and the file `expected.csv`.

mod append;
mod generate;

use crate::measure::{self, Cost};
use generate::{FAULTS, Fault, OBJECTS, Object};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A register with compare-and-set, for logs of etcd.
const CAS_REGISTER: &str = "spec CasRegister {
    state value: data?;
    op read() -> data? { return value; }
    op write(v: data) { value = v; }
    op cas_(old: data, next: data) -> bool {
        if value == old {
            value = next;
            return true;
        }
        return false;
    }
}
";

/// What to measure.
pub struct Plan {
    pub linchpin: PathBuf,
    pub porcupine: Option<PathBuf>,
    pub logs: Option<PathBuf>,
    /// Only rows with this in their name.
    pub only: Option<String>,
    /// The numbers of calls of generated histories.
    pub calls: Vec<usize>,
    pub threads: usize,
    /// The time limit of one run, as `--timeout` takes it.
    pub timeout: String,
}

/// Measures everything in the plan. Returns `false` if a verdict is not the expected one.
pub fn run(plan: &Plan, print: impl Fn(&str)) -> Result<bool, String> {
    let scratch = tempfile::tempdir().map_err(|why| format!("no place for histories: {why}"))?;
    write(&scratch.path().join("cells.lin"), generate::CELLS)?;
    print("history                                            expected  verdict     CPU s     MiB");
    let mut is_good = true;
    let is_wanted = |name: &str| plan.only.as_deref().is_none_or(|part| name.contains(part));
    for object in OBJECTS {
        for &calls in &plan.calls {
            let faults = FAULTS.into_iter().filter(|fault| object.has(*fault)).map(Some);
            for fault in [None].into_iter().chain(faults) {
                let name = format!("{}, {calls} calls, {}", object.name(), described(fault));
                if !is_wanted(&name) {
                    continue;
                }
                let file = scratch.path().join("history.jsonl");
                write(&file, &generate::history(object, plan.threads, calls, fault))?;
                let expected = if fault.is_some() { "violated" } else { "holds" };
                is_good &= row(plan, scratch.path(), &name, object, &file, expected, &print)?;
            }
        }
    }
    if let Some(logs) = &plan.logs {
        is_good &= recorded(plan, logs, scratch.path(), &is_wanted, &print)?;
    }
    Ok(is_good)
}

fn described(fault: Option<Fault>) -> String {
    match fault {
        None => "right".into(),
        Some(Fault::Exchanged(percent)) => format!("exchanged at {percent} %"),
        Some(Fault::Empty) => "wrong empty".into(),
        Some(Fault::Lost) => "lost value".into(),
    }
}

fn row(
    plan: &Plan,
    directory: &Path,
    name: &str,
    object: Object,
    file: &Path,
    expected: &str,
    print: &impl Fn(&str),
) -> Result<bool, String> {
    let (verdict, cost) = linchpin(plan, directory, object.spec(), file)?;
    print(&line(name, expected, &verdict, cost));
    Ok(verdict == expected)
}

fn line(name: &str, expected: &str, verdict: &str, cost: Cost) -> String {
    let mebibytes = cost.peak_bytes >> 20;
    format!("{name:<50} {expected:<9} {verdict:<9} {:>7.2} {mebibytes:>7}", cost.cpu.as_secs_f64())
}

fn linchpin(plan: &Plan, directory: &Path, spec: &str, file: &Path) -> Result<(String, Cost), String> {
    let mut command = Command::new(&plan.linchpin);
    command.current_dir(directory).arg("history").arg(file).args(["--spec", spec, "--quiet"]);
    command.args(["--timeout", &plan.timeout]);
    let run = measure::run(&mut command)?;
    let verdict = match run.status.code() {
        Some(0) => "holds",
        Some(1) => "violated",
        Some(3) => "unknown",
        _ => return Err(format!("`{}` was refused:\n{}", file.display(), run.complaints)),
    };
    Ok((verdict.into(), run.cost))
}

fn porcupine(binary: &Path, kind: &str, file: &Path) -> Result<(String, Cost), String> {
    let run = measure::run(Command::new(binary).arg(kind).arg(file))?;
    Ok((run.output.trim().to_string(), run.cost))
}

/// Measures the logs of Porcupine's own tests.
fn recorded(
    plan: &Plan,
    logs: &Path,
    scratch: &Path,
    is_wanted: &impl Fn(&str) -> bool,
    print: &impl Fn(&str),
) -> Result<bool, String> {
    let expected = logs.join("expected.csv");
    let expected =
        std::fs::read_to_string(&expected).map_err(|why| format!("`{}`: {why}", expected.display()))?;
    write(&scratch.join("specs.lin"), &format!("{CAS_REGISTER}{}", append::APPEND_MAP))?;
    let mut is_good = true;
    let mut totals = [(Duration::ZERO, 0); 2];
    for row in expected.lines() {
        let Some((name, expected)) = row.split_once(',') else { continue };
        let is_etcd = name.starts_with("jepsen/");
        if !is_wanted(name) {
            continue;
        }
        let file = logs.join(name).canonicalize().map_err(|why| format!("`{name}`: {why}"))?;
        let (verdict, cost) = if is_etcd {
            linchpin(plan, scratch, "specs.lin::CasRegister", &file)?
        } else {
            let log = std::fs::read_to_string(&file).map_err(|why| format!("`{}`: {why}", file.display()))?;
            let lines = append::json_lines(&log).ok_or(format!("`{}` has another form", file.display()))?;
            let converted = scratch.join("log.jsonl");
            write(&converted, &lines)?;
            linchpin(plan, scratch, "specs.lin::AppendMap", &converted)?
        };
        if verdict != expected {
            is_good = false;
        }
        if !is_etcd || verdict != expected {
            print(&line(name, expected, &verdict, cost));
        }
        if is_etcd {
            totals[0].0 += cost.cpu;
            totals[0].1 += 1;
        }
        if let Some(binary) = &plan.porcupine {
            let (verdict, cost) = porcupine(binary, if is_etcd { "etcd" } else { "kv" }, &file)?;
            if !is_etcd || verdict != expected {
                print(&line(&format!("  Porcupine: {name}"), expected, &verdict, cost));
            }
            if is_etcd {
                totals[1].0 += cost.cpu;
                totals[1].1 += 1;
            }
        }
    }
    for (who, (cpu, files)) in ["Linchpin", "Porcupine"].into_iter().zip(totals) {
        if files > 0 {
            print(&format!("{who}: {files} logs of etcd in {:.2} CPU s", cpu.as_secs_f64()));
        }
    }
    Ok(is_good)
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|why| format!("`{}`: {why}", path.display()))
}
