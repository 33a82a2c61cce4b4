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

/// Number of cached resources, each a hash of eight bytes.
const CACHED: u64 = 2_000_000;
/// Cache weight of an Application without resources.
const OWN_WEIGHT: usize = 16;
/// Time for which a negative answer of an Application is trusted.
const NEGATIVE_MAX_AGE: Duration = Duration::from_secs(5);
const TIMEOUT: Duration = Duration::from_secs(10);
const MAX_NAME_BYTES: usize = 253;
/// Argo CD's name of its own cluster.
const OWN_CLUSTER: &str = "https://kubernetes.default.svc";

/// Applications of the cluster of Argo CD. Cheap to clone.
#[derive(Clone)]
pub struct Applications {
    client: Client,
    /// Namespaces of the Argo CDs, for Applications that are named without one.
    namespaces: Arc<[String]>,
    notices: Notices,
    /// By namespace and name.
    known: Cache<(String, String), Arc<ApplicationResources>>,
    hasher: Arc<RandomState>,
}

/// Resources of an Application at the time of the request.
struct ApplicationResources {
    fetched_at: Instant,
    /// None if the Application does not exist or may not be read.
    tracked: Option<TrackedResources>,
}

struct TrackedResources {
    /// True if it deploys to its own cluster.
    is_local: bool,
    /// Sorted hashes of resource names.
    resources: Box<[u64]>,
    /// Sorted hashes of the namespaces that it deploys to.
    namespaces: Box<[u64]>,
}

/// How an object names its Application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TrackingMethod {
    /// By the tracking annotation, which identifies its object.
    Tracked,
    /// By a label.
    Labelled,
}

