//! How long a row takes: what takes minutes is measured on request.

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
