//! A server with a provider's API over a bare repository that Git itself merges.

mod azure_devops;
mod bitbucket_cloud;
mod bitbucket_data_center;
mod github_style;
mod gitlab;
mod repository;

use std::sync::{Arc, Mutex};

use axum::{
    Router,
    body::to_bytes,
    extract::{Request, State},
    http::{HeaderMap, Method, StatusCode},
    response::{IntoResponse as _, Response},
};
use causeway_git_provider::{
    ApiUrl, AzureCredential, AzureDevOps, BitbucketCloud, BitbucketCredential, BitbucketDataCenter,
    Connection, GitHub, GitHubCredential, GitLab, Gitea, Http, Priority, Provider, RepositoryName,
    Secret,
};
use futures::future::{BoxFuture, FutureExt as _, ready};
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};
use tokio::{net::TcpListener, task::JoinSet};

use crate::suite::{CANARY, Fixture, Subject};
use repository::Repository;

pub(crate) const REPOSITORY: &str = "acme/demo";
const OWNER: &str = "ada";
const REVIEWER: &str = "bob";
const READER: &str = "eve";
const BODY: usize = 1 << 20;

/// The provider that a stand-in speaks as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Personality {
    Gitea,
    GitHub,
    GitLab,
    BitbucketCloud,
    AzureDevOps,
    BitbucketDataCenter,
}

/// A request with its path below the API in decoded segments.
pub(crate) struct Call {
    pub(crate) method: Method,
    pub(crate) path: Vec<String>,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) body: Value,
    pub(crate) user: String,
    /// Scheme and host, for links.
    pub(crate) origin: String,
}

/// Status, JSON and the target of the next page.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) body: Value,
    pub(crate) raw: Option<String>,
    pub(crate) next: Option<String>,
    /// Name in a header, for Bitbucket Data Center.
    pub(crate) user: Option<String>,
}

struct World {
    personality: Personality,
    repository: Mutex<Repository>,
}

impl Personality {
    pub(crate) fn gitea() -> Self {
        Self::Gitea
    }

    pub(crate) fn github() -> Self {
        Self::GitHub
    }

    pub(crate) fn gitlab() -> Self {
        Self::GitLab
    }

    pub(crate) fn bitbucket_cloud() -> Self {
        Self::BitbucketCloud
    }

    pub(crate) fn azure_devops() -> Self {
        Self::AzureDevOps
    }

    pub(crate) fn bitbucket_data_center() -> Self {
        Self::BitbucketDataCenter
    }

    fn prefix(self) -> &'static str {
        match self {
            Self::Gitea => "/api/v1/",
            Self::GitHub => "/api/v3/",
            Self::GitLab => "/api/v4/",
            Self::BitbucketCloud => "/2.0/",
            Self::AzureDevOps => "/org/",
            Self::BitbucketDataCenter => "/rest/",
        }
    }

    pub(crate) fn connect(self, url: &str, token: &str) -> Box<dyn Provider> {
        let connection = connection(url);
        let token = Secret::new(token);
        match self {
            Self::Gitea => Box::new(Gitea::new(connection, &token).unwrap()),
            Self::GitHub => {
                let token = GitHubCredential::Token(token);
                Box::new(GitHub::new(connection, &token).unwrap())
            }
            Self::GitLab => Box::new(GitLab::new(connection, &token).unwrap()),
            Self::BitbucketDataCenter => {
                Box::new(BitbucketDataCenter::new(connection, &token).unwrap())
            }
            Self::BitbucketCloud => {
                let token = BitbucketCredential::AccessToken(token);
                Box::new(BitbucketCloud::new(connection, "acme", &token).unwrap())
            }
            Self::AzureDevOps => {
                let token = AzureCredential::Entra(token);
                let organisation = crate::stand_in::connection(&format!("{url}/org"));
                Box::new(AzureDevOps::new(organisation, &token).unwrap())
            }
        }
    }
}

pub(crate) fn connection(url: &str) -> Connection {
    Connection {
        url: ApiUrl::parse(url, Http::Loopback).unwrap(),
        priority: Priority::User,
        ca: None,
    }
}

impl Call {
    pub(crate) fn query(&self, name: &str) -> &str {
        let pair = self.query.iter().find(|(found, _)| found == name);
        pair.map_or("", |(_, value)| value.as_str())
    }

    pub(crate) fn text(&self, name: &str) -> String {
        self.body[name].as_str().unwrap_or_default().to_owned()
    }
}

impl Reply {
    pub(crate) fn json(status: u16, body: Value) -> Self {
        Self {
            status,
            body,
            raw: None,
            next: None,
            user: None,
        }
    }

    pub(crate) fn refused(status: u16, message: &str) -> Self {
        Self::json(status, json!({ "message": message }))
    }

