//! Builds that are broken on purpose, to show that the tests notice.

use crate::history::History;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Twin {
    Sound,
    /// A repeated step is not looked up in the history.
    NoLookup,
    /// A push overwrites a branch whose tip is another one.
    NoExpectedValue,
}

impl Twin {
    pub(crate) fn lease(self, lease: String) -> String {
        if self == Self::NoExpectedValue {
            "--force".to_owned()
        } else {
            lease
        }
    }

    pub(crate) fn history(self, history: History) -> History {
        if self == Self::NoLookup {
            history.without_steps()
        } else {
            history
        }
    }
}
