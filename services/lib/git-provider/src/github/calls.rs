//! Calls of GitHub that Gitea has not, or has otherwise.

use reqwest::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{GitHub, STYLE};
use crate::{
    CommitState, CommitStatus, Cursor, Delivery, MergeMethod, MergeOrder, MergeOutcome,
    Mergeability, Page, ProviderError, PullRequest, PullRequestState, RefName, Repository,
    RepositoryName, User,
    gitea::refused,
    github_style::{self, shape},
    http::Call,
    merge::decided,
};

const ENABLE: &str = "mutation($input: EnablePullRequestAutoMergeInput!) { enablePullRequestAutoMerge(input: $input) { clientMutationId } }";

#[derive(Deserialize)]
struct CheckRuns {
    check_runs: Vec<CheckRun>,
}

#[derive(Deserialize)]
struct CheckRun {
    name: String,
    status: String,
    conclusion: Option<String>,
    html_url: Option<String>,
}

#[derive(Deserialize)]
struct Attempt {
    id: u64,
    event: String,
    status_code: u16,
}

impl GitHub {
    /// An installation of an App is no user, but may list its repositories.
    pub(super) async fn account(&self) -> Result<User, ProviderError> {
        let is_app = self.api.is_app();
        let path: &[&str] = if is_app {
            &["installation", "repositories"]
        } else {
            &["user"]
        };
        let answer = self.api.send(Call::get(path)).await?;
        let answer = answer
            .check("account")
            .map_err(|error| self.api.other_provider(error))?;
        let scopes = answer.headers.get("x-oauth-scopes");
        let scopes = scopes.and_then(|value| value.to_str().ok()).map(split);
        let login = if is_app {
            "the App's installation".to_owned()
        } else {
            let found = answer.json::<shape::Account>();
            found.map_err(|error| self.api.other_provider(error))?.login
        };
        Ok(User { login, scopes })
    }

    /// The search of GitHub covers what the credential cannot write, so that its own list is filtered.
    pub(super) async fn search(
        &self,
        search: &str,
        cursor: Option<Cursor>,
    ) -> Result<Page<Repository>, ProviderError> {
        let mut page = if self.api.is_app() {
            let call = Call::get(&["installation", "repositories"]);
            github_style::search(&self.api, STYLE, call, cursor).await?
        } else {
            let call = Call::get(&["user", "repos"]).query("sort", "full_name");
            let call = call.query("per_page", "100").at(cursor);
            let page = self.api.page(call, |found: shape::Repository| found);
            let Page { items, next } = page.await?;
            let items: Result<Vec<_>, _> = items.into_iter().map(Repository::try_from).collect();
            Page {
                items: items?,
                next,
            }
        };
        let search = search.to_lowercase();
        page.items
            .retain(|found| found.name.as_str().to_lowercase().contains(&search));
        Ok(page)
    }

    pub(super) async fn find(
        &self,
        repository: &RepositoryName,
        head: &RefName,
        base: &RefName,
    ) -> Result<Option<PullRequest>, ProviderError> {
        let call = github_style::get(repository, &["pulls"])
            .query("head", format!("{}:{head}", repository.owner()))
            .query("base", base.as_str())
            .query("state", "all");
        let found = self
            .api
            .page(call, |found: shape::Pull| PullRequest::from(found));
        let found = found.await?.items;
        let is_open = |pull: &&PullRequest| pull.state == PullRequestState::Open;
        let open = found.iter().find(is_open);
        Ok(open.or(found.first()).cloned())
    }

    pub(super) async fn merge(
        &self,
        repository: &RepositoryName,
        order: &MergeOrder,
    ) -> Result<MergeOutcome, ProviderError> {
        if let Some(outcome) = self.state(repository, order).await? {
            return Ok(outcome);
        }
        let number = order.number.to_string();
        let call = github_style::call(Method::PUT, repository, &["pulls", &number, "merge"]);
        let answer = self.api.send(call.body(merge_body(order))).await?;
        if !matches!(answer.status.as_u16(), 200 | 405 | 409 | 422) {
            return Err(refused(answer, order.number));
        }
        let found = github_style::read_pull(&self.api, repository, order.number).await?;
        let found = PullRequest::from(found);
        let mergeability = found.mergeability.clone();
        if let Some(outcome) = decided(found, order) {
            return Ok(outcome);
        }
        Ok(match (answer.status.as_u16(), mergeability) {
            (200, _) => MergeOutcome::NotYet("merged, but not shown yet".to_owned()),
            (_, Mergeability::Unknown) => MergeOutcome::NotYet(answer.reason()),
            (_, Mergeability::Mergeable) => MergeOutcome::Contended(answer.reason()),
            (_, Mergeability::Conflicting | Mergeability::Blocked(_)) => {
                MergeOutcome::Refused(answer.reason())
            }
        })
    }

