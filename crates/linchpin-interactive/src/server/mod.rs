//! The dialogue as a page on the loopback address.
//!
//! The server listens on `127.0.0.1` only. [`access`] decides who may talk to it. No route names a file. A
//! change is a POST and answers with the place of the page, so reloading repeats nothing. A search runs in a
//! thread of its own and can be cancelled. The server ends after a time without a request.

pub mod access;
pub mod http;

use crate::asking::Asking;
use crate::question::{Limits, Question};
use crate::save;
use crate::session::{Refused, Session};
use crate::text::take;
use crate::view::view;
use access::{Access, Admission};
use http::{Request, Response};
use linchpin_engine::lock;
use linchpin_report::view::exploration::AskedState;
use std::io;
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// Limit on connections at the same time.
const MOST_CONNECTIONS: usize = 32;
/// Time between two looks at the clock.
const POLL: Duration = Duration::from_millis(20);
/// Time after which one read or one write of a silent client fails.
const SILENCE: Duration = Duration::from_secs(5);

/// How a server runs.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The port; 0 lets the system choose.
    pub port: u16,
    /// The server ends after this time without a request.
    pub idle: Duration,
    /// Limits of a question.
    pub limits: Limits,
}

/// Why a server ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    Idle,
    /// The person ended it on the page, or the caller stopped it.
    Asked,
}

/// A server that listens.
pub struct Server {
    listener: TcpListener,
    shared: Arc<Shared>,
    idle: Duration,
}

/// What the connections share.
struct Shared {
    access: Access,
    room: Mutex<Room>,
    limits: Limits,
    connections: AtomicUsize,
    is_over: AtomicBool,
    last_request: Mutex<Instant>,
}

/// The session, with what the next page has to show.
struct Room {
    session: Session,
    asking: Option<Asking>,
    /// Why the last request was refused.
    notice: Option<String>,
}

impl Server {
    /// Binds the port and makes the secrets.
    pub fn bind(session: Session, options: Options) -> io::Result<Server> {
        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, options.port)))?;
        listener.set_nonblocking(true)?;
        let access = Access::new(listener.local_addr()?).map_err(io::Error::other)?;
        let shared = Shared {
            access,
            room: Mutex::new(Room { session, asking: None, notice: None }),
            limits: options.limits,
            connections: AtomicUsize::new(0),
            is_over: AtomicBool::new(false),
            last_request: Mutex::new(Instant::now()),
        };
        Ok(Server { listener, shared: Arc::new(shared), idle: options.idle })
    }

    /// Returns the address with the token, for a person.
    pub fn address(&self) -> String {
        self.shared.access.address()
    }

    /// Serves until the server is idle, or until `stop` is true.
    pub fn run(&self, stop: impl Fn() -> bool) -> Ended {
        loop {
            if stop() || self.shared.is_over.load(Ordering::Relaxed) {
                return Ended::Asked;
            }
            if lock(&self.shared.last_request).elapsed() > self.idle {
                return Ended::Idle;
            }
            match self.listener.accept() {
                Ok((stream, peer)) if peer.ip().is_loopback() => self.serve(stream),
                // A connection that failed is the client's affair.
                Ok(_) | Err(_) => thread::sleep(POLL),
            }
        }
    }

    fn serve(&self, stream: TcpStream) {
        let shared = self.shared.clone();
        if shared.connections.fetch_add(1, Ordering::Relaxed) >= MOST_CONNECTIONS {
            shared.connections.fetch_sub(1, Ordering::Relaxed);
            return;
        }
        thread::spawn(move || {
            shared.answer(stream);
            shared.connections.fetch_sub(1, Ordering::Relaxed);
        });
    }
}

impl Shared {
    fn answer(&self, mut stream: TcpStream) {
        let prepared = stream
            .set_nonblocking(false)
            .and_then(|()| stream.set_read_timeout(Some(SILENCE)))
            .and_then(|()| stream.set_write_timeout(Some(SILENCE)));
        if prepared.is_err() {
            return;
        }
        let response = match http::read(&mut stream) {
            Ok(request) => match self.access.admit(&request) {
                Admission::Admitted => {
                    *lock(&self.last_request) = Instant::now();
                    Some(self.route(&request))
                }
                Admission::Answer(response) => Some(response),
            },
            Err(malformed) => malformed.response(),
        };
        if let Some(response) = response {
            response.write(&mut stream);
        }
        // What the client still sends is not read: a large body ends here.
        let _ = stream.shutdown(Shutdown::Write);
        drain(&mut stream);
    }

