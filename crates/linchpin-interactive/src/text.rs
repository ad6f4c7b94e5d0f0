//! The dialogue in lines of text: a command a line, its answer below.

use crate::asking::Asking;
use crate::question::{Limits, Question};
use crate::save;
use crate::session::{Refused, Session};
use crate::view::view;
use linchpin_report::exploration;
use linchpin_report::line::{BOLD, ERROR, Palette};
use linchpin_report::trace_view;
use linchpin_report::view::exploration::ExplorationView;
use linchpin_report::visible::visible;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

/// The commands with what they do.
const COMMANDS: [(&str, &str); 14] = [
    ("N", "make move N"),
    ("b", "one step back"),
    ("b N", "back to step N"),
    ("a", "again: the step that was taken back"),
    ("s N", "begin in initial state N"),
    ("m", "the memory"),
    ("x", "the whole execution"),
    ("h", "the history, and why it is a violation"),
    ("c", "what the specification may have done: the configurations of the monitor"),
    ("v", "from here, is there a violation?"),
    ("l N", "from here, is there an execution that runs line N?"),
    ("t", "take the execution that was found"),
    ("w FILE", "write the execution as a trace for `linchpin replay`"),
    ("q", "end"),
];

fn help() -> String {
    COMMANDS.iter().map(|(command, what)| format!("{command:<8}{what}\n")).collect()
}

/// What happens after a line.
pub enum Next {
    /// The text is shown, and the dialogue goes on.
    Show(String),
    /// A file is written, and the dialogue goes on.
    Save(PathBuf, String),
    End,
}

/// A dialogue.
pub struct Dialogue {
    session: Session,
    asking: Option<Asking>,
    limits: Limits,
    palette: Palette,
}

impl Dialogue {
    pub fn new(session: Session, limits: Limits, palette: Palette) -> Dialogue {
        Dialogue { session, asking: None, limits, palette }
    }

    /// Returns the text before the first command.
    pub fn opening(&self, width: usize) -> String {
        let bold = self.palette.style(BOLD);
        let view = self.view();
        let execution = &view.execution;
        let (_, starts) = view.start;
        let starts = if starts > 1 { format!(", {starts} initial states (`s N`)") } else { String::new() };
        format!(
            "{bold}{}{bold:#}: {}{starts}; `?` lists the commands\n\n{}",
            execution.object,
            execution.bounds,
            exploration::draw(&view, width, self.palette)
        )
    }

    /// Does what a line asks for. `is_cancelled` is polled during a search.
    pub fn line(&mut self, line: &str, width: usize, is_cancelled: impl Fn() -> bool) -> Next {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let number = || rest.parse::<usize>().ok();
        if let Ok(at) = word.parse::<usize>() {
            let number = at.checked_sub(1);
            let moves = self.session.moves().possible.len();
            let done = match number {
                Some(number) => self.session.make(number),
                None => Err(Refused::NoSuchMove { number: usize::MAX - 1, moves }),
            };
            return self.moved(done, width);
        }
        match (word, rest.is_empty()) {
            ("", _) => Next::Show(exploration::draw(&self.view(), width, self.palette)),
            ("b", true) => {
                let done = self.session.back();
                self.moved(done, width)
            }
            ("b", false) => match number() {
                Some(steps) => {
                    let done = self.session.back_to(steps);
                    self.moved(done, width)
                }
                None => self.not_understood(line),
            },
            ("a", true) => {
                let done = self.session.again();
                self.moved(done, width)
            }
            ("s", false) => match number().and_then(|number| number.checked_sub(1)) {
                Some(number) => {
                    let done = self.session.begin_at(number);
                    self.moved(done, width)
                }
                None => self.not_understood(line),
            },
            ("m", true) => Next::Show(exploration::memory(&self.view(), width, self.palette)),
            ("x", true) => Next::Show(trace_view::draw(&self.view().execution.trace, width, self.palette)),
            ("h", true) => Next::Show(self.history()),
            ("c", true) => Next::Show(exploration::configurations(&self.view(), width, self.palette)),
            ("v", true) => self.ask(Question::Violation, &is_cancelled),
            ("l", false) => match number() {
                Some(line) => self.ask(Question::Line(line), &is_cancelled),
                None => self.not_understood(line),
            },
            ("t", true) => self.take(width),
            ("w", false) => match save::trace_text(&self.session) {
                Ok(text) => Next::Save(PathBuf::from(rest), text),
                Err(error) => Next::Show(self.wrong(&format!("the trace cannot be written: {error}"))),
            },
            ("q", true) => Next::End,
            ("?", true) => Next::Show(help()),
            _ => self.not_understood(line),
        }
    }

    fn view(&self) -> ExplorationView {
        view(&self.session, self.asking.as_ref())
    }

    fn moved(&self, done: Result<(), Refused>, width: usize) -> Next {
        match done {
            Ok(()) => {
                let bold = self.palette.style(BOLD);
                let view = self.view();
                let steps = view.steps();
                let last = view.execution.trace.steps.last().map(|step| step.lines().join("; "));
                let heading = match last {
                    Some(last) => format!("{bold}step {steps}{bold:#}  {last}\n"),
                    None => format!("{bold}before the first step{bold:#}\n"),
                };
                Next::Show(heading + &exploration::draw(&view, width, self.palette))
            }
            Err(refused) => Next::Show(self.wrong(&refused.to_string())),
        }
    }

    fn history(&self) -> String {
        let view = self.view();
        let mut out = String::new();
        let calls = view.execution.history.as_ref().map_or(&[][..], |history| &history.calls);
        if calls.is_empty() {
            out += "no call so far\n";
        }
        for call in calls {
            let steps = match call.steps {
                Some((from, Some(to))) => format!("  (steps {} to {})", from + 1, to + 1),
                Some((from, None)) => format!("  (from step {})", from + 1),
                None => String::new(),
            };
            out += &format!("t{}  {}{steps}\n", call.thread, call.text);
        }
        for part in &view.execution.why {
            part.write(&mut out, self.palette);
        }
        out + &view.verdict + "\n"
    }

    /// Asks a question and waits for the answer.
    fn ask(&mut self, question: Question, is_cancelled: &impl Fn() -> bool) -> Next {
        let asking = Asking::begin(&self.session, question, self.limits);
        while asking.answer().is_none() {
            if is_cancelled() {
                asking.cancel();
            }
            thread::sleep(Duration::from_millis(5));
        }
        self.asking = Some(asking);
        let asked = self.view().asked;
        let hint = match asked.as_ref().map(|asked| asked.state) {
            Some(linchpin_report::view::exploration::AskedState::Found { .. }) => "`t` takes it.\n",
            _ => "",
        };
        Next::Show(asked.map_or(String::new(), |asked| asked.answer + "\n") + hint)
    }

    fn take(&mut self, width: usize) -> Next {
        let done = take(&mut self.session, self.asking.as_ref());
        self.moved(done, width)
    }

    fn not_understood(&self, line: &str) -> Next {
        Next::Show(self.wrong(&format!("`{}` is not a command; `?` lists the commands", visible(line))))
    }

    fn wrong(&self, text: &str) -> String {
        let style = self.palette.style(ERROR);
        format!("{style}{text}{style:#}\n")
    }
}

/// Makes the execution that an answer found.
pub fn take(session: &mut Session, asking: Option<&Asking>) -> Result<(), Refused> {
    use crate::question::Answer;
    let asking = asking.filter(|asking| asking.is_about(session)).ok_or(Refused::NothingThere)?;
    match asking.answer() {
        Some(Answer::Found { more, .. }) => session.extend(more),
        _ => Err(Refused::NothingThere),
    }
}
