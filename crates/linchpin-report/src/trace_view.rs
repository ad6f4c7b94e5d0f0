//! Draws an execution: one column for each thread, time downwards, the object after each change.
//!
//! ```text
//!        t0                                 │ t1
//!  ─────────────────────────────────────────┼──────────────────────────────────
//!    1   push(1)                            │
//!        12 let top = head;                 │
//!           top = null                      │
//!        head → null
//!        t0.n → A:1 → null
//! ```

use super::fold::{Row, fold};
use super::heap;
use super::line::{BOLD, DIM, ERROR, Line, Palette, thread_name, thread_style, wrap};
use super::scene::HeapSnapshot;
use super::trace::{SourceLine, Step, Trace};
use anstyle::Style;

/// Draws a trace. Each line ends with a newline.
pub fn draw(trace: &Trace, width: usize, palette: Palette) -> String {
    let layout = Layout::of(trace, width);
    let mut lines = layout.heading();
    lines.extend(layout.picture(None, &trace.start));
    let mut shown = 0;
    for row in fold(trace) {
        match row {
            Row::Step { step, news } => {
                if trace.cycle == Some(step) {
                    lines.push(layout.divider("for ever"));
                }
                let before = step.checked_sub(1).map_or(&trace.start, |last| &trace.steps[last].after);
                let step = &trace.steps[step];
                shown += 1;
                lines.extend(layout.step(shown, step));
                if news {
                    lines.extend(layout.picture(Some(before), &step.after));
                }
            }
            Row::Again { rows, times } => {
                shown += rows * times;
                lines.push(layout.again(rows, times));
            }
        }
    }
    if let Some(cycle) = trace.cycle {
        lines.push(layout.divider(&format!("again from step {}", cycle + 1)));
    }
    lines.iter().map(|line| palette.line(line) + "\n").collect()
}

struct Layout {
    width: usize,
    threads: usize,
    /// The width of the column of a thread. `None`: too many threads, all threads share one column.
    column: Option<usize>,
    /// The number of digits of the largest line number.
    digits: usize,
}

/// The width of the step numbers, with blanks.
const GUTTER: usize = 6;
/// The text between columns.
const SEPARATOR: &str = " │ ";
const NARROWEST: usize = 22;

impl Layout {
    fn of(trace: &Trace, width: usize) -> Layout {
        let threads = trace.threads;
        let lines = trace
            .steps
            .iter()
            .flat_map(|step| step.line.iter().chain(step.fault.iter().map(|(line, _)| line)));
        let largest = lines.filter(|line| line.file.is_none()).map(|line| line.number).max().unwrap_or(0);
        let room = width.saturating_sub(GUTTER + threads.saturating_sub(1) * 3);
        let column = room / threads.max(1);
        Layout {
            width,
            threads,
            column: (column >= NARROWEST).then_some(column),
            digits: largest.to_string().len(),
        }
    }

    fn heading(&self) -> Vec<Line> {
        let Some(column) = self.column else { return Vec::new() };
        let mut names = Line::new();
        let mut rule = Line::new();
        rule.push(" ", Style::new());
        for thread in 0..self.threads {
            let begin = self.begin(thread, column);
            if thread > 0 {
                names.pad_to(begin - 3);
                names.push(SEPARATOR, DIM);
                rule.push("─".repeat(begin.saturating_sub(rule.width() + 2)), DIM);
                rule.push("┼", DIM);
            } else {
                names.pad_to(begin);
            }
            names.push(thread_name(thread), thread_style(thread).bold());
        }
        rule.push("─".repeat(self.width.saturating_sub(rule.width())), DIM);
        vec![names, rule]
    }

    fn begin(&self, thread: usize, column: usize) -> usize {
        GUTTER + thread * (column + 3)
    }

    fn step(&self, number: usize, step: &Step) -> Vec<Line> {
        let texts = texts_of(step, self.digits);
        let mut lines = Vec::new();
        for Text { text, style, indent, hang } in texts {
            let limit = self.column.unwrap_or(self.width.saturating_sub(GUTTER + 4)).saturating_sub(indent);
            for part in wrap(&text, limit, hang) {
                let mut content = Line::new();
                content.pad_to(indent);
                content.push(part, style);
                lines.push(self.row(step.thread, lines.is_empty().then_some(number), &content));
            }
        }
        lines
    }

