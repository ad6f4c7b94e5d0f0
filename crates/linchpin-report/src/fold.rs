//! Folds spinning: a block of steps that repeats without a call, a return or a change is shown once, with the
//! number of repetitions.

use super::trace::{Step, Trace};
use serde::Serialize;

/// A row of a folded trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Row {
    /// A step by its position, and whether the step changes the memory.
    Step { step: usize, news: bool },
    /// `times` repetitions of the last `rows` rows.
    Again { rows: usize, times: usize },
}

/// Returns the rows of a trace, in order.
pub fn fold(trace: &Trace) -> Vec<Row> {
    let news: Vec<bool> = trace
        .steps
        .iter()
        .scan(&trace.start, |before, step| {
            let news = step.after.is_news_after(before);
            *before = &step.after;
            Some(news)
        })
        .collect();
    let mut rows = Vec::new();
    let mut at = 0;
    let cycle = trace.cycle.unwrap_or(trace.steps.len()).min(trace.steps.len());
    while at < trace.steps.len() {
        // Steps before the loop are not folded into the loop.
        let end = if at < cycle { cycle } else { trace.steps.len() };
        let (period, times) = repetition(&trace.steps[..end], &news, at);
        let shown = if times > 0 { period } else { 1 };
        rows.extend((at..at + shown).map(|step| Row::Step { step, news: news[step] }));
        if times > 0 {
            rows.push(Row::Again { rows: period, times });
        }
        at += shown * (times + 1);
    }
    rows
}

/// Returns the length of the shortest repeated block at this position and the number of repetitions after the
/// first.
fn repetition(steps: &[Step], news: &[bool], at: usize) -> (usize, usize) {
    const LONGEST: usize = 12;
    for period in 1..=LONGEST {
        let same = |from: usize| {
            from + period <= steps.len()
                && (0..period).all(|offset| {
                    let (first, later) = (at + offset, from + offset);
                    !news[first] && !news[later] && spins_alike(&steps[first], &steps[later])
                })
        };
        let times = (1..).take_while(|time| same(at + time * period)).count();
        if times > 0 {
            return (period, times);
        }
    }
    (1, 0)
}

fn spins_alike(first: &Step, later: &Step) -> bool {
    let quiet = |step: &Step| {
        step.call.is_none() && step.result.is_none() && step.fault.is_none() && step.effects.is_empty()
    };
    quiet(first)
        && quiet(later)
        && first.thread == later.thread
        && first.line == later.line
        && first.accesses == later.accesses
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap_snapshot::{Field, HeapSnapshot, Value};
    use crate::trace::SourceLine;

    fn spin(thread: usize, line: usize) -> Step {
        Step {
            thread,
            call: None,
            line: Some(SourceLine { file: None, uri: None, number: line, text: String::new() }),
            accesses: Vec::new(),
            effects: Vec::new(),
            result: None,
            fault: None,
            after: HeapSnapshot::default(),
        }
    }

    fn rows(steps: Vec<Step>) -> Vec<Row> {
        fold(&Trace { threads: 2, steps, ..Trace::default() })
    }

    fn step(step: usize) -> Row {
        Row::Step { step, news: false }
    }

    #[test]
    fn loops_of_one_and_of_several_steps_fold() {
        let spinning = [7, 7, 7, 8, 9, 8, 9, 8, 9, 8].map(|line| spin(0, line)).to_vec();
        let again = |rows, times| Row::Again { rows, times };
        assert_eq!(rows(spinning), [step(0), again(1, 2), step(3), step(4), again(2, 2), step(9)]);
    }

    #[test]
    fn another_thread_a_return_or_a_change_ends_a_repetition() {
        assert_eq!(rows(vec![spin(0, 1), spin(1, 1)]), [step(0), step(1)]);
        let returning = Step { result: Some("none".into()), ..spin(0, 1) };
        assert_eq!(rows(vec![spin(0, 1), returning]).len(), 2);
        let variables = vec![Field::new("x", Value::Plain("1".into()))];
        let changing = Step { after: HeapSnapshot { variables, ..HeapSnapshot::default() }, ..spin(0, 1) };
        assert_eq!(rows(vec![spin(0, 1), changing]), [step(0), Row::Step { step: 1, news: true }]);
    }
}
