//! Draws the report model as self-contained HTML pages, SVG, DOT and SARIF.
//!
//! A page is one file: it needs no network, opens from disk, prints, and is readable without JavaScript. A
//! content security policy forbids the network and every script that is not the script of the page.
//!
//! Every text of the report model is data, never markup. Markup is made by `maud`, which escapes each text for
//! its place; [`embed`] escapes JSON inside `<script>`, [`dot`] escapes quoted strings of DOT. The report model has
//! already replaced control characters and characters that change directions.
//!
//! | file | contents |
//! |---|---|
//! | [`page`] | the frame of a page: policy, style, script |
//! | [`execution`] | an execution, step by step |
//! | [`memory`] | the memory as a drawing |
//! | [`history`] | calls as intervals |
//! | [`verdicts`] | tables of verdicts |
//! | [`why`] | the reason for a violation |
//! | [`embed`] | JSON inside a page |

mod embed;
mod execution;
mod history;
mod memory;
pub mod page;
mod source;
mod verdicts;
mod why;

pub use page::Page;

use linchpin_report::view::execution::ExecutionView;
use linchpin_report::view::verdicts::Verdicts;
use maud::html;

/// Returns the page of `check`: the verdicts, then each execution.
pub fn check_page(title: &str, verdicts: &Verdicts) -> String {
    let body = html! {
        h1 { (title) }
        (verdicts::tables(&verdicts.requests))
    };
    Page { title: title.into(), body, executions: &verdicts.executions }.to_text()
}

/// Returns the page of one execution.
pub fn execution_page(view: &ExecutionView) -> String {
    let title = format!("{}: {}", view.object, view.title);
    Page { title, body: html! {}, executions: std::slice::from_ref(view) }.to_text()
}
