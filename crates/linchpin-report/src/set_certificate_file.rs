//! Certificates of list-based sets as versioned JSON files. A reader must check the certificate again.
//!
//! Facts are words. A label is a class (`m`, `b`, `k`, `a`, `x`: least, below, watched, above, greatest), a
//! place (`p`, `l`, `u`: private, linked, unlinked) and the number of the small fields, such as `bl0`. A value
//! is `null`, `undefined`, `none`, a number, `k` and a class, or `@` and the number of a cell. A cell is a
//! label, its marks (`h`: the thread holds its lock; `f`: fresh), and its pointer (`?` if unknown, `~` and the
//! number of a cell for a chain).

use linchpin_certify::set_certificate::{
    CallGhost, CellFact, CellLabel, CellPlace, EdgeEnd, EdgeView, KeyClass, NextFact,
    SET_CERTIFICATE_VERSION, SetCertificate, SlotValue, SmallFields, ThreadView,
};
use linchpin_ir::heap::ProofMethod;
use linchpin_ir::index::{Index, number_of};
use linchpin_ir::program::{GlobalId, OpId, Pc};
use linchpin_judge::trace::Fingerprint;
use serde::{Deserialize, Serialize};

/// The format without its version.
const FORMAT: &str = "linchpin-set-certificate";

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[serde(deny_unknown_fields)]
pub struct SetCertificateFile {
    pub format: String,
    /// The model as named on the command line.
    pub model: String,
    pub method: String,
    fingerprint: String,
    root: u32,
    present: Vec<u16>,
    deadlock_free: bool,
    chains: bool,
    threads: Vec<ThreadRecord>,
    edges: Vec<EdgeRecord>,
}

/// Operation and instruction, ghost, whether the key is in, locks, shared pointers, slots, cells.
type ThreadRecord = (Option<[u32; 2]>, String, bool, u32, String, String, Vec<String>);

/// Ghost, whether the key is in, cell, successor.
type EdgeRecord = (String, bool, String, Option<String>);

/// The format of files that this version writes and reads.
pub fn format() -> String {
    format!("{FORMAT}/{SET_CERTIFICATE_VERSION}")
}

/// Whether a text claims to be a certificate of a set, of any version.
pub fn is_of_a_set(text: &str) -> bool {
    #[derive(Deserialize)]
    struct Head {
        format: String,
    }
    serde_json::from_str::<Head>(text).is_ok_and(|head| head.format.starts_with(FORMAT))
}

impl SetCertificateFile {
    pub fn new(model: &str, fingerprint: Fingerprint, certificate: &SetCertificate) -> SetCertificateFile {
        SetCertificateFile {
            format: format(),
            model: model.into(),
            method: ProofMethod::Sets.name().into(),
            fingerprint: fingerprint.to_string(),
            root: number_of(certificate.root.index()),
            present: certificate.present.iter().map(|fields| fields.0).collect(),
            deadlock_free: certificate.deadlock_free,
            chains: certificate.chains,
            threads: certificate.threads.iter().map(thread_record).collect(),
            edges: certificate.edges.iter().map(edge_record).collect(),
        }
    }

    pub fn to_text(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self).map(|text| text + "\n")
    }

    /// Reads a file. The error names the problem.
    pub fn parse(text: &str) -> Result<SetCertificateFile, String> {
        let file: SetCertificateFile =
            serde_json::from_str(text).map_err(|error| format!("not a certificate of a set: {error}"))?;
        file.check_format()?;
        Ok(file)
    }

    /// Fails if the file has another format.
    pub(crate) fn check_format(&self) -> Result<(), String> {
        let expected = format();
        match self.format == expected {
            true => Ok(()),
            false => Err(format!(
                "unsupported certificate format `{}`; expected `{expected}`: \
                 make the certificate again with `prove --certificate`",
                self.format
            )),
        }
    }

    /// Returns the fingerprint of the program.
    pub fn fingerprint(&self) -> Result<Fingerprint, String> {
        self.fingerprint.parse().map_err(|_| "the fingerprint is not a number".to_string())
    }

    /// Returns the certificate. The error names an invalid part of the file.
    pub fn certificate(&self) -> Result<SetCertificate, String> {
        Ok(SetCertificate {
            root: GlobalId::new(index(self.root)),
            present: self.present.iter().copied().map(SmallFields).collect(),
            deadlock_free: self.deadlock_free,
            chains: self.chains,
            threads: self.threads.iter().map(thread).collect::<Result<_, _>>()?,
            edges: self.edges.iter().map(edge).collect::<Result<_, _>>()?,
        })
    }
}

