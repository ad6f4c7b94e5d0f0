//! The loop of the server: reads ahead, answers, publishes diagnostics when no message waits.

use crate::address;
use crate::analysis::Analysis;
use crate::complete::complete;
use crate::describe::hover;
use crate::documents::{Documents, LibraryCopies};
use crate::findings::diagnostics;
use crate::job::{self, CHECK, Kind, Limits, News, Outcome, PROVE, Running, Task};
use crate::navigate::{location, references, rename};
use crate::outline;
use crate::position::Lines;
use crossbeam_channel::{Receiver, Sender, select, unbounded};
use linchpin_frontend::syntax;
use linchpin_ir::source::SourceMap;
use lsp_server::{Connection, ErrorCode, Message, Notification, ProtocolError, Request, RequestId, Response};
use lsp_types::{
    CodeLensOptions, CompletionOptions, CompletionParams, Diagnostic, DidChangeTextDocumentParams,
    DidCloseTextDocumentParams, DidOpenTextDocumentParams, ExecuteCommandOptions, ExecuteCommandParams,
    HoverProviderCapability, InitializeParams, Location, NumberOrString, OneOf, ProgressParams,
    ProgressParamsValue, PublishDiagnosticsParams, ReferenceParams, RenameOptions, RenameParams,
    SemanticTokens, SemanticTokensFullOptions, SemanticTokensOptions, SemanticTokensServerCapabilities,
    ServerCapabilities, TextDocumentIdentifier, TextDocumentPositionParams, TextDocumentSyncCapability,
    TextDocumentSyncKind, Uri, WorkDoneProgress, WorkDoneProgressBegin, WorkDoneProgressCancelParams,
    WorkDoneProgressCreateParams, WorkDoneProgressEnd, WorkDoneProgressOptions, WorkDoneProgressReport,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::str::FromStr;

/// How a server ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// The client asked for it.
    Asked,
    /// The connection broke, or `exit` came without `shutdown`.
    Abruptly,
}

/// Serves one client.
pub fn serve(connection: &Connection) -> Result<Ended, ProtocolError> {
    let (id, parameters) = connection.initialize_start()?;
    let answer = json!({
        "capabilities": capabilities(),
        "serverInfo": { "name": "linchpin", "version": env!("CARGO_PKG_VERSION") },
    });
    connection.initialize_finish(id, answer)?;
    let parameters: InitializeParams = serde_json::from_value(parameters).unwrap_or_default();
    Ok(Server::new(connection, &parameters).run())
}

fn capabilities() -> ServerCapabilities {
    let commands = vec![CHECK.to_string(), PROVE.to_string()];
    ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Kind(TextDocumentSyncKind::INCREMENTAL)),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_formatting_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        })),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(vec![".".into(), ":".into()]),
            ..CompletionOptions::default()
        }),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands,
            work_done_progress_options: WorkDoneProgressOptions::default(),
        }),
        semantic_tokens_provider: Some(SemanticTokensServerCapabilities::SemanticTokensOptions(
            SemanticTokensOptions {
                legend: outline::legend(),
                full: Some(SemanticTokensFullOptions::Bool(true)),
                ..SemanticTokensOptions::default()
            },
        )),
        ..ServerCapabilities::default()
    }
}

struct Server<'c> {
    connection: &'c Connection,
    /// Messages that were read ahead.
    waiting: VecDeque<Message>,
    cancelled: BTreeSet<RequestId>,
    documents: Documents,
    analyses: BTreeMap<String, (i32, Analysis)>,
    copies: LibraryCopies,
    /// Models whose diagnostics are older than their text.
    stale: BTreeSet<String>,
    limits: Limits,
    shows_progress: bool,
    refreshes_lenses: bool,
    news: (Sender<(u64, News)>, Receiver<(u64, News)>),
    jobs: BTreeMap<u64, (Running, Uri)>,
    next_job: u64,
    /// The results of the last run of each model.
    results: BTreeMap<String, JobResult>,
    pages: Option<tempfile::TempDir>,
    is_shut_down: bool,
}

/// What the last run of a model gave.
struct JobResult {
    /// The text that was run. Results of an older text are not shown.
    text: String,
    diagnostics: Vec<Diagnostic>,
    page: Option<String>,
}

/// The answer to a request: a value, or an error for the client.
type Answer = Result<Value, (ErrorCode, String)>;

