//! A question in a thread of its own, which can be cancelled.

use crate::question::{Answer, Control, Limits, Origin, Question, search};
use crate::session::Session;
use linchpin_engine::lock;
use linchpin_judge::trace::Choice;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::thread;

/// A question that was asked. The search ends when its last asker is dropped.
pub struct Asking {
    pub question: Question,
    /// The initial state and the execution before the question.
    start: usize,
    choices: Vec<Choice>,
    control: Arc<Control>,
    answer: Arc<Mutex<Option<Answer>>>,
}

impl Asking {
    /// Asks a question about the present execution.
    pub fn begin(session: &Session, question: Question, limits: Limits) -> Asking {
        let origin = Origin::of(session);
        let asking = Asking {
            question,
            start: session.start(),
            choices: session.choices(),
            control: Arc::default(),
            answer: Arc::default(),
        };
        let (control, answer) = (asking.control.clone(), asking.answer.clone());
        thread::spawn(move || {
            let found = search(&origin, question, limits, &control);
            *lock(&answer) = Some(found);
        });
        asking
    }

    /// Returns the answer. `None`: the search runs.
    pub fn answer(&self) -> Option<Answer> {
        lock(&self.answer).clone()
    }

    /// Returns the number of states found so far.
    pub fn states(&self) -> usize {
        self.control.states.load(Ordering::Relaxed)
    }

    /// Returns the number of steps before the question.
    pub fn steps(&self) -> usize {
        self.choices.len()
    }

    /// Returns whether the session still shows the execution of the question.
    pub fn is_about(&self, session: &Session) -> bool {
        self.start == session.start() && self.choices == session.choices()
    }

    /// Requests the end of the search.
    pub fn cancel(&self) {
        self.control.cancelled.store(true, Ordering::Relaxed);
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        self.cancel();
    }
}
