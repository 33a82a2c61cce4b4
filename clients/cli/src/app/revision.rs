//! Checks that a repository has a revision before the revision is set.

use std::collections::BTreeSet;

use causeway_proto::{inventory::v1 as inventory, proxy::v1 as pb};
use causeway_shell::suggest_names;
use tonic::Status;

use super::{find, manifests};
use crate::{connection::Connection, failure::Absent, output};

/// What Argo CD and Git say about a revision that is not there.
const UNKNOWN: [&str; 5] = [
    "unable to resolve",
    "resolving repo revision",
    "not a tree",
    "unknown revision",
    "couldn't find remote ref",
];

/// Checks a revision once for each repository of the applications. Their manifests are rendered at it.
///
/// # Errors
/// A repository does not have it.
pub(super) async fn check_all(
    connection: &Connection,
    targets: &[inventory::Application],
    revision: &str,
) -> anyhow::Result<()> {
    let mut checked = BTreeSet::new();
    for target in targets {
        let Some(repository) = repository(target) else {
            continue;
        };
        if checked.insert((&target.runtime, repository)) {
            check(connection, target, repository, revision).await?;
        }
    }
    Ok(())
}

/// The Git repository of an application with one source. A chart's revision is a range of versions.
fn repository(application: &inventory::Application) -> Option<&str> {
    match application.spec.as_ref()?.sources.as_slice() {
        [only] if only.chart.is_empty() => Some(&only.repository_url),
        _ => None,
    }
}

async fn check(
    connection: &Connection,
    target: &inventory::Application,
    repository: &str,
    revision: &str,
) -> anyhow::Result<()> {
    let key = find::key_of(target);
    let source = pb::ManifestSource::Git;
    let Err(error) = manifests::fetch(connection, &key, source, Some(revision)).await else {
        return Ok(());
    };
    if !is_unknown(&error) {
        output::note(format!(
            "the revision '{revision}' could not be checked; Argo CD checks it when it syncs"
        ));
        return Ok(());
    }
    let known = find::list_all(connection, inventory::ApplicationFilter::default()).await;
    let advice = advice(repository, revision, &known.unwrap_or_default());
    Err(Absent(format!(
        "{repository} has no revision '{revision}'; {advice}"
    ))
    .into())
}

fn is_unknown(error: &anyhow::Error) -> bool {
    let status = error.downcast_ref::<Status>();
    status.is_some_and(|status| UNKNOWN.iter().any(|text| status.message().contains(text)))
}

/// Suggests revisions that applications of the repository follow.
fn advice(repository: &str, revision: &str, known: &[inventory::Application]) -> String {
    let specs = known.iter().filter_map(|it| it.spec.as_ref());
    let sources = specs.flat_map(|spec| &spec.sources);
    let same = sources.filter(|source| source.repository_url == repository);
    let followed: BTreeSet<_> = same.map(|source| source.target_revision.as_str()).collect();
    match suggest_names(revision, followed.iter().copied()).as_slice() {
        [] => "write a branch, a tag or a commit of it".to_owned(),
        names => format!("did you mean {}?", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn application(repository: &str, revision: &str) -> inventory::Application {
        let source = inventory::ApplicationSource {
            repository_url: repository.to_owned(),
            target_revision: revision.to_owned(),
            ..inventory::ApplicationSource::default()
        };
        inventory::Application {
            spec: Some(inventory::ApplicationSpec {
                sources: vec![source],
                ..inventory::ApplicationSpec::default()
            }),
            ..inventory::Application::default()
        }
    }

    #[test]
    fn an_unknown_revision_is_answered_with_near_ones_of_its_repository() {
        let known = [application("a", "release-2"), application("b", "release-3")];
        assert_eq!(advice("a", "relaese-2", &known), "did you mean release-2?");
        assert!(advice("a", "zzz", &known).starts_with("write a branch"));
    }

    #[test]
    fn only_a_revision_that_is_not_there_is_refused() {
        let refused = |text: &str| is_unknown(&Status::failed_precondition(text).into());
        assert!(refused("rpc error: unable to resolve 'v9' to a commit SHA"));
        assert!(refused("error resolving repo revision: no such ref"));
        assert!(!refused("helm template failed: values.yaml not found"));
        assert!(!refused("Argo CD is unavailable"));
    }
}
