//! Paths inside a repository.

use std::fmt;

use crate::GitError;

const MAX_BYTES: usize = 4096;
const MAX_NAME: usize = 255;

/// The path of a file or folder, relative to the root of the repository.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RepositoryPath(String);

impl RepositoryPath {
    /// Parses a path; refuses everything that some file system would read as another place.
    pub fn parse(text: &str) -> Result<Self, GitError> {
        let invalid = |problem| GitError::InvalidPath {
            path: text.chars().take(100).collect(),
            problem,
        };
        if text.is_empty() || text.len() > MAX_BYTES {
            return Err(invalid("is empty or longer than 4096 bytes"));
        }
        text.split('/')
            .try_for_each(|name| check_name(name).map_err(invalid))?;
        Ok(Self(text.to_owned()))
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.split('/')
    }

    /// The name of the file.
    pub(crate) fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }

    /// Whether this is the other path or below it.
    pub(crate) fn is_in(&self, other: &Self) -> bool {
        let below = self.0.strip_prefix(&other.0);
        below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

impl fmt::Display for RepositoryPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn check_name(name: &str) -> Result<(), &'static str> {
    if name.is_empty() || name == "." || name == ".." {
        return Err("has an empty or relative part");
    }
    if name.len() > MAX_NAME {
        return Err("has a name longer than 255 bytes");
    }
    if name
        .chars()
        .any(|c| c.is_control() || c == '\\' || c == ':')
    {
        return Err("has a control character, a backslash or a colon");
    }
    if is_git_folder(name) {
        return Err("names the folder of Git itself");
    }
    if canonical(name) == ".gitmodules" {
        return Err("names the list of submodules");
    }
    Ok(())
}

/// `.git` under the rules of Windows, which also has short names, and of macOS, which ignores some letters.
fn is_git_folder(name: &str) -> bool {
    let name = canonical(name);
    name == ".git"
        || name
            .strip_prefix("git~")
            .is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit()))
}

fn canonical(name: &str) -> String {
    let visible = name.chars().filter(|c| !is_ignored(*c));
    let lower: String = visible.flat_map(char::to_lowercase).collect();
    lower.trim_end_matches(['.', ' ']).to_owned()
}

/// Letters that HFS+ ignores in names.
fn is_ignored(letter: char) -> bool {
    matches!(letter, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}
