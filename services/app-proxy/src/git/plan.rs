//! Where a change of an application's source stands in Git: its own manifest, a values file or a kustomization.
//!
//! Argo CD lets a parameter of the manifest win over value files, and a later value file over an earlier one. So the change is
//! made where the value that counts stands now.

mod difference;
mod helm;

use causeway_git::{File, FileEdit, RepositoryPath};
use causeway_patch::{
    DocumentSelector, Edit, Format, KustomizeImage, Operation, Path, Segment, Value,
};
use serde_json::Value as Json;

use super::RepositoryError;
use crate::{
    merge,
    source::{HelmParameter, SourceOrder, image_name},
};

/// A change of one value or image in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PlannedEdit {
    Value {
        path: RepositoryPath,
        document: DocumentSelector,
        at: Path,
        operation: Operation,
        expected: Value,
    },
    Image {
        path: RepositoryPath,
        image: KustomizeImage,
    },
}

/// A file that a source of the application reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidate {
    pub(super) repository: String,
    pub(super) revision: String,
    pub(super) path: String,
}

/// A change of files that a source reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FileChange {
    Parameter(HelmParameter),
    RemovedParameter(String),
    Image(String),
    RemovedImage(String),
}

/// What a change asks of the manifest, and of the files of the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Placed {
    pub(super) manifest: Vec<(Path, Operation)>,
    /// The later one counts.
    pub(super) files: Vec<Candidate>,
    pub(super) changes: Vec<FileChange>,
}

/// Why it is not known where a change stands. Each text is one line that says what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PlanError {
    #[error(
        "no application declares {0} in Git, as far as its tracking annotation tells: name the file of its manifest with --file"
    )]
    NoParent(String),
    #[error(
        "{application} is made by {owner}: change the template there, with 'causeway git commit'"
    )]
    Generated { application: String, owner: String },
    #[error("{place} does not declare {application}: name the file of its manifest with --file")]
    NoManifest { application: String, place: String },
    #[error("{application} is declared in {files}: name one of them with --file")]
    SeveralManifests { application: String, files: String },
    #[error("{name} stands in none of {files}: name the file with --file")]
    NoFile { name: String, files: String },
    #[error("its source has no values file in Git for {0}: name the file with --file")]
    NoValues(String),
    #[error("{0} is no file of the repository: name another one with --file")]
    FileAbsent(String),
    #[error(
        "{0} stands in helm.values, a text in the manifest: move it to helm.valuesObject, or change the text with 'causeway git commit'"
    )]
    Inline(String),
    #[error("{0} is no name of a Helm parameter: write keys with dots between them")]
    Name(String),
    #[error(
        "the source follows {0}, which is no branch of the repository: name the branch with --branch"
    )]
    NoBranch(String),
    #[error(
        "no integration of this runtime has {0} under its URL: create one with 'causeway integration create'"
    )]
    NoIntegration(String),
    #[error(
        "the integrations {fitting} have {repository} under their URL: choose one with --integration"
    )]
    SeveralIntegrations { repository: String, fitting: String },
}

impl From<PlannedEdit> for FileEdit {
    fn from(edit: PlannedEdit) -> Self {
        match edit {
            PlannedEdit::Value {
                path,
                document,
                at,
                operation,
                expected,
            } => Self::Values {
                path,
                document,
                edits: vec![Edit::new(at, operation).expecting(Some(expected))],
            },
            PlannedEdit::Image { path, image } => Self::KustomizeImage {
                path,
                image,
                expected: None,
            },
        }
    }
}

