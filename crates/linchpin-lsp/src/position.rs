//! Positions of the protocol: lines from 0, columns in units of UTF-16.

use linchpin_ir::source::Span;
use lsp_types::{Position, Range};

/// The lines of a text.
#[derive(Clone, Debug)]
pub struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    pub fn of(text: &str) -> Lines {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Lines { starts: std::iter::once(0).chain(breaks).collect() }
    }

    /// Returns the position of a byte. A byte inside a character belongs to the character.
    pub fn position(&self, text: &str, byte: usize) -> Position {
        let byte = byte.min(text.len());
        let line = self.starts.partition_point(|start| *start <= byte) - 1;
        let units = text[self.starts[line]..].char_indices();
        let before = units.take_while(|(at, _)| self.starts[line] + at < byte);
        let column: usize = before.map(|(_, character)| character.len_utf16()).sum();
        Position { line: number(line), character: number(column) }
    }

    /// Returns the byte of a position. A position beyond a line is the end of the line.
    pub fn byte(&self, text: &str, position: Position) -> usize {
        let line = usize::try_from(position.line).unwrap_or(usize::MAX);
        let Some(&start) = self.starts.get(line) else { return text.len() };
        let end = self.starts.get(line + 1).map_or(text.len(), |next| next - 1);
        let mut left = position.character;
        for (at, character) in text[start..end].char_indices() {
            let units = number(character.len_utf16());
            if left < units || character == '\r' && start + at + 1 == end {
                return start + at;
            }
            left -= units;
        }
        end
    }

    pub fn range(&self, text: &str, span: Span) -> Range {
        let place = |at: u32| self.position(text, usize::try_from(at).unwrap_or(usize::MAX));
        Range { start: place(span.start), end: place(span.end) }
    }
}

/// Texts are smaller than 1 GiB.
pub fn number(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_units_of_utf_16_and_go_back_and_forth() {
        let text = "aé𝄞b\r\nzweite\n\nx";
        let lines = Lines::of(text);
        let place = |line, character| Position { line, character };
        assert_eq!(lines.position(text, text.find('b').expect("a letter")), place(0, 4));
        assert_eq!(lines.position(text, text.len()), place(3, 1));
        for (at, _) in text.char_indices().filter(|(_, character)| !"\r\n".contains(*character)) {
            assert_eq!(lines.byte(text, lines.position(text, at)), at);
        }
        // Inside the pair of units, beyond the line, beyond the text.
        assert_eq!(lines.byte(text, place(0, 3)), text.find('𝄞').expect("a letter"));
        assert_eq!(lines.byte(text, place(0, 99)), text.find('\r').expect("an end"));
        assert_eq!(lines.byte(text, place(9, 0)), text.len());
    }
}