impl<'c> Server<'c> {
    fn new(connection: &'c Connection, parameters: &InitializeParams) -> Server<'c> {
        let options = parameters.initialization_options.clone();
        let capabilities = &parameters.capabilities;
        let window = capabilities.window.as_ref();
        let lenses = capabilities.workspace.as_ref().and_then(|workspace| workspace.code_lens.as_ref());
        Server {
            connection,
            waiting: VecDeque::new(),
            cancelled: BTreeSet::new(),
            documents: Documents::default(),
            analyses: BTreeMap::new(),
            copies: LibraryCopies::default(),
            stale: BTreeSet::new(),
            limits: options.and_then(|options| serde_json::from_value(options).ok()).unwrap_or_default(),
            shows_progress: window.and_then(|window| window.work_done_progress).unwrap_or(false),
            refreshes_lenses: lenses.and_then(|lenses| lenses.refresh_support).unwrap_or(false),
            news: unbounded(),
            jobs: BTreeMap::new(),
            next_job: 0,
            results: BTreeMap::new(),
            pages: None,
            is_shut_down: false,
        }
    }

    fn run(mut self) -> Ended {
        let ended = loop {
            if !self.read_ahead() {
                break Ended::Abruptly;
            }
            match self.waiting.pop_front() {
                Some(Message::Request(request)) => self.request(request),
                Some(Message::Notification(notification)) if notification.method == "exit" => {
                    break if self.is_shut_down { Ended::Asked } else { Ended::Abruptly };
                }
                Some(Message::Notification(notification)) => self.notification(notification),
                // Answers to requests of the server need no reaction.
                Some(Message::Response(_)) => {}
                None if !self.stale.is_empty() => self.publish(),
                None => {
                    let news = self.news.1.clone();
                    select! {
                        recv(self.connection.receiver) -> message => match message {
                            Ok(message) => self.take(message),
                            Err(_) => break Ended::Abruptly,
                        },
                        recv(news) -> news => if let Ok((job, news)) = news {
                            self.told(job, news);
                        },
                    }
                }
            }
        };
        self.jobs.values().for_each(|(running, _)| running.cancel());
        ended
    }

    /// Takes every message that has arrived. `false`: the connection is closed.
    fn read_ahead(&mut self) -> bool {
        loop {
            match self.connection.receiver.try_recv() {
                Ok(message) => self.take(message),
                Err(crossbeam_channel::TryRecvError::Empty) => return true,
                Err(crossbeam_channel::TryRecvError::Disconnected) => return !self.waiting.is_empty(),
            }
        }
    }

    fn take(&mut self, message: Message) {
        if let Message::Notification(notification) = &message
            && notification.method == "$/cancelRequest"
        {
            if let Some(id) = cancelled_id(&notification.params) {
                self.cancelled.insert(id);
            }
            return;
        }
        self.waiting.push_back(message);
    }

    fn send(&self, message: Message) {
        // A client that is gone is noticed when the next message is read.
        let _ = self.connection.sender.send(message);
    }

    fn notify(&self, method: &str, parameters: impl Serialize) {
        self.send(Message::Notification(Notification::new(method.into(), parameters)));
    }

    fn request(&mut self, request: Request) {
        let Request { id, method, params } = request;
        let answer = if self.cancelled.remove(&id) {
            Err((ErrorCode::RequestCanceled, "cancelled".into()))
        } else if self.is_shut_down {
            Err((ErrorCode::InvalidRequest, "the server was shut down".into()))
        } else {
            self.answer(&method, params)
        };
        self.send(Message::Response(match answer {
            Ok(value) => Response::new_ok(id, value),
            Err((code, text)) => Response::new_err(id, code as i32, text),
        }));
    }

    fn answer(&mut self, method: &str, params: Value) -> Answer {
        match method {
            "shutdown" => {
                self.is_shut_down = true;
                Ok(Value::Null)
            }
            "textDocument/hover" => {
                let at: TextDocumentPositionParams = read(params)?;
                let Some((analysis, byte)) = self.at(&at) else { return Ok(Value::Null) };
                let Some((text, span)) = hover(&analysis, byte) else { return Ok(Value::Null) };
                let range = Lines::of(analysis.text()).range(analysis.text(), span);
                Ok(json!({ "contents": { "kind": "markdown", "value": text }, "range": range }))
            }
            "textDocument/definition" => {
                let at: TextDocumentPositionParams = read(params)?;
                let Some((analysis, byte)) = self.at(&at) else { return Ok(Value::Null) };
                let span = analysis.name_at(byte).map(|name| name.definition);
                value(&span.and_then(|span| location(&analysis, &mut self.copies, span)))
            }
            "textDocument/references" => {
                let wanted: ReferenceParams = read(params)?;
                self.references(&wanted)
            }
            "textDocument/prepareRename" => {
                let at: TextDocumentPositionParams = read(params)?;
                let Some((analysis, byte)) = self.at(&at) else { return Ok(Value::Null) };
                let Some(name) = analysis.name_at(byte) else { return Ok(Value::Null) };
                if analysis.is_of_library(name.definition.file) {
                    return Err((ErrorCode::RequestFailed, "this name is defined in the library".into()));
                }
                value(&Lines::of(analysis.text()).range(analysis.text(), name.at))
            }
            "textDocument/rename" => {
                let wanted: RenameParams = read(params)?;
                let Some((analysis, byte)) = self.at(&wanted.text_document_position) else {
                    return Ok(Value::Null);
                };
                let edits = rename(&self.documents, &analysis, byte, &wanted.new_name)
                    .map_err(|why| (ErrorCode::RequestFailed, why))?;
                let changes: serde_json::Map<String, Value> = edits
                    .into_iter()
                    .map(|(address, edits)| Ok((address.as_str().to_string(), value(&edits)?)))
                    .collect::<Result<_, (ErrorCode, String)>>()?;
                Ok(json!({ "changes": changes }))
            }
            "textDocument/completion" => {
                let at: CompletionParams = read(params)?;
                let Some((analysis, byte)) = self.at(&at.text_document_position) else {
                    return Ok(Value::Null);
                };
                value(&complete(&analysis, byte))
            }
            "textDocument/formatting" => {
                let Some(document) = self.documents.get(&document_of(&params)?) else {
                    return Ok(Value::Null);
                };
                value(&outline::formatting(&document.text))
            }
            "textDocument/documentSymbol" => {
                let address = document_of(&params)?;
                value(&self.analysis(&address).map(|analysis| outline::symbols(&analysis)))
            }
            "textDocument/semanticTokens/full" => {
                let address = document_of(&params)?;
                let Some(analysis) = self.analysis(&address) else { return Ok(Value::Null) };
                value(&SemanticTokens { result_id: None, data: outline::tokens(&analysis) })
            }
            "textDocument/codeLens" => {
                let address = document_of(&params)?;
                let Some(document) = self.documents.get(&address) else { return Ok(Value::Null) };
                let tree = tree_of(&document.text);
                let page = self.results.get(address.as_str()).and_then(|result| result.page.as_deref());
                value(&outline::lenses(&tree, &document.text, &address, page))
            }
            "workspace/executeCommand" => {
                let command: ExecuteCommandParams = read(params)?;
                self.command(&command)
            }
            _ => Err((ErrorCode::MethodNotFound, format!("`{method}` is not supported"))),
        }
    }

    fn references(&mut self, wanted: &ReferenceParams) -> Answer {
        let Some((analysis, byte)) = self.at(&wanted.text_document_position) else { return Ok(Value::Null) };
        let mut found = Vec::new();
        for place in references(&self.documents, &analysis, byte) {
            if place.is_definition && !wanted.context.include_declaration {
                continue;
            }
            let known =
                analysis.sources.files().find(|(_, file)| *file.name == *place.path.to_string_lossy());
            let (text, path) = match known {
                Some((_, file)) => (Some(file.text.clone()), self.copies.path_of(file)),
                None => (self.documents.text_of(&place.path), Some(place.path.clone())),
            };
            let (Some(text), Some(uri)) = (text, path.and_then(|path| address::of(&path))) else { continue };
            let lines = Lines::of(&text);
            let range = lsp_types::Range {
                start: lines.position(&text, place.start),
                end: lines.position(&text, place.end),
            };
            found.push(Location { uri, range });
        }
        value(&found)
    }

    /// Returns the analysis of an open model and the byte of a position in it.
    fn at(&mut self, at: &TextDocumentPositionParams) -> Option<(Analysis, usize)> {
        let analysis = self.analysis(&at.text_document.uri)?;
        let byte = Lines::of(analysis.text()).byte(analysis.text(), at.position);
        Some((analysis, byte))
    }

    /// Returns the analysis of an open model, computed once for each version.
    fn analysis(&mut self, address: &Uri) -> Option<Analysis> {
        let document = self.documents.get(address)?;
        if let Some((version, known)) = self.analyses.get(address.as_str())
            && *version == document.version
        {
            return Some(known.clone());
        }
        // A copy of the library is shown as the library itself: it has no modules beside it.
        let path = document.path.as_deref().filter(|path| !self.copies.has(path));
        let analysis = Analysis::of(&self.documents, path, document.text.clone());
        self.analyses.insert(address.as_str().into(), (document.version, analysis.clone()));
        Some(analysis)
    }

    fn notification(&mut self, notification: Notification) {
        let Notification { method, params } = notification;
        match method.as_str() {
            "textDocument/didOpen" => {
                let Ok(opened) = serde_json::from_value::<DidOpenTextDocumentParams>(params) else { return };
                let document = opened.text_document;
                self.changed(&document.uri);
                self.documents.open(document.uri, document.text, document.version);
            }
            "textDocument/didChange" => {
                let Ok(change) = serde_json::from_value::<DidChangeTextDocumentParams>(params) else {
                    return;
                };
                let document = change.text_document;
                self.documents.change(&document.uri, document.version, change.content_changes);
                self.changed(&document.uri);
            }
            "textDocument/didClose" => {
                let Ok(closed) = serde_json::from_value::<DidCloseTextDocumentParams>(params) else { return };
                let address = closed.text_document.uri;
                self.documents.close(&address);
                self.changed(&address);
                self.stale.remove(address.as_str());
                self.results.remove(address.as_str());
                self.show_diagnostics(address, None, Vec::new());
            }
            "window/workDoneProgress/cancel" => {
                let Ok(cancelled) = serde_json::from_value::<WorkDoneProgressCancelParams>(params) else {
                    return;
                };
                for (job, (running, _)) in &self.jobs {
                    if cancelled.token == token(*job) {
                        running.cancel();
                    }
                }
            }
            _ => {}
        }
    }

    /// Marks a model, and every open model in its directory, which may use it.
    fn changed(&mut self, address: &Uri) {
        let directory =
            address::path_of(address).and_then(|path| path.parent().map(|path| path.to_path_buf()));
        self.stale.insert(address.as_str().into());
        self.analyses.remove(address.as_str());
        for document in self.documents.all() {
            let beside = document.path.as_ref().and_then(|path| path.parent()) == directory.as_deref();
            let module =
                address::path_of(address).and_then(|path| Some(path.file_stem()?.to_str()?.to_string()));
            let uses = module.is_some_and(|module| document.text.contains(&format!("use {module}::")));
            if directory.is_some() && beside && uses {
                self.stale.insert(document.address.as_str().into());
                self.analyses.remove(document.address.as_str());
            }
        }
    }

    /// Publishes the diagnostics of one model whose text changed.
    fn publish(&mut self) {
        let Some(address) = self.stale.pop_first() else { return };
        let Ok(address) = Uri::from_str(&address) else { return };
        let Some(analysis) = self.analysis(&address) else { return };
        let mut all = diagnostics(&analysis, &mut self.copies);
        if let Some(result) = self.results.get(address.as_str())
            && result.text == analysis.text()
        {
            all.extend(result.diagnostics.iter().cloned());
        }
        let version = self.documents.get(&address).map(|document| document.version);
        self.show_diagnostics(address, version, all);
    }

    fn show_diagnostics(&self, uri: Uri, version: Option<i32>, diagnostics: Vec<Diagnostic>) {
        let parameters = PublishDiagnosticsParams { uri, diagnostics, version };
        self.notify("textDocument/publishDiagnostics", parameters);
    }

    /// Starts `check` or `prove` in the background.
    fn command(&mut self, command: &ExecuteCommandParams) -> Answer {
        let invalid = |text: &str| (ErrorCode::InvalidParams, text.to_string());
        let kind = match command.command.as_str() {
            CHECK => Kind::Check,
            PROVE => Kind::Prove,
            other => {
                return Err((ErrorCode::InvalidParams, format!("`{other}` is not a command of this server")));
            }
        };
        let address = command.arguments.first().and_then(Value::as_str);
        let address = address.and_then(|address| Uri::from_str(address).ok());
        let address = address.ok_or_else(|| invalid("the first argument is the address of a model"))?;
        let document = self.documents.get(&address).ok_or_else(|| invalid("the model is not open"))?;
        let whole = document.text.to_string();
        let text = match command.arguments.get(1).and_then(Value::as_u64) {
            None => whole.clone(),
            Some(item) => {
                let item = usize::try_from(item).unwrap_or(usize::MAX);
                job::with_one_check(&tree_of(&whole), &whole, item)
                    .ok_or_else(|| invalid("there is no such `check` block any more"))?
            }
        };
        let directory = document.path.as_ref().and_then(|path| path.parent()).map(|path| path.to_path_buf());
        if self.pages.is_none() {
            self.pages = tempfile::Builder::new().prefix("linchpin-pages-").tempdir().ok();
        }
        let Some(pages) = &self.pages else {
            return Err((ErrorCode::RequestFailed, "no directory for the results can be made".into()));
        };
        // A second run of a model ends the first.
        for (running, of) in self.jobs.values() {
            if *of == address {
                running.cancel();
            }
        }
        let job = self.next_job;
        self.next_job += 1;
        let results = pages.path().join(job.to_string());
        let task =
            Task { address: address.clone(), command: kind, text, directory, limits: self.limits.clone() };
        let sender = self.news.0.clone();
        let tell = move |news| {
            let _ = sender.send((job, news));
        };
        self.results
            .insert(address.as_str().into(), JobResult { text: whole, diagnostics: Vec::new(), page: None });
        self.begin_progress(job, kind, &task);
        let running = job::start(task, results, tell);
        self.jobs.insert(job, (running, address));
        Ok(json!({ "job": job }))
    }

    fn begin_progress(&self, job: u64, kind: Kind, task: &Task) {
        if !self.shows_progress {
            return;
        }
        let create = WorkDoneProgressCreateParams { token: token(job) };
        let id = RequestId::from(format!("progress-{job}"));
        self.send(Message::Request(Request::new(id, "window/workDoneProgress/create".into(), create)));
        let name = task.address.as_str().rsplit('/').next().unwrap_or_default();
        self.progress(
            job,
            WorkDoneProgress::Begin(WorkDoneProgressBegin {
                title: format!("linchpin {} {name}", kind.word()),
                cancellable: Some(true),
                message: Some(format!("at most {}", task.limits.timeout)),
                percentage: None,
            }),
        );
    }

    fn progress(&self, job: u64, progress: WorkDoneProgress) {
        if self.shows_progress {
            let value = ProgressParamsValue::WorkDone(progress);
            self.notify("$/progress", ProgressParams { token: token(job), value });
        }
    }

    fn told(&mut self, job: u64, news: News) {
        match news {
            News::Runs(seconds) => {
                let message = Some(format!("{seconds} s"));
                let report = WorkDoneProgressReport { cancellable: Some(true), message, percentage: None };
                self.progress(job, WorkDoneProgress::Report(report));
            }
            News::Ended(outcome) => self.ended(job, outcome),
        }
    }

    fn ended(&mut self, job: u64, outcome: Outcome) {
        let Some((_, address)) = self.jobs.remove(&job) else { return };
        let message = outcome.summary.lines().next().map(String::from);
        self.progress(job, WorkDoneProgress::End(WorkDoneProgressEnd { message }));
        // A later run of the same model has replaced this one.
        if self.jobs.values().any(|(_, of)| *of == address) {
            return;
        }
        let page = outcome.page.as_deref().and_then(address::of).map(|page| page.as_str().to_string());
        if let Some(result) = self.results.get_mut(address.as_str()) {
            result.diagnostics = outcome.diagnostics;
            result.page = page.clone();
        }
        self.notify("window/logMessage", json!({ "type": 3, "message": outcome.summary }));
        self.notify(
            "linchpin/ended",
            json!({ "uri": address.as_str(), "job": job, "summary": outcome.summary, "page": page }),
        );
        if self.refreshes_lenses {
            let id = RequestId::from(format!("lenses-{job}"));
            self.send(Message::Request(Request::new(id, "workspace/codeLens/refresh".into(), Value::Null)));
        }
        self.stale.insert(address.as_str().into());
    }
}

fn token(job: u64) -> NumberOrString {
    NumberOrString::String(format!("linchpin-{job}"))
}

fn tree_of(text: &str) -> syntax::ast::File {
    let mut sources = SourceMap::default();
    let file = sources.add("m.lin", text);
    syntax::parse(file, text).0
}

fn cancelled_id(params: &Value) -> Option<RequestId> {
    match &params["id"] {
        Value::String(id) => Some(RequestId::from(id.clone())),
        Value::Number(id) => Some(RequestId::from(i32::try_from(id.as_i64()?).ok()?)),
        _ => None,
    }
}

fn document_of(params: &Value) -> Result<Uri, (ErrorCode, String)> {
    let document: TextDocumentIdentifier = read(params["textDocument"].clone())?;
    Ok(document.uri)
}

fn read<T: DeserializeOwned>(params: Value) -> Result<T, (ErrorCode, String)> {
    serde_json::from_value(params).map_err(|error| (ErrorCode::InvalidParams, error.to_string()))
}

fn value(value: &impl Serialize) -> Answer {
    serde_json::to_value(value).map_err(|error| (ErrorCode::InternalError, error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_strings_are_ids() {
        assert_eq!(cancelled_id(&json!({ "id": 7 })), Some(RequestId::from(7)));
        assert_eq!(cancelled_id(&json!({ "id": "x" })), Some(RequestId::from("x".to_string())));
        assert_eq!(cancelled_id(&json!({ "id": null })), None);
    }
}
