//! Reports of new objects of a runtime that has reached its quota.

use super::{
    Fault, FieldError, Outgoing, Rejection, Report, ReportedState, SessionError, stream::Session,
};
use crate::{metrics::ReportResult, quota::Room};

/// The field of such a rejection, by which reporters know that the object may have room later.
const QUOTA: &str = "quota";

impl Session {
    /// Rejects a new object beyond the quota. Its reporter sends it again later.
    pub(super) async fn is_over_quota(&mut self, report: &Report) -> Result<bool, SessionError> {
        let kind = &self.scope.kind;
        let Some(state) = &report.state else {
            self.quotas.note_deletion(&self.owner, kind);
            return Ok(false);
        };
        let error = match self.quotas.note(&self.owner, kind, size(state)) {
            Room::Enough => return Ok(false),
            Room::None(error) => Some(error),
            Room::Unknown => {
                let usage = self.store.reads().usage(&self.owner).await?;
                let error = self.quotas.counted(&self.owner, kind, usage);
                if let Some(error) = &error {
                    tracing::warn!(runtime = %self.reporter.runtime_name, %kind, "a quota {error}");
                }
                error
            }
        };
        let Some(error) = error else {
            return Ok(false);
        };
        let held = self
            .store
            .reads()
            .is_held(&self.scope, &report.uid, &report.object);
        if held.await? {
            return Ok(false);
        }
        self.metrics.reported(ReportResult::Rejected);
        self.outbox.push_back(Outgoing::Rejected(Rejection {
            sequence: report.sequence,
            fault: Fault::TooLarge,
            error: FieldError::new(QUOTA, error.to_string()),
        }));
        Ok(true)
    }
}

/// About how many bytes it adds.
fn size(state: &ReportedState) -> u64 {
    let size = match state {
        ReportedState::Application(state) => {
            state.canonical.len() + state.basic.len() + state.detail.len()
        }
        ReportedState::Resource(resource) => resource.basic.len() + resource.detail.len(),
        ReportedState::Event(event) => event.content.len(),
        ReportedState::Delta(delta) => {
            let manifests = delta.manifests.iter();
            delta.patch.len() + manifests.map(|(_, content)| content.len()).sum::<usize>()
        }
    };
    size as u64
}
