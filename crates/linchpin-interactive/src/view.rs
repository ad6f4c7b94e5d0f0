//! What a dialogue shows of a session.

use crate::asking::Asking;
use crate::configurations::{Configuration, Configurations, Unknown};
use crate::question::{Answer, Question};
use crate::save;
use crate::session::{Instance, Session};
use linchpin_explore::moves::Moves;
use linchpin_ir::index::Index;
use linchpin_judge::history::{Budget, Consistency, Ending, Judgement, judge};
use linchpin_judge::replay::{Counterexample, End};
use linchpin_report::calls::{Plain, call_text, completed_text, state_text};
use linchpin_report::counterexample;
use linchpin_report::fold::fold;
use linchpin_report::history_view::HistoryView;
use linchpin_report::quantities::grouped;
use linchpin_report::record::Recorder;
use linchpin_report::view::execution::ExecutionView;
use linchpin_report::view::exploration::{
    AskedState, AskedView, ConfigurationView, ExplorationView, OptionView,
};
use linchpin_report::view::source::SourceText;
use linchpin_report::view::why::Part;
use linchpin_semantics::{Cut, Outcome, thread_name};

/// Number of configurations that are shown.
const SHOWN: usize = 24;

/// Returns the view of the present moment.
pub fn view(session: &Session, asking: Option<&Asking>) -> ExplorationView {
    let instance = &session.instance;
    let (machine, sources) = (&instance.machine, &instance.compiled.sources);
    let mut state = session.initial().clone();
    let mut recorder = Recorder::new(machine, sources, &state);
    for moment in session.moments() {
        if !matches!(recorder.choose(&mut state, &moment.choice), Outcome::Done) {
            break;
        }
    }
    let moves = session.moves();
    let options = options(session, &moves, &recorder);
    let held = held(instance, &moves, &mut recorder, session);
    let configurations = session.configurations();
    let (shown, more) = shown_configurations(instance, &configurations);
    let found = save::counterexample(session);
    let trace = recorder.into_trace();
    let execution = ExecutionView {
        object: machine.program().name.to_string(),
        rule: String::new(),
        title: "by hand".into(),
        length: steps_text(trace.steps.len()),
        bounds: instance.bounds_text.clone(),
        rows: fold(&trace),
        trace,
        history: intervals(session),
        why: found.as_ref().map(|found| why(session, found)).unwrap_or_default(),
        source: SourceText::of(sources, machine.program().object_span.file),
        is_violation: found.is_some(),
    };
    ExplorationView {
        execution,
        verdict: verdict(&configurations, found.as_ref()),
        start: (session.start(), instance.starts.len()),
        ended: ended(session, &moves),
        options,
        held,
        configurations: shown,
        more_configurations: more,
        can_go_back: !session.moments().is_empty(),
        can_go_again: session.can_go_again(),
        asked: asking.map(|asking| asked(session, asking)),
    }
}

/// Returns a question in words.
pub fn question_text(question: Question) -> String {
    match question {
        Question::Violation => "a violation?".into(),
        Question::Line(line) => format!("a step at line {line}?"),
    }
}

fn options(session: &Session, moves: &Moves, recorder: &Recorder<'_>) -> Vec<OptionView> {
    let preview = |possible: &linchpin_explore::moves::Possible| {
        let mut fork = recorder.fork(session.state());
        let mut state = session.state().clone();
        let choice = session.choice(&possible.made);
        let _made = fork.choose(&mut state, &choice);
        let step = fork.into_trace().steps.pop()?;
        let picks: Vec<String> = possible.made.picks.iter().map(|pick| (pick + 1).to_string()).collect();
        let choice = if picks.is_empty() { String::new() } else { format!("choice {}", picks.join(", ")) };
        Some(OptionView { thread: possible.made.thread.index(), step, choice })
    };
    moves.possible.iter().filter_map(preview).collect()
}

/// Returns the threads that cannot move, each with the reason.
fn held(
    instance: &Instance,
    moves: &Moves,
    recorder: &mut Recorder<'_>,
    session: &Session,
) -> Vec<(usize, String)> {
    let moving = |thread| moves.possible.iter().any(|possible| possible.made.thread == thread);
    let mut held = Vec::new();
    for &(thread, blocked) in &moves.waiting {
        if !moving(thread) {
            held.push((thread.index(), recorder.blocked_text(session.state(), blocked)));
        }
    }
    let cut = |which: &Cut| format!("every move leaves the bounds: {}", which.what());
    for (thread, which) in &moves.cut {
        if !moving(*thread) {
            held.push((thread.index(), cut(which)));
        }
    }
    let is_known = |held: &[(usize, String)], thread| held.iter().any(|(known, _)| *known == thread);
    for thread in instance.machine.bounds().thread_ids() {
        if session.end().is_none() && !moving(thread) && !is_known(&held, thread.index()) {
            held.push((thread.index(), "no call or step is possible here".into()));
        }
    }
    held.sort();
    held.dedup();
    held
}

