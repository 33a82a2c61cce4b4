//! Notes what the cluster has and what the platform shows, each by a watch of its own.

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
    api::{DynamicObject, WatchEvent, WatchParams},
};
use tokio::task::JoinSet;

use super::churn::applications;

const SETTLE: Duration = Duration::from_secs(180);

/// Whoever sees everything.
pub(crate) struct Witness {
    history: Arc<Mutex<History>>,
    watches: JoinSet<()>,
}

impl Witness {
    pub(crate) fn start(mesh: &Mesh) -> Self {
        let history = Arc::new(Mutex::new(History::default()));
        let mut watches = JoinSet::new();
        watches.spawn(cluster(applications(mesh.sandbox()), Arc::clone(&history)));
        watches.spawn(platform(mesh.applications(), Arc::clone(&history)));
        Self { history, watches }
    }

    /// One who notes what the platform shows; what there is others note in the same history.
    pub(crate) fn of_platform(mesh: &Mesh) -> Self {
        let history = Arc::new(Mutex::new(History::default()));
        let mut watches = JoinSet::new();
        watches.spawn(platform(mesh.applications(), Arc::clone(&history)));
        Self { history, watches }
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
            Err(_) => self.now().await,
        }
    }

    /// Hands over what happened, as if this were the end.
    pub(crate) async fn now(mut self) -> History {
        self.watches.shutdown().await;
        let mut history = std::mem::take(&mut *lock(&self.history));
        history.note(Event::Settled);
        history
    }

    async fn agree(&self, all_noted: impl Fn(&History) -> bool) -> History {
        wait_until("the platform shows what there is", 2 * SETTLE, async || {
            let mut history = lock(&self.history).clone();
            history.note(Event::Settled);
            if !all_noted(&history) {
                return Err("the cluster's own watch lags".to_owned());
            }
            match history.judge(u64::MAX).first() {
                None => Ok(history),
                Some(violation) => Err(violation.to_string()),
            }
        })
        .await
    }
}

/// Whether the newest state of each Application that there is was noted.
pub(crate) fn has_all(history: &History, sandbox: &Sandbox) -> bool {
    let noted = history.events().iter().filter_map(Event::applied);
    let noted: HashSet<_> = noted.map(|it| (&*it.uid, it.version)).collect();
    let truth = sandbox.kube().truth();
    let mut there = truth.objects.iter().filter(|it| it.kind == "Application");
    there.all(|it| noted.contains(&(&*it.uid, it.resource_version)))
}

pub(crate) fn lock(history: &Mutex<History>) -> std::sync::MutexGuard<'_, History> {
    history.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn cluster(api: Api<DynamicObject>, history: Arc<Mutex<History>>) {
    let mut version = "0".to_owned();
    loop {
        let Ok(events) = api.watch(&WatchParams::default(), &version).await else {
            continue;
        };
        let mut events = events.boxed();
        while let Some(Ok(event)) = events.next().await {
            let (object, event): (_, fn(&DynamicObject) -> Event) = match event {
                WatchEvent::Added(object) | WatchEvent::Modified(object) => (object, applied),
                WatchEvent::Deleted(object) => (object, removed),
                WatchEvent::Bookmark(_) | WatchEvent::Error(_) => continue,
            };
            version = object.resource_version().unwrap_or_default();
            lock(&history).note(event(&object));
        }
    }
}

fn applied(object: &DynamicObject) -> Event {
    let step = object.labels().get("step").cloned();
    Event::Applied(Moment {
        uid: object.uid().unwrap_or_default(),
        name: object.name_any(),
        version: number(object),
        content: step.unwrap_or_default(),
    })
}

fn removed(object: &DynamicObject) -> Event {
    Event::Removed {
        uid: object.uid().unwrap_or_default(),
        version: number(object),
    }
}

fn number(object: &DynamicObject) -> u64 {
    let version = object.resource_version().unwrap_or_default();
    version.parse().unwrap()
}

async fn platform(mut client: ApplicationServiceClient<Peer>, history: Arc<Mutex<History>>) {
    let mut request = pb::WatchApplicationsRequest {
        filter: Some(pb::ApplicationFilter {
            runtime: "east".to_owned(),
            ..pb::ApplicationFilter::default()
        }),
        ..pb::WatchApplicationsRequest::default()
    };
    let mut shown = BTreeMap::new();
    loop {
        let Ok(stream) = client.watch_applications(request.clone()).await else {
            continue;
        };
        let mut stream = stream.into_inner();
        while let Ok(Some(response)) = stream.message().await {
            if let Some(event) = response.event.and_then(|event| seen(event, &mut shown)) {
                lock(&history).note(event);
            }
            if !response.cursor.is_empty() {
                request.cursor = response.cursor;
            }
        }
    }
}

fn seen(event: Seen, shown: &mut BTreeMap<String, String>) -> Option<Event> {
    match event {
        Seen::Updated(application) => {
            shown.insert(application.name.clone(), application.uid.clone());
            let mut labels = application.labels;
            let moment = Moment {
                uid: application.uid,
                name: application.name,
                version: application.resource_version,
                content: labels.remove("step").unwrap_or_default(),
            };
            Some(Event::Shown { moment, by: None })
        }
        Seen::Deleted(gone) => shown.remove(&gone.name).map(|uid| Event::Gone { uid }),
        Seen::Bookmark(_) => None,
    }
}
