//! An execution: a lane for each thread, time downwards, the memory beside it.
//!
//! Without JavaScript the page shows all steps, and the drawing of the memory after each step that changes
//! it. The script shows one step at a time: the drawing, the position and the variables of each thread, the
//! current lines of the source.

use crate::{history, memory, source, why};
use linchpin_report::fold::Row;
use linchpin_report::trace::{Rest, SourceLine, Step};
use linchpin_report::view::execution::ExecutionView;
use maud::{Markup, html};
use serde::Serialize;

/// What the script needs for stepping. Everything else is in the document.
#[derive(Serialize)]
pub struct Stepping {
    /// The step that is shown first.
    open: usize,
    cycle: Option<usize>,
    /// The thread of each step.
    threads: Vec<usize>,
    /// Where each thread rests: before the first step, then after each step.
    rests: Vec<Vec<RestText>>,
}

/// A resting place as text.
#[derive(Serialize)]
struct RestText {
    call: Option<String>,
    /// The line in the file of the model. `None`: idle, or another file.
    line: Option<usize>,
    locals: Vec<String>,
}

impl Stepping {
    /// `open` is the step that is shown first.
    pub fn of(view: &ExecutionView, open: usize) -> Stepping {
        let text = |rest: &Rest| RestText {
            call: rest.call.clone(),
            line: rest.line.as_ref().filter(|line| line.file.is_none()).map(|line| line.number),
            locals: rest.locals.iter().map(|field| format!("{} = {}", field.name, field.value)).collect(),
        };
        Stepping {
            open,
            cycle: view.trace.cycle,
            threads: view.trace.steps.iter().map(|step| step.thread).collect(),
            rests: view.trace.rests.iter().map(|rests| rests.iter().map(text).collect()).collect(),
        }
    }
}

/// Returns the section of one execution. The section of a single execution is open.
pub fn section(at: usize, view: &ExecutionView, executions: usize) -> Markup {
    let id = format!("e{at}");
    let heading = html! {
        h2 { (view.object) ": " em.bad[view.is_violation] { (view.title) } }
        p.length { (view.length) @if !view.bounds.is_empty() { "; " (view.bounds) } }
    };
    let body = html! {
        (reason(&id, view))
        (steps_and_memory(&id, view))
    };
    html! {
        @if executions == 1 {
            section.execution id=(id) aria-label=(view.title) { header { (heading) } (body) }
        } @else {
            details.execution id=(id) open[at == 0] { summary { (heading) } (body) }
        }
    }
}

fn reason(id: &str, view: &ExecutionView) -> Markup {
    html! {
        @if let Some(calls) = &view.history {
            section.history aria-label="History" {
                h3 { "The calls" }
                (history::intervals(id, calls, why::first_order(&view.why)))
            }
        }
        (why::parts(id, &view.why))
    }
}

fn steps_and_memory(id: &str, view: &ExecutionView) -> Markup {
    let threads = view.trace.threads;
    html! {
        h3 { "The execution, step by step" }
        div.panes {
            div.left {
                div.step.heading {
                    span.number {}
                    @for thread in 0..threads {
                        div class=(format!("lane acts t{}", thread % 6)) { b { "t" (thread) } }
                    }
                }
                ol.steps {
                    (start(id, view))
                    (rows(id, view))
                }
                @if let Some(cycle) = view.trace.cycle {
                    p.loop-end { "↻ again from step " a href=(format!("#{id}-s{}", cycle + 1)) { (cycle + 1) } ", for ever" }
                }
            }
            aside.now aria-label="The current step" {
                div.controls.js-only role="toolbar" aria-label="Steps" {
                    button type="button" data-go="first" title="To the start (Home)" aria-label="To the start" { "|◀" }
                    button type="button" data-go="back" title="One step back (←)" aria-label="One step back" { "◀" }
                    input type="range" min="0" max=(view.trace.steps.len()) value="0" aria-label="Step";
                    button type="button" data-go="on" title="One step on (→)" aria-label="One step on" { "▶" }
                    button type="button" data-go="last" title="To the end (End)" aria-label="To the end" { "▶|" }
                    output aria-live="polite" {}
                }
                div.stage.js-only {}
                table.threads.js-only {
                    caption.hidden { "The threads after this step" }
                    tbody {
                        @for thread in 0..threads {
                            tr class=(format!("t{}", thread % 6)) {
                                th scope="row" { "t" (thread) }
                                td.call {} td.at {} td.locals {}
                            }
                        }
                    }
                }
                (source::listing(id, &view.source))
            }
        }
    }
}

