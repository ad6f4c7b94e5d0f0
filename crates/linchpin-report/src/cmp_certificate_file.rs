//! Certificates of the compositional method as versioned JSON files. A reader must check the certificate
//! again.
//!
//! The views are written as in [`set_certificate_file`](crate::set_certificate_file). A lemma is an
//! operation, an instruction, and claims in words; the last claim is the conclusion. `s3` is part 3 of the
//! locals, `g0` is the shared pointer 0. `s3.next` is the pointer in the cell of `s3`. `s3.key` is the key of
//! this cell, `s3.0` its small field 0. `!` negates.

use crate::set_certificate_file::SetCertificateFile;
use linchpin_certify::cmp_certificate::{
    CMP_CERTIFICATE_VERSION, CellName, Claim, CmpCertificate, Fact, KeyName, NumberName, PointerName,
    RestLemma,
};
use linchpin_ir::heap::ProofMethod;
use linchpin_ir::index::{Index, number_of};
use linchpin_ir::program::{OpId, Pc};
use linchpin_judge::trace::Fingerprint;
use serde::{Deserialize, Serialize};

/// The format without its version.
const FORMAT: &str = "linchpin-cmp-certificate";

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[serde(deny_unknown_fields)]
pub struct CmpCertificateFile {
    pub format: String,
    pub method: String,
    lemmas: Vec<LemmaRecord>,
    views: SetCertificateFile,
}

/// Operation, instruction, claims.
type LemmaRecord = (u32, u32, Vec<String>);

/// The format of files that this version writes and reads.
pub fn format() -> String {
    format!("{FORMAT}/{CMP_CERTIFICATE_VERSION}")
}

/// Whether a text claims to be a certificate of the compositional method, of any version.
pub fn is_of_cmp(text: &str) -> bool {
    #[derive(Deserialize)]
    struct Head {
        format: String,
    }
    serde_json::from_str::<Head>(text).is_ok_and(|head| head.format.starts_with(FORMAT))
}

impl CmpCertificateFile {
    pub fn new(model: &str, fingerprint: Fingerprint, certificate: &CmpCertificate) -> CmpCertificateFile {
        CmpCertificateFile {
            format: format(),
            method: ProofMethod::Cmp.name().into(),
            lemmas: certificate.lemmas.iter().map(lemma_record).collect(),
            views: SetCertificateFile::new(model, fingerprint, &certificate.views),
        }
    }

    pub fn to_text(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self).map(|text| text + "\n")
    }

    /// Reads a file. The error names the problem.
    pub fn parse(text: &str) -> Result<CmpCertificateFile, String> {
        #[derive(Deserialize)]
        struct Head {
            format: String,
        }
        let wrong = |error| format!("not a certificate of the method `cmp`: {error}");
        let head: Head = serde_json::from_str(text).map_err(wrong)?;
        let expected = format();
        if head.format != expected {
            return Err(format!(
                "unsupported certificate format `{}`; expected `{expected}`: \
                 make the certificate again with `prove --certificate`",
                head.format
            ));
        }
        let file: CmpCertificateFile = serde_json::from_str(text).map_err(wrong)?;
        file.views.check_format()?;
        Ok(file)
    }

    /// Returns the fingerprint of the program.
    pub fn fingerprint(&self) -> Result<Fingerprint, String> {
        self.views.fingerprint()
    }

    /// Returns the certificate. The error names an invalid part of the file.
    pub fn certificate(&self) -> Result<CmpCertificate, String> {
        let lemmas = self.lemmas.iter().map(lemma).collect::<Result<_, _>>()?;
        Ok(CmpCertificate { views: self.views.certificate()?, lemmas })
    }
}

fn lemma_record(lemma: &RestLemma) -> LemmaRecord {
    (number_of(lemma.op.index()), number_of(lemma.pc.index()), lemma.claims().map(claim_words).collect())
}

fn lemma((op, pc, claims): &LemmaRecord) -> Result<RestLemma, String> {
    let mut premises = claims.iter().map(|text| claim(text)).collect::<Result<Vec<_>, _>>()?;
    let conclusion = premises.pop().ok_or("a lemma claims nothing")?;
    let index = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    Ok(RestLemma { op: OpId::new(index(*op)), pc: Pc::new(index(*pc)), premises, conclusion })
}

fn claim_words(claim: &Claim) -> String {
    let fact = match &claim.fact {
        Fact::Same(a, b) => format!("same {} {}", pointer_word(a), pointer_word(b)),
        Fact::SameKey(a, b) => format!("key {} {}", key_word(a), key_word(b)),
        Fact::Less(a, b) => format!("less {} {}", key_word(a), key_word(b)),
        Fact::IsTrue(NumberName::Slot(slot)) => format!("true s{slot}"),
        Fact::IsTrue(NumberName::Field(name, number)) => format!("true {}.{number}", cell_word(name)),
        Fact::Holds(name) => format!("holds {}", cell_word(name)),
        Fact::HoldsShared(number) => format!("has {number}"),
        Fact::Linked(name) => format!("linked {}", cell_word(name)),
        Fact::Private(name) => format!("private {}", cell_word(name)),
    };
    if claim.is_positive { fact } else { format!("!{fact}") }
}

