//! Lines to text, with the comments at their ends in columns.
//!
//! Comments at the ends of neighbouring lines stand in one column. It is the column of the old text if all
//! comments had the same one and every line ends before it. Otherwise it is the first that leaves two spaces
//! after the longest line. The column of a single comment counts as chosen if three spaces or more stood
//! before it, or if its line is unchanged.

/// Where a comment stood in the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Origin {
    pub(super) column: usize,
    /// The number of blanks before it.
    pub(super) gap: usize,
}

#[derive(Clone, Default, Debug)]
pub(super) struct Line {
    pub(super) indent: usize,
    pub(super) text: String,
    /// A comment at the end.
    pub(super) comment: Option<(String, Origin)>,
}

impl Line {
    fn length(&self) -> usize {
        self.indent + self.text.trim_end().chars().count()
    }
}

pub(super) fn finish(lines: Vec<Line>) -> String {
    let mut out = String::new();
    for run in lines.chunk_by(|a, b| a.comment.is_some() && b.comment.is_some()) {
        let column = comment_column(run);
        for line in run {
            let Line { indent, text, comment } = line;
            if !text.is_empty() {
                out.extend(std::iter::repeat_n(' ', *indent));
                out.push_str(text.trim_end());
            }
            if let Some((comment, _)) = comment {
                out.extend(std::iter::repeat_n(' ', column.saturating_sub(line.length())));
                out.push_str(comment);
            }
            out.push('\n');
        }
    }
    out
}

fn comment_column(run: &[Line]) -> usize {
    let longest = run.iter().map(Line::length).max().unwrap_or(0);
    let mut origins = run.iter().filter_map(|line| line.comment.as_ref().map(|(_, origin)| *origin));
    match origins.next() {
        Some(first) if first.column > longest => {
            let deliberate = run.len() > 1 || first.gap > 2 || longest + first.gap == first.column;
            let common = origins.all(|origin| origin.column == first.column);
            if deliberate && common { first.column } else { longest + 2 }
        }
        _ => longest + 2,
    }
}
