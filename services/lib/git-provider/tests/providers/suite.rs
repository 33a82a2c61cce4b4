//! What every provider must do, by its trait alone.

use std::time::Duration;

use causeway_git_provider::{
    AutoMerge, CommitState, CommitStatus, Decision, EntryKind, Event, MergeMethod, MergeOrder,
    MergeOutcome, MergeWait, NewPullRequest, NewWebhook, Provider, ProviderError, PullRequest,
    PullRequestFilter, PullRequestState, RefName, RepositoryName, Secret, Support, merge,
    open_once,
};
use futures::future::BoxFuture;

pub(crate) const SEED: &[(&str, &str)] =
    &[("README.md", "hello\n"), ("app/values.yaml", "tag: v1\n")];
/// A token that is nobody's; no message may show it.
pub(crate) const CANARY: &str = "canary-7f3a9c";
const PROMOTION: &str = "causeway/r1/prod";
const WAIT: MergeWait = MergeWait {
    patience: Duration::from_secs(20),
};

/// One provider with a repository of its own, which has [`SEED`] on `main`.
pub(crate) struct Subject {
    /// May write, and opens pull requests.
    pub(crate) owner: Box<dyn Provider>,
    /// Another user who may write.
    pub(crate) reviewer: Box<dyn Provider>,
    /// May only read.
    pub(crate) weak: Box<dyn Provider>,
    /// With [`CANARY`] as its credential.
    pub(crate) wrong: Box<dyn Provider>,
    /// The same client at a URL where another program answers.
    pub(crate) foreign: Box<dyn Provider>,
    pub(crate) repository: RepositoryName,
    pub(crate) owner_name: &'static str,
    pub(crate) reviewer_name: &'static str,
    pub(crate) fixture: Box<dyn Fixture>,
}

/// Changes that a test makes behind the provider's API.
pub(crate) trait Fixture {
    /// Commits a file, on a branch that starts at `main` where it is new.
    fn commit<'a>(&'a self, branch: &'a str, path: &'a str, text: &'a str)
    -> BoxFuture<'a, String>;
    fn head<'a>(&'a self, branch: &'a str) -> BoxFuture<'a, String>;
    /// Requires the status `ci` and one approval.
    fn protect<'a>(&'a self, branch: &'a str) -> BoxFuture<'a, ()>;
}

fn name(text: &str) -> RefName {
    RefName::parse(text).unwrap()
}

fn promotion() -> NewPullRequest {
    NewPullRequest {
        head: PROMOTION.to_owned(),
        base: "main".to_owned(),
        title: "Promote v2".to_owned(),
        body: "by a release".to_owned(),
    }
}

fn order(pull: &PullRequest) -> MergeOrder {
    MergeOrder {
        number: pull.number,
        head: pull.head.clone(),
        method: MergeMethod::Merge,
        title: pull.title.clone(),
        message: "Causeway-Step: s1".to_owned(),
    }
}

impl Subject {
    /// A pull request that changes the values.
    async fn open(&self) -> PullRequest {
        self.fixture
            .commit(PROMOTION, "app/values.yaml", "tag: v2\n")
            .await;
        let new = promotion();
        let opened = open_once(self.owner.as_ref(), &self.repository, &new);
        opened.await.unwrap()
    }

    async fn merge(&self, order: &MergeOrder) -> MergeOutcome {
        let merged = merge(self.owner.as_ref(), &self.repository, order, WAIT);
        merged.await.unwrap()
    }

    async fn read(&self, number: u64) -> PullRequest {
        let read = self.owner.pull_request(&self.repository, number);
        read.await.unwrap()
    }

    async fn succeed(&self, commit: &str) {
        let status = status(CommitState::Success);
        let commit = name(commit);
        let set = self.owner.set_status(&self.repository, &commit, &status);
        set.await.unwrap();
    }
}

