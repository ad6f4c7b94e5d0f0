//! Addresses of files (RFC 3986), for reports that other programs read.
//!
//! A name is kept byte by byte, also where [`visible`](crate::visible) would change it: the address must
//! lead to the file.

use std::fmt::Write;

/// Returns a relative reference, or an address with the scheme `file` for an absolute path.
pub fn of_path(path: &str) -> String {
    let mut out = if path.starts_with('/') { "file://".to_string() } else { String::new() };
    for byte in path.bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' => out.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => out.push(char::from(byte)),
            // A `:` in the first segment would be read as the end of a scheme.
            byte => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_of_a_name_is_kept() {
        assert_eq!(of_path("models/wrong/a_b-c.lin"), "models/wrong/a_b-c.lin");
        assert_eq!(of_path("/tmp/x.lin"), "file:///tmp/x.lin");
        assert_eq!(of_path("c:é\u{202e}\"<%.lin"), "c%3A%C3%A9%E2%80%AE%22%3C%25.lin");
    }
}
