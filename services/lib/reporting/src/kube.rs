//! Lists and watches a kind. Owns the promise that whatever a watch may lose comes back: by a list when the watch says
//! that it is too old, and by another list every few minutes whatever it says. A watch that is mute is opened again.

mod notices;
mod page_size;
mod response;

use std::{sync::Arc, time::Duration};

use causeway_argocd::Cluster;
use causeway_client::Backoff;
use futures::AsyncBufRead;
use http::Request;
use k8s_openapi::api::core::v1::Namespace;
use kube::Api;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use rand::RngExt as _;
use serde_json::Value;
use tokio::{
    sync::{Notify, mpsc},
    time::{Instant, sleep, timeout, timeout_at},
};

use self::{
    notices::WatchNotices,
    page_size::PageSize,
    response::{Item, Lines, Page, WatchEvent},
};
use crate::{
    object::{Malformed, ObjectEvent, ObjectKey, WatchScope},
    reported_kind::ReportedKind,
};

const IDENTITY_WITHIN: Duration = Duration::from_secs(5);
const FIRST_DELAY: Duration = Duration::from_secs(1);
const LONGEST_DELAY: Duration = Duration::from_secs(30);
/// How often in a row the cluster must lack a kind until there is nothing of it: while an API server starts it lacks some.
const SURELY_ABSENT: u32 = 3;

/// How long a watch is trusted.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// A complete list is made at least this often; the time is drawn between it and nine tenths of it.
    pub relist: Duration,
    /// A watch that has sent bookmarks before says something at least this often.
    pub bookmark: Duration,
    /// Any other watch does.
    pub silence: Duration,
    /// How long the server keeps a watch open.
    pub watch: Duration,
    /// What it means that the cluster does not have the kind.
    pub absence: Absence,
}

/// What it means that a cluster does not have a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Absence {
    /// That something is wrong.
    Trouble,
    /// That it is not there now; it is asked for again after this time.
    Awaited(Duration),
}

/// What tells a cluster's store from any other: the uid of the namespace kube-system. Empty where it may not be read.
pub async fn store_identity(cluster: &Cluster) -> String {
    let namespaces: Api<Namespace> = Api::all(cluster.client());
    let read = timeout(IDENTITY_WITHIN, namespaces.get("kube-system")).await;
    let namespace = read.ok().and_then(Result::ok);
    namespace
        .and_then(|namespace| namespace.metadata.uid)
        .unwrap_or_default()
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            relist: Duration::from_secs(600),
            bookmark: Duration::from_secs(150),
            silence: Duration::from_secs(300),
            watch: Duration::from_secs(290),
            absence: Absence::Trouble,
        }
    }
}

/// One scope of a cluster that is listed and watched for a kind.
pub struct Watcher<R: ReportedKind> {
    /// The cluster.
    pub cluster: Cluster,
    /// What is read there.
    pub kind: R,
    /// What of it.
    pub scope: WatchScope,
    /// Where events go; a full channel stops the reading.
    pub events: mpsc::Sender<ObjectEvent<R::Object>>,
    /// Asks for a list out of turn.
    pub relist: Arc<Notify>,
    /// How long a watch is trusted.
    pub patience: Patience,
}

/// Why reading stopped.
#[derive(Debug, thiserror::Error)]
enum Stop {
    #[error("nobody listens any more")]
    Unheard,
    #[error("the version is too old")]
    Gone,
    #[error("the cluster does not have the kind")]
    Absent(Duration),
    /// The kind may not be read, where it need not be there.
    #[error("{0}")]
    Refused(String),
    #[error("{0}")]
    Failed(String),
    /// An answer that had begun well.
    #[error("{0}")]
    Broken(String),
}

/// How a watch ended without an error.
enum End {
    /// It is to be opened again from here.
    Again(u64),
    /// A list is due.
    Relist,
}

impl<R: ReportedKind> Watcher<R> {
    /// Lists and watches until nobody listens any more.
    pub async fn run(self) {
        let mut backoff = Backoff::new(FIRST_DELAY, LONGEST_DELAY);
        let mut telling = WatchNotices::new(self.kind.noun());
        let mut absences = 0;
        loop {
            let listed = self.list_and_watch(&mut backoff, &mut telling).await;
            absences = match &listed {
                Err(Stop::Absent(_)) => absences + 1,
                Ok(()) | Err(_) => 0,
            };
            match listed {
                Ok(()) | Err(Stop::Gone) => continue,
                Err(Stop::Unheard) => return,
                Err(Stop::Absent(again)) => {
                    if self.tell_absence(absences).await.is_err() {
                        return;
                    }
                    let fraction = rand::rng().random_range(0.9..=1.0);
                    sleep(again.mul_f64(fraction)).await;
                    continue;
                }
                Err(Stop::Failed(cause) | Stop::Broken(cause)) => telling.failed(cause),
                Err(Stop::Refused(cause)) => {
                    telling.failed(cause);
                    if self.tell(ObjectEvent::KindUnavailable).await.is_err() {
                        return;
                    }
                }
            }
            sleep(backoff.next_delay()).await;
        }
    }

