//! The kinds of objects that reporters report, by the names that Kubernetes has for their resources.

use std::{fmt, str::FromStr, sync::Arc};

const APPLICATIONS: &str = "applications.argoproj.io";
const EVENTS: &str = "events";
const LONGEST: usize = 253;

/// A kind of object that reporters report.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ObjectKind {
    /// Argo CD's Application.
    Application,
    /// Any other, as "<plural>.<group>", or "<plural>" of the core group.
    Resource(ResourceKind),
    /// What Kubernetes says that happened to objects.
    Event,
}

/// A kind that is no Application and no event.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResourceKind(Arc<str>);

/// A text that names no kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "must be <plural>.<group> in small letters, for example applications.argoproj.io, or <plural> of the core group; events are \"{EVENTS}\""
)]
pub struct UnknownKind;

impl ObjectKind {
    /// The kind as Kubernetes names its resource.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Application => APPLICATIONS,
            Self::Resource(kind) => kind.as_str(),
            Self::Event => EVENTS,
        }
    }
}

impl FromStr for ObjectKind {
    type Err = UnknownKind;

    fn from_str(text: &str) -> Result<Self, UnknownKind> {
        match text {
            APPLICATIONS => Ok(Self::Application),
            EVENTS => Ok(Self::Event),
            _ => text.parse().map(Self::Resource),
        }
    }
}

impl ResourceKind {
    /// The kind as Kubernetes names its resource.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The API group; empty for core.
    pub fn group(&self) -> &str {
        self.0.split_once('.').map_or("", |(_, group)| group)
    }
}

impl FromStr for ResourceKind {
    type Err = UnknownKind;

    fn from_str(text: &str) -> Result<Self, UnknownKind> {
        let is_own = text == APPLICATIONS || text.split('.').next() == Some(EVENTS);
        if is_own || text.len() > LONGEST || !text.split('.').all(is_label) {
            return Err(UnknownKind);
        }
        Ok(Self(text.into()))
    }
}

impl fmt::Display for ObjectKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// True if a text can stand between two dots of a domain name.
fn is_label(text: &str) -> bool {
    let known = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=63).contains(&text.len())
        && text.bytes().all(known)
        && !text.starts_with('-')
        && !text.ends_with('-')
}

#[cfg(test)]
mod tests;
