//! Tokens of a GitHub App: asked for once, renewed early, and refused with a clock that is off.

use std::sync::{Arc, Mutex};

use axum::{
    Json, Router,
    extract::{Request, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse as _, Response},
};
use causeway_git_provider::{
    App, GitHub, GitHubCredential, Provider as _, ProviderError, RepositoryName, Secret,
};
use serde_json::json;
use tokio::{net::TcpListener, task::JoinSet};

use crate::stand_in::connection;

/// GitHub's calls for Apps, and what it received.
#[derive(Clone)]
struct Server {
    seen: Arc<Mutex<Vec<(String, String)>>>,
    /// End of the tokens that it issues.
    until: &'static str,
    /// The time that it answers with.
    date: Option<&'static str>,
}

async fn answer(State(server): State<Server>, request: Request) -> Response {
    let path = request.uri().path().to_owned();
    let authorization = request.headers()["authorization"].to_str().unwrap();
    let seen = (path.clone(), authorization.to_owned());
    server.seen.lock().unwrap().push(seen);
    let mut headers = HeaderMap::new();
    if let Some(date) = server.date {
        headers.insert("date", date.parse().unwrap());
        return (StatusCode::UNAUTHORIZED, headers).into_response();
    }
    if path.ends_with("/access_tokens") {
        let token = json!({ "token": "ghs_canary", "expires_at": server.until });
        return (StatusCode::CREATED, Json(token)).into_response();
    }
    Json(json!({ "full_name": "acme/demo", "clone_url": "https://x/acme/demo.git" }))
        .into_response()
}

async fn start(until: &'static str, date: Option<&'static str>) -> (GitHub, Server, JoinSet<()>) {
    let server = Server {
        seen: Arc::default(),
        until,
        date,
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let app = Router::new().fallback(answer).with_state(server.clone());
    let mut tasks = JoinSet::new();
    tasks.spawn(async move { axum::serve(listener, app).await.unwrap() });
    let key = rcgen::KeyPair::generate_for(&rcgen::PKCS_RSA_SHA256).unwrap();
    let app = App {
        id: "12345".to_owned(),
        installation: 77,
        private_key: Secret::new(&key.serialize_pem()),
    };
    let github = GitHub::new(connection(&url), &GitHubCredential::App(app)).unwrap();
    (github, server, tasks)
}

fn demo() -> RepositoryName {
    RepositoryName::parse("acme/demo").unwrap()
}

#[tokio::test]
async fn a_token_is_asked_for_once_and_used_until_shortly_before_its_end() {
    let (github, server, _tasks) = start("2999-01-01T00:00:00Z", None).await;
    for _ in 0..3 {
        github.repository(&demo()).await.unwrap();
    }
    let seen = server.seen.lock().unwrap().clone();
    let paths: Vec<_> = seen.iter().map(|(path, _)| path.as_str()).collect();
    let token = "/api/v3/app/installations/77/access_tokens";
    let read = "/api/v3/repos/acme/demo";
    assert_eq!(paths, [token, read, read, read]);
    // A signed request of three parts; then the token that it brought.
    assert_eq!(seen[0].1.split('.').count(), 3);
    assert_eq!(seen[1].1, "Bearer ghs_canary");
    assert!(!format!("{github:?}").contains("canary"));
}

#[tokio::test]
async fn a_token_that_ends_soon_is_renewed() {
    let (github, server, _tasks) = start("2001-01-01T00:00:00Z", None).await;
    for _ in 0..2 {
        github.repository(&demo()).await.unwrap();
    }
    assert_eq!(server.seen.lock().unwrap().len(), 4);
}

#[tokio::test]
async fn a_clock_that_is_off_is_named() {
    let date = Some("Thu, 01 Jan 2026 00:00:00 GMT");
    let (github, _server, _tasks) = start("2999-01-01T00:00:00Z", date).await;
    let error = github.repository(&demo()).await.unwrap_err();
    let skewed = matches!(error, ProviderError::ClockSkew { .. });
    assert!(skewed, "{error:?}");
    assert!(error.to_string().contains("synchronize it"), "{error}");
}

#[test]
fn a_key_that_is_no_pem_is_refused_without_being_shown() {
    let app = App {
        id: "1".to_owned(),
        installation: 1,
        private_key: Secret::new("canary"),
    };
    let error = GitHub::new(
        connection("http://127.0.0.1:1"),
        &GitHubCredential::App(app),
    );
    assert_eq!(error.unwrap_err(), ProviderError::InvalidKey);
}