/// Splits a change by where it stands.
pub(super) fn place(order: &SourceOrder, live: &Json) -> Result<Placed, RepositoryError> {
    // What does not fit the application is refused as a change of the live one is.
    order.changed(live, None)?;
    let source = order.source(live);
    let mut manifest = order.clone();
    let mut placed = Placed {
        manifest: Vec::new(),
        files: candidates(live, source),
        changes: Vec::new(),
    };
    manifest.parameters.clear();
    for parameter in &order.parameters {
        match helm::stands(source, &parameter.name, !placed.files.is_empty())? {
            helm::Stand::Parameters => manifest.parameters.push(parameter.clone()),
            helm::Stand::Object(at) => {
                let value = helm::typed(parameter, None);
                let at = below(order.place(live), at);
                placed.manifest.push((at, Operation::Set(value)));
            }
            helm::Stand::Files => placed
                .changes
                .push(FileChange::Parameter(parameter.clone())),
        }
    }
    manifest.removed_parameters.clear();
    for name in &order.removed_parameters {
        match helm::stands(source, name, !placed.files.is_empty())? {
            helm::Stand::Parameters => manifest.removed_parameters.push(name.clone()),
            helm::Stand::Object(at) => {
                let at = below(order.place(live), at);
                placed.manifest.push((at, Operation::Remove));
            }
            helm::Stand::Files => placed
                .changes
                .push(FileChange::RemovedParameter(name.clone())),
        }
    }
    let in_manifest = |name: &str| has_image(source, name);
    manifest
        .images
        .retain(|image| in_manifest(image_name(image)));
    manifest.removed_images.retain(|name| in_manifest(name));
    let images = order
        .images
        .iter()
        .filter(|it| !in_manifest(image_name(it)));
    placed
        .changes
        .extend(images.cloned().map(FileChange::Image));
    let removed = order.removed_images.iter().filter(|it| !in_manifest(it));
    placed
        .changes
        .extend(removed.cloned().map(FileChange::RemovedImage));
    let after = merge::applied(live, &manifest.changed(live, None)?.patch);
    let spec = vec![Segment::Key("spec".to_owned())];
    difference::collect(&live["spec"], &after["spec"], spec, &mut placed.manifest)?;
    Ok(placed)
}

/// The files of a source that hold values or images, from the weakest to the strongest.
fn candidates(live: &Json, source: &Json) -> Vec<Candidate> {
    let text = |of: &Json, key: &str| of[key].as_str().unwrap_or_default().to_owned();
    let at = |of: &Json, path: &str| {
        Some(Candidate {
            repository: text(of, "repoURL"),
            revision: text(of, "targetRevision"),
            path: normalize(path)?,
        })
    };
    let is_chart = !text(source, "chart").is_empty();
    let folder = text(source, "path");
    if is_kustomize(live, source) {
        let names = ["Kustomization", "kustomization.yml", "kustomization.yaml"];
        let paths = names
            .iter()
            .filter_map(|name| at(source, &format!("{folder}/{name}")));
        return paths.collect();
    }
    let own = (!is_chart)
        .then(|| at(source, &format!("{folder}/values.yaml")))
        .flatten();
    let listed = source.pointer("/helm/valueFiles").and_then(Json::as_array);
    let listed = listed.into_iter().flatten().filter_map(Json::as_str);
    let listed = listed.filter_map(|file| {
        if let Some((name, path)) = file.strip_prefix('$').and_then(|it| it.split_once('/')) {
            let sources = live.pointer("/spec/sources").and_then(Json::as_array)?;
            let named = sources.iter().find(|it| it["ref"] == *name)?;
            return at(named, path);
        }
        match file.strip_prefix('/') {
            _ if is_chart || file.contains("://") => None,
            Some(path) => at(source, path),
            None => at(source, &format!("{folder}/{file}")),
        }
    });
    own.into_iter().chain(listed).collect()
}

fn is_kustomize(live: &Json, source: &Json) -> bool {
    let several = live.pointer("/spec/sources").and_then(Json::as_array);
    let index = several.and_then(|list| list.iter().position(|it| it == source));
    let found = match index {
        Some(index) => live.pointer(&format!("/status/sourceTypes/{index}")),
        None => live.pointer("/status/sourceType"),
    };
    found.and_then(Json::as_str) == Some("Kustomize") || source["kustomize"].is_object()
}