fn ended(session: &Session, moves: &Moves) -> Option<String> {
    match session.end() {
        Some(End::Fault(fault)) => Some(format!("The last step is an error: {}", fault.message)),
        Some(End::Cut(cut)) => Some(format!("The last step leaves the bounds: {}", cut.what())),
        None => moves.possible.is_empty().then(|| "No thread can move.".into()),
    }
}

fn verdict(configurations: &Result<Configurations, Unknown>, found: Option<&Counterexample>) -> String {
    if let Some(found) = found {
        return match found.trace().claim {
            linchpin_judge::trace::Claim::Violates(property) => {
                format!("not {property}, confirmed by replay")
            }
            _ => "a violation, confirmed by replay".into(),
        };
    }
    match configurations {
        Ok(known) if known.is_refuted() => {
            "no order was found that explains the results; not confirmed".into()
        }
        Ok(_) => "linearizable so far".into(),
        Err(Unknown::TooMany) => "not known: the calls can have taken effect in too many orders".into(),
        Err(Unknown::Specification(_)) => {
            "not known: the specification itself has a fault, or leaves the bounds".into()
        }
    }
}

fn intervals(session: &Session) -> Option<linchpin_report::view::intervals::Intervals> {
    let history = session.history().ok()?;
    let steps: Vec<usize> = session.events().into_iter().map(|(at, _)| at).collect();
    let named = HistoryView { names: &Plain, spec: &session.instance.spec, history: &history };
    let mut intervals = named.intervals(&[], |_| String::new());
    for call in &mut intervals.calls {
        let step = |event: usize| steps.get(event).copied();
        call.steps = step(call.start).map(|start| (start, call.end.and_then(step)));
    }
    (!intervals.calls.is_empty()).then_some(intervals)
}

/// Returns the reason for a violation. Of a history it is the judge's explanation.
fn why(session: &Session, found: &Counterexample) -> Vec<Part> {
    let history = found.history();
    let spec = &session.instance.spec;
    let judged = judge(spec, history, Consistency::Linearizable, Ending::Open, Budget::default());
    if let Ok(Judgement::Illegal(explanation)) = judged {
        let named = HistoryView { names: &Plain, spec, history };
        return vec![named.reasons(&explanation).titled("No order of these calls is legal")];
    }
    counterexample::view(&session.instance.compiled.sources, found).why
}

fn shown_configurations(
    instance: &Instance,
    configurations: &Result<Configurations, Unknown>,
) -> (Vec<ConfigurationView>, String) {
    let Ok(known) = configurations else { return (Vec::new(), String::new()) };
    let one = |configuration: &Configuration| configuration_view(instance, known, configuration);
    let mut shown: Vec<ConfigurationView> = known.all.iter().map(one).collect();
    shown.sort();
    let more = shown.len().saturating_sub(SHOWN);
    shown.truncate(SHOWN);
    let more = if more == 0 { String::new() } else { format!("and {} more", grouped(more as u64)) };
    (shown, more)
}

fn configuration_view(
    instance: &Instance,
    known: &Configurations,
    configuration: &Configuration,
) -> ConfigurationView {
    let program = &instance.compiled.program;
    let call = |(thread, call): (&usize, &crate::configurations::Pending)| {
        let who = thread_name(linchpin_semantics::ThreadId::new(*thread));
        match configuration.done.get(thread) {
            Some(result) => {
                let text = completed_text(&Plain, program, call.op, &call.args, result);
                format!("{who}'s {text} has taken effect")
            }
            None => {
                let text = call_text(&Plain, program, call.op, &call.args);
                format!("{who}'s {text} has not taken effect")
            }
        }
    };
    ConfigurationView {
        state: state_text(&Plain, program, &instance.spec.values(&configuration.spec)),
        calls: known.pending.iter().map(call).collect(),
    }
}

fn asked(session: &Session, asking: &Asking) -> AskedView {
    let (answer, state) = match asking.answer() {
        None => (format!("searching: {} states", grouped(asking.states() as u64)), AskedState::Running),
        Some(Answer::Found { more, shows }) => {
            let can_take = asking.is_about(session);
            let text = format!("Yes, after {}: {shows}.", steps_text(more.len()));
            (text, AskedState::Found { steps: more.len(), can_take })
        }
        Some(Answer::None { states, .. }) => {
            let states = grouped(states as u64);
            (format!("No: all {states} states within these bounds were searched."), AskedState::Over)
        }
        Some(Answer::Unknown { states, why }) => {
            (format!("Unknown after {} states: {why}.", grouped(states as u64)), AskedState::Over)
        }
        Some(Answer::Refused(why)) => (format!("Not asked: {why}."), AskedState::Over),
    };
    AskedView { question: question_text(asking.question), steps: asking.steps(), answer, state }
}

fn steps_text(steps: usize) -> String {
    if steps == 1 { "1 step".into() } else { format!("{} steps", grouped(steps as u64)) }
}
