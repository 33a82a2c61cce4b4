//! Lists and watches a kind. Owns the promise that whatever a watch may lose comes back: by a list when the watch says
//! that it is too old, and by another list every few minutes whatever it says. A watch that is mute is opened again.

mod notices;
mod page_size;
mod response;

use std::{sync::Arc, time::Duration};

use causeway_argocd::{Cluster, redact::redact_off_thread};
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

const IDENTITY_TIMEOUT: Duration = Duration::from_secs(5);
const FIRST_DELAY: Duration = Duration::from_secs(1);
const MAX_DELAY: Duration = Duration::from_secs(30);
/// Consecutive lists without the kind before its objects count as deleted: a starting API server lacks some kinds.
const MISSING_LISTS: u32 = 3;

/// Relist and timeout settings of a watch.
#[derive(Debug, Clone, Copy)]
pub struct WatchPolicy {
    /// Longest interval between complete lists; up to a tenth of it is subtracted at random.
    pub relist: Duration,
    /// Longest silence of a watch that has sent bookmarks before.
    pub bookmark: Duration,
    /// Longest silence of any other watch, and of a list.
    pub silence: Duration,
    /// Requested duration of a watch.
    pub watch: Duration,
    /// Reaction to a cluster that does not serve the kind.
    pub missing_kind: MissingKind,
}

/// Reaction to a cluster that does not serve a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingKind {
    /// Reports it as a failure.
    Fail,
    /// Looks for it again after this time.
    Retry(Duration),
}

/// Identity of a cluster's store: the uid of the namespace kube-system. Empty without permission to read it.
pub async fn store_identity(cluster: &Cluster) -> String {
    let namespaces: Api<Namespace> = Api::all(cluster.client());
    let read = timeout(IDENTITY_TIMEOUT, namespaces.get("kube-system")).await;
    let namespace = read.ok().and_then(Result::ok);
    namespace
        .and_then(|namespace| namespace.metadata.uid)
        .unwrap_or_default()
}

impl Default for WatchPolicy {
    fn default() -> Self {
        Self {
            relist: Duration::from_secs(600),
            bookmark: Duration::from_secs(150),
            silence: Duration::from_secs(300),
            watch: Duration::from_secs(290),
            missing_kind: MissingKind::Fail,
        }
    }
}

/// Lists and watches one scope of a cluster for one kind.
pub struct Watcher<R: ReportedKind> {
    pub cluster: Cluster,
    pub kind: R,
    pub scope: WatchScope,
    /// Receives the events; a full channel pauses the watch.
    pub events: mpsc::Sender<ObjectEvent<R::Object>>,
    /// Requests a list before it is due.
    pub relist: Arc<Notify>,
    pub policy: WatchPolicy,
}

/// Reason why a list or a watch ended early.
#[derive(Debug, thiserror::Error)]
enum Stop {
    #[error("the receiver of events is closed")]
    Closed,
    #[error("the resource version expired")]
    Expired,
    #[error("the cluster does not serve the kind")]
    Missing(Duration),
    /// Reading an optional kind is forbidden.
    #[error("{0}")]
    Refused(String),
    #[error("{0}")]
    Failed(String),
    /// A response broke off after it had started.
    #[error("{0}")]
    Broken(String),
}

/// An object and its resource version.
type Applied<R> = (ObjectEvent<<R as ReportedKind>::Object>, u64);

/// Regular end of a watch.
enum End {
    /// Reopen it from this resource version.
    Reopen(u64),
    /// A list is due.
    Relist,
}

impl<R: ReportedKind> Watcher<R> {
    /// Lists and watches until the receiver of events is closed.
    pub async fn run(self) {
        let mut backoff = Backoff::new(FIRST_DELAY, MAX_DELAY);
        let mut notices = WatchNotices::new(self.kind.noun());
        let mut missing_count = 0;
        loop {
            let listed = self.list_and_watch(&mut backoff, &mut notices).await;
            missing_count = match &listed {
                Err(Stop::Missing(_)) => missing_count + 1,
                Ok(()) | Err(_) => 0,
            };
            match listed {
                Ok(()) | Err(Stop::Expired) => continue,
                Err(Stop::Closed) => return,
                Err(Stop::Missing(retry_after)) => {
                    if self.report_missing(missing_count).await.is_err() {
                        return;
                    }
                    let fraction = rand::rng().random_range(0.9..=1.0);
                    sleep(retry_after.mul_f64(fraction)).await;
                    continue;
                }
                Err(Stop::Failed(cause) | Stop::Broken(cause)) => notices.failed(cause),
                Err(Stop::Refused(cause)) => {
                    notices.failed(cause);
                    if self.emit(ObjectEvent::KindUnavailable).await.is_err() {
                        return;
                    }
                }
            }
            sleep(backoff.next_delay()).await;
        }
    }

