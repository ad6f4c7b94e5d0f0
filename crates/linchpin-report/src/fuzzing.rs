//! Laws of the readers of traces and certificates, shared by property tests and the fuzzer.
//!
//! For every text, the reader returns a file or an error with a message. Writing and reading a file is the
//! identity.

use super::certificate_file::CertificateFile;
use super::trace_file::TraceFile;

/// Checks the laws for a text read as a trace. The error names the broken law.
pub fn check_trace(text: &str) -> Result<(), String> {
    let file = match TraceFile::parse(text) {
        Ok(file) => file,
        Err(error) => return has_message(&error),
    };
    let again = file.to_text().map_err(|error| error.to_string())?;
    if TraceFile::parse(&again).as_ref() != Ok(&file) {
        return Err(format!("reading does not invert writing of a trace:\n{again}"));
    }
    match file.trace() {
        Err(error) => has_message(&error),
        Ok(trace) if TraceFile::new(&file.model, &trace).trace().as_ref() == Ok(&trace) => Ok(()),
        Ok(_) => Err(format!("a file does not give back its trace:\n{again}")),
    }
}

/// Checks the laws for a text read as a certificate.
pub fn check_certificate(text: &str) -> Result<(), String> {
    let file = match CertificateFile::parse(text) {
        Ok(file) => file,
        Err(error) => return has_message(&error),
    };
    let (certificate, fingerprint) = match (file.certificate(), file.fingerprint()) {
        (Ok(certificate), Ok(fingerprint)) => (certificate, fingerprint),
        (Err(error), _) | (_, Err(error)) => return has_message(&error),
    };
    let again = CertificateFile::new(&file.model, fingerprint, &file.method, &certificate);
    let again = again.to_text().map_err(|error| error.to_string())?;
    match CertificateFile::parse(&again).and_then(|file| file.certificate()) {
        Ok(known) if known == certificate => Ok(()),
        _ => Err("reading does not invert writing of a certificate".into()),
    }
}

fn has_message(error: &str) -> Result<(), String> {
    if error.is_empty() { Err("an error without a message".into()) } else { Ok(()) }
}
