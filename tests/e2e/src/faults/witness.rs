//! Notes what the cluster has and what the platform shows, each by a watch of its own, and in the end what the platform has written
//! down.

use std::{
    collections::{BTreeMap, HashSet},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use causeway_client::Peer;
use causeway_proto::inventory::v1::{
    self as pb, application_service_client::ApplicationServiceClient,
    watch_applications_response::Event as Seen,
};
use causeway_sandbox::Sandbox;
use causeway_testkit::{
    Mesh,
    history::{Event, History, Moment},
    wait_until,
};
use futures::StreamExt as _;
use kube::{
    Api, ResourceExt as _,
    api::{DynamicObject, ListParams, WatchEvent, WatchParams},
};
use tokio::{task::JoinSet, time::sleep};
use tonic::{Code, Status};

use super::{
    churn::applications,
    ledger::{Ledger, Version},
};

/// How many keys a reporter's queue holds.
pub(crate) const MOST_QUEUED: u64 = 1_000;
const SETTLE: Duration = Duration::from_secs(180);
/// Between a watch that ended and the next one.
const PAUSE: Duration = Duration::from_millis(50);

/// Whoever sees everything.
pub(crate) struct Witness {
    history: Arc<Mutex<History>>,
    watches: JoinSet<()>,
    ledger: Ledger,
}

impl Witness {
    pub(crate) fn start(mesh: &Mesh) -> Self {
        let mut witness = Self::of_platform(mesh, Version::Object);
        let history = Arc::clone(&witness.history);
        let watch = cluster(applications(mesh.sandbox()), history);
        witness.watches.spawn(watch);
        witness
    }

    /// One who notes what the platform shows; what there is others note in the same history.
    pub(crate) fn of_platform(mesh: &Mesh, version: Version) -> Self {
        let history = Arc::new(Mutex::new(History::default()));
        let mut watches = JoinSet::new();
        watches.spawn(platform(mesh.applications(), Arc::clone(&history)));
        Self {
            history,
            watches,
            ledger: Ledger::new(mesh, version),
        }
    }

    /// Where others note what happens.
    pub(crate) fn history(&self) -> Arc<Mutex<History>> {
        Arc::clone(&self.history)
    }

    /// Waits until what is shown is what there is, as long as that may take, and hands over what happened until then.
    pub(crate) async fn settle(self, all_noted: impl Fn(&History) -> bool) -> History {
        match tokio::time::timeout(SETTLE, self.agree(all_noted)).await {
            Ok(agreed) => agreed,
            // Whoever judges says what is wrong, by name.
            Err(_) => self.ended().await.unwrap(),
        }
    }

    /// Hands over what happened where nothing is written any more, once the watch has shown all of it.
    pub(crate) async fn at_rest(self) -> History {
        wait_until("the watch shows what is listed", SETTLE, async || {
            let listed = self.ledger.versions().await;
            let listed = listed.map_err(|status| status.to_string())?;
            let noted = lock(&self.history).clone();
            let shown = noted.shown().into_iter();
            let shown: BTreeMap<_, _> = shown
                .map(|(uid, it)| (uid.to_owned(), it.version))
                .collect();
            if shown == listed {
                Ok(())
            } else {
                Err(format!("{shown:?} instead of {listed:?}"))
            }
        })
        .await;
        self.ended().await.unwrap()
    }

    /// Waits until the platform shows an object of this name.
    pub(crate) async fn until_shown(&self, name: &str) {
        wait_until(name, SETTLE, async || {
            let noted = lock(&self.history).clone();
            let there = noted.shown().values().any(|it| it.name == name);
            there.then_some(()).ok_or_else(|| "is not shown".to_owned())
        })
        .await;
    }

    async fn agree(&self, all_noted: impl Fn(&History) -> bool) -> History {
        wait_until("the platform shows what there is", 2 * SETTLE, async || {
            if !all_noted(&lock(&self.history)) {
                return Err("the cluster's own watch lags".to_owned());
            }
            let history = self.ended().await;
            let history = history.map_err(|status| status.to_string())?;
            match history.judge(MOST_QUEUED).first() {
                None => Ok(history),
                Some(violation) => Err(violation.to_string()),
            }
        })
        .await
    }

    /// What happened, as if this were the end.
    async fn ended(&self) -> Result<History, Status> {
        let mut history = lock(&self.history).clone();
        self.ledger.read(&mut history).await?;
        history.note(Event::Settled);
        Ok(history)
    }
}

/// Whether the newest state of each Application that there is was noted.
pub(crate) fn has_all(history: &History, sandbox: &Sandbox) -> bool {
    let noted = history.events().iter().filter_map(Event::applied);
    let noted: HashSet<_> = noted.map(|it| (&*it.uid, it.version)).collect();
    let truth = sandbox.kube().snapshot();
    let mut there = truth.objects.iter().filter(|it| it.kind == "Application");
    there.all(|it| noted.contains(&(&*it.uid, it.resource_version)))
}

pub(crate) fn lock(history: &Mutex<History>) -> std::sync::MutexGuard<'_, History> {
    history.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lists and watches, and begins anew where a watch fails.
async fn cluster(api: Api<DynamicObject>, history: Arc<Mutex<History>>) {
    let mut there = BTreeMap::new();
    loop {
        // The next one tells what this one did not.
        let _ = follow_cluster(&api, &mut there, &history).await;
        sleep(PAUSE).await;
    }
}

/// `there` is what the cluster had last, by uid.
async fn follow_cluster(
    api: &Api<DynamicObject>,
    there: &mut BTreeMap<String, u64>,
    history: &Mutex<History>,
) -> kube::Result<()> {
    let list = api.list(&ListParams::default()).await?;
    let mut version = list.metadata.resource_version.unwrap_or_default();
    let newest: u64 = version.parse().unwrap();
    let listed: HashSet<_> = list
        .items
        .iter()
        .filter_map(kube::ResourceExt::uid)
        .collect();
    there.retain(|uid, _| {
        let stays = listed.contains(uid);
        if !stays {
            let (uid, version) = (uid.clone(), newest);
            lock(history).note(Event::Removed { uid, version });
        }
        stays
    });
    for object in &list.items {
        apply(object, there, history);
    }
    loop {
        let mut events = api.watch(&WatchParams::default(), &version).await?.boxed();
        while let Some(event) = events.next().await {
            let object = match event? {
                WatchEvent::Added(object) | WatchEvent::Modified(object) => {
                    apply(&object, there, history);
                    object
                }
                WatchEvent::Deleted(object) => {
                    remove(&object, there, history);
                    object
                }
                WatchEvent::Bookmark(_) => continue,
                WatchEvent::Error(status) => return Err(kube::Error::Api(status)),
            };
            version = object.resource_version().unwrap_or_default();
        }
    }
}

/// Notes a state that is new.
fn apply(object: &DynamicObject, there: &mut BTreeMap<String, u64>, history: &Mutex<History>) {
    let (uid, version) = (object.uid().unwrap_or_default(), number(object));
    if there.insert(uid.clone(), version) == Some(version) {
        return;
    }
    let step = object.labels().get("step").cloned();
    lock(history).note(Event::Applied(Moment {
        uid,
        name: object.name_any(),
        version,
        content: step.unwrap_or_default(),
    }));
}

fn remove(object: &DynamicObject, there: &mut BTreeMap<String, u64>, history: &Mutex<History>) {
    let (uid, version) = (object.uid().unwrap_or_default(), number(object));
    there.remove(&uid);
    lock(history).note(Event::Removed { uid, version });
}

fn number(object: &DynamicObject) -> u64 {
    let version = object.resource_version().unwrap_or_default();
    version.parse().unwrap()
}

/// What a watch of the platform has shown, by name.
#[derive(Default)]
struct View {
    shown: BTreeMap<String, String>,
    /// What a first state has told so far, while one is being told.
    first: Option<HashSet<String>>,
    cursor: String,
}

/// Goes on with the cursor, and begins anew where that has expired.
async fn platform(client: ApplicationServiceClient<Peer>, history: Arc<Mutex<History>>) {
    let mut view = View::default();
    loop {
        let ended = follow_platform(client.clone(), &mut view, &history).await;
        let begins_anew = [Code::OutOfRange, Code::InvalidArgument];
        if ended.is_err_and(|status| begins_anew.contains(&status.code())) {
            view.cursor.clear();
        }
        sleep(PAUSE).await;
    }
}

async fn follow_platform(
    mut client: ApplicationServiceClient<Peer>,
    view: &mut View,
    history: &Mutex<History>,
) -> Result<(), Status> {
    let request = pb::WatchApplicationsRequest {
        filter: Some(pb::ApplicationFilter {
            runtime: "east".to_owned(),
            ..pb::ApplicationFilter::default()
        }),
        cursor: view.cursor.clone(),
        ..pb::WatchApplicationsRequest::default()
    };
    view.first = view.cursor.is_empty().then(HashSet::new);
    let mut stream = client.watch_applications(request).await?.into_inner();
    while let Some(response) = stream.message().await? {
        for event in response.event.map(|it| view.seen(it)).unwrap_or_default() {
            lock(history).note(event);
        }
        if !response.cursor.is_empty() {
            view.cursor = response.cursor;
        }
    }
    Ok(())
}

impl View {
    fn seen(&mut self, event: Seen) -> Vec<Event> {
        match event {
            Seen::Updated(application) => vec![self.updated(application)],
            Seen::Deleted(gone) => self.gone(&gone.name).into_iter().collect(),
            Seen::Bookmark(bookmark) if bookmark.initial_state_sent => self.caught_up(),
            Seen::Bookmark(_) => Vec::new(),
        }
    }

    fn updated(&mut self, application: pb::Application) -> Event {
        let (name, uid) = (application.name, application.uid);
        self.shown.insert(name.clone(), uid.clone());
        if let Some(first) = &mut self.first {
            first.insert(name.clone());
        }
        let mut labels = application.labels;
        let moment = Moment {
            uid,
            name,
            version: application.resource_version,
            content: labels.remove("step").unwrap_or_default(),
        };
        Event::Shown { moment }
    }

    fn gone(&mut self, name: &str) -> Option<Event> {
        self.shown.remove(name).map(|uid| Event::Gone { uid })
    }

    /// What a first state does not have is gone.
    fn caught_up(&mut self) -> Vec<Event> {
        let Some(first) = self.first.take() else {
            return Vec::new();
        };
        let absent = self.shown.keys().filter(|name| !first.contains(*name));
        let absent: Vec<_> = absent.cloned().collect();
        absent.iter().filter_map(|name| self.gone(name)).collect()
    }
}