    /// Reads one complete list, then watches until the next list is due.
    async fn list_and_watch(
        &self,
        backoff: &mut Backoff,
        notices: &mut WatchNotices,
    ) -> Result<(), Stop> {
        let listed = self.list().await;
        if matches!(listed, Err(Stop::Expired)) {
            // A server that expires pages during a list must not be listed in a tight loop.
            let cause = format!("the list of {} expired while it was read", self.kind.noun());
            return Err(Stop::Failed(cause));
        }
        let mut version = listed?;
        notices.worked();
        let fraction = rand::rng().random_range(0.9..=1.0);
        let due = Instant::now() + self.policy.relist.mul_f64(fraction);
        loop {
            let opened = Instant::now();
            match self.watch(version, due, notices).await {
                Ok(End::Relist) => return Ok(()),
                Ok(End::Reopen(at)) => version = at,
                Err(Stop::Broken(cause)) => {
                    tracing::debug!(cause, "a watch broke; opening it again");
                    sleep(backoff.next_delay()).await;
                    continue;
                }
                Err(Stop::Failed(cause)) => {
                    notices.failed(cause);
                    sleep(backoff.next_delay()).await;
                    continue;
                }
                Err(stop) => {
                    // A server that ends every watch at once must not be listed in a tight loop.
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
                self.emit(started).await?;
            }
            for item in page.objects() {
                let (kind, item) = (self.kind.clone(), item.to_own());
                let bytes = item.get().text().len();
                let read = redact_off_thread(bytes, move || read_item(&kind, item.get())).await;
                let event = match read {
                    Ok((event, _)) => event,
                    Err(malformed) => ObjectEvent::Quarantined(malformed),
                };
                self.emit(event).await?;
            }
            if page.metadata.token.is_empty() {
                break;
            }
            token = page.metadata.token;
        }
        let scope = self.scope.clone();
        self.emit(ObjectEvent::ListCompleted { scope }).await?;
        Ok(version)
    }

    async fn page(&self, token: &str, size: PageSize) -> Result<String, Stop> {
        let mut query = format!("limit={}", size.limit());
        if !token.is_empty() {
            let token = utf8_percent_encode(token, NON_ALPHANUMERIC);
            query.push_str(&format!("&continue={token}"));
        }
        let client = self.cluster.client();
        let request = client.request_text(self.request(&query)?);
        let Ok(response) = timeout(self.policy.silence, request).await else {
            let seconds = self.policy.silence.as_secs();
            let cause = format!(
                "no response to a list of {} within {seconds} s",
                self.kind.noun()
            );
            return Err(Stop::Failed(cause));
        };
        response.map_err(|error| self.explain(&error))
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
        notices: &mut WatchNotices,
    ) -> Result<End, Stop> {
        if Instant::now() >= due {
            return Ok(End::Relist);
        }
        let seconds = self.policy.watch.as_secs().max(1);
        let query = format!(
            "watch=true&allowWatchBookmarks=true&resourceVersion={from}&timeoutSeconds={seconds}"
        );
        let client = self.cluster.client();
        let opening = client.request_stream(self.request(&query)?);
        let limit = due.min(Instant::now() + self.policy.silence);
        let Ok(opened) = timeout_at(limit, opening).await else {
            if limit < due {
                notices.on_silence(self.policy.silence);
            }
            return Ok(End::Reopen(from));
        };
        let stream = opened.map_err(|error| self.explain(&error))?;
        notices.worked();
        self.follow(Lines::new(stream), from, due, notices).await
    }

    async fn follow(
        &self,
        mut lines: Lines<impl AsyncBufRead + Unpin>,
        from: u64,
        due: Instant,
        notices: &mut WatchNotices,
    ) -> Result<End, Stop> {
        let (mut version, mut max_silence) = (from, self.policy.silence);
        loop {
            let silent_at = Instant::now() + max_silence;
            let line = tokio::select! {
                line = timeout_at(due.min(silent_at), lines.next()) => line,
                () = self.relist.notified() => return Ok(End::Relist),
            };
            let line = match line {
                Ok(line) => line.map_err(Stop::Broken)?,
                Err(_) if Instant::now() >= due => return Ok(End::Relist),
                Err(_) => {
                    notices.on_silence(max_silence);
                    return Ok(End::Reopen(version));
                }
            };
            notices.on_activity();
            let Some(line) = line else {
                return Ok(End::Reopen(version));
            };
            match self.read_event(line).await.map_err(Stop::Broken)? {
                WatchEvent::Bookmark(at) => {
                    version = version.max(at);
                    // Bookmarks arrive about once a minute, so that silence shows sooner than without them.
                    max_silence = self.policy.bookmark;
                }
                WatchEvent::Applied((event, at)) => {
                    version = version.max(at);
                    self.emit(event).await?;
                }
                WatchEvent::Quarantined(object) => {
                    version = version.max(object.resource_version.parse().unwrap_or(0));
                    self.emit(ObjectEvent::Quarantined(object)).await?;
                }
                WatchEvent::Deleted(object) => {
                    version = version.max(response::version(&object));
                    self.emit(deleted(&object)).await?;
                }
                WatchEvent::Gone => return Err(Stop::Expired),
                WatchEvent::Failed(cause) => return Err(Stop::Broken(cause)),
            }
        }
    }

    async fn read_event(&self, line: Vec<u8>) -> Result<WatchEvent<Applied<R>>, String> {
        let (kind, bytes) = (self.kind.clone(), line.len());
        let read = move || response::read_event(&line, |item| read_item(&kind, item));
        redact_off_thread(bytes, read).await
    }

    async fn report_missing(&self, count: u32) -> Result<(), Stop> {
        match count {
            1 => {
                let (kind, cluster) = (self.kind.kind().name(), self.cluster.url());
                tracing::info!(
                    kind,
                    cluster,
                    "the cluster does not serve this kind; waiting for it"
                );
                self.emit(ObjectEvent::KindUnavailable).await
            }
            MISSING_LISTS => {
                let scope = self.scope.clone();
                self.emit(ObjectEvent::KindMissing { scope }).await
            }
            _ => Ok(()),
        }
    }

    async fn emit(&self, event: ObjectEvent<R::Object>) -> Result<(), Stop> {
        self.events.send(event).await.map_err(|_| Stop::Closed)
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
        let has_code = |code| matches!(error, kube::Error::Api(status) if status.code == code);
        if has_code(410) {
            return Stop::Expired;
        }
        let cause = self.cluster.explain(error).to_string();
        match self.policy.missing_kind {
            MissingKind::Retry(retry_after) if has_code(404) => Stop::Missing(retry_after),
            MissingKind::Retry(_) if has_code(403) => Stop::Refused(cause),
            MissingKind::Retry(_) | MissingKind::Fail => Stop::Failed(cause),
        }
    }
}

/// Reads and redacts an object, and its resource version.
fn read_item<R: ReportedKind>(kind: &R, item: Item<'_>) -> Result<Applied<R>, Malformed> {
    if let Some(object) = kind.read_text(item.text()) {
        let version = R::resource_version(&object);
        return Ok((ObjectEvent::Applied(Arc::new(object)), version));
    }
    let object = item.value()?;
    let version = response::version(&object);
    Ok((applied(kind, object), version))
}

fn applied<R: ReportedKind>(kind: &R, object: Value) -> ObjectEvent<R::Object> {
    let (key, resource_version) = (key(&object), response::version(&object));
    match kind.read(object) {
        Ok(Some(object)) => ObjectEvent::Applied(Arc::new(object)),
        Ok(None) => ObjectEvent::Deselected {
            key,
            resource_version,
        },
        Err(malformed) => ObjectEvent::Quarantined(malformed),
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
