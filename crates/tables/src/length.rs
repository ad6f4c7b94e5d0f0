//! The duration of a row. Rows that take minutes are measured on request.

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Length {
    Short,
    Long,
}

impl Length {
    pub fn is_left_out(self, long: bool) -> bool {
        self == Length::Long && !long
    }
}