fn status(state: CommitState) -> CommitStatus {
    CommitStatus {
        context: "ci".to_owned(),
        state,
        description: "tests".to_owned(),
        url: Some("https://ci.example.com/1".to_owned()),
    }
}

pub(crate) async fn the_user_of_the_credential_is_named(subject: &Subject) {
    let user = subject.owner.user().await.unwrap();
    assert_eq!(user.login, subject.owner_name);
    let user = subject.reviewer.user().await.unwrap();
    assert_eq!(user.login, subject.reviewer_name);
}

pub(crate) async fn a_wrong_credential_is_refused_without_being_shown(subject: &Subject) {
    let error = subject.wrong.user().await.unwrap_err();
    assert!(
        matches!(error, ProviderError::Unauthorized { .. }),
        "{error:?}"
    );
    let shown = format!("{error} {error:?}");
    assert!(!shown.contains(CANARY), "{shown}");
    assert!(shown.contains("renew it in the integration"), "{shown}");
}

pub(crate) async fn a_weak_credential_reads_and_may_not_write(subject: &Subject) {
    let repository = &subject.repository;
    subject
        .weak
        .branch(repository, &name("main"))
        .await
        .unwrap();
    subject
        .fixture
        .commit(PROMOTION, "app/values.yaml", "tag: v2\n")
        .await;
    let new = promotion();
    let opened = subject.weak.open_pull_request(repository, &new);
    let error = opened.await.unwrap_err();
    assert!(
        matches!(error, ProviderError::Forbidden { .. }),
        "{error:?}"
    );
}

pub(crate) async fn another_program_behind_the_url_is_named(subject: &Subject) {
    let error = subject.foreign.user().await.unwrap_err();
    let named = matches!(
        error,
        ProviderError::OtherProvider { .. } | ProviderError::Html { .. }
    );
    assert!(named, "{error:?}");
}

/// Names of all repositories that match; the stand-ins put one on a page, where the provider has pages.
async fn search(subject: &Subject, text: &str) -> Vec<String> {
    let (mut names, mut cursor) = (Vec::new(), None);
    loop {
        let page = subject.owner.repositories(text, cursor).await.unwrap();
        let found = page.items.iter().map(|found| found.name.to_string());
        names.extend(found);
        cursor = page.next;
        if cursor.is_none() {
            return names;
        }
    }
}

pub(crate) async fn repositories_are_listed_in_pages_and_searched(subject: &Subject) {
    let names = search(subject, "").await;
    assert!(names.len() > 1, "{names:?}");
    let names = search(subject, subject.repository.name()).await;
    assert_eq!(names, [subject.repository.to_string()]);
    let read = subject.owner.repository(&subject.repository).await.unwrap();
    assert_eq!(read.default_branch.as_deref(), Some("main"));
    let unknown = RepositoryName::parse("acme/unknown").unwrap();
    let error = subject.owner.repository(&unknown).await.unwrap_err();
    assert!(matches!(error, ProviderError::NotFound { .. }), "{error:?}");
}

pub(crate) async fn branches_are_listed_with_their_heads(subject: &Subject) {
    let commit = subject.fixture.commit(PROMOTION, "a.txt", "a\n").await;
    let page = subject.owner.branches(&subject.repository, None).await;
    let branches = page.unwrap().items;
    let found = branches.iter().find(|branch| branch.name == PROMOTION);
    assert_eq!(found.unwrap().commit, commit);
    let (known, missing) = (name(PROMOTION), name("missing"));
    let read = |name| subject.owner.branch(&subject.repository, name);
    assert_eq!(read(&known).await.unwrap().commit, commit);
    let error = read(&missing).await.unwrap_err();
    assert!(matches!(error, ProviderError::NotFound { .. }), "{error:?}");
}

