//! Files of a folder to Kubernetes objects: plain YAML and JSON, as a source of type Directory.

use serde_json::Value;

use super::{
    application::{Directory, Source},
    glob::matches_any,
};
use crate::git::{File, Listing};

const MOST_OBJECTS: usize = 5_000;

/// What kind of source a folder is, by the files in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SourceType {
    #[default]
    Directory,
    Kustomize,
    Helm,
}

/// Why a folder does not become objects. The message is the rest of a `ComparisonError`.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RenderError {
    #[error("Failed to unmarshal \"{file}\": {cause}")]
    Malformed { file: String, cause: String },
    #[error("more than {MOST_OBJECTS} objects")]
    TooMany,
}

impl SourceType {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Directory => "Directory",
            Self::Kustomize => "Kustomize",
            Self::Helm => "Helm",
        }
    }

    /// By what the source says of itself, else by the files that are there.
    pub(crate) fn of(files: &[File], source: &Source) -> Self {
        if source.helm.is_some() {
            return Self::Helm;
        }
        if source.kustomize.is_some() {
            return Self::Kustomize;
        }
        let has = |names: &[&str]| files.iter().any(|file| names.contains(&file.path.as_str()));
        if has(&["Chart.yaml"]) {
            Self::Helm
        } else if has(&["kustomization.yaml", "kustomization.yml", "Kustomization"]) {
            Self::Kustomize
        } else {
            Self::Directory
        }
    }
}

impl Directory {
    pub(crate) fn listing(&self) -> Listing {
        if self.recurse {
            Listing::AllBelow
        } else {
            Listing::OneFolder
        }
    }

    fn takes(&self, path: &str) -> bool {
        (self.include.is_empty() || matches_any(&self.include, path))
            && (self.exclude.is_empty() || !matches_any(&self.exclude, path))
    }
}

/// The objects of a folder, in the order of its files; lists are taken apart.
pub(crate) fn render(files: &[File], directory: &Directory) -> Result<Vec<Value>, RenderError> {
    let mut objects = Vec::new();
    for file in files
        .iter()
        .filter(|file| is_manifest(&file.path) && directory.takes(&file.path))
    {
        for object in parse(file)? {
            flatten(object, &mut objects);
        }
        if objects.len() > MOST_OBJECTS {
            return Err(RenderError::TooMany);
        }
    }
    Ok(objects)
}

/// The objects in what a tool gave.
pub(crate) fn output(content: &[u8]) -> Result<Vec<Value>, RenderError> {
    let file = File {
        path: "output.yaml".to_owned(),
        content: content.to_vec().into(),
    };
    render(&[file], &Directory::default())
}

fn is_manifest(path: &str) -> bool {
    [".yaml", ".yml", ".json"]
        .iter()
        .any(|ending| path.ends_with(ending))
}

/// YAML that is broken and does not look like Kubernetes at all is somebody else's file: it is passed over.
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
