//! The frame of a page: policy, style, script, title.
//!
//! The policy names the hashes of the style and of the script. So a browser runs no other script and loads
//! nothing, whatever a text contains.

use crate::{embed, execution};
use linchpin_report::view::execution::ExecutionView;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde::Serialize;

const STYLE: &str = include_str!("../assets/page.css");
const SCRIPT: &str = include_str!("../assets/page.js");

/// Hashes of the style and of the script. The test `the_policy_names_the_style_and_the_script` compares them.
const STYLE_HASH: &str = "sha256-PcNv2S8rJ2gyCNFRWHJOo1jDLjWU9JwIucOT3cyZlEs=";
const SCRIPT_HASH: &str = "sha256-AiOZMRKsTofvV4yeHZ3F1ilP3BkYVZWLo4FcyF/+3KE=";

/// The parts of a page.
pub struct Page<'a> {
    /// The title of the window: `treiber_stack_reuse: not linearizable`.
    pub title: String,
    /// What stands above the executions.
    pub body: Markup,
    pub executions: &'a [ExecutionView],
}

/// What a page has more if a server sends it. The policy of the server names the nonce.
pub struct Served<'a> {
    pub nonce: &'a str,
    pub style: &'static str,
    pub script: &'static str,
}

/// What the script of a page reads.
#[derive(Serialize)]
struct Model {
    format: &'static str,
    executions: Vec<execution::Stepping>,
}

impl Page<'_> {
    /// Returns the text of the file.
    pub fn to_text(&self) -> String {
        let policy = format!(
            "default-src 'none'; style-src '{STYLE_HASH}'; script-src '{SCRIPT_HASH}'; base-uri 'none'; \
             form-action 'none'"
        );
        self.frame(Some(&policy), None)
    }

    /// Returns the text of a page that a server sends together with its policy.
    pub fn to_served(&self, served: &Served<'_>) -> String {
        self.frame(None, Some(served))
    }

    fn frame(&self, policy: Option<&str>, served: Option<&Served<'_>>) -> String {
        let nonce = served.map(|served| served.nonce);
        // By hand, the last step is the present moment.
        let stepping = |view: &ExecutionView| match served {
            Some(_) => execution::Stepping::of(view, view.trace.steps.len()),
            None => execution::Stepping::of(view, view.trace.steps.len().min(1)),
        };
        let model = Model {
            format: linchpin_report::view::FORMAT,
            executions: self.executions.iter().map(stepping).collect(),
        };
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    @if let Some(policy) = policy { meta http-equiv="Content-Security-Policy" content=(policy); }
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    @if served.is_none() { meta name="referrer" content="no-referrer"; }
                    meta name="color-scheme" content="light dark";
                    title { (self.title) " – Linchpin" }
                    style nonce=[nonce] { (PreEscaped(STYLE)) }
                    @if let Some(served) = served { style nonce=(served.nonce) { (PreEscaped(served.style)) } }
                }
                body {
                    svg.hidden width="0" height="0" aria-hidden="true" {
                        defs { marker #head viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7"
                            orient="auto-start-reverse" { path d="M0 0L8 4L0 8z" fill="context-stroke" {} } }
                    }
                    main {
                        (self.body)
                        @for (at, view) in self.executions.iter().enumerate() {
                            (execution::section(at, view, self.executions.len()))
                        }
                    }
                    footer { "Linchpin " (env!("CARGO_PKG_VERSION")) ". "
                        @if !self.executions.is_empty() { "Sequentially consistent memory. " span.js-only { "Keys: ← → one step, Home and End, s: next switch of threads." } } }
                    (embed::json("model", &model))
                    script nonce=[nonce] { (PreEscaped(SCRIPT)) }
                    @if let Some(served) = served { script nonce=(served.nonce) { (PreEscaped(served.script)) } }
                }
            }
        };
        page.into_string() + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine;
    use sha2::{Digest, Sha256};

    #[test]
    fn the_policy_names_the_style_and_the_script() {
        for (text, hash) in [(STYLE, STYLE_HASH), (SCRIPT, SCRIPT_HASH)] {
            let digest = base64::engine::general_purpose::STANDARD.encode(Sha256::digest(text));
            assert_eq!(hash, format!("sha256-{digest}"));
            assert!(!text.contains("</"), "the text would end its element");
        }
    }
}
