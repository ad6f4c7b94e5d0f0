//! The page of an execution by hand: the moves as buttons, what the specification may have done, questions.
//!
//! Every button is a form, so the page works without JavaScript. The server sends the policy, which names a
//! nonce for the style and the scripts.

use crate::memory;
use crate::page::{Page, Served};
use linchpin_report::view::exploration::{AskedState, AskedView, ExplorationView, OptionView};
use maud::{Markup, html};

const STYLE: &str = include_str!("../assets/explore.css");
const SCRIPT: &str = include_str!("../assets/explore.js");

/// Returns the page. `notice` is the reason why the last request was refused.
pub fn exploration_page(view: &ExplorationView, notice: Option<&str>, nonce: &str) -> String {
    let execution = &view.execution;
    let body = html! {
        h1 { (execution.object) span.note { " by hand" } }
        p.length { (execution.length) "; " (execution.bounds) ". "
            span.bad[execution.is_violation] { (view.verdict) "." } }
        @if let Some(notice) = notice { p.notice role="alert" { (notice) } }
        section.hand aria-label="What can happen next" {
            div { (moves(view)) (travel(view)) (memory_now(view)) }
            div { (configurations(view)) (questions(view)) (files()) }
        }
    };
    let title = format!("{}: by hand", execution.object);
    let page = Page { title, body, executions: std::slice::from_ref(execution) };
    page.to_served(&Served { nonce, style: STYLE, script: SCRIPT })
}

fn moves(view: &ExplorationView) -> Markup {
    let threads = view.execution.trace.threads;
    html! {
        h3 { "What can happen next" }
        @if let Some(ended) = &view.ended { p.bad { (ended) } }
        form.moves method="post" action="/move" {
            input type="hidden" name="at" value=(view.steps());
            @for thread in 0..threads {
                div.of-thread.{ "t" (thread % 6) } {
                    h4 { "t" (thread) (resting(view, thread)) }
                    @for (at, option) in view.options.iter().enumerate().filter(|(_, option)| option.thread == thread) {
                        (move_button(at, option))
                    }
                    @for (_, why) in view.held.iter().filter(|(held, _)| *held == thread) { p.held { (why) } }
                }
            }
        }
    }
}

/// Returns the pending call of a thread.
fn resting(view: &ExplorationView, thread: usize) -> String {
    let rests = view.execution.trace.rests.last();
    let call = rests.and_then(|rests| rests.get(thread)).and_then(|rest| rest.call.clone());
    call.map_or_else(|| " idle".into(), |call| format!(" in {call}"))
}

fn move_button(at: usize, option: &OptionView) -> Markup {
    let step = &option.step;
    html! {
        button.move type="submit" name="move" value=(at) {
            span.key { (at + 1) }
            span.what {
                @if let Some(call) = &step.call { b { (call) } }
                @if let Some(line) = &step.line { span { (line.number) " " (line.text) } }
                @for text in step.accesses.iter().chain(&step.effects) { span.to { (text) } }
                @if !option.choice.is_empty() { span.to { (option.choice) } }
                @if let Some((_, fault)) = &step.fault { span.fault { "✗ " (fault) } }
                @if let Some(result) = &step.result { b { "→ " (result) } }
            }
        }
    }
}

fn travel(view: &ExplorationView) -> Markup {
    let (start, starts) = view.start;
    html! {
        form.row-of method="post" action="/back" {
            input type="hidden" name="at" value=(view.steps());
            button type="submit" data-key="back" disabled[!view.can_go_back] { "◀ back" }
            button type="submit" formaction="/again" data-key="again" disabled[!view.can_go_again] { "again ▶" }
            span.note { "keys: a number makes a move, b goes back, a goes on again" }
        }
        form.row-of method="post" action="/back" {
            input type="hidden" name="at" value=(view.steps());
            label { "back to step " input type="number" name="to" min="0" max=(view.steps()) value="0" required; }
            button type="submit" disabled[!view.can_go_back] { "go" }
        }
        @if starts > 1 {
            form.row-of method="post" action="/start" {
                label { "initial state " input type="number" name="to" min="1" max=(starts) value=(start + 1) required; }
                " of " (starts) " "
                button type="submit" { "begin there" }
            }
        }
    }
}

/// Returns the memory at the present moment. What the last step changed is marked.
fn memory_now(view: &ExplorationView) -> Markup {
    let trace = &view.execution.trace;
    let drawing = match trace.steps.as_slice() {
        [.., before, last] => memory::draw(&last.after, Some(&before.after)),
        [only] => memory::draw(&only.after, Some(&trace.start)),
        [] => memory::draw(&trace.start, None),
    };
    html! {
        h3 { "The memory now" }
        div.memory-now { (drawing.svg) }
    }
}

fn configurations(view: &ExplorationView) -> Markup {
    html! {
        h3 { "What the specification may have done" }
        @if view.configurations.is_empty() { p.note { (view.verdict) } }
        @if !view.configurations.is_empty() { ul.configurations {
            @for configuration in &view.configurations {
                li {
                    @if configuration.state.is_empty() { "no state" } @else { (configuration.state) }
                    @for call in &configuration.calls {
                        span.pending.done[!call.ends_with("not taken effect")] { (call) }
                    }
                }
            }
        } }
        @if !view.more_configurations.is_empty() { p.note { (view.more_configurations) } }
    }
}

fn questions(view: &ExplorationView) -> Markup {
    let running = view.asked.as_ref().is_some_and(|asked| asked.state == AskedState::Running);
    html! {
        h3 { "From here, is there an execution …" }
        form.row-of method="post" action="/ask" {
            button type="submit" name="question" value="violation" disabled[running] { "that is a violation?" }
        }
        form.row-of method="post" action="/ask" {
            label { "that runs line " input type="number" name="line" min="1" max=(view.execution.source.lines.len()) required; }
            button type="submit" name="question" value="line" disabled[running] { "?" }
        }
        @if let Some(asked) = &view.asked { (answer(asked)) }
    }
}

fn answer(asked: &AskedView) -> Markup {
    let running = asked.state == AskedState::Running;
    html! {
        div.answer data-running[running] aria-live="polite" {
            span.note { "after step " (asked.steps) ": " (asked.question) " " }
            span.text { (asked.answer) }
            @match asked.state {
                AskedState::Running => form.row-of method="post" action="/cancel" {
                    button type="submit" { "cancel" }
                    a href="/" { "look again" }
                },
                AskedState::Found { can_take: true, .. } => form.row-of method="post" action="/take" {
                    button type="submit" { "take it" }
                },
                AskedState::Found { .. } | AskedState::Over => {},
            }
        }
    }
}

fn files() -> Markup {
    html! {
        h3 { "The execution" }
        form.row-of method="post" action="/save" {
            button type="submit" { "save as a trace for replay" }
            button type="submit" formaction="/end" { "end the server" }
        }
    }
}