fn claim(text: &str) -> Result<Claim, String> {
    let (is_positive, fact) = match text.strip_prefix('!') {
        Some(fact) => (false, fact),
        None => (true, text),
    };
    let wrong = || format!("`{text}` is not a claim");
    let words: Vec<&str> = fact.split(' ').collect();
    let fact = match words[..] {
        ["same", a, b] => Fact::Same(pointer(a).ok_or_else(wrong)?, pointer(b).ok_or_else(wrong)?),
        ["key", a, b] => Fact::SameKey(key(a).ok_or_else(wrong)?, key(b).ok_or_else(wrong)?),
        ["less", a, b] => Fact::Less(key(a).ok_or_else(wrong)?, key(b).ok_or_else(wrong)?),
        ["true", of] => Fact::IsTrue(number(of).ok_or_else(wrong)?),
        ["holds", of] => Fact::Holds(cell(of).ok_or_else(wrong)?),
        ["has", number] => Fact::HoldsShared(number.parse().map_err(|_| wrong())?),
        ["linked", of] => Fact::Linked(cell(of).ok_or_else(wrong)?),
        ["private", of] => Fact::Private(cell(of).ok_or_else(wrong)?),
        _ => return Err(wrong()),
    };
    Ok(Claim { fact, is_positive })
}

fn cell_word(name: &CellName) -> String {
    match name {
        CellName::Slot(slot) => format!("s{slot}"),
        CellName::Shared(number) => format!("g{number}"),
    }
}

fn cell(text: &str) -> Option<CellName> {
    if let Some(slot) = text.strip_prefix('s') {
        return slot.parse().ok().map(CellName::Slot);
    }
    text.strip_prefix('g')?.parse().ok().map(CellName::Shared)
}

fn pointer_word(name: &PointerName) -> String {
    match name {
        PointerName::Null => "null".into(),
        PointerName::To(name) => cell_word(name),
        PointerName::NextOf(name) => format!("{}.next", cell_word(name)),
        PointerName::SecondOf(name) => format!("{}.next.next", cell_word(name)),
    }
}

fn pointer(text: &str) -> Option<PointerName> {
    match (text, text.strip_suffix(".next")) {
        ("null", _) => Some(PointerName::Null),
        (_, Some(of)) => match of.strip_suffix(".next") {
            Some(of) => cell(of).map(PointerName::SecondOf),
            None => cell(of).map(PointerName::NextOf),
        },
        (of, None) => cell(of).map(PointerName::To),
    }
}

fn key_word(name: &KeyName) -> String {
    match name {
        KeyName::Min => "min".into(),
        KeyName::Max => "max".into(),
        KeyName::Slot(slot) => format!("s{slot}"),
        KeyName::Of(name) => format!("{}.key", cell_word(name)),
    }
}

fn key(text: &str) -> Option<KeyName> {
    match (text, text.strip_suffix(".key")) {
        ("min", _) => Some(KeyName::Min),
        ("max", _) => Some(KeyName::Max),
        (_, Some(of)) => cell(of).map(KeyName::Of),
        (of, None) => of.strip_prefix('s')?.parse().ok().map(KeyName::Slot),
    }
}

fn number(text: &str) -> Option<NumberName> {
    match text.split_once('.') {
        Some((of, number)) => Some(NumberName::Field(cell(of)?, number.parse().ok()?)),
        None => text.strip_prefix('s')?.parse().ok().map(NumberName::Slot),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_are_read_as_they_were_written() {
        let cells = [CellName::Slot(0), CellName::Slot(12), CellName::Shared(1)];
        let mut facts = vec![
            Fact::Same(PointerName::Null, PointerName::To(cells[0])),
            Fact::SameKey(KeyName::Min, KeyName::Max),
            Fact::Less(KeyName::Slot(3), KeyName::Of(cells[1])),
            Fact::IsTrue(NumberName::Slot(4)),
            Fact::HoldsShared(7),
        ];
        for name in cells {
            facts.push(Fact::Same(PointerName::SecondOf(name), PointerName::NextOf(name)));
            facts.push(Fact::IsTrue(NumberName::Field(name, 2)));
            facts.extend([Fact::Holds(name), Fact::Linked(name), Fact::Private(name)]);
        }
        for fact in facts {
            for is_positive in [true, false] {
                let whole = Claim { fact, is_positive };
                assert_eq!(claim(&claim_words(&whole)), Ok(whole));
            }
        }
        for wrong in
            ["", "same s1", "holds 3", "less s1 key", "true min", "has s1", "linked s", "same  s1 s2"]
        {
            assert!(claim(wrong).is_err(), "{wrong}");
        }
    }
}
