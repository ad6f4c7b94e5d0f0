//! The part of HTTP/1.1 that the page needs, with limits on everything that a client sends.
//!
//! One request a connection. A request with a transfer encoding, with two lengths or two hosts, or with a
//! malformed header is refused. A body is read only after its declared length has been accepted.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

/// Limit on the request line and the headers in bytes.
pub const MOST_HEAD: usize = 16 << 10;
/// Limit on a body in bytes.
pub const MOST_BODY: usize = 4 << 10;
/// Time for the whole request.
pub const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    pub method: String,
    /// The path without the query.
    pub path: String,
    /// The query without `?`.
    pub query: String,
    /// Names in lower case.
    headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Request {
    /// Returns the value of a header. `None`: it is missing, or given more than once.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|(known, _)| known == name);
        let value = values.next().map(|(_, value)| value.as_str());
        if values.next().is_some() { None } else { value }
    }

    /// Returns whether a header is given at all.
    pub fn has_header(&self, name: &str) -> bool {
        self.headers.iter().any(|(known, _)| known == name)
    }

    /// Returns the value of a field of the form. Values are numbers and words without escapes.
    pub fn field(&self, name: &str) -> Option<&str> {
        field(std::str::from_utf8(&self.body).ok()?, name)
    }
}

/// Returns the value of a field: `move=3&at=2`.
pub fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.split('&')
        .filter_map(|pair| pair.split_once('='))
        .find(|(key, _)| *key == name)
        .map(|(_, value)| value)
}

/// A request that is refused before it is understood.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Malformed {
    /// The client closed the connection, or was too slow.
    Gone,
    Bad,
    HeadTooLarge,
    BodyTooLarge,
    LengthRequired,
    Encoding,
}

impl Malformed {
    pub fn response(self) -> Option<Response> {
        let (status, text) = match self {
            Malformed::Gone => return None,
            Malformed::Bad => (400, "not a request of HTTP/1.1"),
            Malformed::HeadTooLarge => (431, "the headers are too large"),
            Malformed::BodyTooLarge => (413, "the body is too large"),
            Malformed::LengthRequired => (411, "a body needs a length"),
            Malformed::Encoding => (501, "transfer encodings are not supported"),
        };
        Some(Response::plain(status, text))
    }
}

/// Reads a request.
pub fn read(stream: &mut impl Read) -> Result<Request, Malformed> {
    let began = Instant::now();
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end;
        }
        if bytes.len() > MOST_HEAD {
            return Err(Malformed::HeadTooLarge);
        }
        more(stream, &mut bytes, began)?;
    };
    let head = std::str::from_utf8(&bytes[..end]).map_err(|_| Malformed::Bad)?;
    let mut request = head_of(head)?;
    let length = length(&request)?;
    let mut body = bytes.split_off(end + 4);
    while body.len() < length {
        more(stream, &mut body, began)?;
    }
    body.truncate(length);
    request.body = body;
    Ok(request)
}

fn more(stream: &mut impl Read, bytes: &mut Vec<u8>, began: Instant) -> Result<(), Malformed> {
    let mut buffer = [0; 2048];
    if began.elapsed() > PATIENCE {
        return Err(Malformed::Gone);
    }
    match stream.read(&mut buffer) {
        Ok(0) | Err(_) => Err(Malformed::Gone),
        Ok(count) => {
            bytes.extend_from_slice(&buffer[..count]);
            Ok(())
        }
    }
}

fn head_of(head: &str) -> Result<Request, Malformed> {
    let mut lines = head.split("\r\n");
    let mut words = lines.next().unwrap_or("").split(' ');
    let (method, target, version) = (words.next(), words.next(), words.next());
    let (Some(method), Some(target), Some("HTTP/1.1" | "HTTP/1.0"), None) =
        (method, target, version, words.next())
    else {
        return Err(Malformed::Bad);
    };
    let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_graphic());
    if !target.starts_with('/') || !plain(target) || !plain(method) {
        return Err(Malformed::Bad);
    }
    let mut headers = Vec::new();
    for line in lines {
        let (name, value) = line.split_once(':').ok_or(Malformed::Bad)?;
        let is_token = !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
        if !is_token || value.contains(|character: char| character.is_control() && character != '\t') {
            return Err(Malformed::Bad);
        }
        headers.push((name.to_ascii_lowercase(), value.trim().to_string()));
    }
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    Ok(Request { method: method.into(), path: path.into(), query: query.into(), headers, body: Vec::new() })
}

