//! A platform and one runtime: each part a process, a cluster of generated applications, and a relay on the reporter's way.

use std::{
    fs,
    net::SocketAddr,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context as _, ensure};
use causeway_client::{Credential, Peer, PeerUrl, RuntimeIdentity};
use causeway_proto::{
    ids::RequestId,
    platform::v1::{CreateJoinTokenRequest, runtime_service_client::RuntimeServiceClient},
};
use causeway_testkit::Postgres;
use sqlx::{ConnectOptions as _, Connection as _, PgConnection, sqlite::SqliteConnectOptions};
use tempfile::TempDir;
use tokio::time::{Instant, sleep};

use super::{cluster::Cluster, process::Process, relay::Relay, shown};

/// For what is asked of the parts before anything is measured.
const PATIENCE: Duration = Duration::from_secs(300);
const POLL: Duration = Duration::from_millis(10);
/// Answers of a source-server to what has just changed are there by then.
const QUIET: Duration = Duration::from_secs(2);

/// Where the inventory keeps what it is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Store {
    Sqlite,
    Postgres,
}

impl Store {
    pub(super) const ALL: [Self; 2] = [Self::Sqlite, Self::Postgres];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        }
    }
}

/// Parts are killed before what they use is gone.
pub(super) struct World {
    pub(super) router: Process,
    pub(super) inventory: Process,
    _platform: Process,
    pub(super) relay: Relay,
    pub(super) cluster: Cluster,
    pub(super) identity: RuntimeIdentity,
    database: Option<String>,
    binary: PathBuf,
    admin_key: String,
    folder: TempDir,
    _server: Option<Postgres>,
}

impl World {
    /// Starts all of it but the reporter. Nothing where there is no PostgreSQL on this machine and it is wanted.
    pub(super) async fn start(
        binary: &Path,
        store: Store,
        cluster: Cluster,
    ) -> anyhow::Result<Option<Self>> {
        let folder = tempfile::tempdir()?;
        let server = match store {
            Store::Sqlite => None,
            Store::Postgres => match Postgres::start_durable() {
                Some(server) => Some(server),
                None => return Ok(None),
            },
        };
        let database = server.as_ref().map(Postgres::database);
        let data = |name: &str| folder.path().join(name).display().to_string();
        let platform = Process::start(binary, "platform", &flags(&[("--data", &data("platform"))]));
        let key = data("platform/keys/parts.pem");
        let peer = [
            ("--platform-url", &*platform.url),
            ("--part-issuer-key", &*key),
        ];
        let mut own = flags(&peer);
        own.extend(flags(&[("--data", &data("inventory"))]));
        if let Some(database) = &database {
            own.extend(flags(&[("--database", database)]));
        }
        let inventory = Process::start(binary, "inventory", &own);
        let upstreams = [
            ("--side", "platform"),
            ("--upstream", &format!("platform={}", platform.url)),
            ("--upstream", &format!("inventory={}", inventory.url)),
        ];
        let own = [flags(&peer), flags(&upstreams)].concat();
        let router = Process::start(binary, "request-router", &own);
        let relay = Relay::start(address(&router.url)?).await?;
        let admin_key = fs::read_to_string(folder.path().join("platform/admin.key"))?;
        let admin_key = admin_key.trim().to_owned();
        for part in [&platform, &inventory, &router] {
            part.ready(PATIENCE).await?;
        }
        let identity = join(&router.url, &relay.url(), &admin_key, folder.path()).await?;
        fs::write(
            folder.path().join("kubeconfig"),
            cluster.generator().kubeconfig(),
        )?;
        Ok(Some(Self {
            router,
            inventory,
            _platform: platform,
            relay,
            cluster,
            identity,
            database,
            binary: binary.to_owned(),
            admin_key,
            folder,
            _server: server,
        }))
    }

    /// The same on SQLite, which is always there.
    pub(super) async fn on_sqlite(binary: &Path, cluster: Cluster) -> anyhow::Result<Self> {
        let world = Self::start(binary, Store::Sqlite, cluster).await?;
        world.context("SQLite needs no server")
    }

    /// Starts the reporter.
    pub(super) fn report(&self) -> Process {
        Process::start(&self.binary, "application-event-reporter", &self.runtime())
    }

    /// Starts the reporter with a source-server, which tells it of manifests, trees and commits.
    pub(super) async fn report_whole(&self) -> anyhow::Result<[Process; 2]> {
        let generator = self.cluster.generator();
        let token = self.folder.path().join("argocd.token");
        fs::write(&token, generator.argocd_token())?;
        let argocd = flags(&[
            ("--argocd-server", &generator.argocd_url()),
            ("--argocd-token-file", &token.display().to_string()),
        ]);
        let own = [self.runtime(), argocd].concat();
        let source = Process::start(&self.binary, "source-server", &own);
        source.ready(PATIENCE).await?;
        let own = [self.runtime(), flags(&[("--source-server", &source.url)])].concat();
        let reporter = Process::start(&self.binary, "application-event-reporter", &own);
        Ok([reporter, source])
    }