    /// Returns one line in the column of a thread.
    fn row(&self, thread: usize, number: Option<usize>, content: &Line) -> Line {
        let mut line = Line::new();
        if let Some(number) = number {
            line.push(format!("{number:>4}"), DIM);
        }
        line.pad_to(GUTTER);
        let Some(column) = self.column else {
            if number.is_some() {
                line.push(thread_name(thread), thread_style(thread).bold());
            }
            line.pad_to(GUTTER + 4);
            line.append(content);
            return line;
        };
        for other in 0..self.threads {
            if other > 0 {
                line.pad_to(self.begin(other, column) - 3);
                line.push(SEPARATOR, DIM);
            }
            if other == thread {
                line.append(content);
            }
        }
        line
    }

    fn picture(&self, before: Option<&HeapSnapshot>, scene: &HeapSnapshot) -> Vec<Line> {
        let mut lines = Vec::new();
        for drawn in heap::draw(scene, before, self.width.saturating_sub(GUTTER + 2)) {
            let mut line = Line::new();
            line.pad_to(GUTTER - 2);
            line.push("┆   ", DIM);
            line.append(&drawn);
            lines.push(line);
        }
        lines
    }

    /// Returns a rule across all columns with a title.
    fn divider(&self, text: &str) -> Line {
        let mut line = Line::new();
        line.push(format!(" ↻ {text} "), BOLD);
        line.push("─".repeat(self.width.saturating_sub(line.width())), DIM);
        line
    }

    fn again(&self, rows: usize, times: usize) -> Line {
        let what = if rows == 1 { "this step".to_string() } else { format!("these {rows} steps") };
        let often = if times == 1 { "once more".to_string() } else { format!("{times} more times") };
        let mut line = Line::new();
        line.pad_to(GUTTER);
        line.push(format!("… {what} {often}"), DIM);
        line
    }
}

/// One text of a step.
struct Text {
    text: String,
    style: Style,
    indent: usize,
    /// Additional indentation of lines after the first.
    hang: usize,
}

