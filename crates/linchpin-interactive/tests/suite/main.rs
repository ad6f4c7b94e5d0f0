//! Sessions, questions, the dialogue in text and the server.

mod configurations;
mod dialogue;
mod questions;
mod server;

use linchpin_engine::model::Model;
use linchpin_interactive::Session;
use linchpin_interactive::session::Instance;
use linchpin_ir::interface::Setting;
use linchpin_portfolio::catalogue;
use linchpin_semantics::Bounds;
use std::sync::Arc;

/// Returns a session with a model of the catalogue.
pub fn session(model: &str, threads: u32, nodes: u32) -> Session {
    let entry = catalogue::find(model).expect("a model of the catalogue");
    let setting = Setting { threads, ..Setting::default() };
    let compiled = entry.compile(&setting).expect("a program");
    let bounds = Bounds { threads, nodes, values: 2, keys: 2, ..Bounds::default() };
    let instance = Instance::new(compiled, &bounds, "small".into(), model.into()).expect("an instance");
    Session::new(Arc::new(instance)).expect("a session")
}

/// Makes the first move whose text contains each of the parts.
pub fn make(session: &mut Session, thread: usize, call: Option<&str>) {
    use linchpin_ir::index::Index;
    let program = session.instance.compiled.program.clone();
    let moves = session.moves().possible;
    let wanted = |possible: &linchpin_explore::moves::Possible| {
        let op = possible.made.call.as_ref().map(|call| &*program.ops[call.op].name);
        possible.made.thread.index() == thread && op == call
    };
    let number = moves.iter().position(wanted).expect("the move is possible");
    session.make(number).expect("the move is made");
}
