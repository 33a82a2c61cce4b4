//! Finds the Application that owns an object by tracking metadata on the object or its owner chain. Reads only metadata,
//! and caches it.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use causeway_shell::Notices;
use kube::{
    Api, Client,
    api::{ApiResource, DynamicObject},
    core::GroupVersionKind,
};
use moka::future::Cache;
use tokio::time::timeout;

use crate::{
    applications::{Holder, TrackingMethod},
    object::{self, OwnerChain, OwnerNode, Tracking},
    owners::ApplicationName,
    watch::Home,
};

/// Maximum number of levels of the owner chain.
const MAX_LEVELS: usize = 8;
const CACHED: u64 = 20_000;
/// Maximum number of unreadable kinds that are reported, and of namespaces of each.
const MAX_FORBIDDEN: usize = 1_000;
const TIMEOUT: Duration = Duration::from_secs(10);
/// Kinds that occur in events but belong to no application, so that no permission to read them is needed.
const UNOWNED_KINDS: [(&str, &str); 2] = [("", "Node"), ("coordination.k8s.io", "Lease")];

/// Owner lookup in one cluster. Cheap to clone.
#[derive(Clone)]
pub(crate) struct OwnerLookup {
    client: Client,
    home: Home,
    cluster: String,
    notices: Notices,
    forbidden: Arc<Mutex<Forbidden>>,
    /// By uid.
    known: Cache<String, CachedNode>,
}

/// Namespaces in which a kind may not be read, by kind; a role may be bound in some namespaces only.
type Forbidden = BTreeMap<String, BTreeSet<String>>;

/// Ownership of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ownership {
    Application(ApplicationName),
    /// Belongs to no application.
    Unowned,
    /// Names an Application that does not list it, or not yet.
    Unconfirmed,
    /// The owner was deleted or may not be read. A previous answer may still be correct.
    Unknown,
}

/// Result of fetching an object.
#[derive(Debug, Clone)]
enum CachedNode {
    Found(Arc<OwnerChain>),
    Deleted,
    /// It may not be read.
    Forbidden,
}

/// The cluster did not respond.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot ask for the owner of an object: {0}")]
pub(crate) struct Unreachable(String);

impl Unreachable {
    pub(crate) fn new(cause: String) -> Self {
        Self(cause)
    }
}

impl OwnerLookup {
    /// Creates the lookup for a cluster, with a cache lifetime.
    pub(crate) fn new(
        client: Client,
        cluster: String,
        home: Home,
        notices: Notices,
        cache_lifetime: Duration,
    ) -> Self {
        let known = Cache::builder()
            .max_capacity(CACHED)
            .time_to_live(cache_lifetime);
        Self {
            client,
            home,
            cluster,
            notices,
            forbidden: Arc::default(),
            known: known.build(),
        }
    }

    /// Returns the Application that owns an object of this origin.
    pub(crate) async fn application(
        &self,
        owner_chain: OwnerChain,
    ) -> Result<Ownership, Unreachable> {
        let mut owner_chain = Arc::new(owner_chain);
        for _ in 0..MAX_LEVELS {
            if let Some(tracking) = &owner_chain.tracking {
                return self.tracked(tracking, &owner_chain).await;
            }
            let labelled = self.labelled(&owner_chain).await?;
            if let Ownership::Application(_) = labelled {
                return Ok(labelled);
            }
            let Some(above) = owner_chain.above.as_ref().filter(|it| can_be_owned(it)) else {
                return Ok(labelled);
            };
            let found = match self.fetch(above).await? {
                CachedNode::Found(found) => found,
                CachedNode::Deleted | CachedNode::Forbidden => return Ok(Ownership::Unknown),
            };
            if let Some(application) = self.application_itself(above) {
                return Ok(Ownership::Application(application));
            }
            owner_chain = found;
        }
        Ok(Ownership::Unowned)
    }

    /// Confirms the tracking annotation: every writer of the object can write one.
    async fn tracked(
        &self,
        claim: &Tracking,
        owner_chain: &OwnerChain,
    ) -> Result<Ownership, Unreachable> {
        let method = TrackingMethod::Tracked;
        Ok(match self.holder(claim, owner_chain, method).await? {
            Holder::Namespace(namespace) => self.named(namespace, claim),
            Holder::Unlisted | Holder::None => Ownership::Unconfirmed,
        })
    }

    /// Confirms the label, which charts write as well.
    async fn labelled(&self, owner_chain: &OwnerChain) -> Result<Ownership, Unreachable> {
        // A label does not identify the cluster of the object.
        let at_home = self.home.cluster.is_empty();
        let Some(claim) = owner_chain.labelled.as_ref().filter(|_| at_home) else {
            return Ok(Ownership::Unowned);
        };
        Ok(
            match self
                .holder(claim, owner_chain, TrackingMethod::Labelled)
                .await?
            {
                Holder::Namespace(namespace) => self.named(namespace, claim),
                Holder::Unlisted => Ownership::Unconfirmed,
                Holder::None => Ownership::Unowned,
            },
        )
    }

    async fn holder(
        &self,
        claim: &Tracking,
        owner_chain: &OwnerChain,
        method: TrackingMethod,
    ) -> Result<Holder, Unreachable> {
        let applications = &self.home.applications;
        applications.find_holder(claim, owner_chain, method).await
    }