/// Owner of an object that names an Application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Holder {
    /// The Application in this namespace.
    Namespace(String),
    /// The Application exists but does not have the object.
    Unlisted,
    /// No Application has that name.
    None,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Response {
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
    /// Returns true for the cluster of the Application itself.
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
    /// Creates a client for a cluster with Argo CDs in these namespaces, with a cache lifetime.
    #[must_use]
    pub fn new(
        client: Client,
        namespaces: Vec<String>,
        notices: Notices,
        cache_lifetime: Duration,
    ) -> Self {
        let weigh =
            |_: &(String, String), resources: &Arc<ApplicationResources>| resources.weight();
        let known = Cache::builder()
            .weigher(weigh)
            .max_capacity(CACHED)
            .time_to_live(cache_lifetime);
        Self {
            client,
            namespaces: namespaces.into(),
            notices,
            known: known.build(),
            hasher: Arc::default(),
        }
    }

    /// Returns the owner of an object that names an Application.
    pub(crate) async fn find_holder(
        &self,
        claim: &Tracking,
        object: &OwnerChain,
        method: TrackingMethod,
    ) -> Result<Holder, Unreachable> {
        let named = claim.namespace.as_ref().map(slice::from_ref);
        let namespaces = named.unwrap_or(&self.namespaces).iter();
        let mut holder = Holder::None;
        for namespace in namespaces.filter(|it| is_name(it) && is_name(&claim.name)) {
            let key = (namespace.clone(), claim.name.clone());
            let mut resources = self.resources(&key).await?;
            // Otherwise the owner of the object decides.
            let is_decisive = method == TrackingMethod::Tracked || object.above.is_none();
            if is_decisive
                && resources.fetched_at.elapsed() > NEGATIVE_MAX_AGE
                && !self.contains(&resources, object, method)
            {
                self.known.invalidate(&key).await;
                resources = self.resources(&key).await?;
            }
            if self.contains(&resources, object, method) {
                return Ok(Holder::Namespace(key.0));
            }
            if resources.tracked.is_some() {
                holder = Holder::Unlisted;
            }
        }
        Ok(holder)
    }

    /// Returns true if the Application has the object. Hooks are in no reliable list, so they count in each namespace of the
    /// Application.
    fn contains(
        &self,
        resources: &ApplicationResources,
        object: &OwnerChain,
        method: TrackingMethod,
    ) -> bool {
        let Some(tracked) = &resources.tracked else {
            return false;
        };
        let hash = self.hasher.hash_one(&object.of);
        let namespace = || self.hasher.hash_one(&object.of.namespace);
        // A label does not identify the cluster, and the same chart may run in several.
        if method == TrackingMethod::Labelled && !tracked.is_local {
            return false;
        }
        let as_hook = method == TrackingMethod::Tracked && object.is_hook;
        tracked.resources.binary_search(&hash).is_ok()
            || as_hook && tracked.namespaces.binary_search(&namespace()).is_ok()
    }

    async fn resources(
        &self,
        key: &(String, String),
    ) -> Result<Arc<ApplicationResources>, Unreachable> {
        let resources = self.known.try_get_with_by_ref(key, self.fetch(key));
        resources
            .await
            .map_err(|error: Arc<Unreachable>| Unreachable::clone(&error))
    }

    async fn fetch(
        &self,
        key: &(String, String),
    ) -> Result<Arc<ApplicationResources>, Unreachable> {
        let (namespace, name) = key;
        let fetched_at = Instant::now();
        let topic = format!("applications {namespace}");
        let tracked = match self.read(namespace, name).await {
            Ok(response) => Some(self.to_tracked(response)),
            Err(kube::Error::Api(status)) if status.code == 404 => None,
            Err(kube::Error::Api(status)) if status.code == 403 => {
                let line = format!(
                    "may not read applications.argoproj.io in the namespace {namespace}: what names its application without a namespace belongs to none; give its role get on them"
                );
                // Labels can contain arbitrary namespaces, so a forbidden one is neither reported nor cached.
                if self.namespaces.contains(namespace) {
                    self.notices.raise(topic, line);
                }
                return Ok(Arc::new(ApplicationResources {
                    fetched_at,
                    tracked: None,
                }));
            }
            Err(error) => return Err(Unreachable::new(error.to_string())),
        };
        self.notices.clear(&topic);
        Ok(Arc::new(ApplicationResources {
            fetched_at,
            tracked,
        }))
    }

    async fn read(&self, namespace: &str, name: &str) -> Result<Response, kube::Error> {
        let path = format!("/apis/argoproj.io/v1alpha1/namespaces/{namespace}/applications/{name}");
        let request = Request::get(path).body(Vec::new());
        let request = request.map_err(|error| kube::Error::Service(error.into()))?;
        let answer = timeout(TIMEOUT, self.client.request(request)).await;
        answer.unwrap_or_else(|late| Err(kube::Error::Service(late.into())))
    }

    fn to_tracked(&self, response: Response) -> TrackedResources {
        let resources = response.status.resources.unwrap_or_default();
        let destination = &response.spec.destination.namespace;
        let namespaces = resources.iter().map(|it| &it.namespace);
        let namespaces = namespaces.chain([destination]).filter(|it| !it.is_empty());
        TrackedResources {
            is_local: response.spec.destination.is_here(),
            namespaces: sorted_hashes(namespaces.map(|it| self.hasher.hash_one(it))),
            resources: sorted_hashes(resources.iter().map(|it| self.hasher.hash_one(it))),
        }
    }
}

impl ApplicationResources {
    fn weight(&self) -> u32 {
        let tracked = self.tracked.as_ref();
        let hashes = tracked.map_or(0, |tracked| {
            tracked.resources.len() + tracked.namespaces.len()
        });
        u32::try_from(hashes + OWN_WEIGHT).unwrap_or(u32::MAX)
    }
}

fn sorted_hashes(hashes: impl Iterator<Item = u64>) -> Box<[u64]> {
    let mut hashes: Vec<u64> = hashes.collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes.into()
}

/// Validates a name, which becomes part of an API path.
fn is_name(text: &str) -> bool {
    let plain = |byte: u8| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'.')
    };
    let fits = !text.is_empty() && text.len() <= MAX_NAME_BYTES;
    fits && text.bytes().all(plain) && !text.starts_with('.')
}
