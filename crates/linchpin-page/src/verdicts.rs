//! Verdicts as tables, with links to the executions.

use linchpin_engine::verdict::Match;
use linchpin_report::view::verdicts::{RequestView, VerdictRow};
use maud::{Markup, html};

/// Draws one table for each request.
pub fn tables(requests: &[RequestView]) -> Markup {
    html! {
        div.requests { @for request in requests {
            section.request aria-label=(request.scope) {
                h3 { (request.scope) " " span.note { (request.model) } }
                (table(&request.rows))
                @if !request.notes.is_empty() {
                    p.notes { @for note in &request.notes { span { (note) } " " } }
                }
            }
        } }
    }
}

/// Draws one table.
pub fn table(rows: &[VerdictRow]) -> Markup {
    html! {
        div.wide { table.verdicts {
            thead.hidden { tr { th { "property" } th { "verdict" } th { "expected" } th { "remarks" } } }
            tbody { @for row in rows { (verdict_row(row)) } }
        } }
    }
}

fn verdict_row(row: &VerdictRow) -> Markup {
    html! {
        tr {
            th scope="row" { (row.property) }
            td { span class=(format!("verdict {}", tone(row.verdict))) { (row.verdict) } }
            td { (expected(row.fit)) }
            td {
                @match row.execution {
                    Some(at) => a href=(format!("#e{at}")) { @if row.remarks.is_empty() { "execution" } @else { (row.remarks) } },
                    None => (row.remarks),
                }
            }
        }
    }
}

/// Returns the style of a verdict.
pub fn tone(verdict: &str) -> &'static str {
    match verdict {
        "holds" | "proved" => "good",
        "violated" => "bad",
        _ => "open",
    }
}

fn expected(fit: Match) -> Markup {
    html! {
        @match fit {
            Match::NotSaid => {},
            Match::AsExpected => span.note { "as expected" },
            Match::NotAsExpected => span.surprise { "not as expected" },
        }
    }
}
