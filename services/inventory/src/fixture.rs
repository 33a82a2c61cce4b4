//! Values that the tests of several modules begin with.

pub(crate) mod application;
pub(crate) mod resource;

use std::{path::Path, sync::Arc, time::Duration};

use bytes::Bytes;
use causeway_database::DatabaseArgs;
use causeway_proto::ids::AccountId;
use causeway_testkit::Postgres;
use tempfile::TempDir;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::{
    application::{
        Change, ClusterName, Details, Filter, Health, Labels, ObjectKind, ObjectName, Scope,
        ScopeTraits, Source, State, Summary, Sync, Uid, Visible,
    },
    cleanup::{self, GarbageAges},
    digest::Digest,
    inventory::{Inventory, NamesAreIds},
    metrics::Metrics,
    order::{Continuity, Position},
    report::membership::Joining,
    store::{Garbage, Outcome, Store, Write, memory::MemoryStore, sql::SqlStore},
};

pub(crate) fn account(name: &str) -> AccountId {
    name.parse().unwrap()
}

pub(crate) fn scope_of(account_name: &str) -> Scope {
    Scope {
        account: account(account_name),
        runtime: "rt-one".parse().unwrap(),
        kind: ObjectKind::Application,
        cluster: ClusterName::from("in-cluster"),
    }
}

pub(crate) fn scope() -> Scope {
    scope_of("default")
}

/// A stream of a patient reporter of the cluster `in-cluster`.
pub(crate) fn joining(instance: u128) -> Joining {
    joining_in("default", "in-cluster", instance)
}

pub(crate) fn joining_in(account_name: &str, cluster: &str, instance: u128) -> Joining {
    Joining {
        scope: Scope {
            cluster: cluster.into(),
            ..scope_of(account_name)
        },
        runtime_name: "edge".parse().unwrap(),
        instance: Uuid::from_u128(instance),
        reporter_version: "1.2.3".to_owned(),
        continuity: Continuity::Continued,
        replica: Uuid::from_u128(u128::MAX),
        patience: Duration::from_secs(3600),
    }
}

pub(crate) fn at(resource_version: u64, epoch: u64, sequence: u64) -> Position {
    Position {
        resource_version,
        epoch,
        sequence,
    }
}

pub(crate) fn state(text: &str) -> State {
    State {
        summary: Summary {
            traits: ScopeTraits {
                project: "default".into(),
                labels: Labels::default(),
            },
            sync: Sync::Synced,
            health: Health::Healthy,
            source: Source::Git,
            details: Details::default(),
        },
        root_digest: Digest::of(text.as_bytes()),
        canonical: Bytes::copy_from_slice(text.as_bytes()),
        patch: None,
        progress: Box::default(),
        manifests: Vec::new(),
        images: Vec::new(),
        basic: Bytes::copy_from_slice(text.as_bytes()),
        detail: Bytes::from(format!("all of {text}")),
    }
}

/// A live object with the uid and the name that are given, whose content tells its position.
pub(crate) fn live(uid: &str, name: &str, position: Position) -> Change {
    let text = format!("{uid} at {position:?}");
    Change {
        scope: Arc::new(scope()),
        runtime_name: "edge".parse().unwrap(),
        object: ObjectName {
            namespace: "argocd".into(),
            name: name.into(),
        },
        uid: Uid::from(uid),
        position,
        continuity: Continuity::Continued,
        state: Some(state(&text)),
        operations: Vec::new(),
    }
}

/// A live object of a project, with labels.
pub(crate) fn live_in(
    uid: &str,
    name: &str,
    position: Position,
    project: &str,
    labels: &[(&str, &str)],
) -> Change {
    let mut change = live(uid, name, position);
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    change.state.as_mut().unwrap().summary.traits = ScopeTraits {
        project: project.into(),
        labels: Arc::new(labels.iter().map(owned).collect()),
    };
    change
}

