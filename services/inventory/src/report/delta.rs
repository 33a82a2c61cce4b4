//! States that come as what their base has not, made whole: what follows does not know how they came.

use bytes::Bytes;

use super::{
    Delta, Fault, FieldError, Outgoing, Rejection, Report, ReportedState, SessionError,
    stream::Session,
};
use crate::digest::Digest;

/// Makes the state of a delta and its base; fails where it is none, or not the one whose digest was told.
pub type ReadDelta = fn(&Delta, &[u8]) -> Result<ReportedState, (Fault, FieldError)>;

impl Session {
    /// Applies the delta of a report. Returns `None` after rejecting it, or asking for its missing base.
    pub(super) async fn resolve_delta(
        &mut self,
        report: Report,
    ) -> Result<Option<Report>, SessionError> {
        let (sequence, uid) = (report.sequence, report.uid.clone());
        let delta = match report.state {
            Some(ReportedState::Delta(delta)) => delta,
            state => return Ok(Some(Report { state, ..report })),
        };
        let remembered = match &delta.base {
            Some(root) => self.bases.get(&uid, root),
            None => Some(Bytes::new()),
        };
        let base = match (remembered, &delta.base) {
            (None, Some(root)) => {
                let held = self
                    .store
                    .reads()
                    .held_state(&self.scope, &uid, root)
                    .await?;
                if let Some(held) = &held {
                    self.bases.keep(&uid, *root, held.clone());
                }
                held
            }
            (remembered, _) => remembered,
        };
        let Some(base) = base else {
            self.outbox.push_back(Outgoing::BaseWanted(sequence));
            return Ok(None);
        };
        let stated = match (self.read_delta)(&delta, &base) {
            Ok(stated) => stated,
            Err((fault, error)) => {
                self.reject(Rejection {
                    sequence,
                    fault,
                    error,
                });
                return Ok(None);
            }
        };
        self.store_named_manifests(&stated, delta.manifests).await?;
        let state = Some(stated);
        Ok(Some(Report { state, ..report }))
    }

    /// Keeps manifests that came with a state, as far as it names them: they are there before the state is looked at.
    async fn store_named_manifests(
        &mut self,
        stated: &ReportedState,
        manifests: Vec<(Digest, Bytes)>,
    ) -> Result<(), SessionError> {
        let ReportedState::Application(state) = stated else {
            return Ok(());
        };
        for (digest, content) in manifests {
            if state.manifests.contains(&digest) {
                self.store_manifest(digest, content).await?;
            }
        }
        Ok(())
    }
}