    pub(crate) fn missing() -> Self {
        Self::refused(404, "Not Found")
    }

    pub(crate) fn raw(text: Option<String>) -> Self {
        let missing = Self::missing();
        text.map_or(missing, |text| Self {
            raw: Some(text),
            ..Self::json(200, Value::Null)
        })
    }
}

/// A subject whose server ends with it.
pub(crate) async fn start(personality: Personality) -> Subject {
    let world = Arc::new(World {
        personality,
        repository: Mutex::new(Repository::new()),
    });
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let app = Router::new().fallback(serve).with_state(Arc::clone(&world));
    let mut tasks = JoinSet::new();
    tasks.spawn(async move { axum::serve(listener, app).await.unwrap() });
    let connect = |token: &str| personality.connect(&url, token);
    Subject {
        owner: connect(OWNER),
        reviewer: connect(REVIEWER),
        weak: connect(READER),
        wrong: connect(CANARY),
        foreign: personality.connect(&format!("{url}/other"), OWNER),
        repository: RepositoryName::parse(REPOSITORY).unwrap(),
        owner_name: OWNER,
        reviewer_name: REVIEWER,
        fixture: Box::new(StandIn {
            world,
            _tasks: tasks,
        }),
    }
}

struct StandIn {
    world: Arc<World>,
    _tasks: JoinSet<()>,
}

impl Fixture for StandIn {
    fn commit<'a>(
        &'a self,
        branch: &'a str,
        path: &'a str,
        text: &'a str,
    ) -> BoxFuture<'a, String> {
        let commit = self
            .world
            .repository
            .lock()
            .unwrap()
            .commit(branch, path, text);
        ready(commit).boxed()
    }

    fn head<'a>(&'a self, branch: &'a str) -> BoxFuture<'a, String> {
        let head = self.world.repository.lock().unwrap().head(branch);
        ready(head.unwrap()).boxed()
    }

    fn protect<'a>(&'a self, branch: &'a str) -> BoxFuture<'a, ()> {
        self.world.repository.lock().unwrap().protect(branch);
        ready(()).boxed()
    }
}

async fn serve(State(world): State<Arc<World>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path().to_owned();
    let rest = path.strip_prefix(world.personality.prefix());
    let rest = rest.or((path == "/api/graphql").then_some("graphql"));
    let Some(rest) = rest else {
        return respond(Reply::missing());
    };
    let Some(user) = user(&parts.headers) else {
        return respond(Reply::refused(401, "Bad credentials"));
    };
    let decode = |part: &str| percent_decode_str(part).decode_utf8_lossy().into_owned();
    let query = parts.uri.query().unwrap_or_default().as_bytes();
    let body = to_bytes(body, BODY).await.unwrap();
    let host = parts.headers["host"].to_str().unwrap();
    let call = Call {
        path: rest.split('/').map(decode).collect(),
        query: form_urlencoded::parse(query).into_owned().collect(),
        body: serde_json::from_slice(&body).unwrap_or_default(),
        origin: format!("http://{host}"),
        method: parts.method,
        user,
    };
    if call.method != Method::GET && call.user == READER {
        return respond(Reply::refused(403, "token does not have the scope"));
    }
    let mut repository = world.repository.lock().unwrap();
    respond(match world.personality {
        Personality::Gitea => github_style::answer(&call, &mut repository, false),
        Personality::GitHub => github_style::answer(&call, &mut repository, true),
        Personality::GitLab => gitlab::answer(&call, &mut repository),
        Personality::BitbucketCloud => bitbucket_cloud::answer(&call, &mut repository),
        Personality::BitbucketDataCenter => bitbucket_data_center::answer(&call, &mut repository),
        Personality::AzureDevOps => azure_devops::answer(&call, &mut repository),
    })
}

/// The token is the name of its user.
fn user(headers: &HeaderMap) -> Option<String> {
    let value = headers.get("authorization")?.to_str().ok()?;
    let token = value.split(' ').nth(1)?;
    [OWNER, REVIEWER, READER]
        .contains(&token)
        .then(|| token.to_owned())
}

fn respond(reply: Reply) -> Response {
    let status = StatusCode::from_u16(reply.status).unwrap();
    let mut headers = HeaderMap::new();
    if let Some(next) = reply.next {
        let link = format!("<{next}>; rel=\"next\", <{next}>; rel=\"last\"");
        headers.insert("link", link.parse().unwrap());
    }
    if let Some(user) = reply.user {
        headers.insert("x-ausername", user.parse().unwrap());
    }
    match reply.raw {
        Some(raw) => (status, headers, raw).into_response(),
        None => (status, headers, axum::Json(reply.body)).into_response(),
    }
}