    /// One complete list, and watches until the next one is due.
    async fn list_and_watch(
        &self,
        backoff: &mut Backoff,
        telling: &mut WatchNotices,
    ) -> Result<(), Stop> {
        let listed = self.list().await;
        if matches!(listed, Err(Stop::Gone)) {
            // Whoever forgets pages while they are read must not be listed without pause.
            let cause = format!(
                "the list of {} was forgotten while it was read",
                self.kind.noun()
            );
            return Err(Stop::Failed(cause));
        }
        let mut version = listed?;
        telling.worked();
        let fraction = rand::rng().random_range(0.9..=1.0);
        let due = Instant::now() + self.patience.relist.mul_f64(fraction);
        loop {
            let opened = Instant::now();
            match self.watch(version, due, telling).await {
                Ok(End::Relist) => return Ok(()),
                Ok(End::Again(at)) => version = at,
                Err(Stop::Broken(cause)) => {
                    tracing::debug!(cause, "a watch broke; opening it again");
                    sleep(backoff.next_delay()).await;
                    continue;
                }
                Err(Stop::Failed(cause)) => {
                    telling.failed(cause);
                    sleep(backoff.next_delay()).await;
                    continue;
                }
                Err(stop) => {
                    // A server that answers every watch so must not be listed without pause.
                    if opened.elapsed() < FIRST_DELAY {
                        sleep(backoff.next_delay()).await;
                    }
                    return Err(stop);
                }
            }
            backoff.reset();
        }
    }

    async fn list(&self) -> Result<u64, Stop> {
        let (mut token, mut version, mut size) = (String::new(), 0, PageSize::FIRST);
        loop {
            let text = self.page(&token, size).await?;
            size = size.after(text.len());
            let page = self.read_page(&text)?;
            if token.is_empty() {
                version = page.resource_version().ok_or_else(|| {
                    let noun = self.kind.noun();
                    Stop::Failed(format!("the list of {noun} has no numeric version"))
                })?;
                let scope = self.scope.clone();
                let started = ObjectEvent::ListStarted {
                    scope,
                    resource_version: version,
                };
                self.tell(started).await?;
            }
            for item in page.objects() {
                let event = match self.observed(item) {
                    Ok((event, _)) => event,
                    Err(malformed) => ObjectEvent::Quarantined(malformed),
                };
                self.tell(event).await?;
            }
            if page.metadata.token.is_empty() {
                break;
            }
            token = page.metadata.token;
        }
        let scope = self.scope.clone();
        self.tell(ObjectEvent::ListCompleted { scope }).await?;
        Ok(version)
    }

    async fn page(&self, token: &str, size: PageSize) -> Result<String, Stop> {
        let mut query = format!("limit={}", size.limit());
        if !token.is_empty() {
            let token = utf8_percent_encode(token, NON_ALPHANUMERIC);
            query.push_str(&format!("&continue={token}"));
        }
        let client = self.cluster.client();
        let asking = client.request_text(self.request(&query)?);
        let Ok(answer) = timeout(self.patience.silence, asking).await else {
            let seconds = self.patience.silence.as_secs();
            let cause = format!(
                "no answer to a list of {} within {seconds} s",
                self.kind.noun()
            );
            return Err(Stop::Failed(cause));
        };
        answer.map_err(|error| self.explain(&error))
    }

