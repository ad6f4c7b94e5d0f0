//! Texts with holes, and how a draw fills them.
//!
//! A hole is written `«…»`, its alternatives are separated by `¦`, and alternatives may have holes
//! themselves:
//!
//! | hole | what is drawn |
//! |---|---|
//! | `«a¦b¦c»` | a *slip*: `a` is right; now and then it is one of the others |
//! | `«*a¦b¦c»` | any of them alike |
//! | `«~a¦b¦c»` | all of them in order; a slip leaves one out or exchanges two neighbours |
//! | `«name!a¦b»`, `«name*a¦b»` | as the first two, and the choice gets a name |
//! | `«name:x¦y»` | the alternative of the same number as in the hole with this name |
//!
//! A name is one small letter. How often a slip is made is the draw's, so some draws make none.

use fastrand::Rng;
use std::collections::BTreeMap;

/// What fills holes.
pub struct Draw<'r> {
    rng: &'r mut Rng,
    /// Of a hundred slips that could be made, so many are.
    slips: u32,
    named: BTreeMap<char, usize>,
}

impl<'r> Draw<'r> {
    pub fn new(rng: &'r mut Rng, slips: u32) -> Draw<'r> {
        Draw { rng, slips, named: BTreeMap::new() }
    }

    /// The text with every hole filled.
    pub fn fill(&mut self, template: &str) -> String {
        let mut text = String::new();
        let mut rest = template;
        while let Some(start) = rest.find(OPEN) {
            let (before, hole) = rest.split_at(start);
            let end = closing(hole);
            text.push_str(before);
            text.push_str(&self.hole(&hole[OPEN.len_utf8()..end]));
            rest = &hole[end + CLOSE.len_utf8()..];
        }
        text.push_str(rest);
        text
    }

    fn hole(&mut self, hole: &str) -> String {
        let (name, kind, alternatives) = head(hole);
        let alternatives = alternatives_of(alternatives);
        let count = alternatives.len();
        let chosen = match kind {
            Kind::Order => return self.ordered(&alternatives),
            Kind::Slip => self.slip(count),
            Kind::Free => self.rng.usize(0..count),
            Kind::Same => {
                let name = name.unwrap_or_else(|| panic!("a hole without a name: «{hole}»"));
                *self.named.get(&name).unwrap_or_else(|| panic!("nothing was named `{name}` before «{hole}»"))
            }
        };
        if let Some(name) = name {
            self.named.insert(name, chosen);
        }
        let text = alternatives.get(chosen).unwrap_or_else(|| panic!("no alternative {chosen} in «{hole}»"));
        self.fill(text)
    }

    fn slips(&mut self) -> bool {
        self.rng.u32(0..100) < self.slips
    }

    fn slip(&mut self, count: usize) -> usize {
        if count > 1 && self.slips() { self.rng.usize(1..count) } else { 0 }
    }

    fn ordered(&mut self, parts: &[&str]) -> String {
        let mut parts = parts.to_vec();
        if parts.len() > 1 && self.slips() {
            let at = self.rng.usize(1..parts.len());
            if self.rng.bool() {
                parts.swap(at - 1, at);
            } else {
                parts.remove(at);
            }
        }
        let filled: Vec<String> = parts.iter().map(|part| self.fill(part)).collect();
        filled.join("\n    ")
    }
}

const OPEN: char = '«';
const CLOSE: char = '»';
const BAR: char = '¦';

enum Kind {
    Slip,
    Free,
    Order,
    Same,
}

/// What stands before the alternatives.
fn head(hole: &str) -> (Option<char>, Kind, &str) {
    let kind = |sigil: Option<char>| match sigil? {
        '!' => Some(Kind::Slip),
        '*' => Some(Kind::Free),
        ':' => Some(Kind::Same),
        _ => None,
    };
    let mut letters = hole.chars();
    let (first, second) = (letters.next(), letters.next());
    match (first, kind(second)) {
        (Some(name), Some(kind)) if name.is_ascii_lowercase() => (Some(name), kind, &hole[2..]),
        (Some('*'), _) => (None, Kind::Free, &hole[1..]),
        (Some('~'), _) => (None, Kind::Order, &hole[1..]),
        _ => (None, Kind::Slip, hole),
    }
}

/// Where the hole that the text begins with is closed.
fn closing(hole: &str) -> usize {
    let mut depth = 0;
    for (at, letter) in hole.char_indices() {
        match letter {
            OPEN => depth += 1,
            CLOSE if depth == 1 => return at,
            CLOSE => depth -= 1,
            _ => {}
        }
    }
    panic!("a hole is not closed: {hole}")
}

fn alternatives_of(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut found) = (0, 0, Vec::new());
    for (at, letter) in text.char_indices() {
        match letter {
            OPEN => depth += 1,
            CLOSE => depth -= 1,
            BAR if depth == 0 => {
                found.push(&text[start..at]);
                start = at + BAR.len_utf8();
            }
            _ => {}
        }
    }
    found.push(&text[start..]);
    found
}

#[test]
fn holes_are_filled() {
    let filled = |template: &str, slips: u32| -> Vec<String> {
        let mut rng = Rng::with_seed(1);
        let mut texts: Vec<String> = (0..100).map(|_| Draw::new(&mut rng, slips).fill(template)).collect();
        texts.sort();
        texts.dedup();
        texts
    };
    assert_eq!(filled("x «a¦b¦c» y", 0), ["x a y"]);
    assert_eq!(filled("x «a¦b¦c» y", 100), ["x b y", "x c y"]);
    assert_eq!(filled("«*a¦b»«c¦»", 0), ["ac", "bc"]);
    assert_eq!(filled("«n*a¦b»-«n:c¦d»«n:¦e»", 0), ["a-c", "b-de"]);
    assert_eq!(filled("«n!a¦b»-«n:c¦«*d¦e»»", 50), ["a-c", "b-d", "b-e"]);
    assert_eq!(filled("«~a¦b»", 0), ["a\n    b"]);
    assert_eq!(filled("«~a¦b»", 100), ["a", "b\n    a"]);
}
