//! Many models: one row for each search and each proof, with links to the executions.

use crate::verdicts::tone;
use linchpin_report::view::overview::{Overview, OverviewRow};
use maud::{Markup, html};

pub fn section(overview: &Overview) -> Markup {
    let count = |verdict: &str| overview.rows.iter().filter(|row| row.tone == verdict).count();
    let surprises = overview.rows.iter().filter(|row| row.is_surprise).count();
    html! {
        h1 { "Verified models" }
        p.note {
            "holds: " (count("holds")) ", proved: " (count("proved")) ", violated: " (count("violated"))
            ", unknown: " (count("unknown")) "; "
            @if surprises == 0 { "all as expected" } @else { span.surprise { (surprises) " not as expected" } }
        }
        div.wide { table.verdicts.overview {
            thead { tr {
                th { "model" } th { "expected" } th { "verdict" } th { "scope" } th.right { "states" } th.right { "time" }
            } }
            tbody { @for row in &overview.rows { (overview_row(row)) } }
        } }
        @if !overview.reasons.is_empty() {
            h3 { "Reasons" }
            ol.facts { @for reason in &overview.reasons { li { (reason) } } }
        }
    }
}

fn overview_row(row: &OverviewRow) -> Markup {
    html! {
        tr {
            th scope="row" { (row.model) }
            td.note { (row.expected) }
            td {
                span class=(format!("verdict {}", tone(row.tone))) {
                    @match row.execution {
                        Some(at) => a href=(format!("#e{at}")) { (row.verdict) },
                        None => (row.verdict),
                    }
                }
                @if row.is_surprise { " " span.surprise { "not as expected" } }
            }
            td.note { (row.scope) }
            td.right { (row.states) }
            td.right { (row.time) }
        }
    }
}
