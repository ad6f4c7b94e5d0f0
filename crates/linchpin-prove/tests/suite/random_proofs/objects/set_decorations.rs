//! Decorations of sets: statements that assert, read, lock or branch, right or wrong.

use super::statements;
use fastrand::Rng;

/// Names, and lines that are inserted in front of a statement. Most fit in few places only.
const LINES: [(&str, &str); 16] = [
    ("order asserted", "assert(pred.key < curr.key);"),
    ("order asserted the other way", "assert(curr.key < pred.key);"),
    ("bound asserted", "assert(curr.key >= k);"),
    ("key asserted", "assert(curr.key != k);"),
    ("pointer asserted", "assert(curr != null);"),
    ("edge asserted", "assert(pred.next == curr);"),
    ("mark asserted", "assert(!curr.marked);"),
    ("first cell asserted", "assert(head.key == key::MIN);"),
    ("read ahead", "let ahead = curr.next;"),
    ("early answer", "if curr.key == k { return true; }"),
    ("early end", "if curr.key > k { return false; }"),
    ("choice", "if choose { pred = head; }"),
    ("a cell more", "let spare = new Node { key: k };"),
    ("locked twice", "curr.lock.lock();"),
    ("given back", "pred.lock.unlock();"),
    ("walk from the start", "curr = head;"),
];

/// Inserts a line, and says which.
pub fn decorate(rng: &mut Rng, lines: &mut Vec<String>) -> &'static str {
    let places = statements(lines);
    let Some(&at) = rng.choice(&places) else { return "nothing" };
    let (name, line) = LINES[rng.usize(0..LINES.len())];
    let indent: String = lines[at].chars().take_while(|letter| *letter == ' ').collect();
    lines.insert(at, format!("{indent}{line}"));
    name
}
