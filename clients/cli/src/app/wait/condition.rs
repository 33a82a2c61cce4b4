//! Conditions to wait for, with the meaning of `argocd app wait`.

use causeway_proto::inventory::v1 as pb;

use super::until::WaitState;
use crate::{app::sync::choice::Resource, words};

/// Number of unmatched resources that a line names.
const NAMED: usize = 3;

/// Conditions; the default is sync, health and no running operation.
#[derive(clap::Args, Debug, Clone, Copy, Default)]
pub(crate) struct Conditions {
    /// Wait until it is Synced
    #[arg(long)]
    pub(super) sync: bool,
    /// Wait until it is Healthy; with --suspended or --degraded either counts
    #[arg(long)]
    pub(super) health: bool,
    /// Wait until no operation is running
    #[arg(long)]
    pub(super) operation: bool,
    /// Wait until it is Suspended
    #[arg(long)]
    pub(super) suspended: bool,
    /// Wait until it is Degraded
    #[arg(long)]
    pub(super) degraded: bool,
    /// Wait until the source hydrator has committed the manifests
    #[arg(long)]
    pub(super) hydrated: bool,
    /// Wait until it is deleted
    #[arg(long, conflicts_with_all = ["sync", "health", "operation", "suspended", "degraded", "hydrated"])]
    pub(super) delete: bool,
}

impl Conditions {
    /// Nothing in place of an application that is gone. Where some of its resources are chosen, these are to be in sync and in health.
    pub(super) fn judge(
        self,
        application: Option<&pb::Application>,
        chosen: &[Resource],
    ) -> WaitState {
        let Some(application) = application else {
            return if self.delete {
                WaitState::Reached
            } else {
                WaitState::Never("it was deleted".to_owned())
            };
        };
        let status = application.status.as_ref();
        if self.delete {
            return WaitState::Waiting(match &application.deletion_requested_at {
                Some(_) => "is being deleted".to_owned(),
                None => "is there".to_owned(),
            });
        }
        let wanted = self.or_default();
        let idle = !wanted.operation || !is_operating(status);
        let hydrated = !wanted.hydrated || hydration(status) == pb::HydrationPhase::Hydrated;
        let (matched, state) = match chosen {
            [] => (
                wanted.matches(words::sync(status), words::health(status)),
                line(status),
            ),
            chosen => resources_state(wanted, chosen, status),
        };
        match matched && idle && hydrated {
            true if application.stale_since.is_some() => WaitState::Waiting(words::with_staleness(
                &state,
                application.stale_since.as_ref(),
            )),
            true => WaitState::Reached,
            false if hydrated => WaitState::Waiting(state),
            false => WaitState::Waiting(format!("{state}, {}", hydration_line(status))),
        }
    }

    /// True if a sync and a health state match.
    pub(super) fn matches(self, sync: &str, health: &str) -> bool {
        (!self.sync || sync == "Synced") && self.is_in_health(health)
    }

    fn or_default(self) -> Self {
        let has_health = self.health || self.suspended || self.degraded;
        if self.sync || self.operation || self.hydrated || has_health {
            self
        } else {
            Self {
                sync: true,
                health: true,
                operation: true,
                ..self
            }
        }
    }

    fn is_in_health(self, health: &str) -> bool {
        let wanted = [
            (self.health, "Healthy"),
            (self.suspended, "Suspended"),
            (self.degraded, "Degraded"),
        ];
        let mut wanted = wanted.into_iter().filter(|(wanted, _)| *wanted).peekable();
        wanted.peek().is_none() || wanted.any(|(_, name)| name == health)
    }
}

fn is_operating(status: Option<&pb::ApplicationStatus>) -> bool {
    let operation = status.and_then(|status| status.operation.as_ref());
    matches!(
        operation.map(pb::Operation::phase),
        Some(pb::OperationPhase::Running | pb::OperationPhase::Terminating)
    )
}

fn hydration(status: Option<&pb::ApplicationStatus>) -> pb::HydrationPhase {
    let hydration = status.and_then(|status| status.hydration.as_ref());
    hydration.map_or(pb::HydrationPhase::Unspecified, pb::Hydration::phase)
}

fn hydration_line(status: Option<&pb::ApplicationStatus>) -> &'static str {
    match hydration(status) {
        pb::HydrationPhase::Unspecified => "never hydrated",
        pb::HydrationPhase::Hydrating => "being hydrated",
        pb::HydrationPhase::Failed => "its hydration failed",
        pb::HydrationPhase::Hydrated => "hydrated",
    }
}

/// Describes the state in a line.
pub(super) fn line(status: Option<&pb::ApplicationStatus>) -> String {
    let operation = if is_operating(status) {
        ", an operation is under way"
    } else {
        ""
    };
    let (sync, health) = (words::sync(status), words::health(status));
    format!("{sync}, {health}{operation}")
}

/// Tells if the selected resources match, and describes them. No resource never matches: it may still be created.
fn resources_state(
    wanted: Conditions,
    chosen: &[Resource],
    status: Option<&pb::ApplicationStatus>,
) -> (bool, String) {
    let all = status.map_or(&[][..], |status| &status.resources);
    let mut chosen = Resource::select(chosen, all).peekable();
    if chosen.peek().is_none() {
        return (false, "has no such resource".to_owned());
    }
    let unmatched: Vec<_> = chosen.filter(|it| !resource_matches(wanted, it)).collect();
    let named = unmatched.iter().take(NAMED).map(|it| resource_line(it));
    let mut text = named.collect::<Vec<_>>().join(", ");
    if unmatched.len() > NAMED {
        text = format!("{text} and {} more", unmatched.len() - NAMED);
    }
    if unmatched.is_empty() {
        (true, "its resources are so".to_owned())
    } else {
        (false, text)
    }
}

/// Matches one resource; without a health of its own it is healthy, as in Argo CD.
fn resource_matches(wanted: Conditions, resource: &pb::Resource) -> bool {
    wanted.matches(words::sync_status(resource.sync()), health(resource))
}

fn health(resource: &pb::Resource) -> &'static str {
    let own = resource.health.as_ref();
    words::health_status(own.map_or(pb::HealthStatus::Healthy, pb::HealthState::status))
}

fn resource_line(resource: &pb::Resource) -> String {
    let sync = words::sync_status(resource.sync());
    let (kind, name) = (&resource.kind, &resource.name);
    format!("{kind}/{name} is {sync}, {}", health(resource))
}

#[cfg(test)]
mod tests;