    /// What the state decides without a call that merges.
    async fn state(
        &self,
        repository: &RepositoryName,
        order: &MergeOrder,
    ) -> Result<Option<MergeOutcome>, ProviderError> {
        let found = github_style::read_pull(&self.api, repository, order.number).await?;
        let found = PullRequest::from(found);
        let (mergeability, base) = (found.mergeability.clone(), found.base_branch.clone());
        let waits = || MergeOutcome::NotYet("GitHub computes whether it can be merged".to_owned());
        Ok(decided(found, order).or_else(|| match mergeability {
            Mergeability::Unknown => Some(waits()),
            Mergeability::Conflicting => {
                Some(MergeOutcome::Refused(format!("it conflicts with {base}")))
            }
            Mergeability::Mergeable | Mergeability::Blocked(_) => None,
        }))
    }

    /// GitHub refuses to schedule where nothing is left to wait for; then it is merged at once.
    pub(super) async fn schedule(
        &self,
        repository: &RepositoryName,
        order: &MergeOrder,
    ) -> Result<MergeOutcome, ProviderError> {
        let found = github_style::read_pull(&self.api, repository, order.number).await?;
        let id = found.node_id.clone();
        let is_clean = found.mergeable_state == "clean";
        if let Some(outcome) = decided(found.into(), order) {
            return Ok(outcome);
        }
        if is_clean {
            return self.merge(repository, order).await;
        }
        let input = json!({
            "pullRequestId": id,
            "expectedHeadOid": order.head,
            "mergeMethod": method(order.method).to_uppercase(),
            "commitHeadline": order.title,
            "commitBody": order.message,
        });
        let body = json!({ "query": ENABLE, "variables": { "input": input } });
        let call = Call::post(&["graphql"], body).at(Some(Cursor(self.graphql.to_owned())));
        let answer = self.api.send(call).await?.check("automatic merge")?;
        let failed = answer.json::<Value>()?["errors"].is_array();
        if failed {
            Ok(MergeOutcome::Refused(answer.reason()))
        } else {
            Ok(MergeOutcome::Scheduled)
        }
    }

    /// Statuses, and the runs of checks, which are another list.
    pub(super) async fn all_checks(
        &self,
        repository: &RepositoryName,
        commit: &RefName,
    ) -> Result<Vec<CommitStatus>, ProviderError> {
        let mut found = github_style::statuses(&self.api, repository, commit).await?;
        let call = github_style::get(repository, &["commits", commit.as_str(), "check-runs"]);
        let runs: CheckRuns = self.api.json(call.query("per_page", "100")).await?;
        found.extend(runs.check_runs.into_iter().map(CommitStatus::from));
        Ok(found)
    }

    pub(super) async fn read_deliveries(
        &self,
        repository: &RepositoryName,
        webhook: &str,
    ) -> Result<Vec<Delivery>, ProviderError> {
        let call = github_style::get(repository, &["hooks", webhook, "deliveries"]);
        let page = self.api.page(call, |found: Attempt| Delivery {
            id: found.id.to_string(),
            event: found.event,
            status: found.status_code,
        });
        Ok(page.await?.items)
    }

    pub(super) async fn repeat_delivery(
        &self,
        repository: &RepositoryName,
        webhook: &str,
        delivery: &str,
    ) -> Result<(), ProviderError> {
        let path = ["hooks", webhook, "deliveries", delivery, "attempts"];
        self.api
            .done(github_style::call(Method::POST, repository, &path))
            .await
    }
}

impl From<CheckRun> for CommitStatus {
    fn from(found: CheckRun) -> Self {
        let state = match (found.status.as_str(), found.conclusion.as_deref()) {
            ("completed", Some("success" | "neutral" | "skipped")) => CommitState::Success,
            ("completed", _) => CommitState::Failure,
            _ => CommitState::Pending,
        };
        Self {
            context: found.name,
            state,
            description: found.conclusion.unwrap_or(found.status),
            url: found.html_url,
        }
    }
}

fn method(method: MergeMethod) -> &'static str {
    match method {
        MergeMethod::Merge => "merge",
        MergeMethod::Squash => "squash",
        MergeMethod::Rebase => "rebase",
    }
}

fn merge_body(order: &MergeOrder) -> Value {
    json!({
        "sha": order.head,
        "merge_method": method(order.method),
        "commit_title": order.title,
        "commit_message": order.message,
    })
}

fn split(scopes: &str) -> Vec<String> {
    let scopes = scopes.split(',').map(str::trim);
    let scopes = scopes.filter(|scope| !scope.is_empty());
    scopes.map(str::to_owned).collect()
}
