//! Resources that Applications list in their status. Confirms ownership where tracking metadata is ambiguous, as with two
//! Argo CDs in one cluster.

use std::{
    hash::{BuildHasher as _, RandomState},
    slice,
    sync::Arc,
    time::Duration,
};

use causeway_shell::Notices;
use http::Request;
use kube::Client;
use moka::future::Cache;
use serde::Deserialize;
use tokio::time::{Instant, timeout};

use crate::{
    object::{Named, OwnerChain, Tracking},
    owner_lookup::Unreachable,
};

/// How many resources of Applications are remembered, by a hash of eight bytes each.
const REMEMBERED: u64 = 2_000_000;
/// An Application that has nothing weighs as much as so many resources.
const OWN_WEIGHT: usize = 16;
/// That an Application has something not is believed for so long.
const FRESH: Duration = Duration::from_secs(5);
const WITHIN: Duration = Duration::from_secs(10);
const LONGEST_NAME: usize = 253;
/// How Argo CD calls the cluster that it is in.
const OWN_CLUSTER: &str = "https://kubernetes.default.svc";

/// The Applications of the cluster that Argo CD is in. Cheap to clone.
#[derive(Clone)]
pub struct Applications {
    client: Client,
    /// Of Argo CDs, in which an Application is that is named without one.
    namespaces: Arc<[String]>,
    notices: Notices,
    /// By namespace and name.
    known: Cache<(String, String), Arc<ApplicationResources>>,
    hasher: Arc<RandomState>,
}

/// What an Application had when it was asked.
struct ApplicationResources {
    asked: Instant,
    /// Nothing where it was not there, or may not be read.
    had: Option<Had>,
}

struct Had {
    /// Whether it deploys to the cluster that it is in.
    here: bool,
    /// Hashes of the names of its resources, in their order.
    resources: Box<[u64]>,
    /// Hashes of the namespaces in which it makes something, in their order.
    spaces: Box<[u64]>,
}

/// How an object names its Application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// By the annotation that says which object it is of.
    Tracked,
    /// By a label.
    Labelled,
}

