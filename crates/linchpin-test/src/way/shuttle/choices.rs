//! The choices of a scheduler: which of the threads that may go on does.
//!
//! A choice is made where at least two threads may go on. Its number counts them, the current thread first. A
//! list of choices is text as `0x12.1.0x3`: twelve times the first, then the second, then three times the
//! first.

/// The number of the chosen thread at each choice.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Choices(pub Vec<u8>);

impl Choices {
    pub fn text(&self) -> String {
        let mut runs: Vec<(u8, usize)> = Vec::new();
        for &choice in &self.0 {
            match runs.last_mut() {
                Some((last, times)) if *last == choice => *times += 1,
                _ => runs.push((choice, 1)),
            }
        }
        let run = |(choice, times): (u8, usize)| match times {
            1 => choice.to_string(),
            times => format!("{choice}x{times}"),
        };
        runs.into_iter().map(run).collect::<Vec<_>>().join(".")
    }

    pub fn parse(text: &str) -> Option<Choices> {
        let mut choices = Vec::new();
        for run in text.split('.').filter(|run| !run.is_empty()) {
            let (choice, times) = run.split_once('x').unwrap_or((run, "1"));
            let times: usize = times.parse().ok().filter(|times| *times <= 1_000_000)?;
            choices.extend(std::iter::repeat_n(choice.parse::<u8>().ok()?, times));
        }
        Some(Choices(choices))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_choices_is_read_back() {
        for list in [vec![], vec![0], vec![0, 0, 0, 2, 1, 1], vec![255; 40]] {
            let choices = Choices(list);
            assert_eq!(Choices::parse(&choices.text()), Some(choices));
        }
        assert_eq!(Choices(vec![0, 0, 1]).text(), "0x2.1");
        assert_eq!(Choices::parse("0x"), None);
        assert_eq!(Choices::parse("300"), None);
    }
}
