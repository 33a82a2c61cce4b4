//! Git over smart HTTP: `http://ADDRESS/<name>.git` for every repository in the folder, pushes allowed.

use std::{
    collections::BTreeMap,
    fs, io,
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use axum::{
    Router,
    body::Body,
    extract::{Path as UrlPath, RawQuery, Request, State},
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::{get, post},
};
use jiff::Timestamp;
use tokio::{
    net::TcpListener,
    sync::{OwnedSemaphorePermit, Semaphore, watch},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    Commit, CommitId, GitError, GitProgram, Repository,
    address::Addresses,
    backend::{self, Service},
    program::CHILDREN,
};

/// Number of pushes to each repository since the start.
pub type Pushes = BTreeMap<String, u64>;

/// Options of the Git server.
#[derive(Clone, Debug)]
pub struct GitOptions {
    pub listen: SocketAddr,
    pub folder: PathBuf,
}

/// A running server of bare repositories. Stops when dropped.
#[derive(Debug)]
pub struct GitServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    stop: CancellationToken,
}

#[derive(Debug)]
struct Shared {
    program: Arc<GitProgram>,
    folder: PathBuf,
    repositories: Mutex<BTreeMap<String, Repository>>,
    addresses: Mutex<Addresses>,
    pushes: watch::Sender<Pushes>,
    children: Arc<Semaphore>,
    tasks: TaskTracker,
}

/// Held while a push runs; tells of it at the end, however it ended.
struct Push {
    shared: Arc<Shared>,
    name: String,
}

impl GitServer {
    /// Binds, opens every `<name>.git` in the folder and serves.
    ///
    /// Errors: the program missing, the folder unusable, the address taken.
    pub async fn start(options: GitOptions) -> Result<Self, GitError> {
        let program = Arc::new(GitProgram::find().await?);
        let unusable = |source| GitError::Folder {
            path: options.folder.clone(),
            source,
        };
        fs::create_dir_all(&options.folder).map_err(unusable)?;
        let folder = fs::canonicalize(&options.folder).map_err(unusable)?;
        let mut addresses = Addresses::load(&folder);
        let listener = bind(options.listen, &addresses).await?;
        let address = listener.local_addr().map_err(unusable)?;
        addresses.remember(address).map_err(unusable)?;
        let repositories = existing(&program, &folder).map_err(unusable)?;
        let shared = Arc::new(Shared {
            program,
            folder,
            repositories: Mutex::new(repositories),
            addresses: Mutex::new(addresses),
            pushes: watch::Sender::new(Pushes::new()),
            children: Arc::new(Semaphore::new(CHILDREN)),
            tasks: TaskTracker::new(),
        });
        let stop = CancellationToken::new();
        serve(listener, Arc::clone(&shared), stop.clone());
        Ok(Self {
            address,
            shared,
            stop,
        })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The remote to clone, on this machine; the repository need not exist yet.
    pub fn url(&self, name: &str) -> String {
        let (ip, port) = (self.address.ip(), self.address.port());
        let reachable = if ip.is_unspecified() {
            SocketAddr::from((Ipv4Addr::LOCALHOST, port))
        } else {
            self.address
        };
        format!("http://{reachable}/{name}.git")
    }

    /// Makes an empty repository, or opens the one that there is.
    pub async fn create(&self, name: &str) -> Result<Repository, GitError> {
        if !is_name(name) {
            return Err(GitError::BadName {
                name: name.to_owned(),
            });
        }
        let folder = self.shared.folder.join(format!("{name}.git"));
        let repository = Repository::create(Arc::clone(&self.shared.program), folder).await?;
        self.shared
            .lock()
            .insert(name.to_owned(), repository.clone());
        Ok(repository)
    }

    pub fn repository(&self, name: &str) -> Result<Repository, GitError> {
        let found = self.shared.lock().get(name).cloned();
        found.ok_or_else(|| GitError::NoRepository {
            name: name.to_owned(),
        })
    }

    /// Commits straight into a repository and tells of it as a push would.
    pub async fn commit(&self, name: &str, commit: &Commit) -> Result<CommitId, GitError> {
        let id = self
            .repository(name)?
            .commit(commit, Timestamp::now())
            .await?;
        self.shared.pushed(name);
        Ok(id)
    }

    /// Changes with every push.
    pub fn pushes(&self) -> watch::Receiver<Pushes> {
        self.shared.pushes.subscribe()
    }

    /// The repository that a URL names, when it is one of this server's.
    pub(crate) fn local(&self, url: &str) -> Option<(String, Repository)> {
        let name = self.shared.name_in(url)?;
        let repository = self.shared.lock().get(&name).cloned()?;
        Some((name, repository))
    }

    pub(crate) fn program(&self) -> Arc<GitProgram> {
        Arc::clone(&self.shared.program)
    }

    /// Stops listening and waits for the requests that run.
    pub async fn stop(&self) {
        self.stop.cancel();
        self.shared.tasks.close();
        self.shared.tasks.wait().await;
    }
}

impl Drop for GitServer {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Repository>> {
        self.repositories
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn name_in(&self, url: &str) -> Option<String> {
        let addresses = self
            .addresses
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        addresses.name_in(url).map(str::to_owned)
    }

