//! `check` and `prove` as processes of their own, under a budget.
//!
//! The text of the editor goes through standard input, so it need not be saved. For one `check` block, the
//! other blocks are blanked; lines stay where they are. The result comes back as a log (SARIF) and a page.

use crate::position::Lines;
use linchpin_frontend::syntax::ast::{self, ItemKind};
use linchpin_ir::source::Span;
use linchpin_report::visible::visible_lines;
use lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, Position, Range, Uri,
};
use serde::Deserialize;
use serde_json::Value;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The commands of the server.
pub const CHECK: &str = "linchpin.check";
pub const PROVE: &str = "linchpin.prove";
/// A command of the client: shows a page.
pub const SHOW: &str = "linchpin.showExecution";

/// Limits of a process. An editor may set them when it starts the server.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// As `--timeout` takes it.
    pub timeout: String,
    /// As `--memory` takes it.
    pub memory: String,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { timeout: "60s".into(), memory: "2G".into() }
    }
}

/// What is to be run.
#[derive(Clone, Debug)]
pub struct Task {
    pub address: Uri,
    pub command: Kind,
    pub text: String,
    /// The directory of the modules. `None`: the model is not a file.
    pub directory: Option<PathBuf>,
    pub limits: Limits,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Check,
    Prove,
}

impl Kind {
    pub fn word(self) -> &'static str {
        match self {
            Kind::Check => "check",
            Kind::Prove => "prove",
        }
    }
}

/// A process that runs.
#[derive(Clone)]
pub struct Running {
    is_cancelled: Arc<AtomicBool>,
    child: Arc<Mutex<Option<Child>>>,
}

impl Running {
    /// Ends the process.
    pub fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
        if let Some(child) = &mut *self.child.lock().unwrap_or_else(PoisonError::into_inner) {
            let _ = child.kill();
        }
    }
}

/// News of a process.
pub enum News {
    /// It runs for this number of seconds.
    Runs(u64),
    Ended(Outcome),
}

/// The end of a process.
pub struct Outcome {
    /// A sentence for a person.
    pub summary: String,
    pub diagnostics: Vec<Diagnostic>,
    /// The page, if there is one.
    pub page: Option<PathBuf>,
}

/// Starts a process. `tell` gets its news, the last of them is [`News::Ended`].
pub fn start(task: Task, directory: PathBuf, tell: impl Fn(News) + Send + 'static) -> Running {
    let running = Running { is_cancelled: Arc::default(), child: Arc::default() };
    let shared = running.clone();
    thread::spawn(move || {
        let outcome = run(&task, &directory, &shared, &tell);
        let cancelled = shared.is_cancelled.load(Ordering::Relaxed);
        let outcome = match outcome {
            Ok(_) | Err(_) if cancelled => {
                Outcome { summary: "cancelled".into(), diagnostics: Vec::new(), page: None }
            }
            Ok(outcome) => outcome,
            Err(error) => {
                let summary = format!("`linchpin {}` cannot run: {error}", task.command.word());
                Outcome { summary, diagnostics: Vec::new(), page: None }
            }
        };
        tell(News::Ended(outcome));
    });
    running
}

fn run(task: &Task, directory: &Path, running: &Running, tell: &impl Fn(News)) -> io::Result<Outcome> {
    fs::create_dir_all(directory)?;
    let (log, page) = (directory.join("log.sarif"), directory.join("page.html"));
    for old in [&log, &page] {
        let _ = fs::remove_file(old);
    }
    let mut command = Command::new(std::env::current_exe()?);
    command.args([task.command.word(), "-", "--sarif"]).arg(&log).arg("--html").arg(&page);
    command.args(["--timeout", &task.limits.timeout, "--memory", &task.limits.memory]);
    if task.command == Kind::Check {
        command.arg("--quiet");
    }
    if let Some(directory) = &task.directory {
        command.current_dir(directory);
    }
    command.env("NO_COLOR", "1");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    *running.child.lock().unwrap_or_else(PoisonError::into_inner) = Some(child);
    if running.is_cancelled.load(Ordering::Relaxed) {
        running.cancel();
    }
    let text = task.text.clone();
    let writer = thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(text.as_bytes())));
    let read = |from: Option<Box<dyn Read + Send>>| {
        thread::spawn(move || {
            let mut text = String::new();
            from.map(|mut from| from.read_to_string(&mut text));
            text
        })
    };
    let out = read(stdout.map(|out| Box::new(out) as Box<dyn Read + Send>));
    let err = read(stderr.map(|err| Box::new(err) as Box<dyn Read + Send>));
    let began = Instant::now();
    let mut told = 0;
    let status = loop {
        let polled = match &mut *running.child.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(child) => child.try_wait()?,
            None => None,
        };
        if let Some(status) = polled {
            break status;
        }
        let seconds = began.elapsed().as_secs();
        if seconds > told {
            told = seconds;
            tell(News::Runs(seconds));
        }
        thread::sleep(Duration::from_millis(20));
    };
    // A model that cannot be compiled is not read to its end, so writing may fail.
    let _ = writer.join();
    let (out, err) = (out.join().unwrap_or_default(), err.join().unwrap_or_default());
    let diagnostics = fs::read_to_string(&log).ok().map(|log| diagnostics(task, &log)).unwrap_or_default();
    let shown = if out.trim().is_empty() { err } else { out };
    let summary = format!("{}\n{}", heading(task.command, status.code()), visible_lines(shown.trim_end()));
    Ok(Outcome { summary, diagnostics, page: page.is_file().then_some(page) })
}

