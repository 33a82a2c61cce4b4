//! Between the contract of Git sources and the domain.

use causeway_git_source::{Destination, Directory, GitFolder, GroupKind, Spec};
use causeway_proto::{gitops::v1 as pb, time::millis_to_timestamp};

use super::check_name;
use crate::{
    git_source::{Condition, GitSource, GitSourceError, GitSourceOrder, Mode, Written},
    outcome::Attempt,
};

pub(crate) fn read_name(name: String) -> Result<String, GitSourceError> {
    check_name("name", &name)?;
    Ok(name)
}

pub(crate) fn read_create(
    request: pb::CreateGitSourceRequest,
) -> Result<GitSourceOrder, GitSourceError> {
    let mode = match (request.dry_run, request.update) {
        (true, _) => Mode::DryRun,
        (false, true) => Mode::Update,
        (false, false) => Mode::Create,
    };
    Ok(GitSourceOrder {
        name: read_name(request.name)?,
        spec: read_spec(request.spec.unwrap_or_default()),
        mode,
    })
}

/// The spec itself checks its fields and their number.
fn read_spec(spec: pb::GitSourceSpec) -> Spec {
    let kinds = |kinds: Vec<pb::GitSourceResourceKind>| {
        let kinds = kinds.into_iter();
        kinds
            .map(|it| GroupKind {
                group: it.group,
                kind: it.kind,
            })
            .collect()
    };
    let destinations = spec.destinations.into_iter();
    Spec {
        source: GitFolder {
            repo_url: spec.repository,
            path: spec.path,
            target_revision: spec.revision,
            directory: spec.recurse.then_some(Directory {
                recurse: true,
                ..Directory::default()
            }),
        },
        source_namespace: spec.source_namespace,
        destinations: destinations
            .map(|it| Destination {
                server: it.server,
                name: it.name,
                namespace: it.namespace,
            })
            .collect(),
        source_repos: spec.allowed_repositories,
        cluster_resource_allow: kinds(spec.allowed_cluster_kinds),
        namespace_resource_allow: kinds(spec.allowed_kinds),
        namespace_resource_deny: kinds(spec.denied_kinds),
        ..Spec::default()
    }
}

pub(crate) fn to_create_response(
    written: Written,
    request_id: String,
) -> pb::CreateGitSourceResponse {
    pb::CreateGitSourceResponse {
        git_source: Some(written.source.into()),
        request_id,
        repeated_request: written.attempt == Attempt::EarlierCall,
        manifests: written.manifests,
    }
}

impl From<GitSource> for pb::GitSource {
    fn from(source: GitSource) -> Self {
        let kind = if source.is_restricted {
            pb::GitSourceKind::Restricted
        } else {
            pb::GitSourceKind::Application
        };
        Self {
            name: source.name,
            namespace: source.namespace,
            kind: kind.into(),
            spec: Some(to_spec(source.spec)),
            project: source.project,
            conditions: source.conditions.into_iter().map(Into::into).collect(),
            created_at: (source.created_at > 0).then(|| millis_to_timestamp(source.created_at)),
            deleting: source.is_deleting,
        }
    }
}

impl From<Condition> for pb::GitSourceCondition {
    fn from(condition: Condition) -> Self {
        Self {
            r#type: condition.kind,
            holds: condition.holds,
            reason: condition.reason,
            message: condition.message,
        }
    }
}

fn to_spec(spec: Spec) -> pb::GitSourceSpec {
    let kinds = |kinds: Vec<GroupKind>| {
        let kinds = kinds.into_iter();
        kinds
            .map(|it| pb::GitSourceResourceKind {
                group: it.group,
                kind: it.kind,
            })
            .collect()
    };
    let destinations = spec.destinations.into_iter();
    pb::GitSourceSpec {
        repository: spec.source.repo_url,
        path: spec.source.path,
        revision: spec.source.target_revision,
        recurse: spec.source.directory.is_some_and(|it| it.recurse),
        source_namespace: spec.source_namespace,
        destinations: destinations
            .map(|it| pb::GitSourceDestination {
                server: it.server,
                name: it.name,
                namespace: it.namespace,
            })
            .collect(),
        allowed_repositories: spec.source_repos,
        allowed_cluster_kinds: kinds(spec.cluster_resource_allow),
        allowed_kinds: kinds(spec.namespace_resource_allow),
        denied_kinds: kinds(spec.namespace_resource_deny),
    }
}
