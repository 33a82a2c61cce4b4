//! Dozens of runtimes against one platform. Each joins with its own token and has its own keys, tunnel session, report streams
//! and parts, configured by flags; only its cluster and Argo CD are generated.
#![expect(
    clippy::unwrap_used,
    reason = "only tests and figures call this, and it documents its panics"
)]

mod churn;
mod outlook;
mod sights;
mod verdict;
mod wire;

use std::{collections::BTreeMap, time::Duration};

use causeway_client::Peer;
use futures::{StreamExt as _, stream};
use tempfile::TempDir;
use tokio::time::{Instant, interval, timeout};

use self::wire::Wire;
pub use self::{
    churn::{Churn, Load, Pace, churn},
    outlook::{Outlook, PlatformDoor, Progress},
    sights::{Shown, Sights},
    verdict::Verdict,
};
use crate::{
    Generator, GeneratorOptions, Known,
    mesh::{RuntimeParts, Surroundings},
};

/// Number of runtimes that start concurrently.
const AT_ONCE: usize = 4;
/// Cache for responses of Argo CD per runtime, small because dozens share one machine.
const CACHE_BYTES: usize = 4 << 20;

/// Size of a fleet.
#[derive(Clone, Copy, Debug)]
pub struct FleetOptions {
    /// Number of runtimes, at least 1.
    pub runtimes: usize,
    /// Total number of applications, distributed equally.
    pub applications: usize,
    /// Managed resources per application.
    pub resources: usize,
    /// Seed: equal seeds generate equal applications and changes.
    pub seed: u64,
}

/// Clusters of a fleet without runtimes.
pub struct Clusters(Vec<Generator>);

/// Runtimes that report.
pub struct Fleet {
    members: Vec<Member>,
    outlook: Outlook,
    wire: Wire,
    begun: Instant,
    folder: TempDir,
}

/// One runtime with its generated cluster.
pub struct Member {
    pub name: String,
    pub parts: RuntimeParts,
    pub generator: Generator,
}

/// Time until the platform shows everything, from the first join.
#[derive(Clone, Copy, Debug)]
pub struct Complete {
    /// Until all applications are shown.
    pub shown: Duration,
    /// Until all manifests are stored as well.
    pub whole: Duration,
}

impl Clusters {
    /// Generates the clusters.
    ///
    /// # Panics
    /// No port is available.
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

    /// Returns the generators.
    pub fn into_generators(self) -> Vec<Generator> {
        self.0
    }
}

impl Fleet {
    /// Generates clusters and joins a runtime in each.
    ///
    /// # Panics
    /// A join is rejected, or a part does not start.
    pub async fn start(platform: &PlatformDoor, options: &FleetOptions) -> Self {
        let outlook = Outlook::open(platform);
        Self::join(&outlook, Clusters::start(options).await).await
    }

    /// Joins a runtime in each cluster.
    ///
    /// # Panics
    /// A join is rejected, or a part does not start.
    pub async fn join(outlook: &Outlook, clusters: Clusters) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let wire = Wire::start(&outlook.url).await;
        let begun = Instant::now();
        let joining = clusters.0.into_iter().enumerate().map(|(number, one)| {
            let name = format!("fleet-{number:03}");
            let home = folder.path().join(&name);
            let (router, user) = (wire.url(), outlook.user().clone());
            Box::pin(async move { member(name, &home, &router, &user, one).await })
        });
        let members = stream::iter(joining).buffered(AT_ONCE).collect().await;
        Self {
            members,
            outlook: outlook.clone(),
            wire,
            begun,
            folder,
        }
    }

    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// Returns the runtimes, to stop and start their parts.
    pub fn members_mut(&mut self) -> &mut [Member] {
        &mut self.members
    }

    /// Returns the platform as its admin sees it.
    pub fn outlook(&self) -> &Outlook {
        &self.outlook
    }

    /// Waits until the platform shows all applications with their manifests.
    ///
    /// # Panics
    /// `most` has passed.
    pub async fn complete(&self, most: Duration) -> Complete {
        let all = self.truth().len();
        let sights = self.outlook.sights();
        let complete = async {
            sights.until(|seen| seen.told() >= all).await;
            let shown = self.begun.elapsed();
            sights.until(|seen| seen.whole() >= all).await;
            Complete {
                shown,
                whole: self.begun.elapsed(),
            }
        };
        let within = timeout(most, complete).await;
        let (told, whole) = (sights.told(), sights.whole());
        within.unwrap_or_else(|_| {
            panic!("{told} of {all} applications within {most:?}, {whole} with their manifests")
        })
    }

    /// Changes applications of all runtimes in turn and waits until the platform shows the last change.
    pub async fn churn(&self, load: Load) -> Churn {
        let members = self.members.iter();
        let clusters: Vec<_> = members
            .map(|member| (member.name.as_str(), &member.generator))
            .collect();
        churn(&clusters, self.outlook.sights(), load).await
    }

    /// Returns the bytes transferred between the runtimes and the platform's router in both directions.
    pub fn bytes(&self) -> u64 {
        self.wire.bytes()
    }

    /// Returns the expected state by (runtime, name).
    pub fn truth(&self) -> BTreeMap<(String, String), Known> {
        let all = self.members.iter().flat_map(|member| {
            let known = member.generator.truth().into_iter();
            known.map(|one| ((member.name.clone(), one.name.clone()), one))
        });
        all.collect()
    }

    /// Compares the platform's current state with the expected one.
    ///
    /// # Panics
    /// The platform is unavailable.
    pub async fn verdict(&self) -> Verdict {
        let listed = verdict::listed(self.outlook.user()).await;
        Verdict::of(&self.truth(), &listed)
    }

    /// Compares repeatedly until nothing is missing or `most` has passed.
    ///
    /// # Panics
    /// The platform is unavailable.
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

    /// Drains all parts of all runtimes and stops the clusters.
    ///
    /// # Panics
    /// A part has failed or does not drain.
    pub async fn stop(self) {
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
