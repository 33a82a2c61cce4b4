//! Names that users pass for objects of runtimes.

use anyhow::bail;
use tonic::{Code, Status};

/// NAME, NAMESPACE/NAME or RUNTIME/NAMESPACE/NAME, completed by flags; missing parts are empty.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FullName {
    pub(crate) runtime: String,
    pub(crate) namespace: String,
    pub(crate) name: String,
}

impl FullName {
    /// Parses a name; flags take precedence.
    ///
    /// # Errors
    /// It has more parts, or no name.
    pub(crate) fn read(
        text: &str,
        runtime: Option<&str>,
        namespace: Option<&str>,
    ) -> anyhow::Result<Self> {
        let parts: Vec<_> = text.split('/').collect();
        let (in_text, name) = match parts.as_slice() {
            [name] => (("", ""), *name),
            [namespace, name] => (("", *namespace), *name),
            [runtime, namespace, name] => ((*runtime, *namespace), *name),
            _ => bail!("'{text}' is not NAME, NAMESPACE/NAME or RUNTIME/NAMESPACE/NAME"),
        };
        if name.is_empty() {
            bail!("the name is empty");
        }
        if text.starts_with('/') {
            bail!("'{text}' has nothing before its first '/': leave that '/' out if any is meant");
        }
        Ok(Self {
            runtime: runtime.unwrap_or(in_text.0).to_owned(),
            namespace: namespace.unwrap_or(in_text.1).to_owned(),
            name: name.to_owned(),
        })
    }

    /// The other meaning of NAMESPACE/NAME: RUNTIME/NAME. None where flags or more parts leave one meaning.
    pub(crate) fn in_runtime(
        text: &str,
        runtime: Option<&str>,
        namespace: Option<&str>,
    ) -> Option<Self> {
        let (first, name) = text.split_once('/')?;
        let bare = runtime.is_none() && namespace.is_none();
        let two = !first.is_empty() && !name.is_empty() && !name.contains('/');
        (bare && two).then(|| Self {
            runtime: first.to_owned(),
            namespace: String::new(),
            name: name.to_owned(),
        })
    }
}

/// True if a search may find the object that a request by its full name did not return.
pub(crate) fn needs_search(status: &Status) -> bool {
    matches!(
        status.code(),
        // A role may permit list and an action, but not get.
        Code::NotFound | Code::InvalidArgument | Code::FailedPrecondition | Code::PermissionDenied
    )
}

/// Parses a flag that selects objects. An empty value, as of an unset variable, would select everything.
///
/// # Errors
/// It is empty, or blank.
pub(crate) fn stated(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err(
            "it is empty, which would stand for everything: leave the flag out if that is meant"
                .to_owned(),
        ),
        text => Ok(text.to_owned()),
    }
}

#[cfg(test)]
mod tests;
