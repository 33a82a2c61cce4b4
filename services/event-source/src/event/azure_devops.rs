//! Events of Azure DevOps. They list no files.

use serde::Deserialize;

use super::{Event, Reference, commit, parse, repositories};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Body {
    event_type: Option<String>,
    id: Option<String>,
    subscription_id: Option<String>,
    notification_id: Option<u64>,
    resource: Option<Resource>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Resource {
    repository: Option<RepositoryName>,
    #[serde(default)]
    ref_updates: Vec<Update>,
    pull_request_id: Option<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RepositoryName {
    remote_url: Option<String>,
    ssh_url: Option<String>,
    default_branch: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Update {
    name: Option<String>,
    old_object_id: Option<String>,
    new_object_id: Option<String>,
}

/// The event, and the id of the delivery, which is in the body.
pub(super) fn read(json: &[u8]) -> (Option<Event>, Option<String>) {
    let Some(body) = parse::<Body>(json) else {
        return (None, None);
    };
    let id = match (body.subscription_id, body.notification_id) {
        (Some(subscription), Some(notification)) => Some(format!("{subscription}-{notification}")),
        _ => body.id,
    };
    let kind = body.event_type.unwrap_or_default();
    let Some(resource) = body.resource else {
        return (
            Some(Event {
                kind,
                ..Event::default()
            }),
            id,
        );
    };
    let names = resource.repository.as_ref();
    let default = names.and_then(|it| it.default_branch.as_deref());
    let event = Event {
        kind,
        repositories: names
            .map(|it| repositories([&it.remote_url, &it.ssh_url]))
            .unwrap_or_default(),
        default_branch: default
            .map(|name| name.strip_prefix("refs/heads/").unwrap_or(name).to_owned()),
        references: resource
            .ref_updates
            .into_iter()
            .filter_map(Update::read)
            .collect(),
        pull_request: resource.pull_request_id,
        ..Event::default()
    };
    (Some(event), id)
}

impl Update {
    fn read(self) -> Option<Reference> {
        Some(Reference {
            name: self.name?,
            before: commit(self.old_object_id),
            after: commit(self.new_object_id),
        })
    }
}
