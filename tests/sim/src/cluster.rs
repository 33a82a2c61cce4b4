//! A cluster as its API server tells of it: objects, rising resource versions, a list and a watch. It is the truth that
//! the inventory has to come to.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use causeway_application_event_reporter::Applications;
use causeway_argocd::application::{Application, Deployment, Metadata, Status, Sync};
use causeway_client::Jitter;
use causeway_reporting::{
    ReportedKind as _,
    object::{self, ObjectKey},
};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use tokio::sync::{Notify, watch};

/// As many as Argo CD keeps of an object.
const DEPLOYMENTS: usize = 10;
/// 2026-01-01, in seconds since 1970.
const FIRST_SECOND: i64 = 1_767_225_600;

type ObjectEvent = object::ObjectEvent<Application>;

/// An object at one moment of its life.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Moment {
    pub(crate) uid: String,
    pub(crate) resource_version: u64,
    /// Its content.
    pub(crate) revision: String,
}

/// A sync operation that has ended: of which object, and when it began, in milliseconds since 1970.
pub(crate) type Operation = (String, i64);

/// Where an object is.
pub(crate) type Place = (String, String);

/// A complete list.
pub(crate) struct List {
    pub(crate) resource_version: u64,
    pub(crate) objects: Vec<Arc<Application>>,
    /// How many events went before it.
    pub(crate) events: usize,
}

/// The cluster. Who watches it is told apart by a name.
pub(crate) struct Cluster {
    inner: Mutex<Inner>,
    news: watch::Sender<()>,
}

struct Inner {
    random: StdRng,
    /// Of its own, so that the names of reporters do not hang on how many changes went before.
    instances: StdRng,
    /// How many names objects have.
    names: usize,
    version: u64,
    objects: BTreeMap<Place, Arc<Application>>,
    events: Vec<ObjectEvent>,
    moments: HashSet<Moment>,
    /// Of each object that is there, the seconds at which they began.
    deployments: HashMap<String, Vec<u64>>,
    ended: HashSet<Operation>,
    /// Whose watches tell nothing.
    mute: HashSet<&'static str>,
    relist: HashMap<&'static str, Arc<Notify>>,
}

impl Cluster {
    pub(crate) fn new(seed: u64, names: usize) -> Arc<Self> {
        Arc::new(Self {
            inner: Mutex::new(Inner {
                random: StdRng::seed_from_u64(seed),
                instances: StdRng::seed_from_u64(!seed),
                names,
                version: 1,
                objects: BTreeMap::new(),
                events: Vec::new(),
                moments: HashSet::new(),
                deployments: HashMap::new(),
                ended: HashSet::new(),
                mute: HashSet::new(),
                relist: HashMap::new(),
            }),
            news: watch::Sender::new(()),
        })
    }

    /// Something is made, changed or deleted.
    pub(crate) fn change(&self) {
        self.inner().change();
        self.news.send_replace(());
    }

    /// Each of these objects that is there changes.
    pub(crate) fn touch(&self, places: &[Place]) {
        let mut inner = self.inner();
        for place in places {
            if let Some(object) = inner.objects.get(place) {
                let uid = object.metadata.uid.clone();
                inner.version += 1;
                inner.apply(place, &uid);
            }
        }
        drop(inner);
        self.news.send_replace(());
    }

    /// Whether there is an object.
    pub(crate) fn is_live(&self, place: &Place) -> bool {
        self.inner().objects.contains_key(place)
    }

    /// Where objects can be.
    pub(crate) fn places(&self) -> Vec<Place> {
        (0..self.inner().names).map(place).collect()
    }

    /// One watch tells nothing more.
    pub(crate) fn mute(&self, who: &'static str) {
        self.inner().mute.insert(who);
    }

    /// What was not told is lost: only a list tells of it.
    pub(crate) fn relist(&self, who: &'static str) {
        self.inner().mute.remove(who);
        self.relist_of(who).notify_one();
    }

    pub(crate) async fn relist_wanted(&self, who: &'static str) {
        self.relist_of(who).notified().await;
    }

    fn relist_of(&self, who: &'static str) -> Arc<Notify> {
        self.inner().relist.entry(who).or_default().clone()
    }

    pub(crate) fn news(&self) -> watch::Receiver<()> {
        self.news.subscribe()
    }

    pub(crate) fn list(&self) -> List {
        let inner = self.inner();
        List {
            resource_version: inner.version,
            objects: inner.objects.values().cloned().collect(),
            events: inner.events.len(),
        }
    }

