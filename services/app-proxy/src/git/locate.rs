//! Finds the files in Git that a change of an application's source is made in.

use causeway_argocd::rest::ApplicationName;
use causeway_git::{File, FileEdit, GitError, Preview, RepositoryPath, Selection};
use causeway_patch::DocumentSelector;
use serde_json::Value as Json;

use super::{
    Integration, IntegrationName, Repositories, RepositoryError, Target, Work,
    plan::{self, Candidate, Placed, PlanError, PlannedEdit},
};
use crate::{action::Actions, policy::Action, scope::Requester, source::SourceOrder};

/// Endings of files that may declare an Application.
const MANIFESTS: &[&str] = &[".yaml", ".yml", ".json"];

/// A change of an application's source, to be made in Git.
#[derive(Debug, Clone)]
pub(crate) struct PlanOrder {
    pub(crate) application: ApplicationName,
    pub(crate) source: SourceOrder,
    pub(crate) integration: Option<IntegrationName>,
    /// The file, where the caller knows it.
    pub(crate) file: Option<RepositoryPath>,
    pub(crate) branch: Option<String>,
}

/// What is to be committed to one branch.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PlannedChange {
    pub(crate) target: Target,
    pub(crate) edits: Vec<PlannedEdit>,
    pub(crate) preview: Preview,
}

impl Repositories {
    /// Finds where a change of an application's source stands in Git, and shows the difference. Nothing is written.
    ///
    /// # Errors
    /// See [`RepositoryError`].
    pub(crate) async fn plan(
        &self,
        actions: &Actions,
        order: &PlanOrder,
        requester: &Requester,
    ) -> Result<Vec<PlannedChange>, RepositoryError> {
        self.check(Action::GitRead, requester)?;
        let lookup = Lookup {
            repositories: self,
            work: self.work()?,
            integrations: self.store.list().await?,
            order,
        };
        let live = actions.live(&order.application, Action::Read, requester);
        let (object, application) = live.await?;
        let placed = plan::place(&order.source, &object)?;
        let mut planned = Vec::new();
        if !placed.changes.is_empty() {
            lookup.edit_files(&object, &placed, &mut planned).await?;
        }
        if !placed.manifest.is_empty() {
            let owner = actions.owner(&application, &object).await?;
            let parent = match owner {
                Some(owner) => match &owner.application {
                    Some(parent) => {
                        let live = actions.live(parent, Action::Read, requester);
                        Some((parent.to_string(), live.await?.0))
                    }
                    None if order.file.is_none() => {
                        let application = order.application.to_string();
                        let owner = owner.to_string();
                        return Err(PlanError::Generated { application, owner }.into());
                    }
                    None => None,
                },
                None => None,
            };
            let changes = placed.manifest;
            let (target, file) = lookup
                .manifest(&object, parent, placed.changes.is_empty())
                .await?;
            let document = lookup.document();
            for edit in plan::manifest_edits(&file, &document, changes)? {
                planned.push((target.clone(), edit));
            }
        }
        self.preview_planned(planned, requester).await
    }

    async fn preview_planned(
        &self,
        planned: Vec<(Target, PlannedEdit)>,
        requester: &Requester,
    ) -> Result<Vec<PlannedChange>, RepositoryError> {
        let mut changes: Vec<(Target, Vec<PlannedEdit>)> = Vec::new();
        for (target, edit) in planned {
            match changes.iter_mut().find(|(it, _)| *it == target) {
                Some((_, edits)) => edits.push(edit),
                None => changes.push((target, vec![edit])),
            }
        }
        let mut shown = Vec::new();
        for (target, edits) in changes {
            let files: Vec<_> = edits.iter().cloned().map(FileEdit::from).collect();
            let preview = match self.preview(&target, files, requester).await {
                // Git has it so already.
                Err(RepositoryError::Git(GitError::NothingToCommit)) => continue,
                other => other?,
            };
            shown.push(PlannedChange {
                target,
                edits,
                preview,
            });
        }
        Ok(shown)
    }
}

struct Lookup<'a> {
    repositories: &'a Repositories,
    work: &'a Work,
    integrations: Vec<Integration>,
    order: &'a PlanOrder,
}