    fn runtime(&self) -> Vec<String> {
        let folder = |name: &str| self.folder.path().join(name).display().to_string();
        flags(&[
            ("--runtime-folder", &folder("runtime")),
            ("--kubeconfig", &folder("kubeconfig")),
        ])
    }

    /// Waits until so many reports are acknowledged and then none for some time; gives how many are, and since when.
    pub(super) async fn quiet(
        &self,
        reporter: &Process,
        least: u64,
    ) -> anyhow::Result<(u64, Instant)> {
        self.acknowledged(reporter, least).await?;
        let (mut last, mut since) = (0, Instant::now());
        while since.elapsed() < QUIET {
            let now = acknowledged(reporter).await?;
            if now != last {
                (last, since) = (now, Instant::now());
            }
            sleep(POLL).await;
        }
        Ok((last, since))
    }

    /// The platform over a new connection, as its administrator.
    pub(super) fn peer(&self) -> anyhow::Result<Peer> {
        admin(&self.router.url, &self.admin_key)
    }

    /// Waits until the platform shows what the cluster has; fails with what is lost and what is there in spite of its end.
    pub(super) async fn settle(&self, within: Duration) -> anyhow::Result<()> {
        let end = Instant::now() + within;
        loop {
            let shown = shown::versions(self.peer()?).await?;
            let difference = shown::difference(&self.cluster.truth(), &shown);
            if difference.is_none() {
                return Ok(());
            }
            let (lost, ghosts) = (difference.lost, difference.ghosts);
            ensure!(
                Instant::now() < end,
                "{lost} states are lost, {ghosts} applications are ghosts"
            );
            sleep(Duration::from_millis(100)).await;
        }
    }

    /// Waits until so many reports of this reporter are acknowledged.
    pub(super) async fn acknowledged(&self, reporter: &Process, count: u64) -> anyhow::Result<()> {
        let (end, mut most) = (Instant::now() + PATIENCE, 0);
        while most < count {
            ensure!(
                Instant::now() < end,
                "{most} of {count} reports are acknowledged"
            );
            sleep(POLL).await;
            most = acknowledged(reporter).await?;
        }
        Ok(())
    }

    /// Starts the reporter and waits until all that there is has arrived; gives the reporter, and in seconds how long that took.
    pub(super) async fn arrive(&self) -> anyhow::Result<(Process, f64)> {
        let begun = Instant::now();
        let reporter = self.report();
        let count = self.cluster.len() as u64;
        self.acknowledged(&reporter, count).await?;
        let took = begun.elapsed().as_secs_f64();
        self.settle(Duration::ZERO).await?;
        Ok((reporter, took))
    }

    /// A number that the inventory's database knows; PostgreSQL has its tables in a schema of their own.
    pub(super) async fn count(&self, query: &'static str) -> anyhow::Result<i64> {
        if let Some(url) = &self.database {
            let mut server = PgConnection::connect(url).await?;
            let schema = sqlx::query("SET search_path TO inventory");
            schema.execute(&mut server).await?;
            return Ok(sqlx::query_scalar(query).fetch_one(&mut server).await?);
        }
        let file = self.folder.path().join("inventory/inventory.db");
        let options = SqliteConnectOptions::new().filename(file);
        let mut file = options.read_only(true).connect().await?;
        Ok(sqlx::query_scalar(query).fetch_one(&mut file).await?)
    }
}

/// How many reports of a reporter are acknowledged.
pub(super) async fn acknowledged(reporter: &Process) -> anyhow::Result<u64> {
    reporter
        .metric("causeway_reporter_reports_acknowledged_total")
        .await
}

/// Where a URL of a process leads.
pub(super) fn address(url: &str) -> anyhow::Result<SocketAddr> {
    Ok(url.trim_start_matches("http://").parse()?)
}

fn flags(flags: &[(&str, &str)]) -> Vec<String> {
    let words = flags.iter().flat_map(|(name, value)| [*name, *value]);
    words.map(str::to_owned).collect()
}

fn admin(router: &str, key: &str) -> anyhow::Result<Peer> {
    let url = PeerUrl::parse(router, None)?;
    Ok(Peer::new(&url, Credential::api_key(key)))
}

/// Joins over the router; the runtime finds the platform at the relay.
async fn join(
    router: &str,
    relay: &str,
    key: &str,
    folder: &Path,
) -> anyhow::Result<RuntimeIdentity> {
    let request = CreateJoinTokenRequest {
        runtime: "east".to_owned(),
        request_id: RequestId::generate().to_string(),
    };
    let mut runtimes = RuntimeServiceClient::new(admin(router, key)?);
    let made = runtimes.create_join_token(request).await?.into_inner();
    let anyone = Peer::new(&PeerUrl::parse(router, None)?, Credential::None);
    let relay = PeerUrl::parse(relay, None)?;
    let home = folder.join("runtime");
    RuntimeIdentity::join(&home, &relay, anyone, &made.token).await
}
