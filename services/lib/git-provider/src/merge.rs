//! Merges and openings that may be repeated: what is done is found, and "not yet" is waited for by state.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::{
    MergeOrder, MergeOutcome, NewPullRequest, Provider, ProviderError, PullRequest,
    PullRequestState, RefName, RepositoryName,
};

const FIRST_PAUSE: Duration = Duration::from_millis(200);
const MAX_PAUSE: Duration = Duration::from_secs(5);
/// Refusals of a pull request whose state is mergeable, before a rule is assumed that the state does not show.
const CONTENDED: u32 = 5;

/// Bounds of a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MergeWait {
    /// How long a provider may say "not yet".
    pub patience: Duration,
}

impl Default for MergeWait {
    fn default() -> Self {
        Self {
            patience: Duration::from_secs(60),
        }
    }
}

/// Merges, and waits while the provider still computes. A merge that happened before is a success.
pub async fn merge(
    provider: &dyn Provider,
    repository: &RepositoryName,
    order: &MergeOrder,
    wait: MergeWait,
) -> Result<MergeOutcome, ProviderError> {
    let end = Instant::now() + wait.patience;
    let mut pause = FIRST_PAUSE;
    let mut contended = 0;
    loop {
        let reason = match provider.try_merge(repository, order).await {
            Ok(MergeOutcome::NotYet(reason)) => reason,
            Ok(MergeOutcome::Contended(reason)) => {
                contended += 1;
                if contended == CONTENDED {
                    return Ok(MergeOutcome::Refused(reason));
                }
                reason
            }
            // The merge may have happened: the next attempt reads the state first.
            Err(ProviderError::Unavailable { reason, .. }) => reason,
            decided => return decided,
        };
        if Instant::now() + pause >= end {
            let seconds = wait.patience.as_secs();
            return Ok(MergeOutcome::NotYet(format!("{reason}, for {seconds} s")));
        }
        sleep(pause).await;
        pause = (pause * 2).min(MAX_PAUSE);
    }
}

/// Opens a pull request, or returns the open one of the same branches.
pub async fn open_once(
    provider: &dyn Provider,
    repository: &RepositoryName,
    new: &NewPullRequest,
) -> Result<PullRequest, ProviderError> {
    let (head, base) = (RefName::parse(&new.head)?, RefName::parse(&new.base)?);
    let is_open = |found: &PullRequest| found.state == PullRequestState::Open;
    let find = || provider.find_pull_request(repository, &head, &base);
    if let Some(open) = find().await?.filter(is_open) {
        return Ok(open);
    }
    match provider.open_pull_request(repository, new).await {
        // Another caller may have opened it meanwhile.
        Err(error @ ProviderError::Refused { .. }) => find().await?.filter(is_open).ok_or(error),
        opened => opened,
    }
}

/// What the state of a pull request decides about a merge, whatever the merge call answered.
#[must_use]
pub fn decided(found: PullRequest, order: &MergeOrder) -> Option<MergeOutcome> {
    match found.state {
        PullRequestState::Merged(Some(commit)) => Some(MergeOutcome::Merged(commit)),
        PullRequestState::Merged(None) => {
            let reason = "merged, but its commit is not named yet";
            Some(MergeOutcome::NotYet(reason.to_owned()))
        }
        PullRequestState::Closed => Some(MergeOutcome::Closed),
        PullRequestState::Open if found.head != order.head => {
            Some(MergeOutcome::HeadMoved(found.head))
        }
        PullRequestState::Open => None,
    }
}
