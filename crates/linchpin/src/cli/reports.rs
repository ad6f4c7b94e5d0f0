//! The options `--html` and `--sarif`: reports beside the text.

use super::Failure;
use super::files::{Output, is_standard_output};
use clap::Args;
use std::path::PathBuf;

/// Files that show a result.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Output")]
pub struct Reports {
    /// Write a page that shows the result: one file, opens in any browser
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

impl Reports {
    /// Returns whether a report is requested.
    pub fn is_asked(&self) -> bool {
        self.html.is_some()
    }

    /// Returns the output files.
    pub fn outputs(&self) -> Vec<Output<'_>> {
        Output::given([("--html", &self.html)])
    }

    /// Rejects standard output, which has the text.
    pub fn apply(&self) -> Result<(), Failure> {
        match self.outputs().iter().find(|output| is_standard_output(output.path)) {
            None => Ok(()),
            Some(output) => Err(Failure::input(format!(
                "`{} -` does not apply: standard output has the text",
                output.option
            ))
            .help("name a file")),
        }
    }
}