/// Whose an object is that names an Application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Holder {
    /// That of this namespace.
    In(String),
    /// There is one of that name, and it does not have it.
    Other,
    /// There is none of that name.
    Nobody,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Answer {
    spec: Spec,
    status: Status,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Spec {
    destination: Destination,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Destination {
    namespace: String,
    server: String,
    name: String,
}

impl Destination {
    /// Whether it is the cluster that the Application itself is in.
    fn is_here(&self) -> bool {
        match (self.server.as_str(), self.name.as_str()) {
            ("", name) => name.is_empty() || name == "in-cluster",
            (server, _) => server.trim_end_matches('/') == OWN_CLUSTER,
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Status {
    resources: Option<Vec<Named>>,
}

impl Applications {
    /// Those of a cluster with Argo CDs in these namespaces, where what was read is remembered for so long.
    #[must_use]
    pub fn new(
        client: Client,
        namespaces: Vec<String>,
        notices: Notices,
        remembered: Duration,
    ) -> Self {
        let weigh =
            |_: &(String, String), resources: &Arc<ApplicationResources>| resources.weight();
        let known = Cache::builder()
            .weigher(weigh)
            .max_capacity(REMEMBERED)
            .time_to_live(remembered);
        Self {
            client,
            namespaces: namespaces.into(),
            notices,
            known: known.build(),
            hasher: Arc::default(),
        }
    }

    /// Whose an object is that names an Application so.
    pub(crate) async fn holder(
        &self,
        claim: &Tracking,
        of: &OwnerChain,
        mark: Mark,
    ) -> Result<Holder, Unreachable> {
        let named = claim.namespace.as_ref().map(slice::from_ref);
        let namespaces = named.unwrap_or(&self.namespaces).iter();
        let mut holder = Holder::Nobody;
        for namespace in namespaces.filter(|it| is_name(it) && is_name(&claim.name)) {
            let key = (namespace.clone(), claim.name.clone());
            let mut resources = self.resources(&key).await?;
            // What owns it may be asked instead.
            let matters = mark == Mark::Tracked || of.above.is_none();
            if matters && resources.asked.elapsed() > FRESH && !self.has(&resources, of, mark) {
                self.known.invalidate(&key).await;
                resources = self.resources(&key).await?;
            }
            if self.has(&resources, of, mark) {
                return Ok(Holder::In(key.0));
            }
            if resources.had.is_some() {
                holder = Holder::Other;
            }
        }
        Ok(holder)
    }

    /// A hook is in no list for sure: it counts where its Application makes something.
    fn has(&self, resources: &ApplicationResources, of: &OwnerChain, mark: Mark) -> bool {
        let Some(had) = &resources.had else {
            return false;
        };
        let hash = self.hasher.hash_one(&of.of);
        let space = || self.hasher.hash_one(&of.of.namespace);
        // A label says nothing of the cluster, and the same chart may be in several.
        if mark == Mark::Labelled && !had.here {
            return false;
        }
        let as_hook = mark == Mark::Tracked && of.is_hook;
        had.resources.binary_search(&hash).is_ok()
            || as_hook && had.spaces.binary_search(&space()).is_ok()
    }

    async fn resources(
        &self,
        key: &(String, String),
    ) -> Result<Arc<ApplicationResources>, Unreachable> {
        let asked = self.known.try_get_with_by_ref(key, self.ask(key));
        asked
            .await
            .map_err(|error: Arc<Unreachable>| Unreachable::clone(&error))
    }

    async fn ask(
        &self,
        (namespace, name): &(String, String),
    ) -> Result<Arc<ApplicationResources>, Unreachable> {
        let asked = Instant::now();
        let topic = format!("applications {namespace}");
        let had = match self.read(namespace, name).await {
            Ok(answer) => Some(self.had(answer)),
            Err(kube::Error::Api(status)) if status.code == 404 => None,
            Err(kube::Error::Api(status)) if status.code == 403 => {
                let line = format!(
                    "may not read applications.argoproj.io in the namespace {namespace}: what names its application without a namespace belongs to none; give its role get on them"
                );
                // Anybody may write a namespace into a label: what that may not read is not said, nor kept.
                if self.namespaces.contains(namespace) {
                    self.notices.raise(topic, line);
                }
                return Ok(Arc::new(ApplicationResources { asked, had: None }));
            }
            Err(error) => return Err(Unreachable::new(error.to_string())),
        };
        self.notices.clear(&topic);
        Ok(Arc::new(ApplicationResources { asked, had }))
    }

    async fn read(&self, namespace: &str, name: &str) -> Result<Answer, kube::Error> {
        let path = format!("/apis/argoproj.io/v1alpha1/namespaces/{namespace}/applications/{name}");
        let request = Request::get(path).body(Vec::new());
        let request = request.map_err(|error| kube::Error::Service(error.into()))?;
        let answer = timeout(WITHIN, self.client.request(request)).await;
        answer.unwrap_or_else(|late| Err(kube::Error::Service(late.into())))
    }

    fn had(&self, answer: Answer) -> Had {
        let resources = answer.status.resources.unwrap_or_default();
        let destination = &answer.spec.destination.namespace;
        let spaces = resources.iter().map(|it| &it.namespace);
        let spaces = spaces.chain([destination]).filter(|it| !it.is_empty());
        Had {
            here: answer.spec.destination.is_here(),
            spaces: in_order(spaces.map(|it| self.hasher.hash_one(it))),
            resources: in_order(resources.iter().map(|it| self.hasher.hash_one(it))),
        }
    }
}

impl ApplicationResources {
    fn weight(&self) -> u32 {
        let had = self.had.as_ref();
        let hashes = had.map_or(0, |had| had.resources.len() + had.spaces.len());
        u32::try_from(hashes + OWN_WEIGHT).unwrap_or(u32::MAX)
    }
}

fn in_order(hashes: impl Iterator<Item = u64>) -> Box<[u64]> {
    let mut hashes: Vec<u64> = hashes.collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes.into()
}

/// The names become a path of the cluster's API.
fn is_name(text: &str) -> bool {
    let plain = |byte: u8| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'.')
    };
    let fits = !text.is_empty() && text.len() <= LONGEST_NAME;
    fits && text.bytes().all(plain) && !text.starts_with('.')
}
