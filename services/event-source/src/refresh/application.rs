//! Which Applications a push concerns: by repository, reference and, where they are surely all known, changed files.

use std::fmt;

use causeway_argocd::application::REFRESH;
use serde::Deserialize;
use serde_json::Value;

use crate::{event::Event, repository::Repository};

/// Annotation with the paths that an Application is generated from.
const PATHS: &str = "argocd.argoproj.io/manifest-generate-paths";
/// The source type whose manifests come from its own folder only.
const DIRECTORY: &str = "Directory";

/// Names an Application.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ApplicationKey {
    pub(crate) namespace: String,
    pub(crate) name: String,
}

/// What matters of an Application here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Application {
    sources: Vec<Source>,
    /// Paths of the annotation.
    paths: Option<Vec<String>>,
    /// True if a hard refresh is requested already, which a normal one would replace.
    pub(crate) is_hard_requested: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Source {
    repository: Repository,
    revision: String,
    /// None if files elsewhere may matter too.
    folder: Option<String>,
    path: String,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Spec {
    source: Option<SourceSpec>,
    sources: Option<Vec<SourceSpec>>,
    #[serde(rename = "sourceHydrator")]
    hydrator: Option<Hydrator>,
}

#[derive(Deserialize, Default, Clone)]
#[serde(default, rename_all = "camelCase")]
struct SourceSpec {
    #[serde(rename = "repoURL")]
    repo_url: String,
    target_revision: String,
    path: String,
    chart: String,
    #[serde(rename = "ref")]
    reference: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Hydrator {
    dry_source: SourceSpec,
}

impl fmt::Display for ApplicationKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.namespace, self.name)
    }
}

impl Application {
    /// Reads annotations, `spec` and `status` of the object.
    pub(crate) fn read(annotations: impl Fn(&str) -> Option<String>, object: &Value) -> Self {
        let spec = object.get("spec").cloned().unwrap_or_default();
        let spec: Spec = serde_json::from_value(spec).unwrap_or_default();
        let types = source_types(object.get("status"));
        let several = spec.sources.unwrap_or_default();
        let one = spec
            .source
            .into_iter()
            .chain(spec.hydrator.map(|it| it.dry_source));
        let specs: Vec<_> = if several.is_empty() {
            one.collect()
        } else {
            several
        };
        let read = |(index, spec): (usize, &SourceSpec)| {
            Source::read(spec, types.get(index).is_some_and(|it| it == DIRECTORY))
        };
        let paths = annotations(PATHS).map(|text| {
            let paths = text.split(';').map(str::trim);
            paths
                .filter(|path| !path.is_empty())
                .map(str::to_owned)
                .collect()
        });
        Self {
            sources: specs.iter().enumerate().filter_map(read).collect(),
            paths,
            is_hard_requested: annotations(REFRESH).as_deref() == Some("hard"),
        }
    }

    /// True if a push may change what the Application is generated from.
    pub(crate) fn is_concerned(&self, event: &Event) -> bool {
        event.is_push()
            && self.sources.iter().any(|source| {
                let mut named = event.repositories.iter();
                named.any(|repository| repository.is(&source.repository))
                    && follows(&source.revision, event)
                    && self.reads(source, event)
            })
    }

    fn reads(&self, source: &Source, event: &Event) -> bool {
        let Some(files) = &event.files else {
            return true;
        };
        let meets = |folder: &str| files.iter().any(|file| is_within(file, folder));
        match (&self.paths, &source.folder) {
            (Some(paths), _) => paths
                .iter()
                .any(|path| meets(&absolute(&source.path, path))),
            (None, Some(folder)) => meets(folder),
            (None, None) => true,
        }
    }
}

/// Types that Argo CD found for the sources, in order.
fn source_types(status: Option<&Value>) -> Vec<String> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let field = |name| status.and_then(|status| status.get(name));
    let several = field("sourceTypes").and_then(Value::as_array);
    match several {
        Some(types) if !types.is_empty() => types
            .iter()
            .map(|it| text(it).unwrap_or_default())
            .collect(),
        Some(_) | None => field("sourceType").and_then(text).into_iter().collect(),
    }
}

impl Source {
    fn read(spec: &SourceSpec, is_directory: bool) -> Option<Self> {
        // A chart of a Helm repository is no Git repository.
        if !spec.chart.is_empty() {
            return None;
        }
        let path = normal_path(&spec.path);
        let is_narrow = is_directory && spec.reference.is_empty();
        Some(Self {
            repository: Repository::parse(&spec.repo_url)?,
            revision: spec.target_revision.clone(),
            folder: is_narrow.then(|| path.clone()),
            path,
        })
    }
}

/// True if a target revision may mean another commit after the push.
fn follows(revision: &str, event: &Event) -> bool {
    if event.all_references {
        return true;
    }
    let is = |wanted: &str| event.references.iter().any(|one| one.name == wanted);
    let any = |folder: &str| {
        event
            .references
            .iter()
            .any(|one| one.name.starts_with(folder))
    };
    if matches!(revision, "" | "HEAD") {
        return match &event.default_branch {
            Some(branch) => is(&format!("refs/heads/{branch}")),
            None => any("refs/heads/"),
        };
    }
    if revision.starts_with("refs/") {
        return is(revision);
    }
    is(&format!("refs/heads/{revision}"))
        || is(&format!("refs/tags/{revision}"))
        || is_range(revision) && any("refs/tags/")
}

/// True for a range of versions, for example `1.2.*`, `^1.0` or `>=2.1 <3`.
fn is_range(revision: &str) -> bool {
    let has_operator = revision.contains(['*', '^', '~', '<', '>', '=', '|', ',']);
    has_operator || revision.split('.').any(|part| matches!(part, "x" | "X"))
}

/// A path of the annotation from the root of the repository. Of a pattern only the part before its first special character counts.
fn absolute(folder: &str, path: &str) -> String {
    let literal = path.split(['*', '?', '[']).next().unwrap_or_default();
    let whole = match literal.strip_prefix('/') {
        Some(absolute) => absolute.to_owned(),
        None => format!("{folder}/{literal}"),
    };
    let normal = normal_path(&whole);
    match literal.len() == path.len() {
        true => normal,
        // The last step before a pattern may be a part of a name.
        false if literal.ends_with('/') || literal.is_empty() => normal,
        false => normal
            .rsplit_once('/')
            .map_or("", |(head, _)| head)
            .to_owned(),
    }
}

/// Without `.`, empty steps and steps that lead up again.
fn normal_path(path: &str) -> String {
    let mut steps = Vec::new();
    for step in path.split('/') {
        match step {
            "" | "." => {}
            ".." => drop(steps.pop()),
            step => steps.push(step),
        }
    }
    steps.join("/")
}

fn is_within(file: &str, folder: &str) -> bool {
    let rest = file.strip_prefix(folder);
    folder.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