    fn pushed(&self, name: &str) {
        self.pushes
            .send_modify(|pushes| *pushes.entry(name.to_owned()).or_default() += 1);
    }
}

impl Drop for Push {
    fn drop(&mut self) {
        self.shared.pushed(&self.name);
    }
}

/// The address of the last run first: remotes that were cloned before a restart go on working.
async fn bind(listen: SocketAddr, addresses: &Addresses) -> Result<TcpListener, GitError> {
    if let Some(last) = addresses.last(listen)
        && let Ok(listener) = TcpListener::bind(last).await
    {
        return Ok(listener);
    }
    TcpListener::bind(listen)
        .await
        .map_err(|source| GitError::Listen {
            address: listen,
            source,
        })
}

fn existing(program: &Arc<GitProgram>, folder: &Path) -> io::Result<BTreeMap<String, Repository>> {
    let mut repositories = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let file = entry.file_name();
        let name = file.to_str().and_then(|file| file.strip_suffix(".git"));
        if let Some(name) = name.filter(|name| is_name(name)) {
            let repository = Repository::open(Arc::clone(program), entry.path());
            repositories.insert(name.to_owned(), repository);
        }
    }
    Ok(repositories)
}

fn is_name(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_.".contains(c);
    !name.is_empty() && name.len() <= 100 && !name.starts_with('.') && name.chars().all(allowed)
}

fn serve(listener: TcpListener, shared: Arc<Shared>, stop: CancellationToken) {
    let tasks = shared.tasks.clone();
    let routes = Router::new()
        .route("/{repository}/info/refs", get(advertise))
        .route("/{repository}/git-upload-pack", post(upload))
        .route("/{repository}/git-receive-pack", post(receive))
        .fallback(hint)
        .with_state(shared);
    tasks.spawn(async move {
        let serving = axum::serve(listener, routes).with_graceful_shutdown(stop.cancelled_owned());
        if let Err(error) = serving.await {
            tracing::error!(%error, "the Git server ended");
        }
    });
}

async fn advertise(
    State(shared): State<Arc<Shared>>,
    UrlPath(repository): UrlPath<String>,
    RawQuery(query): RawQuery,
    request: Request,
) -> Response {
    let query = match query.as_deref() {
        Some("service=git-upload-pack") => "service=git-upload-pack",
        Some("service=git-receive-pack") => "service=git-receive-pack",
        _ => {
            return (
                StatusCode::FORBIDDEN,
                "only the smart HTTP protocol is served\n",
            )
                .into_response();
        }
    };
    run(shared, &repository, "info/refs", query, request).await
}

async fn upload(
    State(shared): State<Arc<Shared>>,
    UrlPath(repository): UrlPath<String>,
    request: Request,
) -> Response {
    run(shared, &repository, "git-upload-pack", "", request).await
}

async fn receive(
    State(shared): State<Arc<Shared>>,
    UrlPath(repository): UrlPath<String>,
    request: Request,
) -> Response {
    run(shared, &repository, "git-receive-pack", "", request).await
}

async fn hint() -> Response {
    (
        StatusCode::NOT_FOUND,
        "this is a Git remote: git clone http://ADDRESS/<name>.git\n",
    )
        .into_response()
}

async fn run(
    shared: Arc<Shared>,
    file: &str,
    path: &'static str,
    query: &'static str,
    request: Request,
) -> Response {
    let name = file.strip_suffix(".git").unwrap_or(file).to_owned();
    if !shared.lock().contains_key(&name) {
        return (
            StatusCode::NOT_FOUND,
            format!("there is no repository {name:?}\n"),
        )
            .into_response();
    }
    let children = Arc::clone(&shared.children);
    let turn = children
        .acquire_owned()
        .await
        .expect("the semaphore is never closed");
    let answer = converse(shared, name, turn, (path, query), request).await;
    answer.unwrap_or_else(|error| {
        tracing::warn!(%error, "a Git request failed");
        (StatusCode::BAD_GATEWAY, format!("{error}\n")).into_response()
    })
}

async fn converse(
    shared: Arc<Shared>,
    name: String,
    turn: OwnedSemaphorePermit,
    (path, query): (&'static str, &'static str),
    request: Request,
) -> Result<Response, GitError> {
    let folder = shared.folder.clone();
    let service = Service {
        root: &folder,
        repository: format!("{name}.git"),
        path,
        query,
    };
    let tasks = shared.tasks.clone();
    let push = (path == "git-receive-pack").then(|| Push { shared, name });
    let (parts, body): (_, Body) = request.into_parts();
    let (running, input) = backend::start(&service, &parts.method, &parts.headers, (turn, push))?;
    tasks.spawn(backend::feed(input, body));
    running.answer().await
}
