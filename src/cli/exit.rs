//! How a command ends. Owns the exit codes and which one wins.

use std::process::ExitCode;

/// How a command ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All was done.
    Done,
    /// A search found nothing.
    NothingFound,
    /// The request cannot be understood, or names what is not there.
    Usage,
    /// The store cannot be opened.
    NoStore,
    /// Some of it was done.
    Partial,
    /// `doctor` found damage.
    Damage,
    /// Something failed during work.
    Failed,
}

/// Interrupted from the keyboard: 128 and the number of the signal, as shells count.
pub(crate) const INTERRUPTED: i32 = 130;

/// When several hold, the first one here wins.
const ORDER: [Exit; 7] = [
    Exit::NoStore,
    Exit::Failed,
    Exit::Usage,
    Exit::Damage,
    Exit::Partial,
    Exit::NothingFound,
    Exit::Done,
];

impl Exit {
    /// Returns the number.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::NothingFound => 1,
            Self::Usage => 2,
            Self::NoStore => 3,
            Self::Partial => 4,
            Self::Damage => 5,
            Self::Failed => 6,
        }
    }

    /// Returns whichever of two endings wins.
    pub(crate) fn or(self, other: Self) -> Self {
        ORDER
            .into_iter()
            .find(|exit| *exit == self || *exit == other)
            .unwrap_or(self)
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_six_two_five_four_one_is_the_order() {
        let codes: Vec<u8> = ORDER.iter().map(|exit| exit.code()).collect();
        assert_eq!(codes, [3, 6, 2, 5, 4, 1, 0]);
        for (above_idx, above) in ORDER.into_iter().enumerate() {
            for below in ORDER.into_iter().skip(above_idx) {
                assert_eq!(above.or(below), above);
                assert_eq!(below.or(above), above);
            }
        }
    }
}