impl Lookup<'_> {
    /// Edits the files of the source.
    async fn edit_files(
        &self,
        object: &Json,
        placed: &Placed,
        planned: &mut Vec<(Target, PlannedEdit)>,
    ) -> Result<(), RepositoryError> {
        let candidates = match &self.order.file {
            Some(file) => vec![candidate(self.order.source.source(object), file)],
            None => placed.files.clone(),
        };
        let (mut targets, mut files) = (Vec::new(), Vec::new());
        for candidate in &candidates {
            let Ok(path) = RepositoryPath::parse(&candidate.path) else {
                continue;
            };
            let target = self
                .target(&candidate.repository, &candidate.revision)
                .await?;
            for file in self.read(&target, Selection::Paths(vec![path])).await? {
                targets.push(target.clone());
                files.push(file);
            }
        }
        if let (Some(file), true) = (&self.order.file, files.is_empty()) {
            return Err(PlanError::FileAbsent(file.to_string()).into());
        }
        for change in &placed.changes {
            let (index, edit) = plan::file_edit(&files, change)?;
            planned.push((targets[index].clone(), edit));
        }
        Ok(())
    }

    /// The file that declares the application.
    async fn manifest(
        &self,
        object: &Json,
        parent: Option<(String, Json)>,
        is_hinted: bool,
    ) -> Result<(Target, File), RepositoryError> {
        let hint = self.order.file.as_ref().filter(|_| is_hinted);
        let (place, sources) = match (&parent, hint) {
            (Some((name, parent)), _) => (name.clone(), sources(parent)),
            (None, Some(file)) => (file.to_string(), sources(object)),
            (None, None) => {
                return Err(PlanError::NoParent(self.order.application.to_string()).into());
            }
        };
        let mut found = Vec::new();
        for source in sources {
            let target = self.target(&source.repository, &source.revision).await?;
            let selection = match hint {
                Some(file) => Selection::Paths(vec![file.clone()]),
                None => Selection::Below {
                    folder: RepositoryPath::parse(&source.path).ok(),
                    endings: MANIFESTS,
                },
            };
            let files = self.read(&target, selection).await?.into_iter();
            let declaring = files.filter(|file| self.declares(file));
            found.extend(declaring.map(|file| (target.clone(), file)));
        }
        found.dedup_by(|one, other| one.0 == other.0 && one.1.path == other.1.path);
        let application = self.order.application.to_string();
        match found.len() {
            0 => Err(PlanError::NoManifest { application, place }.into()),
            1 => Ok(found.swap_remove(0)),
            _ => {
                let files: Vec<_> = found.iter().map(|(_, it)| it.path.to_string()).collect();
                let files = files.join(", ");
                Err(PlanError::SeveralManifests { application, files }.into())
            }
        }
    }

    fn document(&self) -> DocumentSelector {
        DocumentSelector::Object {
            kind: "Application".to_owned(),
            name: self.order.application.name.clone(),
        }
    }

    fn declares(&self, file: &File) -> bool {
        let namespace = &self.order.application.namespace;
        plan::declares(file, &self.document(), namespace)
    }

    /// Files that the rules of the runtime allow.
    async fn read(
        &self,
        target: &Target,
        selection: Selection,
    ) -> Result<Vec<File>, RepositoryError> {
        let remote = self.repositories.remote(self.work, target).await?;
        let read = self.work.engine.read(&remote, &target.branch, &selection);
        let mut files = match read.await {
            Err(GitError::BranchNotFound { branch }) => {
                return Err(PlanError::NoBranch(branch).into());
            }
            other => other?,
        };
        files.retain(|file| self.work.rules.has_path(target, &file.path));
        Ok(files)
    }

    /// The branch that a source follows, with the integration for its repository.
    async fn target(&self, repository: &str, revision: &str) -> Result<Target, RepositoryError> {
        let integration = self.integration(repository)?;
        let branch = self.order.branch.as_deref().unwrap_or(revision);
        let mut target = Target {
            integration,
            repository: repository.to_owned(),
            branch: branch.to_owned(),
        };
        if matches!(branch, "" | "HEAD") {
            let remote = self.repositories.remote(self.work, &target).await?;
            target.branch = self.work.engine.default_branch(&remote).await?;
        }
        self.work.rules.check(&target, &[])?;
        Ok(target)
    }

    fn integration(&self, repository: &str) -> Result<IntegrationName, RepositoryError> {
        if let Some(name) = &self.order.integration {
            return Ok(name.clone());
        }
        let fitting = self.integrations.iter().filter(|it| it.covers(repository));
        let fitting: Vec<_> = fitting.map(|it| &it.name).collect();
        let repository = repository.to_owned();
        match fitting.as_slice() {
            [] => Err(PlanError::NoIntegration(repository).into()),
            [only] => Ok((*only).clone()),
            several => {
                let fitting: Vec<_> = several.iter().map(ToString::to_string).collect();
                let fitting = fitting.join(", ");
                Err(PlanError::SeveralIntegrations {
                    repository,
                    fitting,
                }
                .into())
            }
        }
    }
}

fn candidate(source: &Json, file: &RepositoryPath) -> Candidate {
    let text = |key: &str| source[key].as_str().unwrap_or_default().to_owned();
    Candidate {
        repository: text("repoURL"),
        revision: text("targetRevision"),
        path: file.to_string(),
    }
}

/// The sources of an application that lie in Git; their paths are folders.
fn sources(object: &Json) -> Vec<Candidate> {
    let spec = &object["spec"];
    let several = spec["sources"].as_array().cloned().unwrap_or_default();
    let all = if several.is_empty() {
        vec![spec["source"].clone()]
    } else {
        several
    };
    let text = |of: &Json, key: &str| of[key].as_str().unwrap_or_default().to_owned();
    let in_git = all.iter().filter(|it| text(it, "chart").is_empty());
    let sources = in_git.map(|source| Candidate {
        repository: text(source, "repoURL"),
        revision: text(source, "targetRevision"),
        path: text(source, "path").trim_matches('/').to_owned(),
    });
    sources.collect()
}
