//! Helm parameters and Kustomize images, as Argo CD reads them.

use causeway_patch::{DocumentSelector, Format, KustomizeImage, Path, Segment, Value};
use serde_json::Value as Json;

use super::{PlanError, RepositoryError};
use crate::source::{HelmParameter, image_name};

/// Where the value of a parameter stands.
pub(super) enum Stand {
    /// In `helm.parameters` of the manifest.
    Parameters,
    /// In `helm.valuesObject` of the manifest, at this path.
    Object(Path),
    /// In a values file.
    Files,
}

/// Finds the place that counts. A parameter that stands nowhere goes to the values files, if there are any.
pub(super) fn stands(source: &Json, name: &str, has_files: bool) -> Result<Stand, RepositoryError> {
    let parameters = source.pointer("/helm/parameters").and_then(Json::as_array);
    let mut parameters = parameters.into_iter().flatten();
    if parameters.any(|it| it["name"] == *name) {
        return Ok(Stand::Parameters);
    }
    let at = path(name)?;
    let object = source.pointer("/helm/valuesObject");
    let object = object.map(|it| it.to_string()).unwrap_or_default();
    if holds(Format::Json, &object, &at) {
        return Ok(Stand::Object(at));
    }
    let inline = source.pointer("/helm/values").and_then(Json::as_str);
    if holds(Format::Yaml, inline.unwrap_or_default(), &at) {
        return Err(PlanError::Inline(name.to_owned()).into());
    }
    Ok(if has_files {
        Stand::Files
    } else {
        Stand::Parameters
    })
}

fn holds(format: Format, text: &str, at: &Path) -> bool {
    let only = DocumentSelector::Only;
    !text.is_empty()
        && causeway_patch::read(format, text.as_bytes(), &only, at)
            .is_ok_and(|found| found.is_some())
}

/// The path of `a.b[0].c`; a dot after a backslash belongs to its key.
pub(super) fn path(name: &str) -> Result<Path, RepositoryError> {
    let wrong = || PlanError::Name(name.to_owned());
    let mut segments = Vec::new();
    for part in keys(name) {
        let (key, indices) = part
            .split_once('[')
            .map_or((&*part, None), |(key, rest)| (key, Some(rest)));
        if key.is_empty() {
            return Err(wrong().into());
        }
        segments.push(Segment::Key(key.to_owned()));
        if let Some(indices) = indices {
            let indices = indices.strip_suffix(']').ok_or_else(wrong)?;
            for index in indices.split("][") {
                segments.push(Segment::Index(index.parse().map_err(|_| wrong())?));
            }
        }
    }
    Path::new(segments).map_err(|_| wrong().into())
}

fn keys(name: &str) -> Vec<String> {
    let mut keys = vec![String::new()];
    let mut letters = name.chars();
    while let Some(letter) = letters.next() {
        match (letter, keys.last_mut()) {
            ('.', _) => keys.push(String::new()),
            ('\\', Some(key)) => key.extend(letters.next()),
            (letter, Some(key)) => key.push(letter),
            (_, None) => {}
        }
    }
    keys
}

/// The value as Helm reads it from a flag, but a text stays a text.
pub(super) fn typed(parameter: &HelmParameter, found: Option<&Value>) -> Value {
    let text = || Value::string(&parameter.value);
    if parameter.force_string || matches!(found, Some(Value::String(_))) {
        return text();
    }
    match parameter.value.as_str() {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        "null" => Value::Null,
        number if is_whole(number) => Value::Number(number.to_owned()),
        _ => text(),
    }
}

fn is_whole(text: &str) -> bool {
    text == "0"
        || (!text.starts_with('0') && text.parse::<i64>().is_ok_and(|it| it.to_string() == text))
}

/// Reads `[OLD=]NAME[:TAG][@DIGEST]`.
pub(super) fn kustomize_image(text: &str) -> KustomizeImage {
    let name = image_name(text).to_owned();
    let image = text.split_once('=').map_or(text, |(_, image)| image);
    let (image, digest) = image
        .split_once('@')
        .map_or((image, None), |(image, digest)| {
            (image, Some(digest.to_owned()))
        });
    let (new_name, tag) = match image.rsplit_once(':') {
        Some((image, tag)) if !tag.contains('/') => (image, Some(tag.to_owned())),
        _ => (image, None),
    };
    KustomizeImage {
        new_name: (new_name != name).then(|| new_name.to_owned()),
        // A digest names the content whatever the tag says.
        new_tag: tag.filter(|_| digest.is_none()),
        digest,
        name,
    }
}
