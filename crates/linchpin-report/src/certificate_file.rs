//! Certificates as versioned JSON files. A reader must check the certificate again.
//!
//! A shape is a string with one character for each pair of terms. A set of six relations is a digit of base
//! 64.

use linchpin_certify::certificate::{
    AgeOrigin, Certificate, Effect, Invariant, LocalState, Obligation, Rest, RestSlot, Returned, SharedState,
    Slot, Symbol, View, WatchedCell,
};
use linchpin_ir::heap::ProofMethod;
use linchpin_ir::index::Index;
use linchpin_ir::index::byte_of;
use linchpin_ir::program::{LocalId, OpId, Pc};
use linchpin_judge::trace::Fingerprint;
use serde::{Deserialize, Serialize};

/// The format version. It changes with the fields of the file and with the encoding of fingerprints.
pub const FORMAT: &str = "linchpin-certificate/3";

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[serde(deny_unknown_fields)]
pub struct CertificateFile {
    pub format: String,
    /// The model as named on the command line.
    pub model: String,
    pub method: String,
    fingerprint: String,
    rests: Vec<RestRecord>,
    invariants: Vec<InvariantRecord>,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[serde(deny_unknown_fields)]
struct RestRecord {
    op: Number,
    at: Number,
    slots: Vec<RestSlotRecord>,
    returns: ReturnedRecord,
}

/// Number of an operation, an instruction or a local. The reader rejects a number out of range.
type Number = u32;

/// A local and the index of its part.
type SlotRecord = [Number; 2];

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[serde(deny_unknown_fields)]
struct RestSlotRecord {
    slot: SlotRecord,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    age_of: Option<OriginRecord>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    until_stale: Option<SlotRecord>,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum OriginRecord {
    Shared(usize),
    CellBehind(SlotRecord),
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum ReturnedRecord {
    Unclear,
    Nothing,
    None,
    Value(SlotRecord),
    DataBehind(SlotRecord),
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[serde(deny_unknown_fields)]
struct InvariantRecord {
    question: QuestionRecord,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    ordered: bool,
    shared: Vec<SharedRecord>,
    locals: Vec<LocalRecord>,
    views: Vec<ViewRecord>,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum QuestionRecord {
    Observers(usize),
    Memory { kept_by: Option<usize> },
    Assertions,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[serde(deny_unknown_fields)]
struct SharedRecord {
    location: u16,
    used: u8,
    held: u32,
    variables: Vec<String>,
    tracked: Vec<bool>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    undefined: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    kept: bool,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[serde(deny_unknown_fields)]
struct LocalRecord {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rests: Option<u16>,
    effect: EffectRecord,
    holds: u32,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    answers: bool,
    slots: Vec<String>,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum EffectRecord {
    Waiting,
    Due,
    Done(String),
    Tentative(bool),
}

/// Shared state, two local states, shape. With labels: a colon, then two hexadecimal digits for each set of
/// labels.
type ViewRecord = (usize, usize, usize, String);

impl CertificateFile {
    pub fn new(
        model: &str,
        fingerprint: Fingerprint,
        method: &str,
        certificate: &Certificate,
    ) -> CertificateFile {
        CertificateFile {
            format: FORMAT.into(),
            model: model.into(),
            method: method.into(),
            fingerprint: fingerprint.to_string(),
            rests: certificate.rests.iter().map(rest_record).collect(),
            invariants: certificate.invariants.iter().map(invariant_record).collect(),
        }
    }

    pub fn to_text(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self).map(|text| text + "\n")
    }

    /// Reads a file. The error names the problem and its position.
    pub fn parse(text: &str) -> Result<CertificateFile, String> {
        #[derive(Deserialize)]
        struct Head {
            format: Option<String>,
        }
        let head: Head = serde_json::from_str(text).map_err(|error| format!("not a JSON object: {error}"))?;
        match head.format.as_deref() {
            Some(FORMAT) => {}
            Some(other) => {
                return Err(format!(
                    "unsupported certificate format `{other}`; expected `{FORMAT}`: \
                     make the certificate again with `prove --certificate`"
                ));
            }
            None => return Err(format!("the field `format` is missing; expected `{FORMAT}`")),
        }
        let file: CertificateFile =
            serde_json::from_str(text).map_err(|error| format!("not a certificate: {error}"))?;
        let method = ProofMethod::Pairs.name();
        if file.method != method {
            return Err(format!("unsupported method `{}`; expected `{method}`", file.method));
        }
        Ok(file)
    }

    /// Returns the fingerprint of the program.
    pub fn fingerprint(&self) -> Result<Fingerprint, String> {
        self.fingerprint.parse().map_err(|_| "the fingerprint is not a number".to_string())
    }

    /// Returns the certificate. The error names an invalid part of the file.
    pub fn certificate(&self) -> Result<Certificate, String> {
        Ok(Certificate {
            rests: self.rests.iter().map(rest).collect(),
            invariants: self.invariants.iter().map(invariant).collect::<Result<_, _>>()?,
        })
    }
}

fn rest_record(rest: &Rest) -> RestRecord {
    let slot = |slot: &RestSlot| RestSlotRecord {
        slot: slot_record(slot.slot),
        age_of: slot.origin.map(|origin| match origin {
            AgeOrigin::Shared(part) => OriginRecord::Shared(part),
            AgeOrigin::Cell(pointer) => OriginRecord::CellBehind(slot_record(pointer)),
        }),
        until_stale: slot.until_stale.map(slot_record),
    };
    RestRecord {
        op: number(rest.op.index()),
        at: number(rest.pc.index()),
        slots: rest.slots.iter().map(slot).collect(),
        returns: match rest.returned {
            Returned::Unclear => ReturnedRecord::Unclear,
            Returned::Nothing => ReturnedRecord::Nothing,
            Returned::None => ReturnedRecord::None,
            Returned::Slot(slot) => ReturnedRecord::Value(slot_record(slot)),
            Returned::DataOf(slot) => ReturnedRecord::DataBehind(slot_record(slot)),
        },
    }
}

fn rest(record: &RestRecord) -> Rest {
    let rest_slot = |record: &RestSlotRecord| RestSlot {
        slot: slot(record.slot),
        origin: record.age_of.as_ref().map(|origin| match origin {
            OriginRecord::Shared(part) => AgeOrigin::Shared(*part),
            OriginRecord::CellBehind(pointer) => AgeOrigin::Cell(slot(*pointer)),
        }),
        until_stale: record.until_stale.map(slot),
    };
    Rest {
        op: OpId::new(index(record.op)),
        pc: Pc::new(index(record.at)),
        slots: record.slots.iter().map(rest_slot).collect(),
        returned: match record.returns {
            ReturnedRecord::Unclear => Returned::Unclear,
            ReturnedRecord::Nothing => Returned::Nothing,
            ReturnedRecord::None => Returned::None,
            ReturnedRecord::Value(of) => Returned::Slot(slot(of)),
            ReturnedRecord::DataBehind(of) => Returned::DataOf(slot(of)),
        },
    }
}

fn slot_record(slot: Slot) -> SlotRecord {
    [number(slot.local.index()), number(slot.part)]
}

/// Converts an index; indices fit into 32 bits.
fn number(index: usize) -> Number {
    Number::try_from(index).unwrap_or(Number::MAX)
}

fn index(number: Number) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn slot([local, part]: SlotRecord) -> Slot {
    Slot { local: LocalId::new(index(local)), part: index(part) }
}

fn invariant_record(invariant: &Invariant) -> InvariantRecord {
    let view = |view: &View| {
        let [first, second] = view.locals;
        let mut shape: String = view.shape.iter().map(|set| digit(*set)).collect();
        if !view.labels.is_empty() {
            shape.push(':');
            shape.extend(view.labels.iter().map(|labels| format!("{labels:02x}")));
        }
        (view.shared, first, second, shape)
    };
    InvariantRecord {
        question: match invariant.question {
            Obligation::Observers(group) => QuestionRecord::Observers(group),
            Obligation::Memory { root } => QuestionRecord::Memory { kept_by: root },
            Obligation::Assertions => QuestionRecord::Assertions,
        },
        ordered: invariant.ordered,
        shared: invariant.shared.iter().map(shared_record).collect(),
        locals: invariant.locals.iter().map(local_record).collect(),
        views: invariant.views.iter().map(view).collect(),
    }
}

fn invariant(record: &InvariantRecord) -> Result<Invariant, String> {
    let view = |(shared, first, second, shape): &ViewRecord| {
        let set = |letter: char| set(letter).ok_or_else(|| format!("`{letter}` is not a set of relations"));
        let (shape, labels) = shape.split_once(':').unwrap_or((shape, ""));
        let shape = shape.chars().map(set).collect::<Result<_, _>>()?;
        let labels =
            labels_of(labels).ok_or_else(|| format!("`{labels}` is not a list of sets of labels"))?;
        Ok::<View, String>(View { shared: *shared, locals: [*first, *second], shape, labels })
    };
    Ok(Invariant {
        question: match record.question {
            QuestionRecord::Observers(group) => Obligation::Observers(group),
            QuestionRecord::Memory { kept_by } => Obligation::Memory { root: kept_by },
            QuestionRecord::Assertions => Obligation::Assertions,
        },
        ordered: record.ordered,
        shared: record.shared.iter().map(shared_state).collect::<Result<_, _>>()?,
        locals: record.locals.iter().map(local_state).collect::<Result<_, _>>()?,
        views: record.views.iter().map(view).collect::<Result<_, _>>()?,
    })
}

fn shared_record(shared: &SharedState) -> SharedRecord {
    SharedRecord {
        location: shared.location,
        used: shared.used,
        held: shared.held,
        variables: shared.globals.iter().map(|symbol| word(*symbol)).collect(),
        tracked: shared.tracked.clone(),
        undefined: shared.watch.undefined,
        kept: shared.watch.shared,
    }
}

fn shared_state(record: &SharedRecord) -> Result<SharedState, String> {
    Ok(SharedState {
        location: record.location,
        used: record.used,
        held: record.held,
        globals: record.variables.iter().map(|text| symbol(text)).collect::<Result<_, _>>()?,
        tracked: record.tracked.clone(),
        watch: WatchedCell { undefined: record.undefined, shared: record.kept },
    })
}

fn local_record(local: &LocalState) -> LocalRecord {
    LocalRecord {
        rests: local.at,
        effect: match local.effect {
            Effect::Waiting => EffectRecord::Waiting,
            Effect::Due => EffectRecord::Due,
            Effect::Done(said) => EffectRecord::Done(word(said)),
            Effect::Tentative { right } => EffectRecord::Tentative(right),
        },
        holds: local.holds,
        answers: local.answers,
        slots: local.slots.iter().map(|symbol| word(*symbol)).collect(),
    }
}

fn local_state(record: &LocalRecord) -> Result<LocalState, String> {
    Ok(LocalState {
        at: record.rests,
        effect: match &record.effect {
            EffectRecord::Waiting => Effect::Waiting,
            EffectRecord::Due => Effect::Due,
            EffectRecord::Done(said) => Effect::Done(symbol(said)?),
            EffectRecord::Tentative(right) => Effect::Tentative { right: *right },
        },
        holds: record.holds,
        answers: record.answers,
        slots: record.slots.iter().map(|text| symbol(text)).collect::<Result<_, _>>()?,
    })
}

/// Words for classes of values without a number.
const WORDS: [(Symbol, &str); 9] = [
    (Symbol::Unknown, "any"),
    (Symbol::Null, "null"),
    (Symbol::Garbage, "wild"),
    (Symbol::Cell, "cell"),
    (Symbol::Absent, "none"),
    (Symbol::Other, "data"),
    (Symbol::Undefined, "undefined"),
    (Symbol::Current, "current"),
    (Symbol::Stale, "stale"),
];

fn word(symbol: Symbol) -> String {
    match symbol {
        Symbol::Tracked(variable) => format!("#{variable}"),
        Symbol::Small(number) => number.to_string(),
        Symbol::Key(class) => format!("key{class}"),
        symbol => {
            WORDS.iter().find(|(known, _)| *known == symbol).map_or("any", |(_, word)| word).to_string()
        }
    }
}

fn symbol(text: &str) -> Result<Symbol, String> {
    let named = WORDS.iter().find(|(_, word)| *word == text).map(|(symbol, _)| *symbol);
    let variable = || text.strip_prefix('#').and_then(|number| number.parse().ok()).map(Symbol::Tracked);
    let small = || text.parse().ok().map(Symbol::Small);
    let key = || text.strip_prefix("key").and_then(|class| class.parse().ok()).map(Symbol::Key);
    named
        .or_else(variable)
        .or_else(small)
        .or_else(key)
        .ok_or_else(|| format!("`{text}` is not a class of values"))
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-";

fn digit(set: u8) -> char {
    char::from(DIGITS[usize::from(set & 63)])
}

fn set(digit: char) -> Option<u8> {
    DIGITS.iter().position(|known| char::from(*known) == digit).map(byte_of)
}

/// Reads sets of labels, two hexadecimal digits each.
fn labels_of(digits: &str) -> Option<Vec<u8>> {
    let digits: Vec<u32> = digits.chars().map(|digit| digit.to_digit(16)).collect::<Option<_>>()?;
    let pair = |pair: &[u32]| u8::try_from(pair.first()? * 16 + pair.get(1)?).ok();
    digits.chunks(2).map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fingerprints of older files have another encoding.
    #[test]
    fn an_old_format_is_refused() {
        let refused = CertificateFile::parse(r#"{"format": "linchpin-certificate/2", "model": "m.lin"}"#);
        assert_eq!(
            refused.expect_err("an old format"),
            "unsupported certificate format `linchpin-certificate/2`; expected `linchpin-certificate/3`: \
             make the certificate again with `prove --certificate`"
        );
    }

    #[test]
    fn words_and_digits_are_read_as_they_were_written() {
        let others =
            [Symbol::Tracked(0), Symbol::Tracked(7), Symbol::Small(-128), Symbol::Small(3), Symbol::Key(1)];
        for symbol_of in WORDS.iter().map(|(symbol, _)| *symbol).chain(others) {
            assert_eq!(symbol(&word(symbol_of)), Ok(symbol_of));
        }
        assert!(
            symbol("").is_err() && symbol("#").is_err() && symbol("#256").is_err() && symbol("128").is_err()
        );
        assert!((0..64).all(|relations| set(digit(relations)) == Some(relations)));
    }
}