    /// The event of this number, once it happened.
    pub(crate) fn event(&self, who: &'static str, number: usize) -> Option<ObjectEvent> {
        let inner = self.inner();
        let mute = inner.mute.contains(who);
        inner.events.get(number).filter(|_| !mute).cloned()
    }

    /// A UUID for another run of the reporter.
    pub(crate) fn next_instance(&self) -> String {
        let number: u128 = self.inner().instances.random();
        let digits = format!("{number:032x}");
        let [a, b, c, d, e] = [0..8, 8..12, 12..16, 16..20, 20..32].map(|part| &digits[part]);
        format!("{a}-{b}-{c}-{d}-{e}")
    }

    /// The delays of another run of the reporter.
    pub(crate) fn next_jitter(&self) -> Jitter {
        Jitter::seeded(self.inner().random.random())
    }

    /// Whether an object ever was so.
    pub(crate) fn was(&self, moment: &Moment) -> bool {
        self.inner().moments.contains(moment)
    }

    /// Every operation that ever ended.
    pub(crate) fn ended(&self) -> HashSet<Operation> {
        self.inner().ended.clone()
    }

    /// The operations that objects show now.
    pub(crate) fn deployed(&self) -> HashSet<Operation> {
        let inner = self.inner();
        let shown = inner.deployments.iter();
        shown
            .flat_map(|(uid, times)| times.iter().map(|&time| operation(uid, time)))
            .collect()
    }

    /// What there is.
    pub(crate) fn truth(&self) -> BTreeMap<Place, Moment> {
        let inner = self.inner();
        let objects = inner.objects.iter();
        objects
            .map(|(place, object)| (place.clone(), moment(object)))
            .collect()
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn change(&mut self) {
        self.version += self.random.random_range(1..5);
        let number = self.random.random_range(0..self.names);
        let place = place(number);
        let uid = match self.objects.get(&place) {
            Some(object) if self.random.random_bool(0.3) => {
                let key = Applications::key(object);
                return self.delete(&place, key);
            }
            Some(object) => object.metadata.uid.clone(),
            None => format!("uid-{}", self.version),
        };
        if self.random.random_bool(0.2) {
            self.deploy(&uid);
        }
        self.apply(&place, &uid);
    }

    fn deploy(&mut self, uid: &str) {
        let times = self.deployments.entry(uid.to_owned()).or_default();
        times.push(self.version);
        let surplus = times.len().saturating_sub(DEPLOYMENTS);
        times.drain(..surplus);
        self.ended.insert(operation(uid, self.version));
    }

    fn apply(&mut self, place: &Place, uid: &str) {
        let times = self.deployments.get(uid).map_or(&[][..], |times| times);
        let object = Arc::new(application(place, uid.to_owned(), (self.version, times)));
        self.moments.insert(moment(&object));
        self.objects.insert(place.clone(), object.clone());
        self.events.push(ObjectEvent::Applied(object));
    }

    fn delete(&mut self, place: &Place, key: ObjectKey) {
        self.deployments.remove(&key.uid);
        self.objects.remove(place);
        self.events.push(ObjectEvent::Deleted {
            key,
            resource_version: self.version,
        });
    }
}

fn place(number: usize) -> Place {
    (format!("space-{}", number % 3), format!("app-{number:02}"))
}

fn operation(uid: &str, time: u64) -> Operation {
    (
        uid.to_owned(),
        FIRST_SECOND * 1_000 + time.cast_signed() * 1_000,
    )
}

fn application(
    (namespace, name): &Place,
    uid: String,
    (version, deployed): (u64, &[u64]),
) -> Application {
    Application {
        metadata: Metadata {
            namespace: namespace.clone(),
            name: name.clone(),
            uid,
            resource_version: version.to_string(),
            ..Metadata::default()
        },
        status: Status {
            sync: Sync {
                status: "Synced".to_owned(),
                revision: format!("revision-{version}"),
                ..Sync::default()
            },
            history: deployed.iter().map(|time| deployment(*time)).collect(),
            ..Status::default()
        },
        ..Application::default()
    }
}

fn deployment(time: u64) -> Deployment {
    let (days, seconds) = (time / 86_400, time % 86_400);
    let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60);
    let seconds = seconds % 60;
    let at = format!(
        "2026-01-{:02}T{hours:02}:{minutes:02}:{seconds:02}Z",
        1 + days
    );
    Deployment {
        id: time.cast_signed(),
        revision: format!("revision-{time}"),
        deploy_started_at: Some(at.clone()),
        deployed_at: Some(at),
        ..Deployment::default()
    }
}

fn moment(object: &Application) -> Moment {
    Moment {
        uid: object.metadata.uid.clone(),
        resource_version: object.resource_version(),
        revision: object.status.sync.revision.clone(),
    }
}
