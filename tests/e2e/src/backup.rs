//! A platform is put back to what it was, while its runtime goes on.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use causeway_client::{Credential, Peer, PeerUrl};
use causeway_proto::{
    inventory::v1::{ApplicationFilter, ListDeploymentsRequest, WatchApplicationsRequest},
    platform::v1::{
        CreateApiKeyRequest, ListRuntimesRequest, RevokeApiKeyRequest,
        runtime_service_client::RuntimeServiceClient,
    },
    proxy::v1::SyncApplicationRequest,
};
use causeway_sandbox::SandboxOptions;
use causeway_testkit::{Databases, Finished, Mesh, Postgres, binary, new_id, run, wait_until};
use serde_json::Value;
use sqlx::Connection as _;
use tonic::Code;

use crate::{
    program::SOON,
    world::{Names, create, delete, label, publish, until_told},
};

/// A platform, and where it keeps what it has.
struct World {
    mesh: Mesh,
    /// Of its databases, where it has no files.
    url: Option<String>,
    backup: PathBuf,
}

/// Watches until it has caught up with all, and gives the cursor.
async fn caught_up(mesh: &Mesh, cursor: &str) -> Result<String, tonic::Status> {
    let request = WatchApplicationsRequest {
        cursor: cursor.to_owned(),
        ..WatchApplicationsRequest::default()
    };
    let mut steps = mesh
        .applications()
        .watch_applications(request)
        .await?
        .into_inner();
    loop {
        let step = steps.message().await?.expect("a watch goes on");
        if !step.cursor.is_empty() {
            return Ok(step.cursor);
        }
    }
}

async fn ended_operations(mesh: &Mesh) -> usize {
    let request = ListDeploymentsRequest {
        filter: Some(ApplicationFilter {
            runtime: "east".to_owned(),
            ..ApplicationFilter::default()
        }),
        ..ListDeploymentsRequest::default()
    };
    let listed = mesh.applications().list_deployments(request).await;
    listed.map_or(0, |listed| listed.into_inner().deployments.len())
}

async fn sync(mesh: &Mesh) {
    let before = ended_operations(mesh).await;
    let request = SyncApplicationRequest {
        runtime: "east".to_owned(),
        namespace: "argocd".to_owned(),
        name: "a".to_owned(),
        request_id: new_id(),
        ..SyncApplicationRequest::default()
    };
    wait_until("a sync through the tunnel", SOON, async || {
        let asked = mesh.actions().sync_application(request.clone()).await;
        asked.map(drop).map_err(|status| status.to_string())
    })
    .await;
    wait_until("its end is recorded", SOON, async || {
        if ended_operations(mesh).await > before {
            Ok(())
        } else {
            Err("not yet".to_owned())
        }
    })
    .await;
}

async fn make_key(mesh: &Mesh, name: &str) -> (String, String) {
    let request = CreateApiKeyRequest {
        display_name: name.to_owned(),
        role: "viewer".to_owned(),
        request_id: new_id(),
        ..CreateApiKeyRequest::default()
    };
    let made = mesh.api_keys().create_api_key(request).await.unwrap();
    let made = made.into_inner();
    (made.api_key.unwrap().key_id, made.secret)
}

/// Whether a key opens anything.
async fn opens(mesh: &Mesh, secret: &str) -> Result<(), Code> {
    let url = PeerUrl::parse(&mesh.router.url(), None).unwrap();
    let peer = Peer::new(&url, Credential::api_key(secret));
    let mut runtimes = RuntimeServiceClient::new(peer);
    let listed = runtimes.list_runtimes(ListRuntimesRequest::default());
    listed.await.map(drop).map_err(|status| status.code())
}

impl World {
    async fn in_files() -> Self {
        Self::of(Mesh::start(SandboxOptions::in_memory()).await, None)
    }

    /// Nothing where there is no PostgreSQL.
    async fn on_server() -> Option<Self> {
        let url = Postgres::shared()?.database();
        let flags = ["--database".to_owned(), url.clone()];
        let databases = Databases {
            platform: &flags,
            inventory: &flags,
        };
        let mesh = Mesh::start_in(databases, SandboxOptions::in_memory()).await;
        Some(Self::of(mesh, Some(url)))
    }

    fn of(mesh: Mesh, url: Option<String>) -> Self {
        let backup = mesh.folder().join("backup.tar");
        Self { mesh, url, backup }
    }

    async fn causeway(&self, words: &[&str]) -> Finished {
        let mut command = Command::new(binary());
        command.args(words);
        match &self.url {
            // The folders have no databases then, and it says so by these flags alone.
            Some(url) => {
                let keys = self.mesh.folder().join("platform/keys");
                command.args(["--database", url, "--keys"]).arg(keys);
                let tunnel = self.mesh.folder().join("tunnel-server");
                command.arg("--tunnel-data").arg(tunnel)
            }
            None => command.arg("--data").arg(self.mesh.folder()),
        };
        tokio::task::block_in_place(|| run(&mut command))
    }

