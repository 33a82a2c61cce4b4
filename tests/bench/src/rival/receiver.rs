//! What the baseline reports to: each call is answered after its rows are in a SQLite file and that is on the disk.

use std::{collections::BTreeMap, net::Ipv4Addr, sync::Arc};

use axum::{
    Router,
    body::Bytes,
    extract::{DefaultBodyLimit, State},
    http::StatusCode,
    routing::post,
};
use causeway_proto::inventory::v1::{self as pb, HealthStatus, SyncStatus};
use causeway_testkit::fleet::{Shown, Sights};
use serde_json::Value;
use sqlx::{
    Connection as _, Row as _, SqliteConnection,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous},
};
use tempfile::TempDir;
use tokio::{
    net::TcpListener,
    sync::{mpsc, oneshot},
    task::JoinSet,
};

/// Calls that one transaction takes.
const AT_ONCE: usize = 256;
const LARGEST: usize = 4 << 20;

const TABLE: &str = "CREATE TABLE event (
    runtime TEXT NOT NULL, application TEXT NOT NULL, resource TEXT NOT NULL, uid TEXT NOT NULL, version INTEGER NOT NULL,
    sync TEXT NOT NULL, health TEXT NOT NULL, revision TEXT NOT NULL, body BLOB NOT NULL,
    PRIMARY KEY (runtime, application, resource)) WITHOUT ROWID";

struct Call {
    payload: Value,
    body: Bytes,
    done: oneshot::Sender<()>,
}

/// A running one. Its drop ends it.
pub(crate) struct Receiver {
    url: String,
    options: SqliteConnectOptions,
    _tasks: JoinSet<()>,
    _folder: TempDir,
}

impl Receiver {
    /// What it keeps is told to these sights once it is on the disk.
    pub(crate) async fn start(sights: Arc<Sights>) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let options = SqliteConnectOptions::new()
            .filename(folder.path().join("events.db"))
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full);
        let mut file = SqliteConnection::connect_with(&options).await?;
        sqlx::query(TABLE).execute(&mut file).await?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let url = format!("http://{}", listener.local_addr()?);
        let (calls_tx, calls) = mpsc::channel(AT_ONCE);
        let router = Router::new()
            .route("/2.0/api/events", post(receive))
            .layer(DefaultBodyLimit::max(LARGEST))
            .with_state(calls_tx);
        let mut tasks = JoinSet::new();
        tasks.spawn(async move { drop(axum::serve(listener, router).await) });
        tasks.spawn(async move { drop(write(file, calls, &sights).await) });
        Ok(Self {
            url,
            options,
            _tasks: tasks,
            _folder: folder,
        })
    }

    pub(crate) fn url(&self) -> String {
        self.url.clone()
    }

    /// The applications that it keeps, by (runtime, name), as far as they are compared.
    pub(crate) async fn listed(
        &self,
    ) -> anyhow::Result<BTreeMap<(String, String), pb::Application>> {
        let mut file = SqliteConnection::connect_with(&self.options).await?;
        let rows = sqlx::query("SELECT * FROM event WHERE resource = ''")
            .fetch_all(&mut file)
            .await?;
        let listed = rows.iter().map(|row| {
            let text = |column: &str| row.get::<String, _>(column);
            ((text("runtime"), text("application")), application(row))
        });
        Ok(listed.collect())
    }
}

fn application(row: &sqlx::sqlite::SqliteRow) -> pb::Application {
    let text = |column: &str| row.get::<String, _>(column);
    let sync = match text("sync").as_str() {
        "Synced" => SyncStatus::Synced,
        _ => SyncStatus::OutOfSync,
    };
    let health = match text("health").as_str() {
        "Healthy" => HealthStatus::Healthy,
        "Progressing" => HealthStatus::Progressing,
        _ => HealthStatus::Degraded,
    };
    pb::Application {
        uid: text("uid"),
        resource_version: row.get::<i64, _>("version").unsigned_abs(),
        status: Some(pb::ApplicationStatus {
            sync: Some(pb::SyncState {
                status: sync.into(),
                revisions: vec![text("revision")],
            }),
            health: Some(pb::HealthState {
                status: health.into(),
                ..pb::HealthState::default()
            }),
            ..pb::ApplicationStatus::default()
        }),
        ..pb::Application::default()
    }
}

async fn receive(State(calls): State<mpsc::Sender<Call>>, body: Bytes) -> StatusCode {
    let read = zstd::bulk::decompress(&body, LARGEST).ok();
    let read = read.and_then(|text| serde_json::from_slice(&text).ok());
    let Some(payload) = read else {
        return StatusCode::BAD_REQUEST;
    };
    let (done, is_done) = oneshot::channel();
    let call = Call {
        payload,
        body,
        done,
    };
    if calls.send(call).await.is_err() || is_done.await.is_err() {
        return StatusCode::INTERNAL_SERVER_ERROR;
    }
    StatusCode::OK
}

/// All calls that wait go into one transaction.
async fn write(
    mut file: SqliteConnection,
    mut calls: mpsc::Receiver<Call>,
    sights: &Sights,
) -> anyhow::Result<()> {
    let mut waiting = Vec::with_capacity(AT_ONCE);
    while calls.recv_many(&mut waiting, AT_ONCE).await > 0 {
        let mut transaction = file.begin().await?;
        for call in &waiting {
            keep(&mut transaction, call).await?;
        }
        transaction.commit().await?;
        for call in waiting.drain(..) {
            show(sights, &call.payload);
            // who does not wait any more tries again
            let _ = call.done.send(());
        }
    }
    Ok(())
}

async fn keep(file: &mut SqliteConnection, call: &Call) -> anyhow::Result<()> {
    let text = |at: &str| text(&call.payload, at);
    if call.payload["deleted"] == true {
        let delete = "DELETE FROM event WHERE runtime = ? AND application = ?";
        let delete = sqlx::query(delete).bind(text("/runtime"));
        delete.bind(text("/source/appName")).execute(file).await?;
        return Ok(());
    }
    let insert = "INSERT OR REPLACE INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";
    let mut insert = sqlx::query(insert);
    for at in ["/runtime", "/source/appName", "/resource", "/source/appUID"] {
        insert = insert.bind(text(at));
    }
    insert = insert.bind(version(&call.payload).cast_signed());
    for at in [
        "/source/syncStatus",
        "/source/healthStatus",
        "/source/revision",
    ] {
        insert = insert.bind(text(at));
    }
    insert.bind(&call.body[..]).execute(file).await?;
    Ok(())
}

fn show(sights: &Sights, payload: &Value) {
    let (runtime, name) = (text(payload, "/runtime"), text(payload, "/source/appName"));
    if payload["deleted"] == true {
        sights.shows_no_more(runtime, name);
    } else if text(payload, "/resource").is_empty() {
        let shown = Shown {
            version: version(payload),
            whole: true,
        };
        sights.shows(runtime, name, shown);
    }
}

fn version(payload: &Value) -> u64 {
    text(payload, "/source/resourceVersion")
        .parse()
        .unwrap_or(0)
}

fn text<'a>(value: &'a Value, at: &str) -> &'a str {
    value.pointer(at).and_then(Value::as_str).unwrap_or("")
}
