//! Enumerates the choices of a run by running it again: each run makes the next sequence of choices.

/// The choices of one run.
#[derive(Default)]
pub struct Chooser {
    made: Vec<(usize, usize)>,
    at: usize,
}

impl Chooser {
    /// Returns a number less than `options`. With one option there is no choice.
    pub fn pick(&mut self, options: usize) -> usize {
        if options <= 1 {
            return 0;
        }
        if self.at == self.made.len() {
            self.made.push((0, options));
        }
        let (chosen, _) = self.made[self.at];
        self.at += 1;
        chosen
    }

    /// Moves to the next sequence of choices; false if there is none.
    pub fn advance(&mut self) -> bool {
        self.at = 0;
        while let Some((chosen, options)) = self.made.pop() {
            if chosen + 1 < options {
                self.made.push((chosen + 1, options));
                return true;
            }
        }
        false
    }
}
