//! The refinement loop of `--method cmp` in words: counterexamples of the abstraction, the lemmas that
//! exclude them, and what is known of lemmas that a user wrote.

use super::super::compile::model_failure;
use super::super::input;
use super::Failure;
use linchpin_certify::cmp_certificate::RestLemma;
use linchpin_certify::set_certificate::ThreadView;
use linchpin_engine::model::Compiled;
use linchpin_explore::samples::{SampledStep, StepStart};
use linchpin_ir::heap::sets::SetLayout;
use linchpin_ir::source::Span;
use linchpin_portfolio::{CmpProof, JudgedLemma, LemmaStanding, ProofResult};
use linchpin_prove::cmp::rounds::{Round, Rounds, Why};
use linchpin_prove::lemma::{Lemma, Printer, parse};
use linchpin_report::abstract_view::draw;
use linchpin_report::calls::{Plain, call_text};
use linchpin_report::line::{BOLD, DIM};
use linchpin_semantics::thread_name;
use std::fmt::Write;
use std::path::Path;

/// Reads the lemmas of a file; none for the word `none`.
pub fn lemmas(given: &Path, compiled: &Compiled) -> Result<Vec<Lemma>, Failure> {
    if given.as_os_str() == "none" {
        return Ok(Vec::new());
    }
    let text = input::read_text(given).map_err(Failure::Input)?;
    let mut sources = (*compiled.sources).clone();
    let name = given.display().to_string();
    let file = sources.add(name.as_str(), text);
    parse(&compiled.program, &sources, file).map_err(|findings| model_failure(&sources, name, &findings))
}

/// Shows a result as the loop of abstraction and refinement tells it.
pub struct Explainer<'e> {
    compiled: &'e Compiled,
    layout: SetLayout,
}

impl Explainer<'_> {
    /// `None`: the program is not one of the method.
    pub fn new(compiled: &Compiled) -> Option<Explainer<'_>> {
        Some(Explainer { compiled, layout: SetLayout::of(&compiled.program).ok()? })
    }

    /// The rounds of a proof, and the lemmas that are needed.
    pub fn rounds(&self, proof: &CmpProof, rounds: &Rounds) -> String {
        let printed = |lemma: &RestLemma| self.printed(proof, lemma);
        let mut text = String::new();
        for (at, round) in rounds.rounds.iter().enumerate() {
            let _ = writeln!(text, "\n{BOLD}round {}{BOLD:#}: {}", at + 1, self.why(round, &printed));
            text += &self.facts(round.window.as_ref(), round.view.as_ref());
            match &round.added {
                Some(lemma) => {
                    let _ = writeln!(text, "  added: {}", printed(lemma));
                }
                None => text += "  no proved lemma says more of this step\n",
            }
        }
        if rounds.is_proved {
            let (tried, needed) = (rounds.rounds.len(), rounds.needed.len());
            let _ =
                writeln!(text, "\n{BOLD}nothing is left{BOLD:#} after {tried} lemmas; {needed} are needed:");
            for lemma in &rounds.needed {
                let _ = writeln!(text, "  {}", printed(lemma));
            }
        }
        text
    }

    /// The last facts of a counterexample that no lemma excludes.
    pub fn last_facts(&self, proving: &ProofResult) -> String {
        let Some(last) = &proving.last_facts else { return String::new() };
        let facts = self.facts(last.window.as_ref(), last.view.as_ref());
        format!("\n{BOLD}the counterexample of the abstraction{BOLD:#}\n{facts}")
    }

    /// What is known of the lemmas that were given.
    pub fn given(&self, given: &[JudgedLemma]) -> String {
        let printer = self.printer();
        let mut text = String::new();
        for judged in given {
            let what = match (&judged.execution, judged.standing) {
                (Some(_), _) => "false",
                (None, LemmaStanding::Needed) => "needed",
                (None, LemmaStanding::Redundant) => "redundant",
                (None, LemmaStanding::Open) => "not shown",
                (None, LemmaStanding::NotUsed) => {
                    "not used: it is not in front of a write, or has other words"
                }
            };
            let _ = writeln!(text, "{}  {what}", printer.lemma(&judged.lemma));
            for (at, step) in judged.execution.iter().flatten().enumerate() {
                let _ = writeln!(text, "{DIM}  {}  {}{DIM:#}", at + 1, self.step(step));
            }
        }
        text
    }

    fn why(&self, round: &Round, printed: &dyn Fn(&RestLemma) -> String) -> String {
        match &round.why {
            Why::Failed(failure) => {
                let line = self.compiled.sources.line_of(failure.span);
                format!("the kept thread, line {line}: {}", failure.kind.text())
            }
            Why::Unfollowed(failure) => format!("a step that cannot be followed: {}", failure.kind.text()),
            Why::Lemma(lemma) => format!("a lemma is not true any more: {}", printed(lemma)),
        }
    }

    fn facts(&self, window: Option<&ThreadView>, view: Option<&ThreadView>) -> String {
        let mut text = String::new();
        for (who, view) in [("another thread", window), ("the kept thread then", view)] {
            let Some(view) = view else { continue };
            let place = self.place(view).unwrap_or_else(|| "idle".into());
            let _ = writeln!(text, "  {who}: {place}");
            for line in draw(&self.compiled.program, &self.layout, view) {
                let _ = writeln!(text, "{DIM}    {line}{DIM:#}");
            }
        }
        text
    }

    fn place(&self, view: &ThreadView) -> Option<String> {
        let (op, pc) = view.at?;
        let instr = self.layout.method(Some(op)).code.get(pc)?;
        let name = &self.compiled.program.ops[op].name;
        Some(format!("{name}, {}", self.source(instr.span)))
    }

    fn source(&self, span: Span) -> String {
        let sources = &self.compiled.sources;
        let text: Vec<&str> = sources.text(span).split_whitespace().collect();
        format!("line {}: {}", sources.line_of(span), text.join(" "))
    }

    fn step(&self, step: &SampledStep) -> String {
        let program = &self.compiled.program;
        let what = match &step.from {
            StepStart::Call(args) => call_text(&Plain, program, step.op, args),
            StepStart::Rest(pc) => {
                let operation = &program.ops[step.op];
                let span = program.methods[operation.method].code.get(*pc).map(|instr| instr.span);
                format!("{}, {}", operation.name, span.map_or_else(String::new, |span| self.source(span)))
            }
        };
        format!("{}: {what}", thread_name(step.thread))
    }

    fn printer(&self) -> Printer<'_> {
        Printer { program: &self.compiled.program, sources: &self.compiled.sources }
    }

    fn printed(&self, proof: &CmpProof, lemma: &RestLemma) -> String {
        proof.printed(self.compiled, lemma).unwrap_or_else(|| "a lemma".into())
    }
}