    fn file(&self) -> &str {
        self.backup.to_str().unwrap()
    }

    /// Ends the platform, not the runtime.
    async fn stop_platform(&mut self) {
        self.mesh.router.stop().await;
        self.mesh.tunnel_server.stop().await;
        self.mesh.inventory.stop().await;
        self.mesh.platform.stop().await;
    }

    async fn start_platform(&mut self) {
        self.mesh.platform.start_again().await;
        self.mesh.inventory.start_again().await;
        self.mesh.tunnel_server.start_again().await;
        self.mesh.router.start_again().await;
    }

    /// Loses all that the platform keeps, its keys too.
    async fn lose(&self) {
        let folder = self.mesh.folder();
        for part in ["platform", "inventory"] {
            let (there, lost) = (folder.join(part), folder.join(format!("lost-{part}")));
            // With a server the inventory has no folder.
            if there.exists() {
                std::fs::rename(there, lost).unwrap();
            }
        }
        std::fs::create_dir_all(folder.join("platform")).unwrap();
        let key = Path::new("platform/admin.key");
        std::fs::copy(folder.join("lost-platform/admin.key"), folder.join(key)).unwrap();
        let Some(url) = &self.url else {
            return;
        };
        let mut connection = sqlx::PgConnection::connect(url).await.unwrap();
        let drop = "DROP SCHEMA platform CASCADE; DROP SCHEMA inventory CASCADE";
        sqlx::raw_sql(drop).execute(&mut connection).await.unwrap();
    }

    fn verify_audit(&self) -> Finished {
        let file = |name: &str| self.mesh.folder().join(name);
        let mut command = Command::new(binary());
        command.args(["audit", "verify", "--address", &self.mesh.router.url()]);
        command
            .arg("--api-key-file")
            .arg(file("platform/admin.key"));
        command
            .arg("--root-key")
            .arg(file("platform/keys/root.pub"));
        command.env("CAUSEWAY_CONFIG", file(&format!("{}.json", new_id())));
        tokio::task::block_in_place(|| run(&mut command))
    }
}

/// What there was when the backup was made.
struct Then {
    cursor: String,
    key_id: String,
    key: String,
}

/// What there was when the platform was lost.
struct Last {
    cursor: String,
    key: String,
    names: Names,
    ended: usize,
}

async fn begin(world: &World) -> Then {
    let mesh = &world.mesh;
    publish(mesh.sandbox(), "a").await;
    for name in ["a", "b"] {
        create(mesh.sandbox(), name).await;
    }
    sync(mesh).await;
    let (key_id, key) = make_key(mesh, "before").await;
    until_told(&mesh.user(), "east", mesh.sandbox()).await;
    let cursor = caught_up(mesh, "").await.unwrap();
    Then {
        cursor,
        key_id,
        key,
    }
}

async fn back_up(world: &World) {
    let made = world
        .causeway(&["backup", "--with-keys", "--out", world.file()])
        .await;
    assert!(made.stderr.contains("DANGER"), "{}", made.stderr);
    made.expect_success();
    let checked = world
        .causeway(&["restore", "--check", world.file(), "-o", "json"])
        .await;
    let manifest: Value = serde_json::from_str(&checked.expect_success()).unwrap();
    assert_eq!(manifest["withKeys"], true);
}

/// What happens after a backup is lost with the platform.
async fn go_on(world: &World, then: &Then) -> Last {
    let mesh = &world.mesh;
    create(mesh.sandbox(), "c").await;
    label(mesh.sandbox(), "a").await;
    delete(mesh.sandbox(), "b").await;
    sync(mesh).await;
    let ended = ended_operations(mesh).await;
    let (_, key) = make_key(mesh, "after").await;
    let revoke = RevokeApiKeyRequest {
        key_id: then.key_id.clone(),
        request_id: new_id(),
    };
    mesh.api_keys().revoke_api_key(revoke).await.unwrap();
    let names = until_told(&mesh.user(), "east", mesh.sandbox()).await;
    let cursor = caught_up(mesh, &then.cursor).await.unwrap();
    assert_eq!(opens(mesh, &then.key).await, Err(Code::Unauthenticated));
    Last {
        cursor,
        key,
        names,
        ended,
    }
}

async fn put_back(world: &mut World) {
    world.stop_platform().await;
    let refused = world.causeway(&["restore", world.file()]).await;
    assert_eq!(refused.code(), 1, "{refused:?}");
    let told = "has rows of the part inventory already, and nothing is written over them";
    assert!(refused.stderr.contains(told), "{}", refused.stderr);
    world.lose().await;
    let restored = world.causeway(&["restore", world.file()]).await;
    restored.expect_success();
    world.start_platform().await;
}

