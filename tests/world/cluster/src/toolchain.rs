//! Finds the Go toolchain and checks its version.

use std::{
    fmt,
    path::{Path, PathBuf},
    process::Command,
    str::FromStr,
};

use crate::ProgramsError;

/// Such as 1.26.3; a part that is not given is zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct GoVersion([u16; 3]);

/// Failure to parse a version of Go.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a version of Go, such as 1.26.3: {0:?}")]
pub struct GoVersionError(String);

/// A usable Go toolchain.
#[derive(Debug, Clone)]
pub(crate) struct Go {
    program: PathBuf,
}

impl FromStr for GoVersion {
    type Err = GoVersionError;

    /// "1.26.3", and as Go itself writes it: "go1.26.3", "go1.27rc1", "go1.26.3-X:nocoverageredesign".
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || GoVersionError(text.chars().take(64).collect());
        let number = text.strip_prefix("go").unwrap_or(text);
        let end = number.find(|letter: char| !letter.is_ascii_digit() && letter != '.');
        let number = &number[..end.unwrap_or(number.len())];
        let mut parts = [0; 3];
        for (index, part) in number.split('.').enumerate() {
            let place = parts.get_mut(index).ok_or_else(wrong)?;
            *place = part.parse().map_err(|_| wrong())?;
        }
        if number.contains('.') {
            Ok(Self(parts))
        } else {
            Err(wrong())
        }
    }
}

impl fmt::Display for GoVersion {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self([major, minor, patch]) = self;
        write!(text, "{major}.{minor}.{patch}")
    }
}

impl Go {
    /// # Errors
    /// It is not there, does not answer as Go does, or is older than what is needed.
    pub(crate) fn find(program: &Path, needed: GoVersion) -> Result<Self, ProgramsError> {
        let go = Self {
            program: program.to_owned(),
        };
        let Ok(answer) = go.command().arg("version").output() else {
            let go = go.program;
            return Err(ProgramsError::GoMissing { go, needed });
        };
        let text = String::from_utf8_lossy(&answer.stdout).into_owned();
        let words = text.strip_prefix("go version ");
        let version = words.and_then(|rest| rest.split(' ').next()?.parse().ok());
        match version {
            None => {
                let go = go.program;
                Err(ProgramsError::GoUnusable { go, needed })
            }
            Some(found) if found < needed => Err(ProgramsError::GoTooOld { found, needed }),
            Some(_) => Ok(go),
        }
    }

    /// A command of Go that the settings of its person do not change: not another Go, another target, or other modules.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.env("GOTOOLCHAIN", "local").env("GOWORK", "off");
        for name in [
            "GOOS",
            "GOARCH",
            "GOEXPERIMENT",
            "GOFLAGS",
            "CGO_ENABLED",
            "GO111MODULE",
        ] {
            command.env_remove(name);
        }
        command
    }
}

#[cfg(test)]
mod tests;