fn index(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn thread_record(view: &ThreadView) -> ThreadRecord {
    let at = view.at.map(|(op, pc)| [number_of(op.index()), number_of(pc.index())]);
    let words = |values: &[SlotValue]| -> String {
        values.iter().map(|value| value_word(*value)).collect::<Vec<_>>().join(" ")
    };
    let cells = view.cells.iter().map(cell_word).collect();
    let (shared, slots) = (words(&view.shared), words(&view.slots));
    (at, ghost_word(view.ghost).into(), view.is_in, view.locks, shared, slots, cells)
}

fn thread(record: &ThreadRecord) -> Result<ThreadView, String> {
    let (at, ghost, is_in, locks, shared, slots, cells) = record;
    let values = |text: &str| text.split_whitespace().map(value).collect::<Result<Vec<_>, _>>();
    Ok(ThreadView {
        at: at.map(|[op, pc]| (OpId::new(index(op)), Pc::new(index(pc)))),
        ghost: self::ghost(ghost)?,
        is_in: *is_in,
        locks: *locks,
        shared: values(shared)?,
        slots: values(slots)?,
        cells: cells.iter().map(|text| cell(text)).collect::<Result<_, _>>()?,
    })
}

fn edge_record(view: &EdgeView) -> EdgeRecord {
    let end = |end: EdgeEnd| format!("{}{}", label_word(end.label), if end.fresh { " f" } else { "" });
    (ghost_word(view.ghost).into(), view.is_in, end(view.from), view.to.map(end))
}

fn edge((ghost, is_in, from, to): &EdgeRecord) -> Result<EdgeView, String> {
    let end = |text: &str| {
        let (word, fresh) = match text.strip_suffix(" f") {
            Some(word) => (word, true),
            None => (text, false),
        };
        Ok::<EdgeEnd, String>(EdgeEnd { label: label(word)?, fresh })
    };
    let to = to.as_deref().map(end).transpose()?;
    Ok(EdgeView { ghost: self::ghost(ghost)?, is_in: *is_in, from: end(from)?, to })
}

fn ghost_word(ghost: CallGhost) -> &'static str {
    match ghost {
        CallGhost::None => "none",
        CallGhost::Other => "other",
        CallGhost::Watched { seen_in: false, seen_out: false } => "watched",
        CallGhost::Watched { seen_in: true, seen_out: false } => "watched in",
        CallGhost::Watched { seen_in: false, seen_out: true } => "watched out",
        CallGhost::Watched { seen_in: true, seen_out: true } => "watched in out",
        CallGhost::Done => "done",
    }
}

fn ghost(word: &str) -> Result<CallGhost, String> {
    let bits = [false, true];
    let watched = bits
        .into_iter()
        .flat_map(|seen_in| bits.into_iter().map(move |seen_out| CallGhost::Watched { seen_in, seen_out }));
    let mut all = watched.chain([CallGhost::None, CallGhost::Other, CallGhost::Done]);
    all.find(|ghost| ghost_word(*ghost) == word).ok_or_else(|| format!("`{word}` is not the state of a call"))
}

const CLASSES: [(KeyClass, char); 5] = [
    (KeyClass::Min, 'm'),
    (KeyClass::Below, 'b'),
    (KeyClass::Watched, 'k'),
    (KeyClass::Above, 'a'),
    (KeyClass::Max, 'x'),
];

