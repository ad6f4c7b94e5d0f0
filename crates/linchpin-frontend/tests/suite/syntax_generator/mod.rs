//! Texts of the grammar, drawn from a string of choices.
//!
//! A choice takes the next byte; when none is left it is 0, the shortest alternative. So every string of
//! bytes gives a text, and a shorter string a smaller one: proptest shrinks programs by shrinking bytes.
//! Between any two tokens stands white space, sometimes with a comment.

mod expressions;
mod items;
mod statements;

struct Choices<'b> {
    bytes: std::slice::Iter<'b, u8>,
    depth: usize,
    comments: usize,
    out: String,
    /// Whether a word literal may stand outside of brackets.
    literals: bool,
}

/// A file without errors.
pub fn file(bytes: &[u8]) -> String {
    let mut choices =
        Choices { bytes: bytes.iter(), depth: 0, comments: 0, out: String::new(), literals: true };
    choices.file();
    choices.out
}

const NAMES: [&str; 12] =
    ["x", "head", "next", "key", "lock", "state", "word", "check", "data", "hash", "threads", "init_"];
const CAPITALS: [&str; 5] = ["N", "Node", "Link", "State", "T"];

impl Choices<'_> {
    fn pick(&mut self, alternatives: usize) -> usize {
        self.bytes.next().map_or(0, |byte| *byte as usize % alternatives)
    }

    fn chance(&mut self) -> bool {
        self.pick(3) == 1
    }

    /// One of `alternatives`, but the first when it is getting deep.
    fn branch(&mut self, alternatives: usize) -> usize {
        if self.depth > 12 { 0 } else { self.pick(alternatives) }
    }

    fn nested(&mut self, build: impl FnOnce(&mut Self)) {
        self.depth += 1;
        build(self);
        self.depth -= 1;
    }

    fn gap(&mut self) {
        match self.pick(24) {
            1 => self.out.push('\n'),
            2 => self.out.push_str("\n\n\n"),
            3 => self.comment("  "),
            4 => self.comment("\n    "),
            5 => {
                self.comment("\n\n");
                self.comment("");
            }
            6 => self.comment("        "),
            _ => self.out.push(' '),
        }
    }

    fn comment(&mut self, before: &str) {
        self.comments += 1;
        let number = self.comments;
        self.out.push_str(before);
        self.out.push_str(&format!("// comment {number}\n"));
    }

    /// Tokens, separated by spaces in `text`.
    fn put(&mut self, text: &str) {
        for token in text.split(' ') {
            self.out.push_str(token);
            self.gap();
        }
    }

    fn one_of(&mut self, texts: &[&str]) {
        let index = self.pick(texts.len());
        self.put(texts[index]);
    }

    fn name(&mut self) {
        self.one_of(&NAMES);
    }

    fn capital(&mut self) {
        self.one_of(&CAPITALS);
    }

    fn number(&mut self) {
        self.one_of(&["0", "1", "42", "9223372036854775807", "1_000"]);
    }

    fn list(&mut self, separator: &str, least: usize, mut element: impl FnMut(&mut Self)) {
        let count = least + [0, 1, 2, 7][self.branch(4)];
        for index in 0..count {
            if index > 0 {
                self.put(separator);
            }
            self.nested(&mut element);
        }
        if count > 0 && separator == "," && least == 0 && self.chance() {
            self.put(",");
        }
    }

    fn file(&mut self) {
        if self.chance() {
            self.out.push_str("//! A header.\n//!\n//!   Its second line.\n");
        }
        if self.chance() {
            self.put("object");
            self.capital();
            self.put(":");
            self.capital();
            if self.chance() {
                self.put("<");
                self.list(",", 1, Self::ty);
                self.put(">");
            }
            if self.chance() {
                self.put("(");
                self.list(",", 1, Self::expr);
                self.put(")");
            }
            self.put(";");
        }
        let count = 1 + self.pick(6);
        for _ in 0..count {
            self.item();
        }
    }
}
