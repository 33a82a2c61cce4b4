//! Source or sources of an application, and how its status repeats them.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::application::{Source, SpecError};
use crate::git::CommitId;

/// The sources, parsed and as the user wrote them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Origin {
    pub(crate) sources: Vec<Source>,
    pub(crate) written: Written,
}

/// Sources as a status holds them: the one, or several and an empty one in the place of the one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Written {
    pub(crate) source: Value,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) sources: Vec<Value>,
}

impl Origin {
    /// Parses the spec; `sources` takes precedence over `source`.
    ///
    /// Errors: [`SpecError::Malformed`], and [`SpecError::NoSource`] when one has no repository, or no place in it.
    pub(crate) fn parse(one: Option<&Value>, several: &[Value]) -> Result<Self, SpecError> {
        let written = match (several, one) {
            ([], None) => return Err(SpecError::NoSource),
            ([], Some(one)) => Written {
                source: one.clone(),
                sources: Vec::new(),
            },
            (several, _) => Written {
                source: json!({"repoURL": ""}),
                sources: several.to_vec(),
            },
        };
        let parse = |raw: &Value| {
            let source = Source::deserialize(raw)
                .map_err(|error| SpecError::Malformed(error.to_string()))?;
            let complete = !source.repo_url.is_empty() && source.is_placed();
            complete.then_some(source).ok_or(SpecError::NoSource)
        };
        let sources = written.all().iter().map(parse).collect::<Result<_, _>>()?;
        Ok(Self { sources, written })
    }

    pub(crate) fn is_several(&self) -> bool {
        !self.written.sources.is_empty()
    }

    /// The revisions that the user asks for.
    pub(crate) fn target_revisions(&self) -> Vec<String> {
        let asked = self.sources.iter();
        asked.map(|source| source.target_revision.clone()).collect()
    }

    /// Revisions as a status holds them: the one and no list, or the list.
    pub(crate) fn one_or_several(&self, revisions: &[String]) -> (String, Vec<String>) {
        match revisions {
            [one] if !self.is_several() => (one.clone(), Vec::new()),
            several => (String::new(), several.to_vec()),
        }
    }
}

impl Written {
    pub(crate) fn all(&self) -> &[Value] {
        if self.sources.is_empty() {
            std::slice::from_ref(&self.source)
        } else {
            &self.sources
        }
    }
}

pub(crate) fn texts(commits: &[CommitId]) -> Vec<String> {
    commits.iter().map(ToString::to_string).collect()
}

/// The revisions of a status: the list, or the one.
pub(crate) fn revisions<'a>(one: &'a String, several: &'a [String]) -> &'a [String] {
    if several.is_empty() {
        std::slice::from_ref(one)
    } else {
        several
    }
}
