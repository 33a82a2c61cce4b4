//! Answers that no provider should give, and some do.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use axum::{
    Router,
    extract::{Request, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse as _, Response},
};
use causeway_git_provider::{
    ApiUrl, AzureCredential, AzureDevOps, Connection, GitHub, GitHubCredential, GitLab, Gitea,
    Http, PlainGit, Priority, Provider, ProviderError, RefName, RepositoryName, Secret, Support,
};
use tokio::{net::TcpListener, task::JoinSet};

use crate::{stand_in::connection, suite::CANARY};

/// A server that answers every request alike.
struct Server {
    url: String,
    requests: Arc<AtomicUsize>,
    _tasks: JoinSet<()>,
}

#[derive(Clone)]
struct Fixed {
    status: StatusCode,
    headers: HeaderMap,
    body: Arc<Vec<u8>>,
    requests: Arc<AtomicUsize>,
}

impl Server {
    async fn answers(status: u16, headers: &[(&'static str, &str)], body: &[u8]) -> Self {
        let pair =
            |(name, value): &(&'static str, &str)| (name.parse().unwrap(), value.parse().unwrap());
        let requests = Arc::new(AtomicUsize::new(0));
        let fixed = Fixed {
            status: StatusCode::from_u16(status).unwrap(),
            headers: headers.iter().map(pair).collect(),
            body: Arc::new(body.to_vec()),
            requests: Arc::clone(&requests),
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let app = Router::new().fallback(answer).with_state(fixed);
        let mut tasks = JoinSet::new();
        tasks.spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self {
            url,
            requests,
            _tasks: tasks,
        }
    }

    fn count(&self) -> usize {
        self.requests.load(Ordering::Relaxed)
    }
}

async fn answer(State(fixed): State<Fixed>, _request: Request) -> Response {
    fixed.requests.fetch_add(1, Ordering::Relaxed);
    (fixed.status, fixed.headers, fixed.body.to_vec()).into_response()
}

fn gitea(url: &str) -> Gitea {
    Gitea::new(connection(url), &Secret::new(CANARY)).unwrap()
}

fn demo() -> RepositoryName {
    RepositoryName::parse("acme/demo").unwrap()
}

/// The error of reading a branch, as a user sees it.
async fn message(server: &Server) -> String {
    let main = RefName::parse("main").unwrap();
    let error = gitea(&server.url).branch(&demo(), &main).await.unwrap_err();
    let shown = error.to_string();
    assert!(!format!("{shown} {error:?}").contains(CANARY), "{shown}");
    assert!(!shown.contains('\n'), "{shown}");
    shown
}

#[tokio::test]
async fn a_web_page_is_named_with_what_to_check() {
    for status in [200, 403, 404] {
        let page = ("content-type", "text/html; charset=utf-8");
        let server = Server::answers(status, &[page], b"<html>sign in</html>").await;
        let shown = message(&server).await;
        let wanted = format!("answered HTML ({status}): check the API URL");
        assert!(shown.contains(&wanted), "{shown}");
    }
}

#[tokio::test]
async fn a_sign_in_page_in_place_of_an_answer_is_a_refused_credential() {
    let page = ("content-type", "text/html; charset=utf-8");
    let server = Server::answers(203, &[page], b"<html>sign in</html>").await;
    let token = AzureCredential::PersonalToken(Secret::new(CANARY));
    let azure = AzureDevOps::new(connection(&format!("{}/acme", server.url)), &token).unwrap();
    let error = azure.repository(&demo()).await.unwrap_err();
    let refused = matches!(error, ProviderError::Unauthorized { .. });
    assert!(refused, "{error:?}");
}

#[tokio::test]
async fn a_gateway_without_its_server_is_unavailable() {
    let page = ("content-type", "text/html");
    let server = Server::answers(502, &[page], b"<html>bad gateway</html>").await;
    let shown = message(&server).await;
    assert_eq!(
        shown,
        "Gitea is unavailable (502): repeat the request later"
    );
}

#[tokio::test]
async fn a_host_that_is_not_there_is_unavailable() {
    let gone = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", gone.local_addr().unwrap());
    drop(gone);
    let error = gitea(&url).user().await.unwrap_err();
    let unavailable = matches!(error, ProviderError::Unavailable { .. });
    assert!(unavailable, "{error:?}");
}

#[tokio::test]
async fn a_redirect_to_another_host_is_not_followed() {
    let other = Server::answers(200, &[], b"{}").await;
    let target = format!("{}/steal?token=x", other.url);
    for status in [301, 302, 307, 308] {
        let server = Server::answers(status, &[("location", &target)], b"").await;
        let shown = message(&server).await;
        assert!(shown.contains("has moved this to"), "{shown}");
        assert!(!shown.contains("token=x"), "{shown}");
    }
    assert_eq!(other.count(), 0);
}

#[tokio::test]
async fn a_redirect_to_itself_ends() {
    let server = Server::answers(302, &[("location", "/api/v1/user")], b"").await;
    let shown = message(&server).await;
    assert!(shown.contains("more than three redirects"), "{shown}");
    assert_eq!(server.count(), 4);
}

#[tokio::test]
async fn a_next_page_on_another_host_is_refused() {
    let link = "<https://other.example.com/api/v1/user/orgs?page=2>; rel=\"next\"";
    let server = Server::answers(200, &[("link", link)], b"[]").await;
    let error = gitea(&server.url).organisations(None).await.unwrap_err();
    assert!(error.to_string().contains("a next page on another host"));
}

#[tokio::test]
async fn a_body_without_end_is_cut() {
    let server = Server::answers(200, &[], &vec![b' '; 9 << 20]).await;
    let shown = message(&server).await;
    assert!(shown.contains("is larger than 8388608 bytes"), "{shown}");
}

#[tokio::test]
async fn the_providers_words_are_one_short_line_without_the_credential() {
    let words = format!("no {CANARY}\\n\\u001b[31m{}", "x".repeat(4000));
    let body = format!("{{\"message\": \"{words}\"}}");
    let server = Server::answers(403, &[], body.as_bytes()).await;
    let shown = message(&server).await;
    assert!(shown.contains("no [redacted]"), "{shown}");
    assert!(shown.len() < 500 && !shown.contains('\u{1b}'), "{shown}");
}

#[tokio::test]
async fn json_of_another_form_is_not_shown() {
    let body = format!("{{\"name\": 7, \"secret\": \"{CANARY}\"}}");
    let server = Server::answers(200, &[], body.as_bytes()).await;
    let shown = message(&server).await;
    assert!(
        shown.contains("no JSON of the expected form at line 1"),
        "{shown}"
    );
}

#[tokio::test]
async fn a_used_up_budget_is_shown_and_spares_the_provider() {
    let headers = [("x-ratelimit-remaining", "0"), ("retry-after", "120")];
    let server = Server::answers(403, &headers, b"{\"message\": \"secondary rate limit\"}").await;
    let github = GitHub::new(
        connection(&server.url),
        &GitHubCredential::Token(Secret::new(CANARY)),
    );
    let github = github.unwrap();
    for _ in 0..3 {
        let error = github.repository(&demo()).await.unwrap_err();
        let shown = error.to_string();
        let limited = matches!(error, ProviderError::RateLimited { .. });
        assert!(limited, "{error:?}");
        assert!(
            shown.starts_with("GitHub: 0 requests left until "),
            "{shown}"
        );
    }
    assert_eq!(server.count(), 1);
    assert_eq!(github.budget().unwrap().left, Some(0));
}

#[tokio::test]
async fn the_last_fifth_of_a_budget_is_not_for_polling() {
    let headers = [
        ("ratelimit-limit", "2000"),
        ("ratelimit-remaining", "300"),
        ("ratelimit-reset", "60"),
    ];
    let body =
        br#"{"path_with_namespace": "acme/demo", "http_url_to_repo": "https://x/acme/demo.git"}"#;
    let server = Server::answers(200, &headers, body).await;
    let at = |priority| {
        let connection = Connection {
            priority,
            ..connection(&server.url)
        };
        GitLab::new(connection, &Secret::new(CANARY)).unwrap()
    };
    for (priority, requests) in [
        (Priority::User, 2),
        (Priority::Promotion, 1),
        (Priority::Polling, 1),
    ] {
        let gitlab = at(priority);
        let before = server.count();
        gitlab.repository(&demo()).await.unwrap();
        // What is left is known after the first answer.
        let second = gitlab.repository(&demo()).await;
        assert_eq!(second.is_ok(), requests == 2, "{priority:?}");
        assert_eq!(server.count() - before, requests, "{priority:?}");
    }
}

#[test]
fn plain_http_and_urls_with_a_password_are_refused() {
    for text in [
        "http://git.example.com",
        "http://127.0.0.1.example.com",
        "https://user:pass@git.example.com",
        "https://git.example.com?x=1",
        "ftp://127.0.0.1",
        "git.example.com",
    ] {
        assert!(ApiUrl::parse(text, Http::Loopback).is_err(), "{text}");
    }
    assert!(ApiUrl::parse("http://127.0.0.1:1", Http::Refused).is_err());
    assert!(ApiUrl::parse("http://127.0.0.1:1", Http::Loopback).is_ok());
    assert!(ApiUrl::parse("https://git.example.com/gitea", Http::Refused).is_ok());
    assert!(ApiUrl::parse("https://169.254.169.254", Http::Loopback).is_err());
    assert!(ApiUrl::parse("https://[::1]", Http::Refused).is_err());
}

#[tokio::test]
async fn plain_git_says_what_it_lacks() {
    assert_eq!(PlainGit.capabilities().pull_requests, Support::Absent);
    let error = PlainGit.pull_request(&demo(), 1).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "plain Git has no pull requests: use another way or another provider"
    );
}

#[test]
fn names_that_would_change_a_url_are_refused() {
    for text in ["demo", "a//b", "a/../b", "-a/b", "a/b\n", "/a/b", "a/b/"] {
        assert!(RepositoryName::parse(text).is_err(), "{text:?}");
    }
    for text in ["", "a..b", "a b", "-x", "a/./b", "a~1", "a@{1}", "a:b"] {
        assert!(RefName::parse(text).is_err(), "{text:?}");
    }
    assert!(RefName::parse("causeway/r1/prod").is_ok());
}

#[tokio::test]
async fn a_name_that_leads_into_the_machine_is_not_called() {
    let connection = Connection {
        url: ApiUrl::parse("https://localhost:9", Http::Refused).unwrap(),
        priority: Priority::User,
        ca: None,
    };
    let gitea = Gitea::new(connection, &Secret::new(CANARY)).unwrap();
    let error = gitea.user().await.unwrap_err();
    assert!(matches!(error, ProviderError::InvalidUrl(_)), "{error:?}");
}
