//! Events of senders without a form of their own: `type`, `repository`, `ref`, `before`, `after` and `files`.

use serde::Deserialize;

use super::{Event, Reference, commit, parse, repositories};

#[derive(Deserialize)]
struct Body {
    #[serde(rename = "type")]
    kind: Option<String>,
    repository: Option<String>,
    #[serde(rename = "ref")]
    reference: Option<String>,
    before: Option<String>,
    after: Option<String>,
    default_branch: Option<String>,
    files: Option<Vec<String>>,
}

pub(super) fn read(json: &[u8]) -> Option<Event> {
    let body: Body = parse(json)?;
    let reference = |name| Reference {
        name,
        before: commit(body.before),
        after: commit(body.after),
    };
    Some(Event {
        kind: body.kind.unwrap_or_default(),
        repositories: repositories([&body.repository]),
        references: body.reference.map(reference).into_iter().collect(),
        default_branch: body.default_branch,
        files: body.files,
        ..Event::default()
    })
}
