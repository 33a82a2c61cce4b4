//! Answers that the providers themselves published; `recorded/README.md` has their origin.

use std::collections::HashMap;

use axum::{
    Router,
    extract::{Request, State},
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use causeway_git_provider::{
    CommitState, Decision, EntryKind, Event, Mergeability, Provider, PullRequestState, RefName,
    RepositoryName,
};
use tokio::{net::TcpListener, task::JoinSet};

use crate::stand_in::Personality;

const COMMIT: &str = "6dcb09b5b57875f334f61aebed695e2e4193db5e";

/// Bodies by their path below the API.
type Bodies = HashMap<&'static str, &'static str>;

macro_rules! recorded {
    ($folder:literal: $($path:literal => $name:literal,)+) => {
        Bodies::from([$(($path, include_str!(concat!("recorded/", $folder, "/", $name, ".json")))),+])
    };
}

async fn answer(State(bodies): State<Bodies>, request: Request) -> Response {
    let path = request.uri().path();
    let found = bodies.iter().find(|(known, _)| path.ends_with(*known));
    match found {
        Some((_, body)) => (StatusCode::OK, *body).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

async fn start(personality: Personality, bodies: Bodies) -> (Box<dyn Provider>, JoinSet<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let app = Router::new().fallback(answer).with_state(bodies);
    let mut tasks = JoinSet::new();
    tasks.spawn(async move { axum::serve(listener, app).await.unwrap() });
    (personality.connect(&url, "token"), tasks)
}

async fn github() -> (Box<dyn Provider>, RepositoryName, JoinSet<()>) {
    let bodies = recorded!("github":
        "/v3/user" => "user",
        "/user/repos" => "repositories",
        "/user/orgs" => "organisations",
        "/octocat/Hello-World" => "repository",
        "/branches" => "branches",
        "/branches/main" => "branch",
        "/contents/lib" => "contents",
        "/compare/main...topic" => "compare",
        "/pulls" => "pulls",
        "/pulls/1347" => "pull",
        "/pulls/1347/reviews" => "reviews",
        "/status" => "status",
        "/check-runs" => "check_runs",
        "/issues/1347/comments" => "comments",
        "/hooks" => "hooks",
        "/deliveries" => "deliveries",
    );
    let (provider, tasks) = start(Personality::GitHub, bodies).await;
    let repository = RepositoryName::parse("octocat/Hello-World").unwrap();
    (provider, repository, tasks)
}

#[tokio::test]
async fn github_accounts_repositories_and_files_are_read() {
    let (github, repository, _tasks) = github().await;
    let (main, topic) = (
        RefName::parse("main").unwrap(),
        RefName::parse("topic").unwrap(),
    );
    assert_eq!(github.user().await.unwrap().login, "octocat");
    let found = github.organisations(None).await.unwrap().items;
    assert_eq!(found[0].name, "github");
    let found = github.repositories("hello", None).await.unwrap().items;
    assert_eq!(found[0].name, repository);
    let found = github.repository(&repository).await.unwrap();
    assert_eq!(found.default_branch.as_deref(), Some("master"));
    let found = github.branches(&repository, None).await.unwrap().items;
    assert!(found[0].is_protected && found[0].name == "master");
    let found = github.branch(&repository, &main).await.unwrap();
    assert_eq!(found.commit, "7fd1a60b01f91b314f59955a4e4d4e80d8edf11d");
    let found = github.files(&repository, &main, "lib").await.unwrap();
    assert_eq!(found[0].kind, EntryKind::File);
    assert_eq!(found[1].kind, EntryKind::Folder);
    let found = github.compare(&repository, &main, &topic).await.unwrap();
    assert_eq!(found.commits, [COMMIT]);
    assert_eq!(found.files, ["file1.txt"]);
}

#[tokio::test]
async fn github_pull_requests_and_checks_are_read() {
    let (github, repository, _tasks) = github().await;
    let commit = RefName::parse(COMMIT).unwrap();
    let found = github.pull_request(&repository, 1347).await.unwrap();
    assert_eq!(found.state, PullRequestState::Open);
    assert_eq!(found.mergeability, Mergeability::Mergeable);
    assert_eq!(found.head, COMMIT);
    let branch = RefName::parse("new-topic").unwrap();
    let found = github.find_pull_request(&repository, &branch, &branch);
    assert_eq!(found.await.unwrap().unwrap().number, 1347);
    let found = github.approvals(&repository, 1347).await.unwrap();
    assert_eq!(found[0].decision, Decision::Approved);
    // The example was reviewed at another commit than the head of the example.
    assert_eq!(found[0].is_stale, found[0].head.as_deref() != Some(COMMIT));
    let found = github.statuses(&repository, &commit).await.unwrap();
    let states: Vec<_> = found.iter().map(|status| status.state).collect();
    assert_eq!(states, [CommitState::Success; 3]);
    let found = github.comments(&repository, 1347).await.unwrap();
    assert_eq!(found[0].body, "Me too");
    let found = github.webhooks(&repository).await.unwrap();
    assert_eq!(found[0].events, [Event::Push, Event::PullRequest]);
    let found = github.deliveries(&repository, "12345678").await.unwrap();
    assert_eq!((found[0].id.as_str(), found[0].status), ("12345678", 200));
}

#[tokio::test]
async fn gitlab_merge_requests_and_branches_are_read() {
    let bodies = recorded!("gitlab":
        "/user" => "get_user",
        "/repository/branches" => "list_branches",
        "/repository/branches/master" => "get_branch",
        "/merge_requests" => "get_merge_requests",
        "/merge_requests/14656" => "get_merge_request",
    );
    let (gitlab, _tasks) = start(Personality::GitLab, bodies).await;
    let repository = RepositoryName::parse("gitlab-org/gitlab").unwrap();
    let master = RefName::parse("master").unwrap();
    assert_eq!(gitlab.user().await.unwrap().login, "john_smith");
    let found = gitlab.branches(&repository, None).await.unwrap().items;
    assert_eq!(found[0].name, "master");
    let read = gitlab.branch(&repository, &master).await.unwrap();
    assert_eq!(read, found[0]);
    let found = gitlab.pull_request(&repository, 14656).await.unwrap();
    assert_eq!(found.state, PullRequestState::Open);
    assert_eq!(found.head_branch, "delete-designs-v2");
    let found = gitlab.find_pull_request(&repository, &master, &master);
    assert_eq!(found.await.unwrap().unwrap().state, PullRequestState::Open);
}
