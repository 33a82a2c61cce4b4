//! Runtimes by the dozen against one platform. Each joins by a token of its own and has keys, a tunnel session, report streams
//! and all parts of its own, wired by the flags of their own processes; only the cluster and the Argo CD beside it are generated.
//! Whatever is generated is known, so that what the platform says can be held against it: [`Fleet::verdict`].
#![expect(
    clippy::unwrap_used,
    reason = "only tests and figures call this, and it documents its panics"
)]

mod churn;
mod sights;
mod verdict;
mod wire;

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use causeway_client::{Credential, Peer, PeerUrl};
use causeway_proto::platform::v1::{
    Connection, ListRuntimesRequest, runtime_service_client::RuntimeServiceClient,
};
use causeway_sandbox::{Generator, GeneratorOptions, Known};
use futures::{StreamExt as _, stream};
use tempfile::TempDir;
use tokio::{
    task::JoinSet,
    time::{Instant, interval, timeout},
};

use self::wire::Wire;
pub use self::{
    churn::{Churn, Load, Pace, churn},
    sights::{Shown, Sights},
    verdict::Verdict,
};
use crate::mesh::{RuntimeParts, Surroundings};

/// How many runtimes start at one time.
const AT_ONCE: usize = 4;
/// Of Argo CD's answers, for each runtime: dozens of them share one machine.
const CACHE_BYTES: usize = 4 << 20;
/// The most that a page of runtimes holds.
const PAGE: u32 = 500;

/// How large a fleet is.
#[derive(Clone, Copy, Debug)]
pub struct FleetOptions {
    /// Runtimes, at least 1.
    pub runtimes: usize,
    /// Applications of all of them together, equally many each.
    pub applications: usize,
    /// Resources that each application manages.
    pub resources: usize,
    /// Equal seeds make equal applications and equal changes.
    pub seed: u64,
}

/// Where the platform is, and how its admin gets in.
#[derive(Clone, Debug)]
pub struct PlatformDoor {
    /// Of its router.
    pub url: String,
    /// The secret of the admin's API key.
    pub admin_key: String,
}

/// The clusters of a fleet, before any runtime is beside them.
pub struct Clusters(Vec<Generator>);

/// Runtimes that report.
pub struct Fleet {
    members: Vec<Member>,
    sights: Arc<Sights>,
    wire: Wire,
    user: Peer,
    begun: Instant,
    watching: JoinSet<()>,
    folder: TempDir,
}

/// One runtime, and what is generated beside it.
pub struct Member {
    pub name: String,
    pub parts: RuntimeParts,
    pub generator: Generator,
}

/// How long the platform took to know all that there is, from the moment when the first runtime began to join.
#[derive(Clone, Copy, Debug)]
pub struct Complete {
    /// Until it showed every application.
    pub shown: Duration,
    /// Until it had all manifests too.
    pub whole: Duration,
}

/// How it goes.
#[derive(Clone, Debug)]
pub struct Progress {
    /// Runtimes with a tunnel session.
    pub online: usize,
    /// Applications that the platform shows.
    pub told: usize,
    /// Those whose manifests it has.
    pub whole: usize,
    /// Changes that it does not show yet.
    pub outstanding: usize,
    /// Seconds of each change that was shown since this was last asked.
    pub lags: Vec<f64>,
}

impl Clusters {
    /// Generates them.
    ///
    /// # Panics
    /// When a port cannot be had.
    pub async fn start(options: &FleetOptions) -> Self {
        let runtimes = options.runtimes.max(1);
        let mut clusters = Vec::with_capacity(runtimes);
        for number in 0..runtimes {
            let more = usize::from(number < options.applications % runtimes);
            let generator = Generator::start(GeneratorOptions {
                applications: options.applications / runtimes + more,
                resources: options.resources,
                seed: options.seed + number as u64,
            });
            clusters.push(generator.await.unwrap());
        }
        Self(clusters)
    }

    /// Them, each for itself.
    pub fn into_generators(self) -> Vec<Generator> {
        self.0
    }
}

impl Fleet {
    /// Generates clusters and joins a runtime beside each.
    ///
    /// # Panics
    /// When one is refused, or a part does not start.
    pub async fn start(platform: &PlatformDoor, options: &FleetOptions) -> Self {
        Self::join(platform, Clusters::start(options).await).await
    }

    /// Joins a runtime beside each cluster.
    ///
    /// # Panics
    /// When one is refused, or a part does not start.
    pub async fn join(platform: &PlatformDoor, clusters: Clusters) -> Self {
        causeway_shell::install_crypto();
        let url = PeerUrl::parse(&platform.url, None).unwrap();
        let user = Peer::new(&url, Credential::api_key(&platform.admin_key));
        let folder = tempfile::tempdir().unwrap();
        let wire = Wire::start(&platform.url).await;
        let sights = Arc::new(Sights::default());
        let mut watching = JoinSet::new();
        watching.spawn(sights::watch(user.clone(), Arc::clone(&sights)));
        let begun = Instant::now();
        let joining = clusters.0.into_iter().enumerate().map(|(number, one)| {
            let name = format!("fleet-{number:03}");
            let home = folder.path().join(&name);
            let (router, user) = (wire.url(), user.clone());
            Box::pin(async move { member(name, &home, &router, &user, one).await })
        });
        let members = stream::iter(joining).buffered(AT_ONCE).collect().await;
        Self {
            members,
            sights,
            wire,
            user,
            begun,
            watching,
            folder,
        }
    }

