//! The server, through real connections: who is refused, what changes, when it ends.

use crate::session;
use linchpin_interactive::question::Limits;
use linchpin_interactive::server::{Ended, Options, Server};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// A server in a thread, with its address.
struct Running {
    host: String,
    token: String,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Ended>>,
}

impl Running {
    fn new(model: &str, idle: Duration) -> Running {
        let options = Options { port: 0, idle, limits: Limits::default() };
        let server = Server::bind(session(model, 2, 2), options).expect("the loopback address");
        let address = server.address();
        let (host, token) =
            address.strip_prefix("http://").and_then(|rest| rest.split_once("/?token=")).expect("an address");
        let (host, token) = (host.to_string(), token.to_string());
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let thread = thread::spawn(move || server.run(|| stopped.load(Ordering::Relaxed)));
        Running { host, token, stop, thread: Some(thread) }
    }

    /// Sends bytes, and returns the answer.
    fn raw(&self, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(&self.host).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
        stream.write_all(bytes).expect("the request is sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    }

    fn get(&self, target: &str, headers: &str) -> String {
        self.raw(format!("GET {target} HTTP/1.1\r\nHost: {}\r\n{headers}\r\n", self.host).as_bytes())
    }

    fn post(&self, target: &str, headers: &str, body: &str) -> String {
        let length = body.len();
        let text = format!(
            "POST {target} HTTP/1.1\r\nHost: {}\r\nContent-Length: {length}\r\n{headers}\r\n{body}",
            self.host
        );
        self.raw(text.as_bytes())
    }

    /// Exchanges the token for the cookie, as a header.
    fn cookie(&self) -> String {
        let answer = self.get(&format!("/?token={}", self.token), "");
        let (_, rest) = answer.split_once("Set-Cookie: ").expect("a cookie");
        let (cookie, attributes) = rest.split_once("; ").expect("attributes");
        assert!(attributes.starts_with("Path=/; HttpOnly; SameSite=Strict\r\n"), "{attributes}");
        assert!(answer.starts_with("HTTP/1.1 303 ") && answer.contains("Location: /\r\n"));
        assert!(!cookie.contains(&self.token), "the cookie is another secret");
        format!("Cookie: {cookie}\r\n")
    }

    /// The headers of a form of the page.
    fn own(&self) -> String {
        format!("{}Origin: http://{}\r\n", self.cookie(), self.host)
    }

    fn ended(mut self) -> Ended {
        self.thread.take().expect("one thread").join().expect("the server does not panic")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or("none")
}

const LONG: Duration = Duration::from_secs(600);

#[test]
fn the_token_becomes_a_cookie_and_the_page_has_a_policy() {
    let server = Running::new("treiber_stack", LONG);
    assert_eq!(server.token.len(), 32, "128 bits");
    let page = server.get("/", &server.cookie());
    assert_eq!(status(&page), "200");
    let (_, policy) = page.split_once("Content-Security-Policy: ").expect("a policy");
    let (policy, _) = policy.split_once("\r\n").expect("its end");
    let (_, nonce) = policy.split_once("script-src 'nonce-").expect("a nonce");
    let (nonce, _) = nonce.split_once('\'').expect("its end");
    assert!(policy.starts_with("default-src 'none'") && policy.contains("frame-ancestors 'none'"));
    assert_eq!(page.matches(&format!("<script nonce=\"{nonce}\"")).count(), 2);
    assert_eq!(page.matches("<script").count(), 3, "two scripts and one block of data");
    assert!(page.contains("What can happen next") && page.contains("push(1)"));
    let again = server.get("/", &server.cookie());
    assert!(!again.contains(nonce), "each page has a nonce of its own");
}

#[test]
fn a_foreign_host_is_refused() {
    let server = Running::new("treiber_stack", LONG);
    let cookie = server.cookie();
    let port = server.host.rsplit(':').next().expect("a port").to_string();
    let foreign = [
        "evil.example".into(),
        format!("evil.example:{port}"),
        format!("localhost:{port}"),
        "127.0.0.1".into(),
    ];
    for host in foreign {
        for target in ["/".to_string(), format!("/?token={}", server.token)] {
            let answer =
                server.raw(format!("GET {target} HTTP/1.1\r\nHost: {host}\r\n{cookie}\r\n").as_bytes());
            assert_eq!(status(&answer), "421", "{host} {target}");
            assert!(!answer.contains("Set-Cookie") && !answer.contains("push"), "{host}");
        }
    }
    let none = server.raw(format!("GET / HTTP/1.1\r\n{cookie}\r\n").as_bytes());
    assert_eq!(status(&none), "421");
    let two = format!("GET / HTTP/1.1\r\nHost: {}\r\nHost: evil.example\r\n{cookie}\r\n", server.host);
    assert_eq!(status(&server.raw(two.as_bytes())), "421");
}

#[test]
fn a_foreign_origin_is_refused() {
    let server = Running::new("treiber_stack", LONG);
    let cookie = server.cookie();
    let foreign = ["http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:1", ""];
    for origin in foreign {
        let headers = format!("{cookie}Origin: {origin}\r\n");
        assert_eq!(status(&server.post("/move", &headers, "move=0&at=0")), "403", "{origin}");
        assert_eq!(status(&server.get("/", &headers)), "403", "{origin}");
    }
    // A change must say where it comes from.
    assert_eq!(status(&server.post("/move", &cookie, "move=0&at=0")), "403");
    let cross = format!("{cookie}Sec-Fetch-Site: cross-site\r\n");
    assert_eq!(status(&server.get("/", &cross)), "403");
    let page = server.get("/", &cookie);
    assert!(page.contains("0 steps"), "nothing has changed");
}

#[test]
fn no_token_and_a_wrong_token_are_refused() {
    let server = Running::new("treiber_stack", LONG);
    let wrong = "0".repeat(32);
    for target in ["/".to_string(), format!("/?token={wrong}"), "/?token=".into(), "/question".into()] {
        let answer = server.get(&target, "");
        assert_eq!(status(&answer), "403", "{target}");
        assert!(!answer.contains("Set-Cookie") && !answer.contains("push"), "{target}");
    }
    let origin = format!("Origin: http://{}\r\n", server.host);
    assert_eq!(status(&server.post("/move", &origin, "move=0&at=0")), "403");
    let cookie = format!("{origin}Cookie: linchpin={wrong}; linchpin-1={wrong}\r\n");
    assert_eq!(status(&server.post("/move", &cookie, "move=0&at=0")), "403");
    assert_eq!(status(&server.post(&format!("/move?token={}", server.token), &origin, "move=0&at=0")), "403");
}

#[test]
fn a_large_body_is_refused_unread() {
    let server = Running::new("treiber_stack", LONG);
    let own = server.own();
    let began = Instant::now();
    let head = |length: &str| {
        format!("POST /move HTTP/1.1\r\nHost: {}\r\n{own}Content-Length: {length}\r\n\r\n", server.host)
    };
    assert_eq!(status(&server.raw(head("1073741824").as_bytes())), "413");
    // The client sends on, up to 1 GB, until the server hangs up.
    let mut stream = TcpStream::connect(&server.host).expect("a connection");
    stream.set_write_timeout(Some(Duration::from_secs(5))).expect("a timeout");
    stream.write_all(head("1073741824").as_bytes()).expect("the head is sent");
    let block = vec![b'x'; 1 << 20];
    let sent = (0..1024).take_while(|_| stream.write_all(&block).is_ok()).count();
    assert!(sent < 64, "the server read {sent} MB");
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    let chunked =
        format!("POST /move HTTP/1.1\r\nHost: {}\r\n{own}Transfer-Encoding: chunked\r\n\r\n", server.host);
    assert_eq!(status(&server.raw(chunked.as_bytes())), "501");
    assert!(server.get("/", &server.cookie()).contains("0 steps"), "the server still answers");
}

#[test]
fn no_route_names_a_file() {
    let server = Running::new("treiber_stack", LONG);
    let own = server.own();
    for target in
        ["/etc/passwd", "/../Cargo.toml", "/%2e%2e/Cargo.toml", "/move", "/save", "//", "/index.html"]
    {
        assert_eq!(status(&server.get(target, &own)), "404", "{target}");
    }
    for target in ["/", "/question", "/moves", "/../move"] {
        assert_eq!(status(&server.post(target, &own, "")), "404", "{target}");
    }
    let head = format!("HEAD / HTTP/1.1\r\nHost: {}\r\n{own}\r\n", server.host);
    assert_eq!(status(&server.raw(head.as_bytes())), "405");
}

#[test]
fn moves_questions_and_traces_through_the_page() {
    let server = Running::new("treiber_stack_reuse", LONG);
    let own = server.own();
    let change = |target: &str, body: &str| {
        let answer = server.post(target, &own, body);
        assert!(answer.starts_with("HTTP/1.1 303 ") && answer.contains("Location: /\r\n"), "{answer}");
        let page = server.get("/", &own);
        let (_, rest) = page.split_once("name=\"at\" value=\"").expect("the number of steps");
        rest.split('"').next().and_then(|steps| steps.parse::<usize>().ok()).expect("a number")
    };
    assert_eq!(change("/move", "move=0&at=0"), 1);
    assert_eq!(change("/move", "move=0&at=0"), 1, "an older page changes nothing");
    assert_eq!(change("/back", "at=1"), 0);
    assert_eq!(change("/again", ""), 1);
    assert_eq!(change("/back", "to=0"), 0);
    server.post("/move", &own, "move=99999&at=0");
    assert!(server.get("/", &own).contains("Not done: there is no move 100000"));
    assert!(!server.get("/", &own).contains("Not done"), "a notice is shown once");
    server.post("/ask", &own, "question=violation");
    let began = Instant::now();
    while server.get("/question", &own).contains("\"running\":true") {
        assert!(began.elapsed() < Duration::from_secs(120));
        thread::sleep(Duration::from_millis(20));
    }
    let page = server.get("/", &own);
    assert!(page.contains("Yes, after ") && page.contains("take it"), "{page}");
    server.post("/take", &own, "");
    assert!(server.get("/", &own).contains("not linearizable, confirmed by replay"));
    let saved = server.post("/save", &own, "");
    assert!(saved.contains("Content-Disposition: attachment"), "{saved}");
    assert!(saved.contains("\"violates\": \"linearizable\""), "{saved}");
    for bad in ["question=violation&x", "question=line&line=x", "question=other", ""] {
        assert_eq!(status(&server.post("/ask", &own, bad)), "303", "{bad}");
    }
    assert_eq!(status(&server.post("/end", &own, "")), "200");
    assert_eq!(server.ended(), Ended::Asked);
}

#[test]
fn a_question_can_be_cancelled() {
    let server = Running::new("ms_queue", LONG);
    let own = server.own();
    server.post("/ask", &own, "question=violation");
    server.post("/ask", &own, "question=violation");
    server.post("/cancel", &own, "");
    let began = Instant::now();
    while server.get("/question", &own).contains("\"running\":true") {
        assert!(began.elapsed() < Duration::from_secs(5), "the search goes on");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn an_idle_server_ends_and_refused_requests_do_not_keep_it() {
    let began = Instant::now();
    let server = Running::new("treiber_stack", Duration::from_millis(300));
    thread::sleep(Duration::from_millis(150));
    assert_eq!(status(&server.get("/", "")), "403");
    assert_eq!(server.ended(), Ended::Idle);
    assert!(began.elapsed() < Duration::from_secs(5));
}

#[test]
fn silent_connections_do_not_stop_the_server() {
    let server = Running::new("treiber_stack", LONG);
    let _silent: Vec<TcpStream> =
        (0..8).map(|_| TcpStream::connect(&server.host).expect("a connection")).collect();
    assert_eq!(status(&server.get("/", &server.cookie())), "200");
}
