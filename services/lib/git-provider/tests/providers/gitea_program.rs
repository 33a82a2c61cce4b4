//! Gitea itself as a subject of the suite; all behaviours of this process share one.

use std::sync::{
    LazyLock,
    atomic::{AtomicUsize, Ordering},
};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use causeway_cluster::{Gitea, GiteaUser, Program, Programs};
use causeway_git_provider::RepositoryName;
use causeway_testkit::skip;
use futures::future::BoxFuture;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::{
    stand_in::Personality,
    suite::{CANARY, Fixture, SEED, Subject},
};

const ORGANISATION: &str = "acme";
const WRITES: [&str; 3] = ["write:repository", "write:issue", "read:user"];
const READS: [&str; 2] = ["read:repository", "read:user"];

/// Gitea with its users, on a runtime that outlives each test.
struct Host {
    runtime: Runtime,
    gitea: Gitea,
    owner: GiteaUser,
    reviewer: GiteaUser,
    reader: String,
}

static HOST: LazyLock<Host> = LazyLock::new(Host::start);
static REPOSITORIES: AtomicUsize = AtomicUsize::new(0);

/// Runs a behaviour where Gitea is built; otherwise the test is skipped.
pub(crate) fn on_gitea(behaviour: impl AsyncFnOnce(&Subject)) {
    if let Err(error) = Programs::find(&[Program::Kubernetes, Program::Gitea]) {
        skip(&error.to_string());
        return;
    }
    let host = &*HOST;
    host.runtime.block_on(async {
        let subject = host.subject().await;
        behaviour(&subject).await;
    });
}

impl Host {
    fn start() -> Self {
        let runtime = Runtime::new().unwrap();
        let (gitea, owner, reviewer, reader) = runtime.block_on(async {
            let gitea = Gitea::start().await.unwrap();
            gitea.create_organisation(ORGANISATION).await.unwrap();
            let owner = gitea.create_user("ada", &WRITES).await.unwrap();
            let reviewer = gitea.create_user("bob", &WRITES).await.unwrap();
            let reader = gitea.create_token(&owner, "reader", &READS).await.unwrap();
            gitea
                .create_repository(ORGANISATION, "other")
                .await
                .unwrap();
            gitea.add_writer("acme/other", "ada").await.unwrap();
            (gitea, owner, reviewer, reader)
        });
        Self {
            runtime,
            gitea,
            owner,
            reviewer,
            reader,
        }
    }

    /// A repository of its own with the seed.
    async fn subject(&'static self) -> Subject {
        let number = REPOSITORIES.fetch_add(1, Ordering::Relaxed);
        let name = format!("demo-{number}-x");
        self.gitea
            .create_repository(ORGANISATION, &name)
            .await
            .unwrap();
        let repository = format!("{ORGANISATION}/{name}");
        for user in [&self.owner, &self.reviewer] {
            self.gitea
                .add_writer(&repository, &user.name)
                .await
                .unwrap();
            let path = format!("/repos/{repository}/collaborators/{}", user.name);
            let admin = json!({ "permission": "admin" });
            self.gitea
                .as_admin(Method::PUT, &path, admin)
                .await
                .unwrap();
        }
        let fixture = Files {
            gitea: &self.gitea,
            repository: repository.clone(),
        };
        for (path, text) in SEED {
            fixture.commit("main", path, text).await;
        }
        let url = self.gitea.url();
        let connect = |token: &str| Personality::Gitea.connect(&url, token);
        Subject {
            owner: connect(&self.owner.token),
            reviewer: connect(&self.reviewer.token),
            weak: connect(&self.reader),
            wrong: connect(CANARY),
            foreign: Personality::Gitea.connect(&format!("{url}/other"), &self.owner.token),
            repository: RepositoryName::parse(&repository).unwrap(),
            owner_name: "ada",
            reviewer_name: "bob",
            fixture: Box::new(fixture),
        }
    }
}

/// Changes by the administrator through the API of contents.
struct Files {
    gitea: &'static Gitea,
    repository: String,
}

impl Files {
    async fn call(&self, method: Method, path: &str, body: Value) -> Option<Value> {
        let path = format!("/repos/{}/{path}", self.repository);
        self.gitea.as_admin(method, &path, body).await.ok()
    }
}

impl Fixture for Files {
    fn commit<'a>(
        &'a self,
        branch: &'a str,
        path: &'a str,
        text: &'a str,
    ) -> BoxFuture<'a, String> {
        Box::pin(async move {
            let look = format!("branches/{branch}");
            let known = self.call(Method::GET, &look, json!({})).await;
            let mut body = json!({ "content": BASE64_STANDARD.encode(text), "message": path });
            let at = if known.is_some() { branch } else { "main" };
            body["branch"] = json!(at);
            if at != branch {
                body["new_branch"] = json!(branch);
            }
            let file = format!("contents/{path}");
            let old = self
                .call(Method::GET, &format!("{file}?ref={at}"), json!({}))
                .await;
            let method = match old {
                Some(old) => {
                    body["sha"] = old["sha"].clone();
                    Method::PUT
                }
                None => Method::POST,
            };
            let made = self.call(method, &file, body).await.unwrap();
            made["commit"]["sha"].as_str().unwrap().to_owned()
        })
    }

    fn head<'a>(&'a self, branch: &'a str) -> BoxFuture<'a, String> {
        Box::pin(async move {
            let path = format!("branches/{branch}");
            let found = self.call(Method::GET, &path, json!({})).await.unwrap();
            found["commit"]["id"].as_str().unwrap().to_owned()
        })
    }

    fn protect<'a>(&'a self, branch: &'a str) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let protected = self
                .gitea
                .protect_branch(&self.repository, branch, &["ci"], 1);
            protected.await.unwrap();
        })
    }
}
