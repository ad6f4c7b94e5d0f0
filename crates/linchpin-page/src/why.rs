//! The reason for a violation: facts, and the orders that were tried.

use linchpin_report::view::why::{Fact, NextCall, OrderTried, Part};
use maud::{Markup, html};

/// Returns the order whose positions the drawing of the history shows.
pub fn first_order(parts: &[Part]) -> Option<&OrderTried> {
    parts.iter().flat_map(|part| &part.orders).find(|order| !order.effects.is_empty())
}

/// Number of calls shown at the end of an order. A click on the order shows all of them.
const LATEST: usize = 16;

pub fn parts(id: &str, parts: &[Part]) -> Markup {
    html! {
        @for part in parts {
            section.why aria-label=[part.title.as_deref()] {
                @if let Some(title) = &part.title { h3 { (title) (part.remark) } }
                @if !part.facts.is_empty() {
                    ul.facts { @for fact in &part.facts { (fact_item(id, fact)) } }
                }
                @for (at, order) in part.orders.iter().enumerate() { (order_tried(id, at, order)) }
                @if let Some(omitted) = &part.omitted { p.omitted { (omitted) } }
            }
        }
    }
}

fn fact_item(id: &str, fact: &Fact) -> Markup {
    let class = fact.thread.map(|thread| format!("t{}", thread % 6));
    html! {
        li class=[class] {
            span.fact { (fact.text) }
            @for step in &fact.steps { " " a.step-link href=(format!("#{id}-s{}", step + 1)) { "step " (step + 1) } }
        }
    }
}

fn order_tried(id: &str, at: usize, order: &OrderTried) -> Markup {
    html! {
        div.order data-order=(at) {
            @if order.effects.is_empty() {
                p { (order.text) }
            } @else {
                div.tried {
                    @if !order.next.is_empty() { span.after { "After" } }
                    ol.effects {
                        @let early = order.effects.len().saturating_sub(LATEST);
                        @for (at, effect) in order.effects.iter().enumerate() {
                            li.early[at < early] data-calls=(numbers(&effect.calls)) data-at=(at + 1) {
                                a href=(format!("#{id}-c{}", effect.calls.first().copied().unwrap_or(0))) { (effect.text) }
                            }
                            @if at + 1 == early { li.more { (early) " calls, and then" } }
                        }
                    }
                    @if !order.state.is_empty() { span.state { (order.state) } }
                }
            }
            ul.next-calls {
                @for next in &order.next { (next_call(next)) }
            }
            @if let Some(omitted) = &order.omitted { p.omitted { (omitted) } }
        }
    }
}

fn next_call(next: &NextCall) -> Markup {
    html! { li data-calls=(numbers(&next.calls)) { (next.text) } }
}

fn numbers(calls: &[usize]) -> String {
    calls.iter().map(usize::to_string).collect::<Vec<_>>().join(" ")
}
