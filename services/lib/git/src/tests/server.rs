//! A smart HTTP server on loopback: `git http-backend` behind a small handler, and a proxy that cuts connections.

use std::{
    path::{Path, PathBuf},
    process::Stdio,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use axum::{
    Router,
    body::Body,
    extract::State,
    http::{HeaderMap, Request, Response, StatusCode},
};
use futures::StreamExt as _;
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{
        TcpListener, TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    task::JoinSet,
};

use super::twin::Twin;
use crate::{
    Change, Config, Credential, Engine, FileEdit, Http, Limits, Person, Remote, RemoteUrl,
    RepositoryPath, Secret, StepId,
};

pub(crate) const PASSWORD: &str = "canary-7f3a9c";
/// "bot:canary-7f3a9c"
const AUTHORIZATION: &str = "Basic Ym90OmNhbmFyeS03ZjNhOWM=";

pub(crate) const SEED: &[(&str, &str)] = &[
    (
        "app/values.yaml",
        "# owned by the web team\nimage:\n  repository: web\n  tag: v1 # pinned\nlist:\n  - seed\n",
    ),
    (
        "app/kustomization.yaml",
        "resources:\n  - web.yaml\nimages:\n  - name: web\n    newTag: v1\n",
    ),
    (
        "app/Chart.yaml",
        "name: app\ndependencies:\n  - name: redis\n    version: 1.0.0\n",
    ),
    ("app/web.yaml", "kind: Deployment\nspec:\n  image: web:v1\n"),
    ("README.md", "hello\n"),
];

pub(crate) struct Server {
    pub(crate) root: TempDir,
    port: u16,
    proxy: u16,
    /// Bytes until the proxy cuts a connection once, towards the server and back.
    pub(crate) cut: Arc<Cut>,
    _tasks: JoinSet<()>,
}

pub(crate) struct Cut {
    pub(crate) up: AtomicI64,
    pub(crate) down: AtomicI64,
}

const NEVER: i64 = i64::MAX / 2;

impl Server {
    pub(crate) async fn start() -> Self {
        let root = TempDir::new().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let app = Router::new()
            .fallback(serve)
            .with_state(root.path().to_owned());
        let cut = Arc::new(Cut {
            up: AtomicI64::new(NEVER),
            down: AtomicI64::new(NEVER),
        });
        let proxy = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let proxy_port = proxy.local_addr().unwrap().port();
        let mut tasks = JoinSet::new();
        tasks.spawn(async move { axum::serve(listener, app).await.unwrap() });
        tasks.spawn(relay(proxy, port, Arc::clone(&cut)));
        let server = Self {
            root,
            port,
            proxy: proxy_port,
            cut,
            _tasks: tasks,
        };
        server.create("app.git");
        server
    }

    /// A bare repository with the seed on `main`.
    fn create(&self, name: &str) {
        let folder = self.root.path().join(name);
        git(
            self.root.path(),
            &["init", "--quiet", "--bare", "--initial-branch=main", name],
            "",
        );
        for setting in [
            "http.receivepack",
            "uploadpack.allowFilter",
            "uploadpack.allowAnySHA1InWant",
        ] {
            git(&folder, &["config", setting, "true"], "");
        }
        git(&folder, &["config", "receive.fsckObjects", "true"], "");
        let mut stream = "commit refs/heads/main\ncommitter Seed <seed@example.com> 1700000000 +0000\ndata 4\nseed\n".to_owned();
        for (path, content) in SEED {
            stream += &format!(
                "M 100644 inline {path}\ndata {}\n{content}\n",
                content.len()
            );
        }
        stream += "M 120000 inline link\ndata 3\napp\n";
        stream += "M 160000 0123456789012345678901234567890123456789 module\n";
        let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n";
        for (path, content) in [("big.yaml", pointer), ("binary.yaml", "a: \0\0\n")] {
            stream += &format!(
                "M 100644 inline {path}\ndata {}\n{content}\n",
                content.len()
            );
        }
        git(&folder, &["fast-import", "--quiet"], &stream);
    }

    pub(crate) fn folder(&self) -> PathBuf {
        self.root.path().join("app.git")
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        git(&self.folder(), arguments, "")
    }

    pub(crate) fn read(&self, path: &str) -> String {
        self.git(&["show", &format!("main:{path}")])
    }

    pub(crate) fn count(&self) -> usize {
        self.git(&["rev-list", "--count", "main"])
            .trim()
            .parse()
            .unwrap()
    }

    /// Step ids in the order of the history, the newest first.
    pub(crate) fn steps(&self) -> Vec<String> {
        let log = self.git(&[
            "log",
            "--format=%(trailers:key=Causeway-Step,valueonly,separator=%x20)",
            "main",
        ]);
        log.lines()
            .filter(|line| !line.is_empty())
            .map(str::to_owned)
            .collect()
    }

    pub(crate) fn check(&self) {
        git(&self.folder(), &["fsck", "--full", "--strict"], "");
    }

    /// Adds a commit without the engine, as another writer would.
    pub(crate) fn push_foreign(&self, path: &str, content: &str) -> Option<String> {
        let folder = self.folder();
        let old = git(&folder, &["rev-parse", "main"], "").trim().to_owned();
        let index = self
            .root
            .path()
            .join(format!("index-{:x}", rand::random::<u64>()));
        let index = index.to_str().unwrap();
        let blob = git(&folder, &["hash-object", "-w", "--stdin"], content)
            .trim()
            .to_owned();
        let with_index =
            |arguments: &[&str]| run(&folder, arguments, "", &[("GIT_INDEX_FILE", index)]);
        with_index(&["read-tree", &old]).unwrap();
        with_index(&[
            "update-index",
            "--add",
            "--cacheinfo",
            &format!("100644,{blob},{path}"),
        ])
        .unwrap();
        let tree = with_index(&["write-tree"]).unwrap().trim().to_owned();
        let new = git(
            &folder,
            &["commit-tree", &tree, "-p", &old, "-m", "foreign"],
            "",
        )
        .trim()
        .to_owned();
        run(
            &folder,
            &["update-ref", "refs/heads/main", &new, &old],
            "",
            &[],
        )
        .ok()
        .map(|_| new)
    }

    pub(crate) fn remote(&self) -> Remote {
        remote_at(self.port, "app.git")
    }

    /// Through the proxy that cuts.
    pub(crate) fn fragile_remote(&self) -> Remote {
        remote_at(self.proxy, "app.git")
    }

    pub(crate) fn remote_path(&self, path: &str) -> Remote {
        remote_at(self.port, path)
    }
}

fn remote_at(port: u16, path: &str) -> Remote {
    remote(&format!("http://127.0.0.1:{port}/{path}"))
}

pub(crate) fn remote(url: &str) -> Remote {
    Remote {
        account: "acme".to_owned(),
        url: RemoteUrl::parse(url, Http::Loopback).unwrap(),
        credential_id: "bot-1".to_owned(),
        credential: Credential::Basic {
            user: "bot".to_owned(),
            password: Secret::new(PASSWORD),
        },
        signing_key: None,
        address: None,
    }
}

pub(crate) fn config(folder: &Path) -> Config {
    Config {
        cache: folder.join("cache"),
        journal: folder.join("journal"),
        committer: Person::new("Causeway", "causeway@example.com").unwrap(),
        git: "git".into(),
        limits: Limits {
            time: Duration::from_secs(30),
            ..Limits::default()
        },
        twin: Twin::Sound,
    }
}

pub(crate) fn engine(folder: &Path) -> Engine {
    Engine::open(config(folder)).unwrap()
}

pub(crate) fn path(text: &str) -> RepositoryPath {
    RepositoryPath::parse(text).unwrap()
}

pub(crate) fn change(step: &str, edits: Vec<FileEdit>) -> Change {
    Change {
        step: StepId::parse(step).unwrap(),
        author: Person::new("Ada", "ada@example.com").unwrap(),
        time: 1_800_000_000,
        message: format!("change of {step}"),
        trailers: vec![("Causeway-Release".to_owned(), "r1".to_owned())],
        edits,
        start: None,
    }
}

/// Appends one item to the list that all tests share.
pub(crate) fn append(step: &str) -> Change {
    change(step, vec![append_edit(step)])
}

pub(crate) fn append_edit(item: &str) -> FileEdit {
    let at = causeway_patch::Path::parse("list").unwrap();
    let operation = causeway_patch::Operation::Append(causeway_patch::Value::string(item));
    values(vec![causeway_patch::Edit::new(at, operation)])
}

pub(crate) fn values(edits: Vec<causeway_patch::Edit>) -> FileEdit {
    FileEdit::Values {
        path: path("app/values.yaml"),
        document: causeway_patch::DocumentSelector::Only,
        edits,
    }
}

pub(crate) fn git(folder: &Path, arguments: &[&str], input: &str) -> String {
    run(folder, arguments, input, &[]).unwrap_or_else(|error| panic!("git {arguments:?}: {error}"))
}

fn run(
    folder: &Path,
    arguments: &[&str],
    input: &str,
    environment: &[(&str, &str)],
) -> Result<String, String> {
    use std::io::Write as _;
    let mut command = std::process::Command::new("git");
    command
        .args(arguments)
        .current_dir(folder)
        .envs(environment.iter().copied());
    command.envs([
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_AUTHOR_NAME", "F"),
        ("GIT_AUTHOR_EMAIL", "f@x"),
    ]);
    command.envs([("GIT_COMMITTER_NAME", "F"), ("GIT_COMMITTER_EMAIL", "f@x")]);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() {
        Ok(text)
    } else {
        Err(error)
    }
}

async fn serve(State(root): State<PathBuf>, request: Request<Body>) -> Response<Body> {
    let path = request.uri().path().to_owned();
    if let Some(rest) = path.strip_prefix("/moved/") {
        let query = request.uri().query().unwrap_or_default();
        let location = format!("/{rest}?{query}");
        return Response::builder()
            .status(302)
            .header("location", location)
            .body(Body::empty())
            .unwrap();
    }
    if request
        .headers()
        .get("authorization")
        .is_none_or(|it| it != AUTHORIZATION)
    {
        let challenge = Response::builder()
            .status(401)
            .header("www-authenticate", "Basic realm=git");
        return challenge.body(Body::empty()).unwrap();
    }
    let command = backend(&root, &request, request.headers());
    // A cut request makes the program spin, so the end of the body decides and a bound ends it at last.
    let answer = tokio::time::timeout(
        Duration::from_secs(30),
        answer(command, request.into_body()),
    );
    answer.await.ok().flatten().unwrap_or_else(|| {
        Response::builder()
            .status(StatusCode::INTERNAL_SERVER_ERROR)
            .body(Body::empty())
            .unwrap()
    })
}

fn backend(root: &Path, request: &Request<Body>, headers: &HeaderMap) -> tokio::process::Command {
    let header = |name: &str| {
        headers
            .get(name)
            .and_then(|it| it.to_str().ok())
            .unwrap_or_default()
    };
    let mut command = tokio::process::Command::new("git");
    command.arg("http-backend").kill_on_drop(true);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    command
        .env("GIT_PROJECT_ROOT", root)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("REMOTE_USER", "bot");
    command
        .env("PATH_INFO", request.uri().path())
        .env("REQUEST_METHOD", request.method().as_str());
    command.env("QUERY_STRING", request.uri().query().unwrap_or_default());
    command
        .env("CONTENT_TYPE", header("content-type"))
        .env("GIT_PROTOCOL", header("git-protocol"));
    command.env("HTTP_CONTENT_ENCODING", header("content-encoding"));
    command.env("GIT_CONFIG_GLOBAL", "/dev/null");
    if !header("content-length").is_empty() {
        command.env("CONTENT_LENGTH", header("content-length"));
    }
    command
}

/// Nothing when the request was cut; the child is killed then.
async fn answer(mut command: tokio::process::Command, body: Body) -> Option<Response<Body>> {
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let feed = async move {
        let mut chunks = body.into_data_stream();
        while let Some(chunk) = chunks.next().await {
            // The program may end before it has read everything.
            let _ = stdin.write_all(&chunk.ok()?).await;
        }
        Some(())
    };
    let read = async {
        let mut bytes = Vec::new();
        stdout.read_to_end(&mut bytes).await.ok()?;
        Some(bytes)
    };
    let ((), bytes) = tokio::try_join!(async { feed.await.ok_or(()) }, async {
        read.await.ok_or(())
    })
    .ok()?;
    let split = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    let mut response = Response::builder();
    for line in std::str::from_utf8(&bytes[..split]).ok()?.lines() {
        let (name, value) = line.split_once(": ")?;
        response = match name {
            "Status" => response.status(value.split(' ').next()?.parse::<u16>().ok()?),
            _ => response.header(name, value),
        };
    }
    response.body(Body::from(bytes[split + 4..].to_vec())).ok()
}

async fn relay(listener: TcpListener, port: u16, cut: Arc<Cut>) {
    let mut connections = JoinSet::new();
    loop {
        let (client, _) = listener.accept().await.unwrap();
        let cut = Arc::clone(&cut);
        connections.spawn(async move {
            let Ok(server) = TcpStream::connect(("127.0.0.1", port)).await else {
                return;
            };
            let ((client_read, client_write), (server_read, server_write)) =
                (client.into_split(), server.into_split());
            // The first direction that ends or is cut closes both.
            tokio::select! {
                () = pump(client_read, server_write, &cut.up) => {}
                () = pump(server_read, client_write, &cut.down) => {}
            }
        });
    }
}

async fn pump(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, budget: &AtomicI64) {
    let mut buffer = vec![0; 16 << 10];
    loop {
        let Ok(count @ 1..) = from.read(&mut buffer).await else {
            return;
        };
        let left = budget.fetch_sub(count as i64, Ordering::SeqCst);
        if left < count as i64 {
            budget.store(NEVER, Ordering::SeqCst);
            let _ = to.write_all(&buffer[..left.max(0) as usize]).await;
            let _ = to.flush().await;
            return;
        }
        if to.write_all(&buffer[..count]).await.is_err() {
            return;
        }
    }
}