fn texts_of(step: &Step, digits: usize) -> Vec<Text> {
    let color = thread_style(step.thread);
    let indent = digits + 2;
    let source = |line: &SourceLine| {
        let place = line.file.as_ref().map_or(String::new(), |file| format!("{file}:"));
        let place = format!("{place}{:>digits$}", line.number);
        Text { text: format!("{place}  {}", line.text), style: color, indent: 0, hang: place.len() + 4 }
    };
    let detail = |text: String| Text { text, style: Style::new(), indent, hang: 2 };
    let mut texts = Vec::new();
    if let Some(call) = &step.call {
        texts.push(Text { text: call.clone(), style: color.bold(), indent: 0, hang: 2 });
    }
    texts.extend(step.line.as_ref().map(source));
    texts.extend(step.accesses.iter().map(|access| detail(access.clone())));
    texts.extend(step.effects.iter().map(|effect| detail(format!("◆ {effect}"))));
    if let Some((line, fault)) = &step.fault {
        texts.extend(Some(line).filter(|line| step.line.as_ref() != Some(line)).map(source));
        texts.push(Text { text: format!("✗ {fault}"), style: ERROR, indent, hang: 2 });
    }
    if let Some(result) = &step.result {
        texts.push(Text { text: format!("→ {result}"), style: BOLD, indent: 0, hang: 2 });
    }
    if texts.is_empty() {
        texts.push(Text { text: "·".into(), style: DIM, indent: 0, hang: 0 });
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Cell, CellName, Field, HeapSnapshot, Holder, Value};

    fn step(thread: usize, number: usize, text: &str, access: &str, after: &HeapSnapshot) -> Step {
        Step {
            thread,
            call: None,
            line: Some(SourceLine { file: None, uri: None, number, text: text.into() }),
            accesses: vec![access.into()],
            effects: Vec::new(),
            result: None,
            fault: None,
            after: after.clone(),
        }
    }

    fn stack(head: Option<CellName>, threads: usize) -> Trace {
        let empty = HeapSnapshot {
            variables: vec![Field::new("head", Value::Pointer(None))],
            cells: vec![],
            holders: vec![],
        };
        let node = Cell {
            name: CellName::nth(0),
            value: Value::Struct(vec![
                Field::new("val", Value::Plain("1".into())),
                Field::new("next", Value::Pointer(None)),
            ]),
            free: false,
        };
        let n = Holder {
            thread: 0,
            variable: Field::new("n", Value::Pointer(Some(CellName::nth(0)))),
            is_temporary: false,
        };
        let made = HeapSnapshot { cells: vec![node.clone()], holders: vec![n], ..empty.clone() };
        let pushed = HeapSnapshot {
            variables: vec![Field::new("head", Value::Pointer(head))],
            cells: vec![node],
            holders: vec![],
        };
        let spin = step(1, 21, "while head == null {}", "head is null", &made);
        let steps = vec![
            Step { call: Some("push(1)".into()), ..step(0, 12, "let top = head;", "top = null", &made) },
            Step { call: Some("wait()".into()), ..spin.clone() },
            spin.clone(),
            spin.clone(),
            spin,
            Step {
                effects: vec!["takes effect".into()],
                result: Some("done".into()),
                ..step(0, 14, "if cas(head, top, n) { lin; return; }", "head: null → A", &pushed)
            },
        ];
        Trace { threads, start: empty, steps, ..Trace::default() }
    }

    fn drawn(trace: &Trace, width: usize) -> String {
        draw(trace, width, Palette::Plain)
    }

    #[test]
    fn a_column_a_thread_and_the_object_where_it_changes() {
        insta::assert_snapshot!(drawn(&stack(Some(CellName::nth(0)), 2), 80), @"
             t0                                  │ t1
        ─────────────────────────────────────────┼─────────────────────────────────────
           ┆   head → null
          1  push(1)                             │
             12  let top = head;                 │
                 top = null                      │
           ┆   head → null
           ┆   t0.n → A:1 → null
          2                                      │ wait()
                                                 │ 21  while head == null {}
                                                 │     head is null
          3                                      │ 21  while head == null {}
                                                 │     head is null
             … this step 2 more times
          6  14  if cas(head, top, n) { lin;     │
                   return; }                     │
                 head: null → A                  │
                 ◆ takes effect                  │
             → done                              │
           ┆   head → A:1 → null
        ");
    }

    #[test]
    fn long_lines_are_wrapped_in_their_column() {
        let drawn = drawn(&stack(Some(CellName::nth(0)), 2), 54);
        insta::assert_snapshot!(drawn, @"
             t0                     │ t1
        ────────────────────────────┼────────────────────────
           ┆   head → null
          1  push(1)                │
             12  let top = head;    │
                 top = null         │
           ┆   head → null
           ┆   t0.n → A:1 → null
          2                         │ wait()
                                    │ 21  while head == null
                                    │       {}
                                    │     head is null
          3                         │ 21  while head == null
                                    │       {}
                                    │     head is null
             … this step 2 more times
          6  14  if cas(head, top,  │
                   n) { lin;        │
                   return; }        │
                 head: null → A     │
                 ◆ takes effect     │
             → done                 │
           ┆   head → A:1 → null
        ");
        assert!(drawn.lines().all(|line| textwrap::core::display_width(line) <= 54));
    }

    #[test]
    fn many_threads_share_a_column() {
        insta::assert_snapshot!(drawn(&stack(Some(CellName::nth(0)), 9), 80), @"
         ┆   head → null
        1  t0  push(1)
               12  let top = head;
                   top = null
         ┆   head → null
         ┆   t0.n → A:1 → null
        2  t1  wait()
               21  while head == null {}
                   head is null
        3  t1  21  while head == null {}
                   head is null
           … this step 2 more times
        6  t0  14  if cas(head, top, n) { lin; return; }
                   head: null → A
                   ◆ takes effect
               → done
         ┆   head → A:1 → null
        ");
    }
}
