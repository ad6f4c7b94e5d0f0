//! Calls as intervals: a lane for each thread, time to the right.
//!
//! The distance of two events is not time, only their order counts. So each bar is as wide as its text.

use linchpin_report::line::display_width;
use linchpin_report::view::intervals::{Interval, Intervals};
use linchpin_report::view::why::OrderTried;
use maud::{Markup, html};

const CHARACTER: usize = 7;
const LANE: usize = 40;
const NAMES: usize = 12;
/// Least distance of two events.
const EVENT: usize = 10;
const MARGIN: usize = 8;
/// Room for the number of a call in an order.
const NUMBER: usize = 20;

/// Draws the intervals. The numbers show the positions of the calls in an order.
pub fn intervals(id: &str, calls: &Intervals, order: Option<&OrderTried>) -> Markup {
    let names =
        calls.threads.iter().map(|name| display_width(name)).max().unwrap_or(0) * CHARACTER + NAMES + MARGIN;
    let left = 0;
    let places = event_places(calls, left);
    let end = places.last().copied().unwrap_or(left) + 2 * EVENT;
    let height = calls.threads.len() * LANE + MARGIN;
    let label = format!("{} calls of {} threads", calls.calls.len(), calls.threads.len());
    html! {
        div.lanes {
        svg.names aria-hidden="true" width=(names) height=(height) {
            @for (thread, name) in calls.threads.iter().enumerate() {
                text.{ "thread t" (thread % 6) } x=(MARGIN) y=(middle(thread) + 4) { (name) }
            }
        }
        div.scroll tabindex="0" {
            svg.intervals role="img" aria-label=(label) width=(end + MARGIN) height=(height)
                viewBox=(format!("0 0 {} {height}", end + MARGIN)) {
                @for thread in 0..calls.threads.len() {
                    line.axis x1=(left) y1=(middle(thread)) x2=(end) y2=(middle(thread)) {}
                }
                @for (at, call) in calls.calls.iter().enumerate() {
                    (bar(id, at, call, &places, end, order))
                }
            }
        }
        }
    }
}

/// Returns the height of the middle of a lane.
fn middle(thread: usize) -> usize {
    thread * LANE + LANE / 2 + MARGIN / 2
}

fn bar(
    id: &str,
    at: usize,
    call: &Interval,
    places: &[usize],
    end: usize,
    order: Option<&OrderTried>,
) -> Markup {
    let start = places[call.start];
    let stop = call.end.map_or(end, |end| places[end]);
    let y = call.thread * LANE + MARGIN;
    let number = order.and_then(|order| position(order, at));
    let next = order.is_some_and(|order| order.next.iter().any(|next| next.calls.contains(&at)));
    let title = match (&call.note, call.steps) {
        (note, _) if !note.is_empty() => format!("{}: {note}", call.text),
        (_, Some((from, Some(to)))) => format!("{}: steps {} to {}", call.text, from + 1, to + 1),
        (_, Some((from, None))) => format!("{}: from step {}", call.text, from + 1),
        _ => call.text.clone(),
    };
    let shape = html! {
        title { (title) }
        rect x=(start) y=(y) width=(stop.saturating_sub(start).max(EVENT)) height=(LANE - MARGIN) rx="5" {}
        text x=(start + NUMBER) y=(y + 20) { (call.text) }
        text.order x=(start + 10) y=(y + 20) { @if let Some(number) = number { (number) } @else if next { "✗" } }
    };
    html! {
        g.call.pending[call.end.is_none()].fault[call.at_fault].next[next].ordered[number.is_some()].{ "t" (call.thread % 6) }
            id=(format!("{id}-c{at}")) {
            @match call.steps {
                Some((from, _)) => a href=(format!("#{id}-s{}", from + 1)) { (shape) },
                None => (shape),
            }
        }
    }
}

/// Returns the position of a call in an order, from 1.
pub fn position(order: &OrderTried, call: usize) -> Option<usize> {
    order.effects.iter().position(|effect| effect.calls.contains(&call)).map(|at| at + 1)
}

/// Returns a place for each event, so that the text of each call fits into its bar.
fn event_places(calls: &Intervals, left: usize) -> Vec<usize> {
    let mut starts = vec![None; calls.events];
    let mut room = 0;
    for call in &calls.calls {
        let width = display_width(&call.text) * CHARACTER + NUMBER + MARGIN;
        match call.end {
            Some(end) if end < calls.events => starts[end] = Some((call.start, width)),
            // The text of a pending call needs room behind the last event.
            _ => room = room.max(width),
        }
    }
    let mut places: Vec<usize> = Vec::with_capacity(calls.events + 1);
    for event in starts {
        let last = places.last().map_or(left + MARGIN, |last| last + EVENT);
        let wanted = event.and_then(|(start, width)| Some(places.get(start)? + width)).unwrap_or(0);
        places.push(last.max(wanted));
    }
    let last = places.last().copied().unwrap_or(left);
    places.push(last + room.max(EVENT));
    places
}