pub(crate) async fn files_are_listed_and_read(subject: &Subject) {
    let (repository, main) = (&subject.repository, name("main"));
    let root = subject.owner.files(repository, &main, "").await.unwrap();
    let kind = |path: &str| root.iter().find(|entry| entry.path == path).unwrap().kind;
    assert_eq!(kind("README.md"), EntryKind::File);
    assert_eq!(kind("app"), EntryKind::Folder);
    let below = subject.owner.files(repository, &main, "app").await.unwrap();
    assert_eq!(below[0].path, "app/values.yaml");
    let read = |path: &'static str| subject.owner.read_file(repository, &main, path);
    assert_eq!(read("app/values.yaml").await.unwrap(), "tag: v1\n");
    let error = read("app/missing.yaml").await.unwrap_err();
    assert!(matches!(error, ProviderError::NotFound { .. }), "{error:?}");
    let error = read("app/../../secret").await.unwrap_err();
    assert!(matches!(error, ProviderError::InvalidName(_)), "{error:?}");
}

pub(crate) async fn a_comparison_has_commits_and_files(subject: &Subject) {
    let commit = subject
        .fixture
        .commit(PROMOTION, "app/values.yaml", "tag: v2\n")
        .await;
    let (base, head) = (name("main"), name(PROMOTION));
    let found = subject.owner.compare(&subject.repository, &base, &head);
    let found = found.await.unwrap();
    assert_eq!(found.commits, [commit]);
    assert_eq!(found.files, ["app/values.yaml"]);
    assert!(found.is_complete);
}

pub(crate) async fn a_pull_request_that_is_opened_twice_is_one(subject: &Subject) {
    let first = subject.open().await;
    assert_eq!(first.state, PullRequestState::Open);
    assert_eq!(
        (first.head_branch.as_str(), first.base_branch.as_str()),
        (PROMOTION, "main")
    );
    let new = promotion();
    let again = open_once(subject.owner.as_ref(), &subject.repository, &new);
    assert_eq!(again.await.unwrap().number, first.number);
    // Without the look-up the provider itself refuses it.
    let twice = subject.owner.open_pull_request(&subject.repository, &new);
    let error = twice.await.unwrap_err();
    assert!(matches!(error, ProviderError::Refused { .. }), "{error:?}");
}

pub(crate) async fn a_merge_right_after_opening_waits_until_it_is_possible(subject: &Subject) {
    let pull = subject.open().await;
    let outcome = subject.merge(&order(&pull)).await;
    let MergeOutcome::Merged(commit) = outcome else {
        panic!("{outcome:?}")
    };
    assert_eq!(commit, subject.fixture.head("main").await);
    let merged = subject.read(pull.number).await;
    assert_eq!(merged.state, PullRequestState::Merged(Some(commit)));
    let main = name("main");
    let read = subject
        .owner
        .read_file(&subject.repository, &main, "app/values.yaml");
    assert_eq!(read.await.unwrap(), "tag: v2\n");
}

pub(crate) async fn a_merge_that_is_repeated_returns_the_first_commit(subject: &Subject) {
    let pull = subject.open().await;
    let first = subject.merge(&order(&pull)).await;
    let again = subject.merge(&order(&pull)).await;
    assert_eq!(first, again);
}

pub(crate) async fn a_head_that_moved_is_not_merged(subject: &Subject) {
    let pull = subject.open().await;
    let main = subject.fixture.head("main").await;
    let moved = subject
        .fixture
        .commit(PROMOTION, "app/values.yaml", "tag: v3\n")
        .await;
    let outcome = subject.merge(&order(&pull)).await;
    assert_eq!(outcome, MergeOutcome::HeadMoved(moved));
    assert_eq!(subject.fixture.head("main").await, main);
}