    /// The runtimes.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// The same, to stop and start parts of them.
    pub fn members_mut(&mut self) -> &mut [Member] {
        &mut self.members
    }

    /// The platform, as its admin.
    pub fn user(&self) -> &Peer {
        &self.user
    }

    /// What the platform shows, as its admin watches it.
    pub fn sights(&self) -> &Sights {
        &self.sights
    }

    /// Waits until the platform shows as many applications as there are, and all with their manifests.
    ///
    /// # Panics
    /// When `most` is over.
    pub async fn complete(&self, most: Duration) -> Complete {
        let all = self.truth().len();
        let complete = async {
            self.sights.until(|seen| seen.told() >= all).await;
            let shown = self.begun.elapsed();
            self.sights.until(|seen| seen.whole() >= all).await;
            Complete {
                shown,
                whole: self.begun.elapsed(),
            }
        };
        let within = timeout(most, complete).await;
        let (told, whole) = (self.sights.told(), self.sights.whole());
        within.unwrap_or_else(|_| {
            panic!("{told} of {all} applications within {most:?}, {whole} with their manifests")
        })
    }

    /// Changes applications, each runtime's in turn, and waits until the platform shows the last change.
    pub async fn churn(&self, load: Load) -> Churn {
        let members = self.members.iter();
        let clusters: Vec<_> = members
            .map(|member| (member.name.as_str(), &member.generator))
            .collect();
        churn(&clusters, &self.sights, load).await
    }

    /// Bytes between the runtimes and the platform's router so far, both ways: joins, keys, announcements and reports.
    pub fn bytes(&self) -> u64 {
        self.wire.bytes()
    }

    /// How it goes; asks the platform which runtimes are online.
    ///
    /// # Panics
    /// When the platform does not answer.
    pub async fn progress(&self) -> Progress {
        let request = ListRuntimesRequest {
            page_size: PAGE,
            ..ListRuntimesRequest::default()
        };
        let mut runtimes = RuntimeServiceClient::new(self.user.clone());
        let listed = runtimes.list_runtimes(request).await.unwrap().into_inner();
        let online = |connection: Connection| connection == Connection::Online;
        let listed = listed.runtimes.iter();
        Progress {
            online: listed.filter(|one| online(one.connection())).count(),
            told: self.sights.told(),
            whole: self.sights.whole(),
            outstanding: self.sights.outstanding(),
            lags: self.sights.latest(),
        }
    }

    /// What there is, by (runtime, name).
    pub fn truth(&self) -> BTreeMap<(String, String), Known> {
        let all = self.members.iter().flat_map(|member| {
            let known = member.generator.truth().into_iter();
            known.map(|one| ((member.name.clone(), one.name.clone()), one))
        });
        all.collect()
    }

    /// Holds what the platform lists at this moment against what there is.
    ///
    /// # Panics
    /// When the platform does not answer.
    pub async fn verdict(&self) -> Verdict {
        let listed = verdict::listed(&self.user).await;
        Verdict::of(&self.truth(), &listed)
    }

    /// The same once nothing is missing, or when `most` is over.
    ///
    /// # Panics
    /// When the platform does not answer.
    pub async fn settled(&self, most: Duration) -> Verdict {
        let end = Instant::now() + most;
        let mut ticks = interval(Duration::from_millis(500));
        loop {
            ticks.tick().await;
            let verdict = self.verdict().await;
            if verdict.is_clean() || Instant::now() > end {
                return verdict;
            }
        }
    }

    /// Drains all parts of all runtimes, and ends the clusters.
    ///
    /// # Panics
    /// When a part has failed or does not drain.
    pub async fn stop(mut self) {
        self.watching.abort_all();
        let stopping = self.members.into_iter().map(|member| {
            Box::pin(async move {
                member.parts.stop().await;
                member.generator.stop().await;
            })
        });
        stream::iter(stopping)
            .buffer_unordered(AT_ONCE)
            .collect::<()>()
            .await;
        drop((self.wire, self.folder));
    }
}

async fn member(
    name: String,
    home: &std::path::Path,
    router: &str,
    user: &Peer,
    generator: Generator,
) -> Member {
    let surroundings = Surroundings {
        kubeconfig: generator.kubeconfig(),
        argocd_url: generator.argocd_url(),
        argocd_token: generator.argocd_token().to_owned(),
        source_server_flags: vec!["--cache-bytes".to_owned(), CACHE_BYTES.to_string()],
    };
    let runtime = (name.as_str(), "read");
    let parts = RuntimeParts::join(runtime, home, router, user, &surroundings).await;
    Member {
        name,
        parts,
        generator,
    }
}
