//! `causeway git pull-request merge`.

use std::time::Duration;

use anyhow::bail;
use causeway_proto::git::v1 as pb;
use tokio::time::{Instant, sleep};

use super::{NumberArgs, Place, get};
use crate::{
    connection::Connection,
    output::{self, Format},
    request::{self, RequestIdArgs, Requests},
};

/// Between two looks at a merge that goes on.
const PAUSE: Duration = Duration::from_secs(2);

/// Merge a pull request, at the commit that was reviewed
///
/// A head that moved meanwhile is not merged. A merge that the host still computes, or that waits for its rules, is not done when
/// the command ends, unless --wait is given.
#[derive(clap::Args, Debug)]
pub(crate) struct MergeArgs {
    #[command(flatten)]
    number: NumberArgs,
    /// Commit that was reviewed, whole; the present head if not given
    #[arg(long, value_name = "COMMIT")]
    head: Option<String>,
    /// How commits come to the base branch
    #[arg(long, value_enum, default_value = "merge")]
    method: Method,
    /// Let the host merge once its rules are met, where it can
    #[arg(long)]
    auto: bool,
    /// Wait until it is merged
    #[arg(short, long)]
    wait: bool,
    /// Maximum time to wait, for example 5m
    #[arg(long, value_name = "TIME", default_value = "5m", requires = "wait")]
    timeout: humantime::Duration,
    #[command(flatten)]
    ids: RequestIdArgs,
}

/// How commits come to the base branch.
#[derive(clap::ValueEnum, Debug, Clone, Copy)]
enum Method {
    /// By a merge commit
    Merge,
    /// As one commit
    Squash,
    /// As they are, on top of the base branch
    Rebase,
}

impl MergeArgs {
    pub(super) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        let number = self.number.number;
        let place = self.number.repository.find(connection).await?;
        let head = match self.head {
            Some(head) => head,
            None => get(connection, &place, number).await?.head,
        };
        let requests = self.ids.for_one()?;
        let request = pb::MergePullRequestRequest {
            request_id: requests.request_id(&place.repository),
            runtime: place.runtime.clone(),
            integration: place.integration.clone(),
            repository: place.repository.clone(),
            number,
            head,
            method: pb::MergeMethod::from(self.method).into(),
            when_rules_are_met: self.auto,
        };
        let end = self.wait.then(|| Instant::now() + *self.timeout);
        let merged = merge(connection, (&place, &request), requests, end).await?;
        if format != Format::Table {
            output::document(&merged, format)?;
        }
        report(number, &merged, format)
    }
}

/// Merges, and waits by the state of the pull request until the end.
async fn merge(
    connection: &Connection,
    (place, request): (&Place, &pb::MergePullRequestRequest),
    requests: Requests,
    end: Option<Instant>,
) -> anyhow::Result<pb::MergePullRequestResponse> {
    loop {
        let call = async || {
            let mut service = connection.pull_requests();
            service.merge_pull_request(request.clone()).await
        };
        let mut merged = request::send(&requests.retry_command(), call).await?;
        if merged.outcome() == pb::MergeOutcome::Scheduled {
            await_schedule(connection, (place, request.number), &mut merged, end).await?;
        }
        let is_open = merged.outcome() == pb::MergeOutcome::NotYet;
        if !is_open || end.is_none_or(|end| Instant::now() + PAUSE > end) {
            return Ok(merged);
        }
        sleep(PAUSE).await;
    }
}

/// The host merges by itself; nothing is requested again.
async fn await_schedule(
    connection: &Connection,
    (place, number): (&Place, u64),
    merged: &mut pb::MergePullRequestResponse,
    end: Option<Instant>,
) -> anyhow::Result<()> {
    while end.is_some_and(|end| Instant::now() + PAUSE <= end) {
        sleep(PAUSE).await;
        let found = get(connection, place, number).await?;
        match found.state() {
            pb::PullRequestState::Merged if !found.merge_commit.is_empty() => {
                merged.set_outcome(pb::MergeOutcome::Merged);
                merged.commit = found.merge_commit;
                return Ok(());
            }
            pb::PullRequestState::Closed => {
                merged.set_outcome(pb::MergeOutcome::Closed);
                "it was closed without a merge".clone_into(&mut merged.reason);
                return Ok(());
            }
            pb::PullRequestState::Unspecified
            | pb::PullRequestState::Open
            | pb::PullRequestState::Merged => {}
        }
    }
    Ok(())
}

fn report(
    number: u64,
    merged: &pb::MergePullRequestResponse,
    format: Format,
) -> anyhow::Result<()> {
    let reason = &merged.reason;
    let text = match merged.outcome() {
        pb::MergeOutcome::Merged => format!("pull request {number} merged as {}", merged.commit),
        pb::MergeOutcome::Scheduled => format!("pull request {number} is scheduled: {reason}"),
        pb::MergeOutcome::NotYet => bail!(
            "pull request {number} is not merged yet: {reason}; repeat the command, or pass --wait"
        ),
        pb::MergeOutcome::Unspecified
        | pb::MergeOutcome::Refused
        | pb::MergeOutcome::HeadMoved
        | pb::MergeOutcome::Closed => bail!("pull request {number} is not merged: {reason}"),
    };
    match format {
        Format::Table => output::line(text),
        Format::Json | Format::Yaml => Ok(()),
    }
}

impl From<Method> for pb::MergeMethod {
    fn from(method: Method) -> Self {
        match method {
            Method::Merge => Self::Merge,
            Method::Squash => Self::Squash,
            Method::Rebase => Self::Rebase,
        }
    }
}