pub(crate) async fn a_conflict_is_never_merged(subject: &Subject) {
    let pull = subject.open().await;
    let main = subject
        .fixture
        .commit("main", "app/values.yaml", "tag: v9\n")
        .await;
    let wait = MergeWait {
        patience: Duration::from_secs(3),
    };
    let order = order(&pull);
    let merged = merge(subject.owner.as_ref(), &subject.repository, &order, wait);
    let outcome = merged.await.unwrap();
    // Some providers do not tell a conflict from a computation that goes on.
    let refused = matches!(outcome, MergeOutcome::Refused(_) | MergeOutcome::NotYet(_));
    assert!(refused, "{outcome:?}");
    assert_eq!(subject.fixture.head("main").await, main);
}

pub(crate) async fn a_closed_pull_request_is_not_merged(subject: &Subject) {
    let pull = subject.open().await;
    let closed = subject
        .owner
        .close_pull_request(&subject.repository, pull.number);
    closed.await.unwrap();
    assert_eq!(
        subject.read(pull.number).await.state,
        PullRequestState::Closed
    );
    assert_eq!(subject.merge(&order(&pull)).await, MergeOutcome::Closed);
}

pub(crate) async fn pull_requests_are_listed_by_their_state(subject: &Subject) {
    let pull = subject.open().await;
    let list = async |filter| {
        let listed = subject.owner.pull_requests(&subject.repository, filter);
        let listed = listed.await.unwrap().items.into_iter();
        listed.map(|found| found.number).collect::<Vec<_>>()
    };
    assert_eq!(list(PullRequestFilter::Open).await, [pull.number]);
    let closed = subject
        .owner
        .close_pull_request(&subject.repository, pull.number);
    closed.await.unwrap();
    assert!(list(PullRequestFilter::Open).await.is_empty());
    assert_eq!(list(PullRequestFilter::All).await, [pull.number]);
}

pub(crate) async fn a_protected_branch_refuses_until_its_rules_are_met(subject: &Subject) {
    let pull = subject.open().await;
    subject.fixture.protect("main").await;
    let outcome = subject.merge(&order(&pull)).await;
    assert!(matches!(outcome, MergeOutcome::Refused(_)), "{outcome:?}");
    subject.succeed(&pull.head).await;
    let approved = subject
        .reviewer
        .approve(&subject.repository, pull.number, &pull.head);
    approved.await.unwrap();
    let approvals = subject.owner.approvals(&subject.repository, pull.number);
    let approvals = approvals.await.unwrap();
    assert_eq!(approvals.len(), 1);
    assert_eq!(approvals[0].user, subject.reviewer_name);
    assert_eq!(approvals[0].decision, Decision::Approved);
    assert!(!approvals[0].is_stale);
    let outcome = subject.merge(&order(&pull)).await;
    assert!(matches!(outcome, MergeOutcome::Merged(_)), "{outcome:?}");
}

pub(crate) async fn a_scheduled_merge_happens_when_the_rules_are_met(subject: &Subject) {
    let capabilities = subject.owner.capabilities();
    if capabilities.auto_merge == AutoMerge::Caller {
        return;
    }
    let pull = subject.open().await;
    subject.fixture.protect("main").await;
    // While it computes, some providers refuse to schedule, too.
    let refused = subject.merge(&order(&pull)).await;
    assert!(matches!(refused, MergeOutcome::Refused(_)), "{refused:?}");
    let order = order(&pull);
    let scheduled = subject.owner.schedule_merge(&subject.repository, &order);
    assert_eq!(scheduled.await.unwrap(), MergeOutcome::Scheduled);
    assert_eq!(
        subject.read(pull.number).await.state,
        PullRequestState::Open
    );
    subject.succeed(&pull.head).await;
    let approved = subject
        .reviewer
        .approve(&subject.repository, pull.number, &pull.head);
    approved.await.unwrap();
    let outcome = subject.merge(&order).await;
    assert!(matches!(outcome, MergeOutcome::Merged(_)), "{outcome:?}");
}

