//! A proof: verdicts, what was compared, and the small heaps that the invariant allows at each line.

use crate::{memory, source, verdicts};
use linchpin_report::view::proof::{ProofPlace, ProofView, Sketch};
use maud::{Markup, html};

/// Number of sketches of a place that are open.
const OPEN: usize = 6;
/// Number of sketches of a place that are drawn.
const MOST: usize = 24;

pub fn section(view: &ProofView) -> Markup {
    html! {
        section.proof #e0 {
            header { h1 { (view.object) " " span.note { "for any number of threads, nodes and values" } } }
            (verdicts::table(&view.rows))
            @if !view.notes.is_empty() { ul.facts { @for note in &view.notes { li { span.fact { (note) } } } } }
            @if let Some(invariant) = &view.invariant {
                h2 { "The invariant: " (invariant) }
                p.note {
                    "In every reachable state, a thread that rests in front of a line sees one of the heaps below that \
                     line. A sketch shows the shared pointers and the variables of that thread (t0). \
                     " b { "next" } " leads to the next cell, " b { "⋯" } " over one or more others."
                }
                @for place in &view.places { (place_section(place)) }
            }
            (source::listing("e0", &view.source))
        }
    }
}

fn place_section(place: &ProofPlace) -> Markup {
    html! {
        section.place aria-label=(place.title) {
            h3 {
                @match &place.line {
                    Some((number, text)) => {
                        (place.title) ", " a.line href=(format!("#e0-L{number}")) {
                            "line " (number) ": " code { (text) }
                        }
                    }
                    None => (place.title),
                }
            }
            div.sketches { @for sketch in place.sketches.iter().take(OPEN) { (figure(sketch)) } }
            @if place.sketches.len() > OPEN {
                details {
                    summary { (place.sketches.len() - OPEN) " more" }
                    div.sketches { @for sketch in place.sketches.iter().take(MOST).skip(OPEN) { (figure(sketch)) } }
                    @if place.sketches.len() > MOST {
                        p.omitted { (place.sketches.len() - MOST) " others are only in the certificate" }
                    }
                }
            }
        }
    }
}

fn figure(sketch: &Sketch) -> Markup {
    html! {
        figure.sketch {
            (memory::draw(&sketch.heap, None).svg)
            figcaption { @for remark in &sketch.remarks { div { (remark) } } }
        }
    }
}