/// What a scope of these rules, in JSON, holds.
pub(crate) fn visible(rules: &str) -> Visible {
    Visible::new(&serde_json::from_str(&format!(r#"{{"rules":{rules}}}"#)).unwrap())
}

/// Everything that there is.
pub(crate) fn all() -> Filter {
    Filter::within(Visible::everything())
}

pub(crate) fn gone(uid: &str, name: &str, position: Position) -> Change {
    Change {
        state: None,
        ..live(uid, name, position)
    }
}

pub(crate) fn keep(seconds: u64) -> GarbageAges {
    let age = Duration::from_secs(seconds);
    GarbageAges {
        tombstones: age,
        events: age,
        unused_manifests: age,
        deployments: age,
    }
}

/// Forgets as the background does; tells how many objects and events, and how many manifests, were forgotten.
pub(crate) async fn forget(store: &dyn Store, keep: GarbageAges) -> (u64, u64) {
    let (mut objects, mut manifests) = (0, 0);
    for (old, age) in keep.kinds() {
        let count = cleanup::collect(store, old, age).await.unwrap();
        match old {
            Garbage::Applications | Garbage::Resources | Garbage::Events => objects += count,
            Garbage::UnreferencedManifests(_) | Garbage::UnusedManifests => manifests += count,
            Garbage::Deployments => {}
        }
    }
    (objects, manifests)
}

pub(crate) async fn write(store: &dyn Store, write: Write) -> Outcome {
    store.submit(write).await.unwrap().await.unwrap()
}

/// The account beside the one of a test: whatever is reported there, it has of the same name, uid, project and labels, but missing,
/// and keeps it when the other one is gone.
pub(crate) const NEIGHBOUR: &str = "neighbour";

fn theirs(change: &Change) -> Option<Change> {
    let mut state = change.state.clone()?;
    state.summary.health = Health::Missing;
    state.manifests.clear();
    (state.basic, state.detail) = (Bytes::new(), Bytes::new());
    let scope = Scope {
        account: account(NEIGHBOUR),
        ..(*change.scope).clone()
    };
    Some(Change {
        scope: Arc::new(scope),
        state: Some(state),
        ..change.clone()
    })
}

pub(crate) async fn report(store: &dyn Store, change: Change) -> Outcome {
    if let Some(theirs) = theirs(&change) {
        write(store, Write::Report(Arc::new(theirs), None)).await;
    }
    write(store, Write::Report(Arc::new(change), None)).await
}

/// A store with what keeps it working.
pub(crate) struct Bench {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) tasks: JoinSet<()>,
    pub(crate) folder: Option<TempDir>,
}

impl Bench {
    pub(crate) fn memory() -> Self {
        Self {
            store: Arc::new(MemoryStore::default()),
            tasks: JoinSet::new(),
            folder: None,
        }
    }

    pub(crate) async fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut bench = Self::open(folder.path()).await;
        bench.folder = Some(folder);
        bench
    }

    pub(crate) async fn open(folder: &Path) -> Self {
        Self::at(&DatabaseArgs::default(), folder).await
    }

    /// A replica on a server.
    pub(crate) async fn replica(url: &str) -> Self {
        Self::at(&DatabaseArgs::from_url(url.to_owned()), Path::new("")).await
    }

    async fn at(args: &DatabaseArgs, folder: &Path) -> Self {
        let opened = SqlStore::open(args, folder, Metrics::unread()).await;
        let (store, writer) = opened.unwrap();
        let mut tasks = JoinSet::new();
        tasks.spawn(writer);
        Self {
            store: Arc::new(store),
            tasks,
            folder: None,
        }
    }

    /// Every kind of store, empty.
    pub(crate) async fn all() -> Vec<Self> {
        let mut all = vec![Self::memory(), Self::sqlite().await];
        if let Some(server) = Postgres::shared() {
            all.push(Self::replica(&server.database()).await);
        }
        all
    }

    pub(crate) fn inventory(&self) -> Inventory {
        inventory_on(self.store.clone())
    }
}

pub(crate) fn inventory_on(store: Arc<dyn Store>) -> Inventory {
    Inventory::new(store, Arc::new(NamesAreIds), CancellationToken::new())
}

/// Lets an inventory agree with others on who reports, until this is dropped.
pub(crate) fn keeping(inventory: &Inventory) -> JoinSet<()> {
    let mut tasks = JoinSet::new();
    tasks.spawn(inventory.keep_members());
    tasks
}

/// For as long as a test waits for what must happen.
pub(crate) const LONG: Duration = Duration::from_secs(120);

/// Fails the test where something that must happen does not.
pub(crate) async fn soon<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(LONG, what)
        .await
        .expect("it happens soon")
}
