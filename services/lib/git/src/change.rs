//! A requested change: who, why, which edits, under which step id.

use std::fmt::{self, Write as _};

use sha2::{Digest as _, Sha256};

use crate::{FileEdit, GitError};

const MAX_EDITS: usize = 200;
/// Counts up when the debug form of a hashed type changes.
const DIGEST_FORM: &str = "2:";
const MAX_MESSAGE: usize = 32 << 10;

/// The key under which a change is committed once.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StepId(String);

impl StepId {
    /// Parses 8 to 100 letters, digits, dots, dashes, underscores, colons and slashes.
    pub fn parse(text: &str) -> Result<Self, GitError> {
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || "._-:/".contains(c);
        if !(8..=100).contains(&text.len()) || !text.chars().all(is_allowed) {
            return Err(GitError::InvalidChange(
                "a step id has 8 to 100 letters, digits or ._-:/",
            ));
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for StepId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The author or the committer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    name: String,
    email: String,
}

impl Person {
    /// Refuses what would end the header line or the address.
    pub fn new(name: &str, email: &str) -> Result<Self, GitError> {
        let is_odd = |c: char| c.is_control() || "<>\u{2028}\u{2029}".contains(c);
        let is_valid = |text: &str| {
            let trimmed = text.trim_matches(|c: char| c.is_whitespace() || ".,:;\"'\\".contains(c));
            !trimmed.is_empty() && text.len() <= 256 && !text.chars().any(is_odd)
        };
        if !is_valid(name) || !is_valid(email) || email.contains(char::is_whitespace) {
            return Err(GitError::InvalidChange(
                "a name or e-mail is empty, too long, or has control characters or <>",
            ));
        }
        Ok(Self {
            name: name.trim().to_owned(),
            email: email.to_owned(),
        })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn email(&self) -> &str {
        &self.email
    }
}

impl fmt::Display for Person {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} <{}>", self.name, self.email)
    }
}

/// One commit to make.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    pub step: StepId,
    pub author: Person,
    /// Seconds since 1970: the time of the step, so that a repetition gives the same commit.
    pub time: i64,
    pub message: String,
    /// Further trailers, such as `Causeway-Release`.
    pub trailers: Vec<(String, String)>,
    pub edits: Vec<FileEdit>,
    /// The branch where a new one starts. Without it the branch must exist; with it, it must be new.
    pub start: Option<String>,
}

impl Change {
    pub(crate) fn check(&self) -> Result<(), GitError> {
        let invalid = |text| Err(GitError::InvalidChange(text));
        match self.edits.len() {
            0 => return invalid("it has no edit"),
            1..=MAX_EDITS => {}
            _ => return invalid("it has more than 200 edits"),
        }
        if self.message.trim().is_empty() || self.message.len() > MAX_MESSAGE {
            return invalid("the message is empty or longer than 32 KiB");
        }
        if self.time < 0 {
            return invalid("the time is before 1970");
        }
        self.trailers
            .iter()
            .try_for_each(|(key, value)| check_trailer(key, value))?;
        self.edits.iter().try_for_each(FileEdit::check)
    }

    /// Tells two changes under one step id apart. The prefix names the form, which may change between releases.
    pub(crate) fn digest(&self) -> String {
        let mut hash = Hash(Sha256::new());
        let _ = write!(hash, "{:?}", (&self.author, &self.message, &self.trailers));
        for edit in &self.edits {
            match edit {
                FileEdit::Write {
                    path,
                    content,
                    expected,
                } => {
                    let _ = write!(hash, "{:?}", (path, content.len(), expected));
                    hash.0.update(content);
                }
                FileEdit::Values { .. }
                | FileEdit::Image { .. }
                | FileEdit::KustomizeImage { .. }
                | FileEdit::ChartDependency { .. }
                | FileEdit::Copy { .. }
                | FileEdit::Delete { .. } => {
                    let _ = write!(hash, "{edit:?}");
                }
            }
        }
        let digest = hash.0.finalize();
        digest[..16]
            .iter()
            .fold(DIGEST_FORM.to_owned(), |hex, byte| {
                hex + &format!("{byte:02x}")
            })
    }
}

/// Whether two digests belong to different changes. Digests of different forms cannot tell.
pub(crate) fn is_other(digest: &str, other: &str) -> bool {
    digest != other && digest.starts_with(DIGEST_FORM) && other.starts_with(DIGEST_FORM)
}

/// Hashes what is formatted.
struct Hash(Sha256);

impl fmt::Write for Hash {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.update(text.as_bytes());
        Ok(())
    }
}

fn check_trailer(key: &str, value: &str) -> Result<(), GitError> {
    let is_key = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let starts = key.starts_with(|c: char| c.is_ascii_alphabetic());
    let is_step = key.eq_ignore_ascii_case(crate::commit::STEP_TRAILER);
    if !starts || key.len() > 64 || !key.chars().all(is_key) || is_step {
        return Err(GitError::InvalidChange(
            "a trailer's key has letters, digits and dashes, and is not Causeway-Step",
        ));
    }
    if value.trim().is_empty() || value.len() > 1024 || value.chars().any(char::is_control) {
        return Err(GitError::InvalidChange(
            "a trailer's value is empty, too long, or has control characters",
        ));
    }
    Ok(())
}
