//! Who may talk to the server.
//!
//! The address has a token of 128 bits. A browser exchanges it for a cookie that it sends to this site only.
//! Every request must name the bound address as `Host`, so a foreign name that resolves to the loopback
//! address is refused (DNS rebinding). An `Origin`, if there is one, must be this server; a change must have
//! one.

use super::http::{Request, Response, field};
use std::net::SocketAddr;

/// The secrets of a server.
pub struct Access {
    /// `127.0.0.1:4321`
    host: String,
    /// `http://127.0.0.1:4321`
    origin: String,
    token: String,
    cookie_name: String,
    cookie: String,
}

/// What a request may do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Admission {
    Admitted,
    /// The answer ends the request: a refusal, or the exchange of the token.
    Answer(Response),
}

impl Access {
    /// Makes new secrets. The error is that of the system's source of random numbers.
    pub fn new(address: SocketAddr) -> Result<Access, getrandom::Error> {
        let host = address.to_string();
        Ok(Access {
            origin: format!("http://{host}"),
            host,
            token: secret()?,
            cookie_name: format!("linchpin-{}", address.port()),
            cookie: secret()?,
        })
    }

    /// Returns the address with the token, for a person.
    pub fn address(&self) -> String {
        format!("{}/?token={}", self.origin, self.token)
    }

    /// Decides about a request.
    pub fn admit(&self, request: &Request) -> Admission {
        let refuse = |status, text| Admission::Answer(Response::plain(status, text));
        if request.header("host") != Some(&self.host) {
            return refuse(421, "this server has another name");
        }
        let origin = request.header("origin");
        let is_ours = origin == Some(&self.origin);
        if request.has_header("origin") && !is_ours {
            return refuse(403, "the request comes from another site");
        }
        match request.method.as_str() {
            "GET" => {}
            "POST" if is_ours => {}
            "POST" => return refuse(403, "the request does not say where it comes from"),
            _ => return refuse(405, "use GET or POST"),
        }
        let site = request.header("sec-fetch-site");
        let has_token = field(&request.query, "token").is_some_and(|token| equal(token, &self.token));
        if request.method == "GET" && request.path == "/" && has_token {
            let cookie = format!("{}={}; Path=/; HttpOnly; SameSite=Strict", self.cookie_name, self.cookie);
            return Admission::Answer(Response::see_other("/").with("Set-Cookie", cookie));
        }
        if request.has_header("sec-fetch-site") && !matches!(site, Some("same-origin" | "none")) {
            return refuse(403, "the request comes from another site");
        }
        if self.has_cookie(request) {
            return Admission::Admitted;
        }
        refuse(403, "open the address that `linchpin explore` printed")
    }

    fn has_cookie(&self, request: &Request) -> bool {
        let cookies = request.header("cookie").unwrap_or("");
        let mut pairs = cookies.split(';').filter_map(|pair| pair.trim().split_once('='));
        pairs.any(|(name, value)| name == self.cookie_name && equal(value, &self.cookie))
    }
}

/// Returns 128 random bits in hexadecimal digits.
pub fn secret() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Compares two secrets in a time that does not depend on where they differ.
fn equal(given: &str, secret: &str) -> bool {
    given.len() == secret.len() && given.bytes().zip(secret.bytes()).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}
