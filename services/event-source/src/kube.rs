//! The Applications of the cluster: watched, and refreshed by an annotation.

use std::{
    collections::BTreeMap,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use causeway_argocd::{Cluster, application::REFRESH};
use causeway_shell::{ReadyHandle, Shutdown};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use kube::{
    Api, ResourceExt as _,
    api::{ApiResource, DynamicObject, Patch, PatchParams},
    core::GroupVersionKind,
    runtime::{
        WatchStreamExt as _,
        watcher::{self, Event as WatchEvent, watcher},
    },
};
use serde_json::json;
use tokio::time::timeout;

use crate::{
    delivery::Delivery,
    event::Event,
    refresh::application::{Application, ApplicationKey},
};

const WRITE_WITHIN: Duration = Duration::from_secs(10);
const MAX_CAUSE: usize = 300;

/// The Applications. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Applications {
    cluster: Cluster,
    resource: ApiResource,
    known: Arc<RwLock<Known>>,
}

#[derive(Default)]
struct Known {
    applications: BTreeMap<ApplicationKey, Application>,
    /// Namespaces whose first list is not complete.
    missing: usize,
}

/// Why an Application was not refreshed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PatchError {
    Unavailable(String),
    Rejected(String),
}

impl Applications {
    pub(crate) fn new(cluster: Cluster) -> Self {
        let kind = GroupVersionKind::gvk("argoproj.io", "v1alpha1", "Application");
        let known = Known {
            missing: 1,
            ..Known::default()
        };
        Self {
            cluster,
            resource: ApiResource::from_gvk_with_plural(&kind, "applications"),
            known: Arc::new(RwLock::new(known)),
        }
    }

    /// The Applications that each delivery concerns; none before the first list is complete.
    pub(crate) fn concerned(
        &self,
        deliveries: &[Arc<Delivery>],
        is_concerned: impl Fn(&Application, &Event) -> bool,
    ) -> Option<Vec<Vec<ApplicationKey>>> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        if known.missing > 0 {
            return None;
        }
        let of = |delivery: &Arc<Delivery>| {
            let all = known.applications.iter();
            let own = all.filter(|(_, it)| is_concerned(it, &delivery.event));
            own.map(|(key, _)| key.clone()).collect()
        };
        Some(deliveries.iter().map(of).collect())
    }

    /// Requests a comparison. An Application that is gone needs none.
    pub(crate) async fn refresh(&self, key: &ApplicationKey) -> Result<(), PatchError> {
        if self.is_hard_requested(key) {
            return Ok(());
        }
        let client = self.cluster.client();
        let api: Api<DynamicObject> = Api::namespaced_with(client, &key.namespace, &self.resource);
        let patch = json!({ "metadata": { "annotations": { REFRESH: "normal" } } });
        let params = PatchParams::default();
        let patch = Patch::Merge(patch);
        let patched = timeout(WRITE_WITHIN, api.patch(&key.name, &params, &patch)).await;
        match patched {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(kube::Error::Api(status))) if status.code == 404 => Ok(()),
            Ok(Err(error)) => Err(self.explain(&error)),
            Err(_) => Err(PatchError::Unavailable(
                "the cluster does not answer".to_owned(),
            )),
        }
    }

    fn is_hard_requested(&self, key: &ApplicationKey) -> bool {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let application = known.applications.get(key);
        application.is_some_and(|it| it.is_hard_requested)
    }

    fn explain(&self, error: &kube::Error) -> PatchError {
        let text: String = self.cluster.explain(error).to_string();
        let text = text.chars().take(MAX_CAUSE).collect();
        let is_rejected =
            matches!(error, kube::Error::Api(status) if matches!(status.code, 400 | 403 | 422));
        if is_rejected {
            PatchError::Rejected(text)
        } else {
            PatchError::Unavailable(text)
        }
    }

    /// Watches these namespaces, or all of the cluster if none is named, until the shutdown.
    pub(crate) async fn watch(
        self,
        namespaces: Vec<String>,
        ready: ReadyHandle,
        shutdown: Shutdown,
    ) -> anyhow::Result<()> {
        let client = || self.cluster.client();
        let places: Vec<Api<DynamicObject>> = match namespaces.as_slice() {
            [] => vec![Api::all_with(client(), &self.resource)],
            named => {
                let one = |it: &String| Api::namespaced_with(client(), it, &self.resource);
                named.iter().map(one).collect()
            }
        };
        self.write(|known| known.missing = places.len());
        let watches = places.into_iter().map(|api| {
            let config = watcher::Config::default();
            watcher(api, config).default_backoff().boxed()
        });
        let mut events = stream::select_all(watches);
        let mut ready = Some(ready);
        loop {
            let event = tokio::select! {
                () = shutdown.requested() => return Ok(()),
                event = events.try_next() => event,
            };
            match event {
                Ok(Some(event)) => self.apply(event),
                Ok(None) => anyhow::bail!("the watch of Applications ended"),
                Err(error) => tracing::warn!(%error, "cannot watch Applications"),
            }
            if self
                .known
                .read()
                .unwrap_or_else(PoisonError::into_inner)
                .missing
                == 0
            {
                ready = None;
            }
            let _waiting = &ready;
        }
    }

    fn apply(&self, event: WatchEvent<DynamicObject>) {
        match event {
            WatchEvent::Init => {}
            WatchEvent::InitApply(object) | WatchEvent::Apply(object) => {
                let annotation = |name: &str| object.annotations().get(name).cloned();
                let application = Application::read(annotation, &object.data);
                let key = key(&object);
                self.write(|known| drop(known.applications.insert(key, application)));
            }
            WatchEvent::InitDone => {
                self.write(|known| known.missing = known.missing.saturating_sub(1));
            }
            WatchEvent::Delete(object) => {
                self.write(|known| drop(known.applications.remove(&key(&object))));
            }
        }
    }

    fn write(&self, change: impl FnOnce(&mut Known)) {
        change(&mut self.known.write().unwrap_or_else(PoisonError::into_inner));
    }
}

fn key(object: &DynamicObject) -> ApplicationKey {
    ApplicationKey {
        namespace: object.namespace().unwrap_or_default(),
        name: object.name_any(),
    }
}
