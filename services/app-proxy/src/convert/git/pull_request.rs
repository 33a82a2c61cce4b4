//! Between the contract of pull requests and the domain.

use causeway_git::Commit;
use causeway_git_provider::{
    MergeMethod, MergeOutcome, Mergeability, Page, PullRequest, PullRequestFilter, PullRequestState,
};
use causeway_proto::git::v1 as pb;

use super::{read_edits, rule};
use crate::{
    convert::FieldError,
    git::{MergeRequest, MergeTime, OpenOrder, PullRequestName, RepositoryError, Target},
};

const LONGEST_TITLE: usize = 250;
const LONGEST_DESCRIPTION: usize = 16 << 10;
/// Characters of an object id, of either kind of repository.
const OBJECT_IDS: [usize; 2] = [40, 64];

pub(crate) fn read_open(request: pb::OpenPullRequestRequest) -> Result<OpenOrder, RepositoryError> {
    let title = request.title.trim();
    let is_line = !title.is_empty() && !title.contains(char::is_control);
    if !is_line || title.chars().count() > LONGEST_TITLE {
        return Err(rule("title", "must be one line of 1 to 250 characters").into());
    }
    if request.description.len() > LONGEST_DESCRIPTION {
        return Err(rule("description", "must have at most 16 KiB").into());
    }
    Ok(OpenOrder {
        request_id: request.request_id.parse().map_err(FieldError::RequestId)?,
        title: title.to_owned(),
        target: Target {
            integration: request.integration.parse()?,
            repository: request.repository,
            branch: request.base_branch,
        },
        description: request.description,
        edits: read_edits(request.edits)?,
    })
}

pub(crate) fn read_get(
    request: pb::GetPullRequestRequest,
) -> Result<PullRequestName, RepositoryError> {
    let repository = read_repository(&request.integration, request.repository)?;
    read_name(repository, request.number)
}

pub(crate) fn read_list(
    request: pb::ListPullRequestsRequest,
) -> Result<(Target, PullRequestFilter), RepositoryError> {
    let filter = if request.all {
        PullRequestFilter::All
    } else {
        PullRequestFilter::Open
    };
    let repository = read_repository(&request.integration, request.repository)?;
    Ok((repository, filter))
}

pub(crate) fn read_merge(
    request: pb::MergePullRequestRequest,
) -> Result<MergeRequest, RepositoryError> {
    let method = read_method(request.method)?;
    let is_hex = request.head.chars().all(|c| c.is_ascii_hexdigit());
    if !is_hex || !OBJECT_IDS.contains(&request.head.len()) {
        return Err(rule("head", "must be the whole id of a commit").into());
    }
    let time = if request.when_rules_are_met {
        MergeTime::WhenRulesAreMet
    } else {
        MergeTime::Now
    };
    let repository = read_repository(&request.integration, request.repository)?;
    Ok(MergeRequest {
        name: read_name(repository, request.number)?,
        head: request.head.to_ascii_lowercase(),
        method,
        time,
    })
}

pub(crate) fn read_close(
    request: pb::ClosePullRequestRequest,
) -> Result<PullRequestName, RepositoryError> {
    let repository = read_repository(&request.integration, request.repository)?;
    read_name(repository, request.number)
}

fn read_name(repository: Target, number: u64) -> Result<PullRequestName, RepositoryError> {
    if number == 0 {
        return Err(rule("number", "must be the number of a pull request").into());
    }
    Ok(PullRequestName { repository, number })
}

fn read_repository(integration: &str, repository: String) -> Result<Target, RepositoryError> {
    Ok(Target {
        integration: integration.parse()?,
        repository,
        branch: String::new(),
    })
}

fn read_method(number: i32) -> Result<MergeMethod, FieldError> {
    match pb::MergeMethod::try_from(number) {
        Ok(pb::MergeMethod::Unspecified | pb::MergeMethod::Merge) => Ok(MergeMethod::Merge),
        Ok(pb::MergeMethod::Squash) => Ok(MergeMethod::Squash),
        Ok(pb::MergeMethod::Rebase) => Ok(MergeMethod::Rebase),
        Err(_) => Err(FieldError::Choice {
            field: "method",
            value: number,
            choices: "MERGE_METHOD_MERGE, MERGE_METHOD_SQUASH or MERGE_METHOD_REBASE",
        }),
    }
}

pub(crate) fn to_pull_request(found: PullRequest) -> pb::PullRequest {
    let (state, merge_commit) = match found.state {
        PullRequestState::Open => (pb::PullRequestState::Open, None),
        PullRequestState::Closed => (pb::PullRequestState::Closed, None),
        PullRequestState::Merged(commit) => (pb::PullRequestState::Merged, commit),
    };
    let (mergeability, reason) = match found.mergeability {
        Mergeability::Mergeable => (pb::Mergeability::Mergeable, String::new()),
        Mergeability::Unknown => (pb::Mergeability::Unknown, String::new()),
        Mergeability::Conflicting => (pb::Mergeability::Conflicting, String::new()),
        Mergeability::Blocked(reason) => (pb::Mergeability::Blocked, reason),
    };
    pb::PullRequest {
        number: found.number,
        title: found.title,
        head_branch: found.head_branch,
        base_branch: found.base_branch,
        head: found.head,
        state: state.into(),
        mergeability: mergeability.into(),
        blocked_reason: reason,
        merge_commit: merge_commit.unwrap_or_default(),
        url: found.url,
    }
}

pub(crate) fn to_open_response(
    (opened, commit): (PullRequest, Commit),
    request_id: String,
) -> pb::OpenPullRequestResponse {
    pb::OpenPullRequestResponse {
        pull_request: Some(to_pull_request(opened)),
        commit: commit.id,
        request_id,
        repeated_request: commit.is_repeat,
    }
}

pub(crate) fn to_list_response(page: Page<PullRequest>) -> pb::ListPullRequestsResponse {
    let pull_requests = page.items.into_iter().map(to_pull_request);
    pb::ListPullRequestsResponse {
        pull_requests: pull_requests.collect(),
        truncated: page.next.is_some(),
    }
}

pub(crate) fn to_merge_response(
    outcome: MergeOutcome,
    request_id: String,
) -> pb::MergePullRequestResponse {
    use pb::MergeOutcome as To;
    let none = String::new;
    let (outcome, commit, reason) = match outcome {
        MergeOutcome::Merged(commit) => (To::Merged, commit, none()),
        MergeOutcome::Scheduled => (
            To::Scheduled,
            none(),
            "the host waits for its rules".to_owned(),
        ),
        MergeOutcome::NotYet(reason) | MergeOutcome::Contended(reason) => {
            (To::NotYet, none(), reason)
        }
        MergeOutcome::Refused(reason) => (To::Refused, none(), reason),
        MergeOutcome::HeadMoved(head) => {
            let reason = format!("its head is {head} now: review that commit first");
            (To::HeadMoved, none(), reason)
        }
        MergeOutcome::Closed => (
            To::Closed,
            none(),
            "it was closed without a merge".to_owned(),
        ),
    };
    pb::MergePullRequestResponse {
        outcome: outcome.into(),
        commit,
        reason,
        request_id,
    }
}

#[cfg(test)]
mod tests;
