//! The side of the mesh that a part runs on.

use std::{fmt, str::FromStr};

/// Side that a part runs on. The router runs on several.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Side {
    Platform,
    Runtime,
    Runner,
}

impl Side {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Platform => "platform",
            Self::Runtime => "runtime",
            Self::Runner => "runner",
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Side {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        [Self::Platform, Self::Runtime, Self::Runner]
            .into_iter()
            .find(|side| side.as_str() == text)
            .ok_or_else(|| format!("`{text}` is not a side: platform, runtime or runner"))
    }
}