const PLACES: [(CellPlace, char); 3] =
    [(CellPlace::Private, 'p'), (CellPlace::Linked, 'l'), (CellPlace::Unlinked, 'u')];

fn letter<T: Copy + PartialEq>(all: &[(T, char)], item: T) -> char {
    all.iter().find(|(known, _)| *known == item).map_or('?', |(_, letter)| *letter)
}

fn of_letter<T: Copy>(all: &[(T, char)], letter: Option<char>, text: &str) -> Result<T, String> {
    let found = all.iter().find(|(_, known)| Some(*known) == letter);
    found.map(|(item, _)| *item).ok_or_else(|| format!("`{text}` is not a fact"))
}

fn label_word(label: CellLabel) -> String {
    format!("{}{}{}", letter(&CLASSES, label.class), letter(&PLACES, label.place), label.fields.0)
}

fn label(text: &str) -> Result<CellLabel, String> {
    let mut letters = text.chars();
    let class = of_letter(&CLASSES, letters.next(), text)?;
    let place = of_letter(&PLACES, letters.next(), text)?;
    let fields = letters.as_str().parse().map_err(|_| format!("`{text}` is not a label"))?;
    Ok(CellLabel { class, fields: SmallFields(fields), place })
}

fn cell_word(fact: &CellFact) -> String {
    let marks = [(fact.mine, 'h'), (fact.fresh, 'f')];
    let marks: String = marks.iter().filter(|(has, _)| *has).map(|(_, mark)| *mark).collect();
    let next = match fact.next {
        NextFact::Unknown => "?".into(),
        NextFact::Null => "null".into(),
        NextFact::Cell(next) => format!("@{next}"),
        NextFact::Chain(next) => format!("~{next}"),
    };
    format!("{} {marks} {next}", label_word(fact.label))
}

fn cell(text: &str) -> Result<CellFact, String> {
    let wrong = || format!("`{text}` is not a cell");
    let [label_text, marks, next] = text.split(' ').collect::<Vec<_>>()[..] else { return Err(wrong()) };
    if marks.chars().any(|mark| !matches!(mark, 'h' | 'f')) {
        return Err(wrong());
    }
    let next = match next {
        "?" => NextFact::Unknown,
        "null" => NextFact::Null,
        chain if chain.starts_with('~') => NextFact::Chain(chain[1..].parse().map_err(|_| wrong())?),
        other => match value(other)? {
            SlotValue::Cell(next) => NextFact::Cell(next),
            _ => return Err(wrong()),
        },
    };
    Ok(CellFact { label: label(label_text)?, mine: marks.contains('h'), fresh: marks.contains('f'), next })
}

fn value_word(value: SlotValue) -> String {
    match value {
        SlotValue::Null => "null".into(),
        SlotValue::Undefined => "undefined".into(),
        SlotValue::Absent => "none".into(),
        SlotValue::Number(number) => number.to_string(),
        SlotValue::Key(class) => format!("k{}", letter(&CLASSES, class)),
        SlotValue::Cell(cell) => format!("@{cell}"),
    }
}

fn value(text: &str) -> Result<SlotValue, String> {
    let wrong = || format!("`{text}` is not a value");
    Ok(match text {
        "null" => SlotValue::Null,
        "undefined" => SlotValue::Undefined,
        "none" => SlotValue::Absent,
        _ => {
            if let Some(class) = text.strip_prefix('k') {
                SlotValue::Key(of_letter(&CLASSES, class.chars().next().filter(|_| class.len() == 1), text)?)
            } else if let Some(cell) = text.strip_prefix('@') {
                SlotValue::Cell(cell.parse().map_err(|_| wrong())?)
            } else {
                SlotValue::Number(text.parse().map_err(|_| wrong())?)
            }
        }
    })
}
