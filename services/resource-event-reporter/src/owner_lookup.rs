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
    applications::{Holder, Mark},
    object::{self, OwnerChain, OwnerNode, Tracking},
    owners::ApplicationName,
    watch::Home,
};

/// How many objects up it is looked for.
const HIGHEST: usize = 8;
const REMEMBERED: u64 = 20_000;
/// How many kinds that may not be read are told, and how many namespaces of each are known.
const MOST_CLOSED: usize = 1_000;
const WITHIN: Duration = Duration::from_secs(10);
/// Kinds, by group, of which clusters tell events and that no application has: nobody needs to be allowed to read them.
const NOBODYS: [(&str, &str); 2] = [("", "Node"), ("coordination.k8s.io", "Lease")];

/// What owns what in one cluster. Cheap to clone.
#[derive(Clone)]
pub(crate) struct OwnerLookup {
    client: Client,
    home: Home,
    cluster: String,
    notices: Notices,
    closed: Arc<Mutex<Closed>>,
    /// By uid.
    known: Cache<String, Seen>,
}

/// The namespaces in which a kind may not be read, by kind; a role may be given in some of them alone.
type Closed = BTreeMap<String, BTreeSet<String>>;

/// Where something belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ownership {
    Application(ApplicationName),
    /// To no application.
    Unowned,
    /// It names an Application that does not have it, or not yet.
    Unconfirmed,
    /// What it comes from is gone, or may not be read: what was known of it may still be so.
    Unknown,
}

/// What there is of an object that is asked for.
#[derive(Debug, Clone)]
enum Seen {
    There(Arc<OwnerChain>),
    Gone,
    /// It may not be read.
    Closed,
}

/// The cluster did not answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot ask for the owner of an object: {0}")]
pub(crate) struct Unreachable(String);

impl Unreachable {
    pub(crate) fn new(cause: String) -> Self {
        Self(cause)
    }
}

impl OwnerLookup {
    /// Of a cluster, where what was read is remembered for so long.
    pub(crate) fn new(
        (client, cluster): (Client, String),
        home: Home,
        notices: Notices,
        remembered: Duration,
    ) -> Self {
        let known = Cache::builder()
            .max_capacity(REMEMBERED)
            .time_to_live(remembered);
        Self {
            client,
            home,
            cluster,
            notices,
            closed: Arc::default(),
            known: known.build(),
        }
    }

    /// The Application of something that comes from there.
    pub(crate) async fn application(
        &self,
        owner_chain: OwnerChain,
    ) -> Result<Ownership, Unreachable> {
        let mut owner_chain = Arc::new(owner_chain);
        for _ in 0..HIGHEST {
            if let Some(tracking) = &owner_chain.tracking {
                return self.tracked(tracking, &owner_chain).await;
            }
            let labelled = self.labelled(&owner_chain).await?;
            if let Ownership::Application(_) = labelled {
                return Ok(labelled);
            }
            let Some(above) = owner_chain.above.as_ref().filter(|it| is_somebodys(it)) else {
                return Ok(labelled);
            };
            if let Some(application) = self.itself(above) {
                return Ok(Ownership::Application(application));
            }
            owner_chain = match self.look_at(above).await? {
                Seen::There(next) => next,
                Seen::Gone | Seen::Closed => return Ok(Ownership::Unknown),
            };
        }
        Ok(Ownership::Unowned)
    }

    /// Of an object with the annotation that says which object it is of. One that names a namespace names one Application alone.
    async fn tracked(
        &self,
        claim: &Tracking,
        owner_chain: &OwnerChain,
    ) -> Result<Ownership, Unreachable> {
        let holder = match claim.namespace.clone() {
            Some(namespace) => Holder::In(namespace),
            None => self.holder(claim, owner_chain, Mark::Tracked).await?,
        };
        Ok(match holder {
            Holder::In(namespace) => self.named(namespace, claim),
            Holder::Other | Holder::Nobody => Ownership::Unconfirmed,
        })
    }

    /// Of an object with the label that charts write, too.
    async fn labelled(&self, owner_chain: &OwnerChain) -> Result<Ownership, Unreachable> {
        // A label does not say of which cluster's object it is.
        let at_home = self.home.cluster.is_empty();
        let Some(claim) = owner_chain.labelled.as_ref().filter(|_| at_home) else {
            return Ok(Ownership::Unowned);
        };
        Ok(
            match self.holder(claim, owner_chain, Mark::Labelled).await? {
                Holder::In(namespace) => self.named(namespace, claim),
                Holder::Other => Ownership::Unconfirmed,
                Holder::Nobody => Ownership::Unowned,
            },
        )
    }

