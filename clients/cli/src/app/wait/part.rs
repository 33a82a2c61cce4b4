//! Some of an application's resources, where not all of it is waited for.

use causeway_proto::inventory::v1 as pb;

use super::{Resource, condition::Conditions};
use crate::words;

/// So many are named of those that are not as wanted.
const NAMED: usize = 3;

/// Whether the chosen ones are as wanted, and how they stand. None of them is never so: what is not there yet may come.
pub(super) fn standing(
    wanted: Conditions,
    chosen: &[Resource],
    status: Option<&pb::ApplicationStatus>,
) -> (bool, String) {
    let all = status.map_or(&[][..], |status| &status.resources);
    let mut chosen = Resource::of(chosen, all).peekable();
    if chosen.peek().is_none() {
        return (false, "has no such resource".to_owned());
    }
    let others: Vec<_> = chosen.filter(|it| !is_so(wanted, it)).collect();
    let named = others.iter().take(NAMED).map(|it| line(it));
    let mut text = named.collect::<Vec<_>>().join(", ");
    if others.len() > NAMED {
        text = format!("{text} and {} more", others.len() - NAMED);
    }
    match others.is_empty() {
        true => (true, "its resources are so".to_owned()),
        false => (false, text),
    }
}

/// What has no health of its own is well, as Argo CD counts it.
fn is_so(wanted: Conditions, resource: &pb::Resource) -> bool {
    wanted.is_so(words::sync_status(resource.sync()), health(resource))
}

fn health(resource: &pb::Resource) -> &'static str {
    let own = resource.health.as_ref();
    words::health_status(own.map_or(pb::HealthStatus::Healthy, pb::HealthState::status))
}

fn line(resource: &pb::Resource) -> String {
    let sync = words::sync_status(resource.sync());
    let (kind, name) = (&resource.kind, &resource.name);
    format!("{kind}/{name} is {sync}, {}", health(resource))
}

#[cfg(test)]
mod tests;
