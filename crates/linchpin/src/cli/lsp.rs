//! `linchpin lsp`: the language server over the standard streams.

use super::{Ending, Failure};
use clap::Args;
use linchpin_lsp::Ended;
use lsp_server::Connection;

/// Editors start this command; see `docs/editors.md`.
#[derive(Args, Debug)]
pub struct Arguments {
    /// Accepted, since some editors pass it: the standard streams are the only connection
    #[arg(long, hide = true)]
    pub stdio: bool,
}

pub fn run(_arguments: &Arguments) -> Result<Ending, Failure> {
    let (connection, threads) = Connection::stdio();
    let served = linchpin_lsp::serve(&connection);
    // The threads end when their channels are closed.
    drop(connection);
    let ended =
        served.map_err(|error| Failure::input(format!("not a client of a language server: {error}")))?;
    match ended {
        Ended::Asked => {
            let _ = threads.join();
            Ok(Ending::AsAsked)
        }
        Ended::Abruptly => Err(Failure::input("the client ended without `shutdown`")),
    }
}