    fn named(&self, namespace: String, claim: &Tracking) -> Ownership {
        Ownership::Application(ApplicationName {
            cluster: self.home.cluster.clone(),
            namespace,
            name: claim.name.clone(),
        })
    }

    /// Returns the Application itself, whose events belong to it, in the cluster of the Applications. Its uid was confirmed.
    fn application_itself(&self, of: &OwnerNode) -> Option<ApplicationName> {
        let is_at_home = self.home.cluster.is_empty() && of.of.is("argoproj.io", "Application");
        is_at_home.then(|| ApplicationName {
            cluster: String::new(),
            namespace: of.namespace.clone(),
            name: of.name.clone(),
        })
    }

    async fn fetch(&self, of: &OwnerNode) -> Result<CachedNode, Unreachable> {
        let asked = self
            .known
            .try_get_with_by_ref(&of.uid, self.fetch_uncached(of));
        asked
            .await
            .map_err(|error: Arc<Unreachable>| Unreachable::clone(&error))
    }

    async fn fetch_uncached(&self, of: &OwnerNode) -> Result<CachedNode, Unreachable> {
        let name = &of.of;
        let kind = GroupVersionKind::gvk(&name.group, &name.version, &name.kind);
        let resource = ApiResource::from_gvk(&kind);
        let kind = kind_of(&resource);
        let seen = self.read(of, &resource).await;
        // Success for one kind does not clear the notice of another.
        let unreachable = self.topic(&format!("reading {kind}"));
        match &seen {
            Ok(CachedNode::Forbidden) => self.record_forbidden(kind, &of.namespace),
            Ok(CachedNode::Found(_) | CachedNode::Deleted) => {
                self.clear_forbidden(&kind, &of.namespace)
            }
            Err(error) => {
                let cluster = &self.cluster;
                let line = format!("{error}, for {kind} in the cluster {cluster}; asks again");
                self.notices.raise(unreachable, line);
                return seen;
            }
        }
        self.notices.clear(&unreachable);
        seen
    }

    async fn read(
        &self,
        of: &OwnerNode,
        resource: &ApiResource,
    ) -> Result<CachedNode, Unreachable> {
        let api: Api<DynamicObject> = match of.namespace.as_str() {
            "" => Api::all_with(self.client.clone(), resource),
            namespace => Api::namespaced_with(self.client.clone(), namespace, resource),
        };
        let answer = timeout(TIMEOUT, api.get_metadata(&of.name)).await;
        let answer =
            answer.map_err(|_| Unreachable(format!("no answer within {} s", TIMEOUT.as_secs())))?;
        let metadata = match answer {
            Ok(object) => Some(object.metadata),
            Err(kube::Error::Api(status)) if status.code == 404 => None,
            Err(kube::Error::Api(status)) if status.code == 403 => {
                return Ok(CachedNode::Forbidden);
            }
            Err(error) => return Err(Unreachable(error.to_string())),
        };
        let Some(metadata) = metadata.filter(|it| it.uid.as_deref() == Some(&of.uid)) else {
            return Ok(CachedNode::Deleted);
        };
        let metadata = serde_json::to_value(metadata);
        let read =
            metadata.and_then(|metadata| object::owner_chain_of(&of.of, &of.namespace, &metadata));
        Ok(CachedNode::Found(Arc::new(read.unwrap_or_default())))
    }

    fn record_forbidden(&self, kind: String, namespace: &str) {
        let (topic, cluster) = (self.topic(&kind), &self.cluster);
        let line = format!(
            "may not read what owns objects in the cluster {cluster}: events of {kind} are not reported, and what they own belongs to no application; give its role get on them"
        );
        let mut forbidden = self.forbidden();
        if forbidden.len() >= MAX_FORBIDDEN && !forbidden.contains_key(&kind) {
            return;
        }
        let namespaces = forbidden.entry(kind).or_default();
        if namespaces.len() < MAX_FORBIDDEN {
            namespaces.insert(namespace.to_owned());
        }
        self.notices.raise(topic, line);
    }

    fn clear_forbidden(&self, kind: &str, namespace: &str) {
        let mut forbidden = self.forbidden();
        let Some(namespaces) = forbidden.get_mut(kind) else {
            return;
        };
        namespaces.remove(namespace);
        if namespaces.is_empty() {
            forbidden.remove(kind);
            self.notices.clear(&self.topic(kind));
        }
    }

    fn forbidden(&self) -> MutexGuard<'_, Forbidden> {
        self.forbidden
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the notice topic, which includes the cluster.
    fn topic(&self, about: &str) -> String {
        format!("owners {about} {}", self.cluster)
    }
}

/// Returns true if an application may have the object.
fn can_be_owned(of: &OwnerNode) -> bool {
    let nobodys = UNOWNED_KINDS.contains(&(&*of.of.group, &*of.of.kind));
    let named = [&of.uid, &of.name, &of.of.kind];
    !nobodys && named.iter().all(|it| !it.is_empty())
}

fn kind_of(resource: &ApiResource) -> String {
    match resource.group.as_str() {
        "" => resource.plural.clone(),
        group => format!("{}.{group}", resource.plural),
    }
}

#[cfg(test)]
mod tests;