/// Returns the length of the body, which no byte has been read of.
fn length(request: &Request) -> Result<usize, Malformed> {
    if request.has_header("transfer-encoding") {
        return Err(Malformed::Encoding);
    }
    if !request.has_header("content-length") {
        return if request.method == "POST" { Err(Malformed::LengthRequired) } else { Ok(0) };
    }
    let given = request.header("content-length").ok_or(Malformed::Bad)?;
    if given.is_empty() || !given.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Malformed::Bad);
    }
    // A number that does not fit is too large.
    match given.parse::<usize>() {
        Ok(length) if length <= MOST_BODY => Ok(length),
        _ => Err(Malformed::BodyTooLarge),
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Response {
    pub status: u16,
    headers: Vec<(&'static str, String)>,
    body: String,
}

impl Response {
    pub fn plain(status: u16, text: &str) -> Response {
        Response::new(status, "text/plain; charset=utf-8", format!("{text}\n"))
    }

    pub fn new(status: u16, kind: &str, body: String) -> Response {
        Response { status, headers: vec![("Content-Type", kind.into())], body }
    }

    /// Sends the browser to a page of this server.
    pub fn see_other(place: &str) -> Response {
        Response::plain(303, "see the page").with("Location", place)
    }

    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Response {
        self.headers.push((name, value.into()));
        self
    }

    /// Writes the response. A client that is gone is not an error.
    pub fn write(&self, stream: &mut impl Write) {
        let reason = match self.status {
            200 => "OK",
            303 => "See Other",
            _ => "Refused",
        };
        let mut head = format!("HTTP/1.1 {} {reason}\r\n", self.status);
        for (name, value) in &self.headers {
            head += &format!("{name}: {value}\r\n");
        }
        head += &format!("Content-Length: {}\r\n", self.body.len());
        for (name, value) in ALWAYS {
            head += &format!("{name}: {value}\r\n");
        }
        let _ = stream
            .write_all(head.as_bytes())
            .and_then(|()| stream.write_all(b"\r\n"))
            .and_then(|()| stream.write_all(self.body.as_bytes()))
            .and_then(|()| stream.flush());
    }
}

/// Headers of every response.
const ALWAYS: [(&str, &str); 7] = [
    ("Connection", "close"),
    ("Cache-Control", "no-store"),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    // Without a referrer, browsers send `Origin: null` with a form.
    ("Referrer-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Request, Malformed> {
        read(&mut text.as_bytes())
    }

    #[test]
    fn a_request_has_a_path_a_query_headers_and_a_body() {
        let text = "POST /move?x=1 HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nmove=3&a=rest";
        let request = parsed(text).expect("a request");
        assert_eq!((&*request.path, &*request.query), ("/move", "x=1"));
        assert_eq!((request.header("host"), request.field("move")), (Some("a"), Some("3")));
        assert_eq!(request.field("a"), Some(""), "bytes behind the length do not count");
    }

    #[test]
    fn what_is_not_a_request_is_refused() {
        let with = |headers: &str| parsed(&format!("POST / HTTP/1.1\r\n{headers}\r\n\r\n"));
        assert_eq!(with("Content-Length: 1073741824"), Err(Malformed::BodyTooLarge));
        assert_eq!(with("Content-Length: 99999999999999999999999"), Err(Malformed::BodyTooLarge));
        assert_eq!(with("Content-Length: -1"), Err(Malformed::Bad));
        assert_eq!(with("Content-Length: 1\r\nContent-Length: 2"), Err(Malformed::Bad));
        assert_eq!(with("Transfer-Encoding: chunked"), Err(Malformed::Encoding));
        assert_eq!(with("Host: a"), Err(Malformed::LengthRequired));
        assert_eq!(with("Host : a\r\nContent-Length: 0"), Err(Malformed::Bad));
        assert_eq!(with(" folded\r\nContent-Length: 0"), Err(Malformed::Bad));
        for line in ["GET / HTTP/2", "GET http://x/ HTTP/1.1", "GET  / HTTP/1.1", "GET /", ""] {
            assert_eq!(parsed(&format!("{line}\r\n\r\n")), Err(Malformed::Bad), "{line}");
        }
        let long = format!("GET / HTTP/1.1\r\nA: {}", "x".repeat(1 << 20));
        assert_eq!(parsed(&long), Err(Malformed::HeadTooLarge));
        assert_eq!(parsed("GET / HTTP/1.1\r\n"), Err(Malformed::Gone));
    }

    #[test]
    fn a_header_that_is_given_twice_has_no_value() {
        let request = parsed("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n").expect("a request");
        assert_eq!((request.header("host"), request.has_header("host")), (None, true));
    }
}
