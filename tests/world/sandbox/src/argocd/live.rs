//! The live side: watches of the kinds that applications use, kept as one picture, and word of what changed in it.
//!
//! Adapter: with `cluster` the only file here that knows `kube`.

mod state;

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures::StreamExt;
use kube::{
    Api, Client,
    api::DynamicObject,
    core::{ApiResource, GroupVersionKind},
    discovery::{self, Scope},
    runtime::{
        WatchStreamExt,
        watcher::{self, Event},
    },
};
use serde_json::Value;
use tokio::{sync::watch, time::timeout};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use self::state::State;
use super::{
    cluster::ClusterError,
    manifest::{GroupKind, ResourceKey, key_of},
};

const FIRST_LIST: Duration = Duration::from_secs(10);

/// Kind as the API serves it.
#[derive(Clone, Debug)]
pub(crate) struct ServedKind {
    pub(crate) resource: ApiResource,
    pub(crate) namespaced: bool,
}

/// Told of every object that came, changed or went.
pub(crate) type OnChange = Box<dyn Fn(&ResourceKey, &Value) + Send + Sync>;

/// The picture and the watches that keep it.
pub(crate) struct Live {
    client: Client,
    shared: Arc<Shared>,
    served: Mutex<HashMap<GroupKind, ServedKind>>,
    watched: Mutex<HashMap<(String, String), watch::Receiver<bool>>>,
    tasks: TaskTracker,
    stop: CancellationToken,
}

struct Shared {
    state: Mutex<State>,
    on_change: OnChange,
    changes: watch::Sender<u64>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Live {
    pub(crate) fn new(
        client: Client,
        on_change: OnChange,
        tasks: TaskTracker,
        stop: CancellationToken,
    ) -> Self {
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            on_change,
            changes: watch::Sender::new(0),
        });
        Self {
            client,
            shared,
            served: Mutex::default(),
            watched: Mutex::default(),
            tasks,
            stop,
        }
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// Finds out how a kind is served; `None` when it is not.
    pub(crate) async fn served(
        &self,
        kind: &GroupKind,
    ) -> Result<Option<ServedKind>, ClusterError> {
        if let Some(served) = lock(&self.served).get(kind) {
            return Ok(Some(served.clone()));
        }
        let wanted = GroupVersionKind::gvk(&kind.group, &kind.version, &kind.kind);
        match discovery::pinned_kind(&self.client, &wanted).await {
            Ok((resource, capabilities)) => {
                let served = ServedKind {
                    resource,
                    namespaced: capabilities.scope == Scope::Namespaced,
                };
                lock(&self.served).insert(kind.clone(), served.clone());
                Ok(Some(served))
            }
            Err(kube::Error::Discovery(_)) => Ok(None),
            Err(kube::Error::Api(status)) if status.is_not_found() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Starts to watch a kind unless it is watched, and waits for its first list.
    pub(crate) async fn watch(&self, kind: &GroupKind) -> Result<Option<ServedKind>, ClusterError> {
        let Some(served) = self.served(kind).await? else {
            return Ok(None);
        };
        let mut ready = self.start(kind, &served);
        let listed = timeout(FIRST_LIST, ready.wait_for(|ready| *ready)).await;
        if matches!(listed, Ok(Ok(_))) {
            Ok(Some(served))
        } else {
            Err(ClusterError::NotListed {
                kind: kind.kind.clone(),
            })
        }
    }

    fn start(&self, kind: &GroupKind, served: &ServedKind) -> watch::Receiver<bool> {
        let mut watched = lock(&self.watched);
        let name = (kind.group.clone(), kind.kind.clone());
        if let Some(ready) = watched.get(&name) {
            return ready.clone();
        }
        let (ready_tx, ready) = watch::channel(false);
        watched.insert(name, ready.clone());
        let api = Api::all_with(self.client.clone(), &served.resource);
        let run = follow(
            api,
            served.resource.clone(),
            Arc::clone(&self.shared),
            ready_tx,
        );
        let stop = self.stop.clone();
        self.tasks
            .spawn(async move { stop.run_until_cancelled(run).await });
        ready
    }

    pub(crate) fn get(&self, key: &ResourceKey) -> Option<Value> {
        lock(&self.shared.state).get(key)
    }

    pub(crate) fn select(
        &self,
        wanted: impl Fn(&ResourceKey, &Value) -> bool,
    ) -> BTreeMap<ResourceKey, Value> {
        lock(&self.shared.state).select(wanted)
    }

    pub(crate) fn with_descendants(
        &self,
        roots: BTreeMap<ResourceKey, Value>,
    ) -> BTreeMap<ResourceKey, Value> {
        lock(&self.shared.state).with_descendants(roots)
    }

    /// Drops an object that was deleted by ourselves, ahead of the watch.
    pub(crate) fn forget(&self, key: &ResourceKey) {
        lock(&self.shared.state).drop_object(key);
    }

    /// Takes over what a write answered, so that the next look sees it before the watch does.
    pub(crate) fn put(&self, value: Value) {
        if let Some(key) = key_of(&value) {
            lock(&self.shared.state).put(key, value);
            self.shared.count();
        }
    }

    /// Counts the changes of the picture.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.shared.changes.subscribe()
    }
}

impl Shared {
    fn count(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    fn apply(&self, value: &Value) {
        let Some(key) = key_of(value) else { return };
        lock(&self.state).put(key.clone(), value.clone());
        self.count();
        self.notify(&key, value);
    }

    fn delete(&self, value: &Value) {
        let Some(key) = key_of(value) else { return };
        lock(&self.state).remove(&key, value);
        self.count();
        self.notify(&key, value);
    }

    /// A change of what an object owns is a change of it.
    fn notify(&self, key: &ResourceKey, value: &Value) {
        (self.on_change)(key, value);
        let root = lock(&self.state).root(key, value);
        if let Some((key, value)) = root {
            (self.on_change)(&key, &value);
        }
    }

    fn replace(&self, resource: &ApiResource, list: &HashMap<ResourceKey, Value>) {
        let lost = lock(&self.state).replace(&resource.group, &resource.kind, list.clone());
        self.count();
        for (key, value) in list
            .iter()
            .chain(lost.iter().map(|(key, value)| (key, value)))
        {
            (self.on_change)(key, value);
        }
    }
}

async fn follow(
    api: Api<DynamicObject>,
    resource: ApiResource,
    shared: Arc<Shared>,
    ready: watch::Sender<bool>,
) {
    let mut events = Box::pin(watcher::watcher(api, watcher::Config::default()).default_backoff());
    let mut list = HashMap::new();
    while let Some(event) = events.next().await {
        match event {
            Ok(Event::Apply(object)) => shared.apply(&plain(&object, &resource)),
            Ok(Event::Delete(object)) => shared.delete(&plain(&object, &resource)),
            Ok(Event::Init) => list.clear(),
            Ok(Event::InitApply(object)) => {
                let value = plain(&object, &resource);
                list.extend(key_of(&value).map(|key| (key, value)));
            }
            Ok(Event::InitDone) => {
                shared.replace(&resource, &std::mem::take(&mut list));
                ready.send_replace(true);
            }
            Err(error) => tracing::debug!(%error, kind = resource.kind, "a watch was interrupted"),
        }
    }
}

/// With its type spelled out: items of a list come without.
fn plain(object: &DynamicObject, resource: &ApiResource) -> Value {
    let mut value =
        serde_json::to_value(object).expect("an object that was parsed from JSON is JSON");
    value["apiVersion"] = resource.api_version.clone().into();
    value["kind"] = resource.kind.clone().into();
    value
}