    fn read_page<'a>(&self, text: &'a str) -> Result<Page<'a>, Stop> {
        serde_json::from_str(text).map_err(|error| {
            let noun = self.kind.noun();
            Stop::Failed(format!("the list of {noun} cannot be read: {error}"))
        })
    }

    async fn watch(
        &self,
        from: u64,
        due: Instant,
        telling: &mut WatchNotices,
    ) -> Result<End, Stop> {
        if Instant::now() >= due {
            return Ok(End::Relist);
        }
        let seconds = self.patience.watch.as_secs().max(1);
        let query = format!(
            "watch=true&allowWatchBookmarks=true&resourceVersion={from}&timeoutSeconds={seconds}"
        );
        let client = self.cluster.client();
        let opening = client.request_stream(self.request(&query)?);
        let limit = due.min(Instant::now() + self.patience.silence);
        let Ok(opened) = timeout_at(limit, opening).await else {
            if limit < due {
                telling.mute(self.patience.silence);
            }
            return Ok(End::Again(from));
        };
        let stream = opened.map_err(|error| self.explain(&error))?;
        telling.worked();
        self.follow(Lines::new(stream), (from, due), telling).await
    }

    async fn follow(
        &self,
        mut lines: Lines<impl AsyncBufRead + Unpin>,
        (from, due): (u64, Instant),
        telling: &mut WatchNotices,
    ) -> Result<End, Stop> {
        let (mut version, mut patience) = (from, self.patience.silence);
        loop {
            let mute = Instant::now() + patience;
            let line = tokio::select! {
                line = timeout_at(due.min(mute), lines.next(|item| self.observed(item))) => line,
                () = self.relist.notified() => return Ok(End::Relist),
            };
            let line = match line {
                Ok(line) => line.map_err(Stop::Broken)?,
                Err(_) if Instant::now() >= due => return Ok(End::Relist),
                Err(_) => {
                    telling.mute(patience);
                    return Ok(End::Again(version));
                }
            };
            telling.heard();
            match line {
                None => return Ok(End::Again(version)),
                Some(WatchEvent::Bookmark(at)) => {
                    version = version.max(at);
                    patience = self.patience.bookmark;
                }
                Some(WatchEvent::Applied((event, at))) => {
                    version = version.max(at);
                    self.tell(event).await?;
                }
                Some(WatchEvent::Quarantined(object)) => {
                    version = version.max(object.resource_version.parse().unwrap_or(0));
                    self.tell(ObjectEvent::Quarantined(object)).await?;
                }
                Some(WatchEvent::Deleted(object)) => {
                    version = version.max(response::version(&object));
                    self.tell(deleted(&object)).await?;
                }
                Some(WatchEvent::Gone) => return Err(Stop::Gone),
                Some(WatchEvent::Failed(cause)) => return Err(Stop::Broken(cause)),
            }
        }
    }

    /// An object, with its version.
    fn observed(&self, item: Item<'_>) -> Result<(ObjectEvent<R::Object>, u64), Malformed> {
        if let Some(object) = self.kind.read_text(item.text()) {
            let version = R::resource_version(&object);
            return Ok((ObjectEvent::Applied(Arc::new(object)), version));
        }
        let object = item.value()?;
        let version = response::version(&object);
        Ok((self.applied(object), version))
    }

    fn applied(&self, object: Value) -> ObjectEvent<R::Object> {
        let (key, resource_version) = (key(&object), response::version(&object));
        match self.kind.read(object) {
            Ok(Some(object)) => ObjectEvent::Applied(Arc::new(object)),
            Ok(None) => ObjectEvent::Deselected {
                key,
                resource_version,
            },
            Err(malformed) => ObjectEvent::Quarantined(malformed),
        }
    }

    async fn tell_absence(&self, times: u32) -> Result<(), Stop> {
        match times {
            1 => {
                let (kind, cluster) = (self.kind.kind().name(), self.cluster.url());
                tracing::info!(
                    kind,
                    cluster,
                    "the cluster does not have this kind; waiting for it"
                );
                self.tell(ObjectEvent::KindUnavailable).await
            }
            SURELY_ABSENT => {
                let scope = self.scope.clone();
                self.tell(ObjectEvent::KindMissing { scope }).await
            }
            _ => Ok(()),
        }
    }

    async fn tell(&self, event: ObjectEvent<R::Object>) -> Result<(), Stop> {
        self.events.send(event).await.map_err(|_| Stop::Unheard)
    }

    fn request(&self, query: &str) -> Result<Request<Vec<u8>>, Stop> {
        let (path, plural) = (self.kind.kind().path(), &self.kind.kind().plural);
        let path = match &self.scope {
            WatchScope::All => format!("{path}/{plural}?{query}"),
            WatchScope::Namespace(name) => format!("{path}/namespaces/{name}/{plural}?{query}"),
        };
        Request::get(path)
            .body(Vec::new())
            .map_err(|error| Stop::Failed(error.to_string()))
    }

    fn explain(&self, error: &kube::Error) -> Stop {
        let answered = |code| matches!(error, kube::Error::Api(status) if status.code == code);
        if answered(410) {
            return Stop::Gone;
        }
        let cause = self.cluster.explain(error).to_string();
        match self.patience.absence {
            Absence::Awaited(again) if answered(404) => Stop::Absent(again),
            Absence::Awaited(_) if answered(403) => Stop::Refused(cause),
            Absence::Awaited(_) | Absence::Trouble => Stop::Failed(cause),
        }
    }
}

fn deleted<O>(object: &Value) -> ObjectEvent<O> {
    ObjectEvent::Deleted {
        key: key(object),
        resource_version: response::version(object),
    }
}

fn key(object: &Value) -> ObjectKey {
    ObjectKey {
        namespace: response::metadata(object, "namespace").to_owned(),
        name: response::metadata(object, "name").to_owned(),
        uid: response::metadata(object, "uid").to_owned(),
    }
}

#[cfg(test)]
mod tests;
