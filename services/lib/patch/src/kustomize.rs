//! The `images` list of a kustomization.

use crate::{
    DocumentSelector, Edit, Format, Operation, PatchError, Path, Segment, Value,
    edit::{apply, read},
    image::is_digest,
};

/// The override of one image. A tag and a digest exclude each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KustomizeImage {
    /// The image name as the resources write it.
    pub name: String,
    pub new_name: Option<String>,
    pub new_tag: Option<String>,
    pub digest: Option<String>,
}

/// Writes one entry of `images`, which is created when it is missing.
pub fn set_kustomize_image(
    content: &[u8],
    image: &KustomizeImage,
    expected: Option<&str>,
) -> Result<Vec<u8>, PatchError> {
    check(image)?;
    let entry = Path::new(vec![
        Segment::Key("images".to_owned()),
        Segment::Match {
            key: "name".to_owned(),
            value: image.name.clone(),
        },
    ])?;
    let document = &DocumentSelector::Only;
    let read_key = |key: &str| read(Format::Yaml, content, document, &at(&entry, key));
    let version = if image.digest.is_some() {
        "digest"
    } else {
        "newTag"
    };
    let mut edits = Vec::new();
    for (key, value) in fields(image) {
        match value {
            Some(value) => {
                let expected = expected.filter(|_| key == version).map(Value::string);
                let set = Operation::Set(Value::string(value));
                edits.push(Edit::new(at(&entry, key), set).expecting(expected));
            }
            None if key != "newName" && read_key(key)?.is_some() => {
                edits.push(Edit::new(at(&entry, key), Operation::Remove));
            }
            None => {}
        }
    }
    apply(Format::Yaml, content, document, &edits)
}

fn fields(image: &KustomizeImage) -> [(&'static str, Option<&str>); 3] {
    [
        ("newName", image.new_name.as_deref()),
        ("newTag", image.new_tag.as_deref()),
        ("digest", image.digest.as_deref()),
    ]
}

fn at(entry: &Path, key: &str) -> Path {
    entry.join(Segment::Key(key.to_owned()))
}

fn check(image: &KustomizeImage) -> Result<(), PatchError> {
    match (&image.new_tag, &image.digest) {
        (Some(_), Some(_)) => Err(PatchError::InvalidValue(
            "set a new tag or a digest, not both",
        )),
        (None, None) => Err(PatchError::InvalidValue("set a new tag or a digest")),
        (None, Some(digest)) if !is_digest(digest) => Err(PatchError::InvalidValue(
            "a digest is sha256: and 64 hex digits",
        )),
        _ if image.name.is_empty() => Err(PatchError::InvalidValue("the image has no name")),
        _ => Ok(()),
    }
}
