//! Results of writes, and the replies to their reporter.

use futures::{FutureExt as _, StreamExt as _};

use super::{Outgoing, SessionError, stream::Session};
use crate::{
    digest::Digest,
    metrics::ReportResult,
    store::{Outcome, StoreError},
};

/// What an outcome is about.
#[derive(Debug)]
pub(super) enum Written {
    Report(u64),
    Manifest(Digest, usize),
}

impl Session {
    /// Answers for a commit and for all others that are done by now.
    pub(super) async fn acknowledge_writes(
        &mut self,
        done: (Written, Result<Outcome, StoreError>),
    ) -> Result<(), SessionError> {
        let mut sequences = Vec::new();
        let mut next = Some(done);
        while let Some((written, outcome)) = next {
            match written {
                Written::Report(sequence) => {
                    self.reported(sequence, outcome?, &mut sequences).await?
                }
                Written::Manifest(digest, size) => {
                    outcome?;
                    for change in self.pending.manifest_kept(&digest, size) {
                        self.commit(change).await?;
                    }
                }
            }
            next = self.in_flight.next().now_or_never().flatten();
        }
        if !sequences.is_empty() {
            self.outbox.push_back(Outgoing::Acknowledged(sequences));
        }
        Ok(())
    }

    async fn reported(
        &mut self,
        sequence: u64,
        outcome: Outcome,
        acknowledged: &mut Vec<u64>,
    ) -> Result<(), SessionError> {
        if let Outcome::Missing(digests) = outcome {
            self.metrics.reported(ReportResult::Waiting);
            self.pending.wait(sequence, &digests);
            self.outbox.push_back(Outgoing::Wanted(sequence, digests));
            return Ok(());
        }
        let superseded = matches!(outcome, Outcome::Superseded);
        let what = if superseded {
            ReportResult::Superseded
        } else {
            ReportResult::Kept
        };
        self.metrics.reported(what);
        self.end_span(sequence, what);
        if let Some(change) = self.pending.remove(sequence) {
            acknowledged.push(sequence);
            if !superseded && let Some(state) = change.application_state() {
                let canonical = state.canonical.clone();
                self.bases.keep(change.uid(), state.root_digest, canonical);
            }
            for stuck in self.pending.release(change.uid()) {
                self.commit(stuck).await?;
            }
        }
        Ok(())
    }
}
