//! Which Application an object belongs to: the one that Argo CD has written on it, or on what owns it. Asked of the cluster by
//! metadata alone, and remembered.

use std::{sync::Arc, time::Duration};

use causeway_shell::Notices;
use kube::{
    Api, Client,
    api::{ApiResource, DynamicObject},
    core::GroupVersionKind,
};
use moka::future::Cache;
use tokio::time::timeout;

use crate::{
    kin::ApplicationName,
    object::{self, Ancestor, Lineage},
    watch::Home,
};

/// How many objects up it is looked for.
const HIGHEST: usize = 8;
const REMEMBERED: u64 = 20_000;
const REMEMBERED_FOR: Duration = Duration::from_secs(600);
const WITHIN: Duration = Duration::from_secs(10);
/// Kinds, by group, of which clusters tell events and that no application has: nobody needs to be allowed to read them.
const NOBODYS: [(&str, &str); 2] = [("", "Node"), ("coordination.k8s.io", "Lease")];

/// What owns what in one cluster. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Ancestry {
    client: Client,
    home: Home,
    notices: Notices,
    /// By uid; nothing for what is not there or may not be read.
    known: Cache<String, Option<Arc<Lineage>>>,
}

/// The cluster did not answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot ask for the owner of an object: {0}")]
pub(crate) struct Unreachable(String);

impl Ancestry {
    pub(crate) fn new(client: Client, home: Home, notices: Notices) -> Self {
        let known = Cache::builder()
            .max_capacity(REMEMBERED)
            .time_to_live(REMEMBERED_FOR);
        Self {
            client,
            home,
            notices,
            known: known.build(),
        }
    }

    /// The Application of something that comes from there; nothing where it belongs to none.
    pub(crate) async fn application(
        &self,
        lineage: Lineage,
    ) -> Result<Option<ApplicationName>, Unreachable> {
        let mut lineage = Arc::new(lineage);
        for _ in 0..HIGHEST {
            if let Some(tracking) = &lineage.tracking {
                let namespace = tracking.namespace.as_ref();
                return Ok(Some(ApplicationName {
                    cluster: self.home.cluster.clone(),
                    namespace: namespace.unwrap_or(&self.home.argocd_namespace).clone(),
                    name: tracking.name.clone(),
                }));
            }
            let Some(above) = &lineage.above else {
                return Ok(None);
            };
            let Some(next) = self.lineage_of(above).await? else {
                return Ok(None);
            };
            lineage = next;
        }
        Ok(None)
    }

    async fn lineage_of(&self, of: &Ancestor) -> Result<Option<Arc<Lineage>>, Unreachable> {
        let nobodys = NOBODYS.contains(&(&*of.of.group, &*of.of.kind));
        if of.uid.is_empty() || of.name.is_empty() || nobodys {
            return Ok(None);
        }
        let asked = self.known.try_get_with_by_ref(&of.uid, self.ask(of));
        asked
            .await
            .map_err(|error: Arc<Unreachable>| Unreachable::clone(&error))
    }

    async fn ask(&self, of: &Ancestor) -> Result<Option<Arc<Lineage>>, Unreachable> {
        let name = &of.of;
        let kind = GroupVersionKind::gvk(&name.group, &name.version, &name.kind);
        let resource = ApiResource::from_gvk(&kind);
        let api: Api<DynamicObject> = match of.namespace.as_str() {
            "" => Api::all_with(self.client.clone(), &resource),
            namespace => Api::namespaced_with(self.client.clone(), namespace, &resource),
        };
        let answer = timeout(WITHIN, api.get_metadata(&of.name)).await;
        let answer =
            answer.map_err(|_| Unreachable(format!("no answer within {} s", WITHIN.as_secs())))?;
        let metadata = match answer {
            Ok(object) => {
                self.notices.clear(&topic(&resource));
                object.metadata
            }
            Err(kube::Error::Api(status)) if status.code == 404 => return Ok(None),
            Err(kube::Error::Api(status)) if status.code == 403 => {
                self.refused(&resource);
                return Ok(None);
            }
            Err(error) => return Err(Unreachable(error.to_string())),
        };
        if metadata.uid.as_deref() != Some(&of.uid) {
            return Ok(None);
        }
        let metadata = serde_json::to_value(metadata);
        let read = metadata.and_then(|metadata| object::lineage_of(name, &of.namespace, &metadata));
        Ok(read.ok().map(Arc::new))
    }

    fn refused(&self, resource: &ApiResource) {
        let kind = kind(resource);
        let line = format!(
            "may not read what owns objects: events of {kind} are not reported, and what they own belongs to no application; give its role get on them"
        );
        self.notices.raise(topic(resource), line);
    }
}

fn kind(resource: &ApiResource) -> String {
    match resource.group.as_str() {
        "" => resource.plural.clone(),
        group => format!("{}.{group}", resource.plural),
    }
}

fn topic(resource: &ApiResource) -> String {
    format!("owners {}", kind(resource))
}
