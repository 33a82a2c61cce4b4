//! Image references, written as one text or as the keys `registry`, `repository`, `tag` and `digest`.

use std::fmt;

use crate::{
    DocumentSelector, Edit, Format, Operation, PatchError, Path, Segment, Value,
    edit::{apply, read},
};

/// An image by its repository with a tag, a digest, or both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageReference {
    repository: String,
    tag: Option<String>,
    digest: Option<String>,
}

impl ImageReference {
    /// Parses `repository[:tag][@digest]`.
    pub fn parse(text: &str) -> Result<Self, PatchError> {
        let (name, digest) = match text.split_once('@') {
            Some((name, digest)) => (name, Some(digest)),
            None => (text, None),
        };
        // A colon before the last slash belongs to the port of the registry.
        let colon = name.rfind(':').filter(|at| !name[*at..].contains('/'));
        let (repository, tag) = match colon {
            Some(at) => (&name[..at], Some(&name[at + 1..])),
            None => (name, None),
        };
        let is_repository = |c: char| c.is_ascii_alphanumeric() || "._-/:".contains(c);
        let is_tag = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        let is_valid = is_part(repository, 255, is_repository)
            && tag.is_none_or(|tag| is_part(tag, 128, is_tag))
            && digest.is_none_or(is_digest);
        if !is_valid {
            return Err(PatchError::InvalidValue(
                "an image is written as repository:tag@digest",
            ));
        }
        Ok(Self {
            repository: repository.to_owned(),
            tag: tag.map(str::to_owned),
            digest: digest.map(str::to_owned),
        })
    }

    /// The registry host and the rest, where the repository names a registry.
    fn split_registry(&self) -> (Option<&str>, &str) {
        match self.repository.split_once('/') {
            Some((host, rest)) if host.contains(['.', ':']) || host == "localhost" => {
                (Some(host), rest)
            }
            _ => (None, &self.repository),
        }
    }
}

fn is_part(text: &str, longest: usize, allowed: impl Fn(char) -> bool) -> bool {
    let starts = text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    starts && text.len() <= longest && text.chars().all(allowed)
}

pub(crate) fn is_digest(text: &str) -> bool {
    text.split_once(':').is_some_and(|(algorithm, hex)| {
        let hex_only = hex.chars().all(|c| c.is_ascii_hexdigit());
        ["sha256", "sha512"].contains(&algorithm) && hex.len() >= 64 && hex.len() <= 128 && hex_only
    })
}

impl fmt::Display for ImageReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.repository)?;
        if let Some(tag) = &self.tag {
            write!(f, ":{tag}")?;
        }
        match &self.digest {
            Some(digest) => write!(f, "@{digest}"),
            None => Ok(()),
        }
    }
}

/// Writes an image at a path whose value is a text, or a mapping with split keys.
pub fn set_image(
    format: Format,
    content: &[u8],
    document: &DocumentSelector,
    path: &Path,
    (image, expected): (&ImageReference, Option<&ImageReference>),
) -> Result<Vec<u8>, PatchError> {
    let found = read(format, content, document, path)?;
    let edits = match found {
        Some(Value::Map(entries)) => split_edits(path, &entries, image, expected),
        _ => vec![whole_edit(path, image, expected)],
    };
    apply(format, content, document, &edits)
}

fn whole_edit(path: &Path, image: &ImageReference, expected: Option<&ImageReference>) -> Edit {
    let value = |image: &ImageReference| Value::String(image.to_string());
    Edit::new(path.clone(), Operation::Set(value(image))).expecting(expected.map(value))
}

/// Keys that the chart has are kept in use; `digest` is written only where it exists or is needed.
fn split_edits(
    path: &Path,
    entries: &[(String, Value)],
    image: &ImageReference,
    expected: Option<&ImageReference>,
) -> Vec<Edit> {
    let has = |name: &str| entries.iter().any(|(key, _)| key == name);
    let with_registry = has("registry");
    let new = parts(image, with_registry);
    let old = expected.map(|it| parts(it, with_registry));
    let mut edits = Vec::new();
    for (position, (key, value)) in new.iter().enumerate() {
        let expected = old.as_ref().map(|old| match &old[position].1 {
            Some(text) => Value::string(text),
            None => Value::Null,
        });
        let path = path.join(Segment::Key((*key).to_owned()));
        let operation = match value {
            Some(text) => Operation::Set(Value::string(text)),
            None if has(key) => Operation::Set(Value::string("")),
            None => continue,
        };
        // An empty text stands for "none" in charts.
        let found = entries.iter().find(|(name, _)| name == key);
        let is_empty = found.is_some_and(|(_, value)| value.scalar() == Some(""));
        let expected = expected.filter(|it| !(is_empty && *it == Value::Null));
        edits.push(Edit {
            path,
            operation,
            expected,
        });
    }
    edits
}

fn parts(image: &ImageReference, with_registry: bool) -> Vec<(&'static str, Option<&str>)> {
    let (registry, repository) = image.split_registry();
    let mut parts = Vec::new();
    if with_registry {
        parts.push(("registry", registry));
        parts.push(("repository", Some(repository)));
    } else {
        parts.push(("repository", Some(image.repository.as_str())));
    }
    parts.push(("tag", image.tag.as_deref()));
    parts.push(("digest", image.digest.as_deref()));
    parts
}
