//! Events of Bitbucket Data Center. They list no files, and often no URL of the repository.

use serde::Deserialize;

use super::{Event, Reference, commit, parse};
use crate::repository::Repository;

#[derive(Deserialize)]
struct Body {
    repository: Option<RepositoryName>,
    #[serde(default)]
    changes: Vec<Change>,
    #[serde(rename = "pullRequest")]
    pull_request: Option<PullRequest>,
}

#[derive(Deserialize)]
struct RepositoryName {
    slug: Option<String>,
    project: Option<Project>,
    links: Option<Links>,
}

#[derive(Deserialize)]
struct Project {
    key: Option<String>,
}

#[derive(Deserialize)]
struct Links {
    #[serde(default)]
    clone: Vec<Link>,
}

#[derive(Deserialize)]
struct Link {
    href: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Change {
    ref_id: Option<String>,
    from_hash: Option<String>,
    to_hash: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PullRequest {
    id: Option<u64>,
    to_ref: Option<Target>,
}

#[derive(Deserialize)]
struct Target {
    repository: Option<RepositoryName>,
}

pub(super) fn read(event: Option<&str>, json: &[u8]) -> Option<Event> {
    let kind = event?.to_owned();
    let Some(body) = parse::<Body>(json) else {
        return Some(Event {
            kind,
            ..Event::default()
        });
    };
    let pull_request = body.pull_request.as_ref().and_then(|it| it.id);
    let target = || body.pull_request?.to_ref?.repository;
    let repository = body.repository.or_else(target);
    Some(Event {
        kind,
        repositories: repository.map(RepositoryName::read).unwrap_or_default(),
        references: body.changes.into_iter().filter_map(Change::read).collect(),
        pull_request,
        ..Event::default()
    })
}

impl RepositoryName {
    fn read(self) -> Vec<Repository> {
        let links = self.links.map(|links| links.clone).unwrap_or_default();
        let urls = links.iter().filter_map(|link| link.href.as_deref());
        let mut found: Vec<_> = urls.filter_map(Repository::parse).collect();
        if found.is_empty()
            && let (Some(slug), Some(key)) = (self.slug, self.project.and_then(|it| it.key))
        {
            found.extend(Repository::anywhere(&format!("{key}/{slug}")));
        }
        found
    }
}

impl Change {
    fn read(self) -> Option<Reference> {
        Some(Reference {
            name: self.ref_id?,
            before: commit(self.from_hash),
            after: commit(self.to_hash),
        })
    }
}