/// Returns the memory before the first step.
fn start(id: &str, view: &ExecutionView) -> Markup {
    let drawing = memory::draw(&view.trace.start, None);
    html! {
        li.row.start id=(format!("{id}-s0")) data-step="0" {
            figure.news id=(format!("{id}-m0")) { (drawing.svg) }
        }
    }
}

fn rows(id: &str, view: &ExecutionView) -> Markup {
    let mut shown = 0;
    let mut out = Vec::new();
    for row in &view.rows {
        match *row {
            Row::Step { step, .. } => {
                out.push(step_row(id, view, step));
                shown = step + 1;
            }
            Row::Again { rows, times } => {
                let folded = shown..shown + rows * times;
                shown = folded.end;
                let what = if rows == 1 { "this step".to_string() } else { format!("these {rows} steps") };
                let often = if times == 1 { "once more".to_string() } else { format!("{times} more times") };
                out.push(html! {
                    li.fold { details {
                        summary { "… " (what) " " (often) }
                        ol.steps { @for step in folded { (step_row(id, view, step)) } }
                    } }
                });
            }
        }
    }
    html! { @for row in &out { (row) } }
}

fn step_row(id: &str, view: &ExecutionView, at: usize) -> Markup {
    let trace = &view.trace;
    let step = &trace.steps[at];
    let before = at.checked_sub(1).map_or(&trace.start, |last| &trace.steps[last].after);
    let is_switch = at > 0 && trace.steps[at - 1].thread != step.thread;
    let is_loop = trace.cycle.is_some_and(|cycle| at >= cycle);
    let is_last_bad = view.is_violation && trace.cycle.is_none() && at + 1 == trace.steps.len();
    let drawing = memory::draw(&step.after, Some(before));
    let pending = |thread: usize, state: usize| {
        trace.rests.get(state).and_then(|rests| rests.get(thread)).is_some_and(|rest| rest.call.is_some())
    };
    html! {
        @if trace.cycle == Some(at) { li.loop-begin { "↻ from here on for ever" } }
        li.row.switch[is_switch].looped[is_loop].last[is_last_bad] id=(format!("{id}-s{}", at + 1))
            data-step=(at + 1) {
            div.step {
                a.number href=(format!("#{id}-s{}", at + 1)) aria-label=(format!("step {}", at + 1)) { (at + 1) }
                @for thread in 0..trace.threads {
                    @let acts = thread == step.thread;
                    @let busy = pending(thread, at) || pending(thread, at + 1) || (acts && step.call.is_some());
                    @let begins = acts && step.call.is_some();
                    @let ends = acts && step.result.is_some();
                    div.lane.busy[busy].acts[acts].begin[begins].end[ends].{ "t" (thread % 6) } {
                        @if acts { (step_text(id, step)) }
                    }
                }
            }
            @if drawing.has_news {
                figure.news[view.is_news(at)] id=(format!("{id}-m{}", at + 1)) { (drawing.svg) }
            }
        }
    }
}

fn step_text(id: &str, step: &Step) -> Markup {
    html! {
        span.hidden { "t" (step.thread) ": " }
        @if let Some(call) = &step.call { b.call { (call) } }
        @if let Some(line) = &step.line { (source_line(id, line)) }
        @for access in &step.accesses { div.access { (access) } }
        @for effect in &step.effects { div.effect { "◆ " (effect) } }
        @if let Some((line, fault)) = &step.fault {
            @if step.line.as_ref() != Some(line) { (source_line(id, line)) }
            div.fault { "✗ " (fault) }
        }
        @if let Some(result) = &step.result { b.result { "→ " (result) } }
    }
}

fn source_line(id: &str, line: &SourceLine) -> Markup {
    html! {
        @match &line.file {
            None => a.line href=(format!("#{id}-L{}", line.number)) {
                span.n { (line.number) } " " code { (line.text) }
            },
            Some(file) => div.line { span.n { (file) ":" (line.number) } " " code { (line.text) } },
        }
    }
}
