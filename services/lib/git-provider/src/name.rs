//! Names that become parts of URLs. No other text does.

use std::fmt;

const MAX_BYTES: usize = 255;

/// A name was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} {text:?} {problem}: correct it")]
pub struct InvalidName {
    pub what: &'static str,
    pub text: String,
    pub problem: &'static str,
}

/// A repository as its provider names it, such as `acme/demo` or `group/sub/demo`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RepositoryName(String);

/// A branch, tag or commit.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RefName(String);

impl RepositoryName {
    /// Accepts at least an owner and a name, with slashes between them.
    pub fn parse(text: &str) -> Result<Self, InvalidName> {
        let refused = |problem| refused("repository", text, problem);
        check(text).map_err(refused)?;
        if !text.contains('/') {
            return Err(refused("has no owner, as in owner/name"));
        }
        Ok(Self(text.to_owned()))
    }

    /// The part before the last slash.
    #[must_use]
    pub fn owner(&self) -> &str {
        self.0.rsplit_once('/').map_or("", |(owner, _)| owner)
    }

    /// The part behind the last slash.
    #[must_use]
    pub fn name(&self) -> &str {
        self.0.rsplit_once('/').map_or("", |(_, name)| name)
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl RefName {
    /// Accepts what Git accepts as a branch, and commit ids.
    pub fn parse(text: &str) -> Result<Self, InvalidName> {
        let refused = |problem| refused("branch", text, problem);
        check(text).map_err(refused)?;
        let is_reserved = |c: char| " ~^:?*[\\".contains(c);
        if text.chars().any(is_reserved) || text.contains("..") || text.contains("@{") {
            return Err(refused("has characters that Git reserves"));
        }
        Ok(Self(text.to_owned()))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RepositoryName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for RefName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn refused(what: &'static str, text: &str, problem: &'static str) -> InvalidName {
    InvalidName {
        what,
        text: text.chars().take(80).collect(),
        problem,
    }
}

/// Splits a path inside a repository; the root is the empty path.
pub(crate) fn path_segments(path: &str) -> Result<Vec<&str>, InvalidName> {
    if path.is_empty() {
        return Ok(Vec::new());
    }
    check(path).map_err(|problem| refused("path", path, problem))?;
    Ok(path.split('/').collect())
}

fn check(text: &str) -> Result<(), &'static str> {
    if text.is_empty() || text.len() > MAX_BYTES {
        return Err("is empty or longer than 255 bytes");
    }
    if text.chars().any(char::is_control) {
        return Err("has control characters");
    }
    if text.starts_with('-') {
        return Err("starts with a hyphen");
    }
    let is_odd = |part: &str| part.is_empty() || part == "." || part == "..";
    if text.split('/').any(is_odd) {
        return Err("has an empty or relative segment");
    }
    Ok(())
}
