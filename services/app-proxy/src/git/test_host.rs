//! Tests an integration at its host.

use std::time::Duration;

use causeway_git_provider::{Http, ProviderError};
use tokio::time::timeout;

use super::{
    Integration, IntegrationName, Remote, Repositories, RepositoryError, Work,
    check::{IntegrationTest, ProblemKind, RepositoryAccess},
    host::{self, ApiPlace, Host},
};
use crate::{policy::Action, scope::Requester};

/// The whole test is over by then; callers wait no longer.
const TIME: Duration = Duration::from_secs(20);

impl Repositories {
    /// Asks the host of an integration what its credential may do. Nothing is written there.
    ///
    /// # Errors
    /// See [`RepositoryError`]. What the host refuses is a problem in the result.
    pub(crate) async fn test(
        &self,
        name: &IntegrationName,
        repository: Option<&str>,
        requester: &Requester,
    ) -> Result<IntegrationTest, RepositoryError> {
        self.check(Action::GitRead, requester)?;
        let work = self.work()?;
        let (integration, sealed) = self.store.get(name).await?;
        integration.check_covers(repository)?;
        let token = sealed.open_token(&work.key, &work.runtime, &integration)?;
        let place = host::place(&integration, repository);
        let host = host::connect(&integration, token.as_ref(), &place, work.api_http());
        let (mut test, host) = match host {
            Ok(host) => (begin(integration, &*host), Some(host)),
            // What the API cannot do, Git may.
            Err(error @ (RepositoryError::SshKey | RepositoryError::Host(_))) => {
                let plain = causeway_git_provider::PlainGit;
                let mut test = begin(integration, &plain);
                test.add(ProblemKind::NotTested, error.to_string());
                (test, None)
            }
            Err(error) => return Err(error),
        };
        let all = async {
            if let Some(host) = &host {
                ask_account(&mut test, host).await;
            }
            if let Some(url) = repository {
                match self.remote_of(work, &test.integration, &sealed, url).await {
                    Ok(remote) => {
                        ask_repository(&mut test, (work, &remote), (host.as_ref(), &place)).await;
                    }
                    Err(error @ RepositoryError::HostUnknown(_)) => {
                        test.add(ProblemKind::NoAnswer, error.to_string());
                    }
                    Err(error @ RepositoryError::HostAddress(_)) => {
                        test.add(ProblemKind::UrlUnusable, error.to_string());
                    }
                    Err(error) => return Err(error),
                }
            } else if test.user.is_none() && test.problems.is_empty() {
                let text = "this host answers about repositories alone: name one";
                test.add(ProblemKind::NotTested, text);
            }
            Ok::<_, RepositoryError>(())
        };
        match timeout(TIME, all).await {
            Ok(done) => done?,
            Err(_) => {
                let seconds = TIME.as_secs();
                let text = format!(
                    "{} did not answer in {seconds} s: check its URL and the network of this runtime",
                    test.integration.url
                );
                test.add(ProblemKind::NoAnswer, text);
            }
        }
        Ok(test)
    }
}

impl Work {
    /// The rules for addresses, in the words of the client of APIs.
    pub(super) fn api_http(&self) -> Http {
        match self.http {
            causeway_git::Http::Refused => Http::Refused,
            causeway_git::Http::Loopback => Http::Loopback,
        }
    }
}

fn begin(integration: Integration, host: &dyn causeway_git_provider::Provider) -> IntegrationTest {
    IntegrationTest {
        integration,
        capabilities: host.capabilities(),
        user: None,
        budget: None,
        repository: None,
        problems: Vec::new(),
    }
}

async fn ask_account(test: &mut IntegrationTest, host: &Host) {
    match host.user().await {
        Ok(user) => test.user = Some(user),
        Err(ProviderError::Unsupported { .. }) => {}
        Err(error) => test.add_host_error(&error),
    }
    test.budget = host.budget();
}

async fn ask_repository(
    test: &mut IntegrationTest,
    (work, remote): (&Work, &Remote),
    (host, place): (Option<&Host>, &ApiPlace),
) {
    let url = remote.url.to_string();
    if !work.rules.has_repository(&url) {
        let (repository, branch) = (url.clone(), "any".to_owned());
        let missing = RepositoryError::NotAllowed { repository, branch };
        test.add(ProblemKind::RuntimeRuleMissing, missing.to_string());
    }
    let mut found = RepositoryAccess {
        url,
        can_read: false,
        can_push: false,
        default_branch: None,
        is_archived: false,
    };
    if let (Some(host), Ok(name)) = (host, place.name()) {
        match host.repository(&name).await {
            Ok(known) => {
                found.default_branch = known.default_branch;
                found.is_archived = known.is_archived;
            }
            Err(ProviderError::Unsupported { .. }) => {}
            Err(error) => test.add_host_error(&error),
        }
    }
    if found.is_archived {
        let text = "the repository is archived: unarchive it at the host, or use another one";
        test.add(ProblemKind::RepositoryArchived, text);
    }
    match work.engine.check_access(remote).await {
        Ok(access) => test.add_access(&mut found, &access),
        Err(error) => test.add(ProblemKind::HostFailed, error.to_string()),
    }
    test.repository = Some(found);
}
