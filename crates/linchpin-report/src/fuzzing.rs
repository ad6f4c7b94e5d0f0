//! The laws of the readers of traces and certificates, as functions that the property tests and the fuzzer share: of any text, reading ends
//! with a file or with an error that says what is wrong; what was read is written and read again as it was.

use super::certificate_file::CertificateFile;
use super::trace_file::TraceFile;

/// Whether the laws hold of a text that is read as a trace; if not, which one fails.
pub fn check_trace(text: &str) -> Result<(), String> {
    let file = match TraceFile::parse(text) {
        Ok(file) => file,
        Err(error) => return is_told(&error),
    };
    let again = file.to_text().map_err(|error| error.to_string())?;
    if TraceFile::parse(&again).as_ref() != Ok(&file) {
        return Err(format!("a trace is not read as it was written:\n{again}"));
    }
    match file.trace() {
        Err(error) => is_told(&error),
        Ok(trace) if TraceFile::new(&file.model, &trace).trace().as_ref() == Ok(&trace) => Ok(()),
        Ok(_) => Err(format!("a trace does not come back from its file:\n{again}")),
    }
}

/// The same of a certificate.
pub fn check_certificate(text: &str) -> Result<(), String> {
    let file = match CertificateFile::parse(text) {
        Ok(file) => file,
        Err(error) => return is_told(&error),
    };
    let (certificate, fingerprint) = match (file.certificate(), file.fingerprint()) {
        (Ok(certificate), Ok(fingerprint)) => (certificate, fingerprint),
        (Err(error), _) | (_, Err(error)) => return is_told(&error),
    };
    let again = CertificateFile::new(&file.model, fingerprint, &file.method, &certificate);
    let again = again.to_text().map_err(|error| error.to_string())?;
    match CertificateFile::parse(&again).and_then(|file| file.certificate()) {
        Ok(known) if known == certificate => Ok(()),
        _ => Err("a certificate is not read as it was written".into()),
    }
}

fn is_told(error: &str) -> Result<(), String> {
    if error.is_empty() { Err("an error without a word".into()) } else { Ok(()) }
}
