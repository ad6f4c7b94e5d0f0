//! Reads the text of a history: from a file or from standard input, plain or compressed.
//!
//! The first bytes say how a file is compressed: gzip or zstd. Nothing is allocated by a length that the file
//! declares, and no more than [`LARGEST_FILE`] bytes come out.

use super::Failure;
use std::io::{self, BufReader, Read};
use std::path::Path;

/// Largest accepted text in bytes. Positions in a text are 32 bits wide.
const LARGEST_FILE: u64 = 1 << 30;

/// Number of bytes of one read.
const PIECE: u64 = 1 << 20;

/// Checks whether the path stands for standard input.
pub fn is_standard_input(path: &Path) -> bool {
    path == Path::new("-")
}

/// Reads the text of a history. `None`: `go_on` returned false.
pub fn read(path: &Path, go_on: &dyn Fn() -> bool) -> Result<Option<String>, Failure> {
    let shown = path.display();
    let too_large = || {
        Failure::input(format!("`{shown}` is larger than {} MiB", LARGEST_FILE >> 20))
            .help("judge the history in pieces: a prefix of a linearizable history is linearizable")
    };
    if path.is_dir() {
        return Err(Failure::input(format!("`{shown}` is a directory, not a history")));
    }
    let mut bytes = Vec::new();
    let read = open(path).and_then(|mut text| {
        while bytes.len() as u64 <= LARGEST_FILE && go_on() {
            if text.by_ref().take(PIECE).read_to_end(&mut bytes)? == 0 {
                return Ok(true);
            }
        }
        Ok(false)
    });
    match read {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(Failure::input(format!("no file `{shown}`")));
        }
        Err(error) => return Err(Failure::input(format!("cannot read `{shown}`: {error}"))),
        Ok(_) if bytes.len() as u64 > LARGEST_FILE => return Err(too_large()),
        Ok(false) => return Ok(None),
        Ok(true) => {}
    }
    String::from_utf8(bytes).map(Some).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count();
        Failure::input(format!(
            "`{shown}` is not UTF-8 text: byte {at} (line {line}) does not start a character"
        ))
        .help("save the history as UTF-8")
    })
}

const GZIP: [u8; 2] = [0x1f, 0x8b];
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Opens the file and takes the compression away.
fn open(path: &Path) -> io::Result<Box<dyn Read>> {
    let raw: Box<dyn Read> =
        if is_standard_input(path) { Box::new(io::stdin()) } else { Box::new(std::fs::File::open(path)?) };
    let mut raw = BufReader::new(raw);
    let mut first = Vec::new();
    raw.by_ref().take(ZSTD.len() as u64).read_to_end(&mut first)?;
    let is_gzip = first.starts_with(&GZIP);
    let is_zstd = first.starts_with(&ZSTD);
    let raw = io::Cursor::new(first).chain(raw);
    if is_gzip {
        Ok(Box::new(flate2::bufread::MultiGzDecoder::new(raw)))
    } else if is_zstd {
        let decoder = ruzstd::decoding::StreamingDecoder::new(raw).map_err(io::Error::other)?;
        Ok(Box::new(decoder))
    } else {
        Ok(Box::new(raw))
    }
}