    /// Answers a request that was admitted. No other route exists.
    fn route(&self, request: &Request) -> Response {
        let mut room = lock(&self.room);
        match (request.method.as_str(), request.path.as_str()) {
            ("GET", "/") => room.page(),
            ("GET", "/question") => room.question(),
            ("POST", "/move") => room.change(|room| room.make(request)),
            ("POST", "/back") => room.change(|room| room.back(request)),
            ("POST", "/again") => room.change(|room| room.session.again()),
            ("POST", "/start") => room.change(|room| {
                let number = number(request, "to").and_then(|number| number.checked_sub(1));
                room.session.begin_at(number.ok_or(Refused::NothingThere)?)
            }),
            ("POST", "/ask") => room.ask(request, self.limits),
            ("POST", "/cancel") => {
                if let Some(asking) = &room.asking {
                    asking.cancel();
                }
                room.to_page()
            }
            ("POST", "/take") => room.change(|room| take(&mut room.session, room.asking.as_ref())),
            ("POST", "/save") => room.save(),
            ("POST", "/end") => {
                self.is_over.store(true, Ordering::Relaxed);
                Response::plain(200, "The server has ended.")
            }
            _ => Response::plain(404, "there is no such page"),
        }
    }
}

impl Room {
    fn page(&mut self) -> Response {
        let Ok(nonce) = access::secret() else {
            return Response::plain(500, "the system gives no random numbers");
        };
        let view = view(&self.session, self.asking.as_ref());
        let page = linchpin_page::exploration_page(&view, self.notice.take().as_deref(), &nonce);
        let policy = format!(
            "default-src 'none'; style-src 'nonce-{nonce}'; script-src 'nonce-{nonce}'; connect-src 'self'; \
             form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        );
        Response::new(200, "text/html; charset=utf-8", page).with("Content-Security-Policy", policy)
    }

    /// Returns the progress of the question, for the script of the page.
    fn question(&self) -> Response {
        let asked = view(&self.session, self.asking.as_ref()).asked;
        let running = asked.as_ref().is_some_and(|asked| asked.state == AskedState::Running);
        let text = asked.map_or(String::new(), |asked| asked.answer);
        let body = serde_json::json!({ "running": running, "text": text }).to_string();
        Response::new(200, "application/json", body)
    }

    fn to_page(&self) -> Response {
        Response::see_other("/")
    }

    /// Changes the session, and leads back to the page, which shows a refusal.
    fn change(&mut self, change: impl FnOnce(&mut Room) -> Result<(), Refused>) -> Response {
        self.notice = change(self).err().map(|refused| format!("Not done: {refused}."));
        self.to_page()
    }

    /// Makes a move. A form of an older page changes nothing.
    fn make(&mut self, request: &Request) -> Result<(), Refused> {
        if number(request, "at") != Some(self.session.moments().len()) {
            return Ok(());
        }
        let moves = self.session.moves().possible.len();
        let number = number(request, "move").ok_or(Refused::NoSuchMove { number: moves, moves })?;
        self.session.make(number)
    }

    fn back(&mut self, request: &Request) -> Result<(), Refused> {
        match number(request, "to") {
            Some(to) => self.session.back_to(to),
            None if number(request, "at") != Some(self.session.moments().len()) => Ok(()),
            None => self.session.back(),
        }
    }

    fn ask(&mut self, request: &Request, limits: Limits) -> Response {
        let question = match request.field("question") {
            Some("violation") => Some(Question::Violation),
            Some("line") => number(request, "line").map(Question::Line),
            _ => None,
        };
        let running = self.asking.as_ref().is_some_and(|asking| asking.answer().is_none());
        match question {
            None => self.notice = Some("Not asked: the question is not known.".into()),
            Some(_) if running => {
                self.notice = Some("Not asked: another question runs. Cancel it first.".into())
            }
            Some(question) => self.asking = Some(Asking::begin(&self.session, question, limits)),
        }
        self.to_page()
    }

    fn save(&mut self) -> Response {
        match save::trace_text(&self.session) {
            Ok(text) => Response::new(200, "application/json", text)
                .with("Content-Disposition", "attachment; filename=\"trace.json\""),
            Err(error) => Response::plain(500, &format!("the trace cannot be written: {error}")),
        }
    }
}

fn number(request: &Request, field: &str) -> Option<usize> {
    request.field(field)?.parse().ok()
}

/// Reads and forgets a little of what the client still sends, so that the client reads the answer.
fn drain(stream: &mut TcpStream) {
    use std::io::Read;
    let _ = stream.set_read_timeout(Some(Duration::from_millis(100)));
    let mut buffer = [0; 4096];
    for _ in 0..64 {
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
    }
}