pub(crate) async fn own_approvals_are_refused(subject: &Subject) {
    let pull = subject.open().await;
    let own = subject
        .owner
        .approve(&subject.repository, pull.number, &pull.head);
    let error = own.await.unwrap_err();
    let refused = matches!(
        error,
        ProviderError::Refused { .. } | ProviderError::Forbidden { .. }
    );
    assert!(refused, "{error:?}");
}

pub(crate) async fn statuses_are_written_and_read(subject: &Subject) {
    let commit = name(&subject.fixture.head("main").await);
    for state in [
        CommitState::Pending,
        CommitState::Failure,
        CommitState::Success,
    ] {
        let written = status(state);
        let set = subject
            .owner
            .set_status(&subject.repository, &commit, &written);
        set.await.unwrap();
        let read = subject.owner.statuses(&subject.repository, &commit);
        assert_eq!(read.await.unwrap(), [written]);
    }
}

pub(crate) async fn comments_are_written_and_read(subject: &Subject) {
    let pull = subject.open().await;
    let text = "Deployed to prod";
    let made = subject
        .owner
        .comment(&subject.repository, pull.number, text);
    let made = made.await.unwrap();
    assert_eq!(made.author, subject.owner_name);
    let read = subject.owner.comments(&subject.repository, pull.number);
    let read = read.await.unwrap();
    assert_eq!(read, [made]);
    assert_eq!(read[0].body, text);
}

async fn has_no_webhooks(subject: &Subject) {
    let error = subject.owner.webhooks(&subject.repository).await;
    let unsupported = matches!(error, Err(ProviderError::Unsupported { .. }));
    assert!(unsupported, "{error:?}");
}

pub(crate) async fn webhooks_are_created_listed_and_deleted(subject: &Subject) {
    if subject.owner.capabilities().webhooks == Support::Absent {
        return has_no_webhooks(subject).await;
    }
    let repository = &subject.repository;
    let new = NewWebhook {
        url: "https://causeway.example.com/webhooks/1".to_owned(),
        secret: Secret::new("s3cret"),
        events: vec![Event::Push, Event::PullRequest],
    };
    let made = subject
        .owner
        .create_webhook(repository, &new)
        .await
        .unwrap();
    assert_eq!(made.events, [Event::Push, Event::PullRequest]);
    let listed = subject.owner.webhooks(repository).await.unwrap();
    assert_eq!(listed, std::slice::from_ref(&made));
    assert_eq!(listed[0].url, new.url);
    assert!(listed[0].is_active);
    let deleted = subject.owner.delete_webhook(repository, &made.id);
    deleted.await.unwrap();
    assert_eq!(subject.owner.webhooks(repository).await.unwrap(), []);
    let deleted = subject.owner.delete_webhook(repository, &made.id);
    let error = deleted.await.unwrap_err();
    assert!(matches!(error, ProviderError::NotFound { .. }), "{error:?}");
}

pub(crate) async fn deliveries_are_listed_and_repeated_where_the_provider_can(subject: &Subject) {
    if subject.owner.capabilities().webhooks == Support::Absent {
        return has_no_webhooks(subject).await;
    }
    let (owner, repository) = (&subject.owner, &subject.repository);
    let new = NewWebhook {
        url: "https://causeway.example.com/webhooks/1".to_owned(),
        secret: Secret::new("s3cret"),
        events: vec![Event::Push],
    };
    let hook = owner.create_webhook(repository, &new).await.unwrap();
    if owner.capabilities().deliveries == Support::Absent {
        let error = owner.deliveries(repository, &hook.id).await.unwrap_err();
        let unsupported = matches!(error, ProviderError::Unsupported { .. });
        assert!(unsupported, "{error:?}");
        return;
    }
    let first = owner.deliveries(repository, &hook.id).await.unwrap();
    assert_eq!((first.len(), first[0].status), (1, 502));
    let again = owner.redeliver(repository, &hook.id, &first[0].id);
    again.await.unwrap();
    let after = owner.deliveries(repository, &hook.id).await.unwrap();
    assert_eq!(after.len(), 2);
}