fn heading(kind: Kind, code: Option<i32>) -> String {
    let what = match code {
        Some(0) => "as asked",
        Some(1) => "a violation",
        Some(2) => "an error",
        Some(3) => "unknown: a limit was reached, or the request is not supported",
        _ => "ended by the system",
    };
    format!("linchpin {}: {what}", kind.word())
}

/// Returns the text with only one of its `check` blocks. `None`: there is no such item.
pub fn with_one_check(tree: &ast::File, text: &str, item: usize) -> Option<String> {
    if !matches!(tree.items.get(item)?.kind, ItemKind::Check(_)) {
        return None;
    }
    let others = tree
        .items
        .iter()
        .enumerate()
        .filter(|(at, other)| *at != item && matches!(other.kind, ItemKind::Check(_)));
    let spans: Vec<Span> = others.map(|(_, other)| other.span).collect();
    let is_blank = |at: usize| {
        u32::try_from(at).is_ok_and(|at| spans.iter().any(|span| span.start <= at && at < span.end))
    };
    let blanked = text.char_indices().map(|(at, character)| match character {
        '\n' | '\r' => character,
        _ if is_blank(at) => ' ',
        _ => character,
    });
    Some(blanked.collect())
}

/// Returns the violations of a log as diagnostics. The steps of an execution are related places, in the order
/// of the execution.
fn diagnostics(task: &Task, log: &str) -> Vec<Diagnostic> {
    let Ok(log) = serde_json::from_str::<Value>(log) else { return Vec::new() };
    let results = log["runs"].as_array().into_iter().flatten();
    let results = results.flat_map(|run| run["results"].as_array().into_iter().flatten());
    results.map(|result| diagnostic(task, result)).collect()
}

fn diagnostic(task: &Task, result: &Value) -> Diagnostic {
    let is_expected = result["suppressions"].as_array().is_some_and(|list| !list.is_empty());
    let severity = match (result["kind"].as_str(), is_expected) {
        (Some("open"), _) => DiagnosticSeverity::WARNING,
        (_, true) => DiagnosticSeverity::INFORMATION,
        _ => DiagnosticSeverity::ERROR,
    };
    let mut message = text_of(&result["message"]);
    if is_expected {
        message += "\n(as a `check` block expects)";
    }
    let place = result["locations"].get(0).and_then(|location| line_of(task, location));
    let flows = result["codeFlows"].get(0).and_then(|flow| flow["threadFlows"].as_array());
    let mut steps: Vec<(u64, DiagnosticRelatedInformation)> = Vec::new();
    for flow in flows.into_iter().flatten() {
        let thread = flow["id"].as_str().map(|id| format!("{id}: ")).unwrap_or_default();
        for step in flow["locations"].as_array().into_iter().flatten() {
            let order = step["executionOrder"].as_u64().unwrap_or(0);
            let Some(range) = line_of(task, &step["location"]) else { continue };
            let message = format!("{order}. {thread}{}", text_of(&step["location"]["message"]));
            let location = Location { uri: task.address.clone(), range };
            steps.push((order, DiagnosticRelatedInformation { location, message }));
        }
    }
    steps.sort_by_key(|(order, _)| *order);
    let steps: Vec<DiagnosticRelatedInformation> = steps.into_iter().map(|(_, step)| step).collect();
    let rule = result["ruleId"].as_str().map(|rule| lsp_types::NumberOrString::String(rule.into()));
    Diagnostic {
        range: place.unwrap_or_default(),
        severity: Some(severity),
        code: rule,
        source: Some(format!("linchpin {}", task.command.word())),
        message,
        related_information: (!steps.is_empty()).then_some(steps),
        ..Diagnostic::default()
    }
}

fn text_of(message: &Value) -> String {
    visible_lines(message["text"].as_str().unwrap_or_default())
}

/// Returns the line of a place in the model. `None`: the place is in another file.
fn line_of(task: &Task, location: &Value) -> Option<Range> {
    let physical = &location["physicalLocation"];
    if physical["artifactLocation"]["uri"].as_str()? != "%3Cstdin%3E" {
        return None;
    }
    let line = physical["region"]["startLine"].as_u64()?.checked_sub(1)?;
    let line = u32::try_from(line).ok()?;
    let lines = Lines::of(&task.text);
    let at = |character| lines.position(&task.text, lines.byte(&task.text, Position { line, character }));
    let text = task.text.lines().nth(usize::try_from(line).ok()?).unwrap_or("");
    let indent = text.len() - text.trim_start().len();
    let start = Position { line, character: u32::try_from(indent).unwrap_or(0) };
    Some(Range { start, end: at(u32::MAX) })
}
