//! Events of Bitbucket Cloud. They list no files.

use serde::Deserialize;

use super::{Event, Reference, commit, parse};
use crate::repository::Repository;

#[derive(Deserialize)]
struct Body {
    repository: Option<RepositoryName>,
    push: Option<Push>,
    pullrequest: Option<PullRequest>,
}

#[derive(Deserialize)]
struct RepositoryName {
    full_name: Option<String>,
    mainbranch: Option<Branch>,
}

#[derive(Deserialize)]
struct Branch {
    name: Option<String>,
}

#[derive(Deserialize)]
struct Push {
    #[serde(default)]
    changes: Vec<Change>,
}

#[derive(Deserialize)]
struct Change {
    old: Option<Tip>,
    new: Option<Tip>,
}

#[derive(Deserialize)]
struct Tip {
    #[serde(rename = "type")]
    kind: Option<String>,
    name: Option<String>,
    target: Option<Target>,
}

#[derive(Deserialize)]
struct Target {
    hash: Option<String>,
}

#[derive(Deserialize)]
struct PullRequest {
    id: Option<u64>,
}

pub(super) fn read(event: Option<&str>, json: &[u8]) -> Option<Event> {
    let kind = event?.to_owned();
    let Some(body) = parse::<Body>(json) else {
        return Some(Event {
            kind,
            ..Event::default()
        });
    };
    let name = body.repository.as_ref();
    let repository = name
        .and_then(|it| it.full_name.as_deref())
        .and_then(|path| Repository::parse(&format!("https://bitbucket.org/{path}")));
    let changes = body.push.map(|push| push.changes).unwrap_or_default();
    Some(Event {
        kind,
        repositories: repository.into_iter().collect(),
        references: changes.into_iter().filter_map(Change::read).collect(),
        default_branch: body
            .repository
            .and_then(|it| it.mainbranch)
            .and_then(|it| it.name),
        pull_request: body.pullrequest.and_then(|it| it.id),
        ..Event::default()
    })
}

impl Change {
    fn read(self) -> Option<Reference> {
        let named = self.new.as_ref().or(self.old.as_ref())?;
        let folder = match named.kind.as_deref() {
            Some("tag" | "annotated_tag") => "refs/tags",
            _ => "refs/heads",
        };
        let name = format!("{folder}/{}", named.name.as_deref()?);
        let hash = |tip: Option<Tip>| commit(tip.and_then(|it| it.target).and_then(|it| it.hash));
        Some(Reference {
            name,
            before: hash(self.old),
            after: hash(self.new),
        })
    }
}
