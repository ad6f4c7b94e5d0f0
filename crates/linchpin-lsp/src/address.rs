//! Addresses of files: `file:///a%20b.lin`.

use linchpin_report::uri::of_path;
use lsp_types::Uri;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Returns the path of a `file` address. `None`: another kind of address.
pub fn path_of(address: &Uri) -> Option<PathBuf> {
    let rest = address.as_str().strip_prefix("file://")?;
    let path = &rest[rest.find('/')?..];
    let mut bytes = Vec::new();
    let mut rest = path.as_bytes();
    while let [first, others @ ..] = rest {
        match (first, others) {
            (b'%', [high, low, after @ ..]) => {
                let digits = [*high, *low];
                let digits = std::str::from_utf8(&digits).ok()?;
                bytes.push(u8::from_str_radix(digits, 16).ok()?);
                rest = after;
            }
            _ => {
                bytes.push(*first);
                rest = others;
            }
        }
    }
    Some(PathBuf::from(String::from_utf8(bytes).ok()?))
}

/// Returns the address of a path.
pub fn of(path: &Path) -> Option<Uri> {
    let text = of_path(&path.to_string_lossy());
    let text = if text.starts_with("file://") { text } else { format!("file://{text}") };
    Uri::from_str(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_addresses_go_back_and_forth() {
        for path in ["/a/b.lin", "/a b/é%20#?.lin", "/x/\u{202e}\"<.lin"] {
            let address = of(Path::new(path)).expect("an address");
            assert_eq!(path_of(&address).as_deref(), Some(Path::new(path)), "{}", address.as_str());
        }
        let other = Uri::from_str("untitled:Untitled-1").expect("an address");
        assert_eq!(path_of(&other), None);
    }
}
