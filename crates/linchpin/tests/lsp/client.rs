//! A client that speaks the protocol with the program.

use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

/// Time for one answer.
const PATIENCE: Duration = Duration::from_secs(120);

pub struct Client {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    /// Messages that came while another one was awaited.
    kept: VecDeque<Value>,
    next: i64,
}

impl Client {
    /// Starts the server and introduces itself.
    pub fn new() -> Client {
        Client::with(json!({ "capabilities": {
            "window": { "workDoneProgress": true },
            "workspace": { "codeLens": { "refreshSupport": true } },
        } }))
    }

    pub fn with(parameters: Value) -> Client {
        let mut client = Client::raw();
        let answer = client.ask("initialize", parameters);
        assert_eq!(answer["serverInfo"]["name"], "linchpin");
        client.tell("initialized", json!({}));
        client
    }

    /// Starts the server without a word.
    pub fn raw() -> Client {
        let mut child = Command::new(snapbox::cmd::cargo_bin!("linchpin"))
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let input = child.stdin.take().expect("a pipe");
        let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, messages) = channel();
        thread::spawn(move || {
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Client { child, input, messages, kept: VecDeque::new(), next: 0 }
    }

    /// Returns the number of the process of the server.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    pub fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("the server reads");
        self.input.flush().expect("the server reads");
    }

    pub fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request, and returns its number.
    pub fn begin(&mut self, method: &str, params: Value) -> i64 {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// Returns the result of a request.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let answer = self.answer(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// Returns the answer of a request: a result or an error.
    pub fn answer(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        self.wait(|message| message["id"] == id && message.get("method").is_none())
    }

    /// Returns the first message that fits. Messages before it are kept.
    pub fn wait(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.kept.iter().position(&fits) {
            return self.kept.remove(at).expect("it is there");
        }
        loop {
            let message = self.messages.recv_timeout(PATIENCE).expect("a message in time");
            // The server asks for a token of progress.
            if let (Some(id), Some(_)) = (message.get("id"), message.get("method")) {
                self.send(&json!({ "jsonrpc": "2.0", "id": id, "result": null }));
            }
            if fits(&message) {
                return message;
            }
            self.kept.push_back(message);
        }
    }

    pub fn open(&mut self, path: &Path, text: &str) -> String {
        let uri = format!("file://{}", path.display());
        let document = json!({ "uri": uri, "languageId": "linchpin", "version": 0, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
        uri
    }

    /// Replaces the whole text, and returns the diagnostics of the new version.
    pub fn change(&mut self, uri: &str, version: i64, text: &str) -> Vec<Value> {
        self.tell(
            "textDocument/didChange",
            json!({
                "textDocument": { "uri": uri, "version": version }, "contentChanges": [{ "text": text }],
            }),
        );
        self.diagnostics(uri, version)
    }

    /// Waits for the diagnostics of a version.
    pub fn diagnostics(&mut self, uri: &str, version: i64) -> Vec<Value> {
        let found = self.wait(|message| {
            message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["uri"] == uri
                && message["params"]["version"] == version
        });
        found["params"]["diagnostics"].as_array().expect("a list").clone()
    }

    /// Ends the server as the protocol says.
    pub fn end(mut self) {
        assert_eq!(self.ask("shutdown", Value::Null), Value::Null);
        self.tell("exit", Value::Null);
        assert_eq!(self.code(), Some(0));
    }

    /// Closes the input, and returns the exit code.
    pub fn code(self) -> Option<i32> {
        let Client { mut child, input, .. } = self;
        drop(input);
        child.wait().expect("the server ends").code()
    }
}

/// Returns the next message. `None`: the server has ended.
fn read(output: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end().split_once(": ") {
            Some(("Content-Length", number)) => length = number.parse().ok()?,
            Some(_) => {}
            None => break,
        }
    }
    let mut body = vec![0; length];
    output.read_exact(&mut body).ok()?;
    Some(serde_json::from_slice(&body).expect("the server writes JSON"))
}

/// Returns the position of a text in another, `after` characters behind its begin.
pub fn position(text: &str, of: &str, after: usize) -> Value {
    let at = text.find(of).unwrap_or_else(|| panic!("`{of}` is in the text")) + after;
    let line = text[..at].matches('\n').count();
    let column = text[..at].rsplit('\n').next().expect("a line").encode_utf16().count();
    json!({ "line": line, "character": column })
}

/// Returns a number of a message.
pub fn number(value: &Value) -> usize {
    value.as_u64().and_then(|number| usize::try_from(number).ok()).expect("a number")
}

/// Returns the parameters of a request about a place.
pub fn place(uri: &str, text: &str, of: &str, after: usize) -> Value {
    json!({ "textDocument": { "uri": uri }, "position": position(text, of, after) })
}
