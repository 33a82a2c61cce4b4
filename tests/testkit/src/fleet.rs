//! Runtimes by the dozen against one platform. Each joins by a token of its own and has keys, a tunnel session, report streams
//! and all parts of its own, wired by the flags of their own processes; only the cluster and the Argo CD beside it are generated.
//! Whatever is generated is known, so that what the platform says can be held against it: [`Fleet::verdict`].
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

/// How many runtimes start at one time.
const AT_ONCE: usize = 4;
/// Of Argo CD's answers, for each runtime: dozens of them share one machine.
const CACHE_BYTES: usize = 4 << 20;

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

/// The clusters of a fleet, before any runtime is beside them.
pub struct Clusters(Vec<Generator>);

/// Runtimes that report.
pub struct Fleet {
    members: Vec<Member>,
    outlook: Outlook,
    wire: Wire,
    begun: Instant,
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
        let outlook = Outlook::open(platform);
        Self::join(&outlook, Clusters::start(options).await).await
    }

    /// Joins a runtime beside each cluster.
    ///
    /// # Panics
    /// When one is refused, or a part does not start.
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

    /// The runtimes.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// The same, to stop and start parts of them.
    pub fn members_mut(&mut self) -> &mut [Member] {
        &mut self.members
    }

    /// The platform as its admin sees it.
    pub fn outlook(&self) -> &Outlook {
        &self.outlook
    }

    /// Waits until the platform shows as many applications as there are, and all with their manifests.
    ///
    /// # Panics
    /// When `most` is over.
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

    /// Changes applications, each runtime's in turn, and waits until the platform shows the last change.
    pub async fn churn(&self, load: Load) -> Churn {
        let members = self.members.iter();
        let clusters: Vec<_> = members
            .map(|member| (member.name.as_str(), &member.generator))
            .collect();
        churn(&clusters, self.outlook.sights(), load).await
    }

    /// Bytes between the runtimes and the platform's router so far, both ways: joins, keys, announcements and reports.
    pub fn bytes(&self) -> u64 {
        self.wire.bytes()
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
        let listed = verdict::listed(self.outlook.user()).await;
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
