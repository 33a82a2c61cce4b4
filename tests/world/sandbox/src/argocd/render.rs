//! Renders the YAML and JSON files of a folder into Kubernetes objects, as a source of type Directory.

use serde_json::Value;

use super::application::Directory;
use crate::git::{File, Listing};

const MOST_OBJECTS: usize = 5_000;

/// The one type of source that the sandbox renders.
pub(crate) const SOURCE_TYPE: &str = "Directory";
const TOOL_FILES: [&str; 4] = [
    "Chart.yaml",
    "Kustomization",
    "kustomization.yaml",
    "kustomization.yml",
];

/// Failure to render a folder. The message is the rest of a `ComparisonError`.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RenderError {
    #[error("Failed to unmarshal \"{file}\": {cause}")]
    Malformed { file: String, cause: String },
    #[error("more than {MOST_OBJECTS} objects")]
    TooMany,
    #[error(
        "the sandbox renders plain YAML only, and the folder has {0}: use a real Argo CD (make up ARGS=--real)"
    )]
    Tool(String),
}

impl Directory {
    pub(crate) fn listing(&self) -> Listing {
        if self.recurse {
            Listing::AllBelow
        } else {
            Listing::OneFolder
        }
    }
}

/// Renders the objects of a folder in the order of its files; lists become their items.
pub(crate) fn render(files: &[File]) -> Result<Vec<Value>, RenderError> {
    let mut paths = files.iter().map(|file| file.path.as_str());
    if let Some(tool) = paths.find(|path| TOOL_FILES.contains(path)) {
        return Err(RenderError::Tool(tool.to_owned()));
    }
    let mut objects = Vec::new();
    for file in files.iter().filter(|file| is_manifest(&file.path)) {
        for object in parse(file)? {
            flatten(object, &mut objects);
        }
        if objects.len() > MOST_OBJECTS {
            return Err(RenderError::TooMany);
        }
    }
    Ok(objects)
}

fn is_manifest(path: &str) -> bool {
    [".yaml", ".yml", ".json"]
        .iter()
        .any(|ending| path.ends_with(ending))
}

/// Parses a file. Broken YAML that does not look like a manifest is skipped: it serves another program.
fn parse(file: &File) -> Result<Vec<Value>, RenderError> {
    let text = String::from_utf8_lossy(&file.content);
    let malformed = |cause: String| RenderError::Malformed {
        file: file.path.clone(),
        cause: one_line(&cause),
    };
    let documents = if file.path.ends_with(".json") {
        serde_json::from_str(&text)
            .map(|one| vec![one])
            .map_err(|error| malformed(error.to_string()))
    } else {
        serde_saphyr::from_multiple::<Value>(&text).map_err(|error| malformed(error.to_string()))
    };
    let looks_right = ["apiVersion:", "kind:", "metadata:"]
        .iter()
        .all(|word| text.contains(word));
    match documents {
        Ok(documents) => Ok(documents.into_iter().filter(is_object).collect()),
        Err(error) if looks_right || file.path.ends_with(".json") => Err(error),
        Err(_) => Ok(Vec::new()),
    }
}

fn is_object(value: &Value) -> bool {
    let present = |field: &str| {
        value
            .get(field)
            .and_then(Value::as_str)
            .is_some_and(|text| !text.is_empty())
    };
    present("apiVersion") && present("kind")
}

fn flatten(object: Value, into: &mut Vec<Value>) {
    let is_list = object["kind"]
        .as_str()
        .is_some_and(|kind| kind.ends_with("List"));
    match object.get("items").and_then(Value::as_array) {
        Some(items) if is_list => into.extend(items.iter().filter(|item| is_object(item)).cloned()),
        Some(_) | None => into.push(object),
    }
}

fn one_line(cause: &str) -> String {
    cause.lines().next().unwrap_or("").trim().to_owned()
}

#[cfg(test)]
mod tests;