/// What the runtime knows comes back by itself; of what users did, only what was in the backup.
async fn a_platform_is_put_back_while_its_runtime_runs_on(mut world: World) {
    let then = begin(&world).await;
    back_up(&world).await;
    let last = go_on(&world, &then).await;
    put_back(&mut world).await;
    let mesh = &world.mesh;
    let now = until_told(&mesh.user(), "east", mesh.sandbox()).await;
    assert!(now.keys().eq(last.names.keys()), "{now:?}");
    wait_until(
        "operations that ended since",
        SOON,
        async || match ended_operations(mesh).await {
            now if now >= last.ended => Ok(()),
            now => Err(format!("{now} of {}", last.ended)),
        },
    )
    .await;
    assert_eq!(opens(mesh, &then.key).await, Ok(()));
    assert_eq!(opens(mesh, &last.key).await, Err(Code::Unauthenticated));
    for cursor in [&then.cursor, &last.cursor] {
        let refused = caught_up(mesh, cursor).await.unwrap_err();
        assert_eq!(refused.code(), Code::OutOfRange, "{refused}");
    }
    caught_up(mesh, "").await.unwrap();
    sync(mesh).await;
    world.verify_audit().expect_success();
    world.mesh.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_platform_is_restored_while_its_runtime_runs() {
    Box::pin(a_platform_is_put_back_while_its_runtime_runs_on(
        World::in_files().await,
    ))
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn postgresql_platform_is_restored_while_its_runtime_runs() {
    let Some(world) = World::on_server().await else {
        return;
    };
    Box::pin(a_platform_is_put_back_while_its_runtime_runs_on(world)).await;
}

const LATER: &str = "_sqlx_migrations (version, description, success, checksum, execution_time) VALUES (99, 'later', TRUE, '', 0)";

/// As a later version leaves the tables of a part.
async fn pretend_newer(world: &World, part: &str) {
    if let Some(url) = &world.url {
        let mut connection = sqlx::PgConnection::connect(url).await.unwrap();
        let later = format!("INSERT INTO {part}.{LATER}");
        let later = sqlx::raw_sql(sqlx::AssertSqlSafe(later));
        later.execute(&mut connection).await.unwrap();
        return;
    }
    let file = world.mesh.folder().join(part).join(format!("{part}.db"));
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(file);
    let mut connection = sqlx::SqliteConnection::connect_with(&options)
        .await
        .unwrap();
    let later = sqlx::raw_sql(sqlx::AssertSqlSafe(format!("INSERT INTO {LATER}")));
    later.execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
}

async fn parts_do_not_start_on_tables_of_a_later_version(mut world: World) {
    world.stop_platform().await;
    let folder = world.mesh.folder();
    for part in ["platform", "inventory"] {
        pretend_newer(&world, part).await;
        let mut command = Command::new(binary());
        command
            .args(["serve", part, "--data"])
            .arg(folder.join(part));
        if let Some(url) = &world.url {
            command.args(["--database", url]);
        }
        if part == "inventory" {
            let key = folder.join("platform/keys/parts.pem");
            command.args(["--platform-url", "http://127.0.0.1:1", "--part-issuer-key"]);
            command.arg(key);
        }
        let refused = tokio::task::block_in_place(|| run(&mut command));
        let said = format!("{}{}", refused.stdout, refused.stderr);
        assert!(!refused.status.success(), "{said}");
        let both = "was written by a newer causeway (schema 99, this one knows ";
        assert!(said.contains(both), "{said}");
    }
    world.mesh.runtime.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn parts_do_not_start_on_files_of_a_later_version() {
    parts_do_not_start_on_tables_of_a_later_version(World::in_files().await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn parts_do_not_start_on_a_server_that_a_later_version_has_written() {
    if let Some(world) = World::on_server().await {
        parts_do_not_start_on_tables_of_a_later_version(world).await;
    }
}

/// What a restore does more than to put rows back: without it a watch would go on over changes that it never saw.
#[tokio::test(flavor = "multi_thread")]
async fn manually_copied_files_make_watches_skip_changes() {
    let mut world = World::in_files().await;
    create(world.mesh.sandbox(), "a").await;
    until_told(&world.mesh.user(), "east", world.mesh.sandbox()).await;
    let cursor = caught_up(&world.mesh, "").await.unwrap();
    world.stop_platform().await;
    let file = world.mesh.folder().join("inventory/inventory.db");
    std::fs::copy(&file, file.with_extension("copy")).unwrap();
    std::fs::copy(file.with_extension("copy"), &file).unwrap();
    world.start_platform().await;
    caught_up(&world.mesh, &cursor).await.unwrap();
    world.mesh.stop().await;
}
