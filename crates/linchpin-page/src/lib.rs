//! Draws the report model: self-contained HTML pages, SARIF, DOT.
//!
//! A page is one file: it needs no network, opens from disk, prints, and is readable without JavaScript. A
//! content security policy forbids the network and every script that is not the script of the page.
//!
//! Every text of the report model is data, never markup. Markup is made by `maud`, which escapes each text for
//! its place; [`embed`] escapes JSON inside `<script>`. The report model has already replaced
//! control characters and characters that change directions.
//!
//! | file | contents |
//! |---|---|
//! | [`page`] | the frame of a page: policy, style, script |
//! | [`execution`] | an execution, step by step |
//! | [`exploration`] | an execution by hand |
//! | [`memory`] | the memory as a drawing |
//! | [`history`] | calls as intervals |
//! | [`proof`] | a proof with its invariant |
//! | [`overview`] | many models |
//! | [`source`] | the text of a model |
//! | [`verdicts`] | tables of verdicts |
//! | [`why`] | the reason for a violation |
//! | [`embed`] | JSON inside a page |
//! | [`dot`] | states and state spaces in the language DOT |
//! | [`sarif`] | logs of results in the format SARIF |

pub mod dot;
mod embed;
mod execution;
mod exploration;
mod history;
mod memory;
mod overview;
pub mod page;
mod proof;
pub mod sarif;
mod source;
mod verdicts;
mod why;

pub use exploration::exploration_page;
pub use page::Page;

use linchpin_report::recorded::shown::HistoryReport;
use linchpin_report::view::execution::ExecutionView;
use linchpin_report::view::overview::Overview;
use linchpin_report::view::proof::ProofView;
use linchpin_report::view::verdicts::Verdicts;
use linchpin_report::visible::visible;
use maud::html;

/// Returns the page of `check`: the verdicts, then each execution.
pub fn check_page(models: &str, verdicts: &Verdicts) -> String {
    let title = visible(models);
    let body = html! {
        h1 { (&title) }
        (verdicts::tables(&verdicts.requests))
    };
    Page { title, body, executions: &verdicts.executions }.to_text()
}

/// Returns the page of one execution.
pub fn execution_page(view: &ExecutionView) -> String {
    let title = format!("{}: {}", view.object, view.title);
    Page { title, body: html! {}, executions: std::slice::from_ref(view) }.to_text()
}

/// Returns the page of a recorded history.
pub fn history_page(report: &HistoryReport) -> String {
    let parts: Vec<_> = report.verdicts.iter().flat_map(|verdict| verdict.parts.clone()).collect();
    let body = html! {
        section.execution #e0 {
            header {
                h1 { (report.file) " " span.note { "as " (report.spec) } }
                p.length { (report.size) }
            }
            div.wide { table.verdicts { tbody {
                @for verdict in &report.verdicts {
                    tr {
                        th scope="row" { (verdict.property) }
                        td { span class=(format!("verdict {}", verdicts::tone(verdict.verdict))) { (verdict.verdict) } }
                        td { (verdict.remark) }
                    }
                }
            } } }
            h3 { "The calls" }
            (history::intervals("e0", &report.calls, why::first_order(&parts)))
            (why::parts("e0", &parts))
        }
    };
    Page { title: report.file.clone(), body, executions: &[] }.to_text()
}

/// Returns the page of a search for proofs. `executions` are those that alarms led to.
pub fn proof_page(view: &ProofView, executions: &[ExecutionView]) -> String {
    let title = format!("{}: proof", view.object);
    Page { title, body: proof::section(view), executions }.to_text()
}

/// Returns the page of `verify`: a table of models, then their executions.
pub fn overview_page(overview: &Overview) -> String {
    let title = "Verified models".to_string();
    Page { title, body: overview::section(overview), executions: &overview.executions }.to_text()
}