/// A path without `.`, `..` and empty parts; nothing where it leaves the repository.
fn normalize(path: &str) -> Option<String> {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

fn has_image(source: &Json, name: &str) -> bool {
    let images = source.pointer("/kustomize/images").and_then(Json::as_array);
    let mut images = images.into_iter().flatten().filter_map(Json::as_str);
    images.any(|image| image_name(image) == name)
}

/// The path of a value of `helm.valuesObject`.
fn below(place: Vec<Segment>, at: Path) -> Path {
    let object = ["helm", "valuesObject"].map(|key| Segment::Key(key.to_owned()));
    let segments = place
        .into_iter()
        .chain(object)
        .chain(at.segments().to_vec());
    Path::new(segments.collect()).unwrap_or(at)
}

/// The edits of a manifest, with what stands there now.
pub(super) fn manifest_edits(
    file: &File,
    document: &DocumentSelector,
    changes: Vec<(Path, Operation)>,
) -> Result<Vec<PlannedEdit>, RepositoryError> {
    let edits = changes.into_iter().map(|(at, operation)| {
        let found = read(file, document, &at)?;
        Ok(value_edit(file, document, (at, operation), found))
    });
    edits.collect()
}

/// The edit of one of the candidates that are there, in their order.
pub(super) fn file_edit(
    files: &[File],
    change: &FileChange,
) -> Result<(usize, PlannedEdit), RepositoryError> {
    match change {
        FileChange::Parameter(parameter) => {
            let at = helm::path(&parameter.name)?;
            let (index, found) = holder(files, &at)?;
            let index = match (index, files) {
                (Some(index), _) => index,
                // The chart's own values come first; one file of the application's own comes before them.
                (None, [_] | [_, _]) => files.len() - 1,
                (None, _) => return Err(absent(&parameter.name, files)),
            };
            let set = Operation::Set(helm::typed(parameter, found.as_ref()));
            Ok((
                index,
                value_edit(&files[index], &DocumentSelector::Only, (at, set), found),
            ))
        }
        FileChange::RemovedParameter(name) => {
            let at = helm::path(name)?;
            let (index, found) = holder(files, &at)?;
            let index = index.ok_or_else(|| absent(name, files))?;
            let edit = (at, Operation::Remove);
            Ok((
                index,
                value_edit(&files[index], &DocumentSelector::Only, edit, found),
            ))
        }
        FileChange::Image(text) => {
            let index = files.len().checked_sub(1);
            let index = index.ok_or_else(|| absent(image_name(text), files))?;
            let (path, image) = (files[index].path.clone(), helm::kustomize_image(text));
            Ok((index, PlannedEdit::Image { path, image }))
        }
        FileChange::RemovedImage(name) => {
            let at = Path::new(vec![
                Segment::Key("images".to_owned()),
                Segment::Match {
                    key: "name".to_owned(),
                    value: name.clone(),
                },
            ])?;
            let (index, found) = holder(files, &at)?;
            let index = index.ok_or_else(|| absent(name, files))?;
            let edit = (at, Operation::Remove);
            Ok((
                index,
                value_edit(&files[index], &DocumentSelector::Only, edit, found),
            ))
        }
    }
}

/// The last file that has a value there.
fn holder(files: &[File], at: &Path) -> Result<(Option<usize>, Option<Value>), RepositoryError> {
    for (index, file) in files.iter().enumerate().rev() {
        if let Some(found) = read(file, &DocumentSelector::Only, at)? {
            return Ok((Some(index), Some(found)));
        }
    }
    Ok((None, None))
}

fn absent(name: &str, files: &[File]) -> RepositoryError {
    let name = name.to_owned();
    if files.is_empty() {
        return PlanError::NoValues(name).into();
    }
    let files = files.iter().map(|file| file.path.to_string());
    let files = files.collect::<Vec<_>>().join(", ");
    PlanError::NoFile { name, files }.into()
}

fn value_edit(
    file: &File,
    document: &DocumentSelector,
    (at, operation): (Path, Operation),
    found: Option<Value>,
) -> PlannedEdit {
    PlannedEdit::Value {
        path: file.path.clone(),
        document: document.clone(),
        at,
        operation,
        expected: found.unwrap_or(Value::Null),
    }
}

/// Reads a value; an empty file has none.
fn read(
    file: &File,
    document: &DocumentSelector,
    at: &Path,
) -> Result<Option<Value>, RepositoryError> {
    if file.content.trim_ascii().is_empty() {
        return Ok(None);
    }
    causeway_patch::read(format(&file.path), &file.content, document, at).map_err(|source| {
        let path = file.path.to_string();
        causeway_git::GitError::Edit { path, source }.into()
    })
}

/// Whether a file declares the Application: the document says the name, and the namespace or none.
pub(super) fn declares(file: &File, document: &DocumentSelector, namespace: &str) -> bool {
    let Ok(at) = Path::parse("metadata.namespace") else {
        return false;
    };
    match causeway_patch::read(format(&file.path), &file.content, document, &at) {
        Ok(None) => true,
        Ok(Some(Value::String(found))) => found == namespace,
        Ok(Some(_)) | Err(_) => false,
    }
}

fn format(path: &RepositoryPath) -> Format {
    Format::of_file(&path.to_string()).unwrap_or(Format::Yaml)
}

#[cfg(test)]
mod tests;