    async fn holder(
        &self,
        claim: &Tracking,
        owner_chain: &OwnerChain,
        mark: Mark,
    ) -> Result<Holder, Unreachable> {
        let applications = &self.home.applications;
        applications.holder(claim, owner_chain, mark).await
    }

    fn named(&self, namespace: String, claim: &Tracking) -> Ownership {
        Ownership::Application(ApplicationName {
            cluster: self.home.cluster.clone(),
            namespace,
            name: claim.name.clone(),
        })
    }

    /// What is said of an Application belongs to it, where Applications are.
    fn itself(&self, of: &OwnerNode) -> Option<ApplicationName> {
        let is_at_home = self.home.cluster.is_empty() && of.of.is("argoproj.io", "Application");
        is_at_home.then(|| ApplicationName {
            cluster: String::new(),
            namespace: of.namespace.clone(),
            name: of.name.clone(),
        })
    }

    async fn look_at(&self, of: &OwnerNode) -> Result<Seen, Unreachable> {
        let asked = self.known.try_get_with_by_ref(&of.uid, self.ask(of));
        asked
            .await
            .map_err(|error: Arc<Unreachable>| Unreachable::clone(&error))
    }

    async fn ask(&self, of: &OwnerNode) -> Result<Seen, Unreachable> {
        let name = &of.of;
        let kind = GroupVersionKind::gvk(&name.group, &name.version, &name.kind);
        let resource = ApiResource::from_gvk(&kind);
        let kind = kind_of(&resource);
        let seen = self.read(of, &resource).await;
        // That one kind works says nothing of another.
        let unreachable = self.topic(&format!("reading {kind}"));
        match &seen {
            Ok(Seen::Closed) => self.refused(kind, &of.namespace),
            Ok(Seen::There(_) | Seen::Gone) => self.allowed(&kind, &of.namespace),
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

    async fn read(&self, of: &OwnerNode, resource: &ApiResource) -> Result<Seen, Unreachable> {
        let api: Api<DynamicObject> = match of.namespace.as_str() {
            "" => Api::all_with(self.client.clone(), resource),
            namespace => Api::namespaced_with(self.client.clone(), namespace, resource),
        };
        let answer = timeout(WITHIN, api.get_metadata(&of.name)).await;
        let answer =
            answer.map_err(|_| Unreachable(format!("no answer within {} s", WITHIN.as_secs())))?;
        let metadata = match answer {
            Ok(object) => Some(object.metadata),
            Err(kube::Error::Api(status)) if status.code == 404 => None,
            Err(kube::Error::Api(status)) if status.code == 403 => return Ok(Seen::Closed),
            Err(error) => return Err(Unreachable(error.to_string())),
        };
        let Some(metadata) = metadata.filter(|it| it.uid.as_deref() == Some(&of.uid)) else {
            return Ok(Seen::Gone);
        };
        let metadata = serde_json::to_value(metadata);
        let read =
            metadata.and_then(|metadata| object::owner_chain_of(&of.of, &of.namespace, &metadata));
        Ok(Seen::There(Arc::new(read.unwrap_or_default())))
    }

    fn refused(&self, kind: String, namespace: &str) {
        let (topic, cluster) = (self.topic(&kind), &self.cluster);
        let line = format!(
            "may not read what owns objects in the cluster {cluster}: events of {kind} are not reported, and what they own belongs to no application; give its role get on them"
        );
        let mut closed = self.closed();
        if closed.len() >= MOST_CLOSED && !closed.contains_key(&kind) {
            return;
        }
        let namespaces = closed.entry(kind).or_default();
        if namespaces.len() < MOST_CLOSED {
            namespaces.insert(namespace.to_owned());
        }
        self.notices.raise(topic, line);
    }

    fn allowed(&self, kind: &str, namespace: &str) {
        let mut closed = self.closed();
        let Some(namespaces) = closed.get_mut(kind) else {
            return;
        };
        namespaces.remove(namespace);
        if namespaces.is_empty() {
            closed.remove(kind);
            self.notices.clear(&self.topic(kind));
        }
    }

    fn closed(&self) -> MutexGuard<'_, Closed> {
        self.closed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Clusters have topics of their own.
    fn topic(&self, about: &str) -> String {
        format!("owners {about} {}", self.cluster)
    }
}

/// Whether an application may have it.
fn is_somebodys(of: &OwnerNode) -> bool {
    let nobodys = NOBODYS.contains(&(&*of.of.group, &*of.of.kind));
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
