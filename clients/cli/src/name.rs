//! The names by which people mean an object of a runtime.

use anyhow::bail;

/// NAME, NAMESPACE/NAME or RUNTIME/NAMESPACE/NAME, and what flags say beside it; empty where neither does.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FullName {
    pub(crate) runtime: String,
    pub(crate) namespace: String,
    pub(crate) name: String,
}

impl FullName {
    /// What a flag says counts before what the name does.
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
        Ok(Self {
            runtime: runtime.unwrap_or(in_text.0).to_owned(),
            namespace: namespace.unwrap_or(in_text.1).to_owned(),
            name: name.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests;
