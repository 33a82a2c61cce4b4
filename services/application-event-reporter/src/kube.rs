//! Lists and watches Applications. Owns the promise that whatever a watch may lose comes back: by a list when the watch says
//! that it is too old, and by another list every few minutes whatever it says. A watch that is mute is opened again.

mod answer;

use std::{sync::Arc, time::Duration};

use causeway_argocd::{Cluster, application::Application, redact::Redactor};
use causeway_client::Backoff;
use futures::AsyncBufRead;
use http::Request;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use rand::RngExt as _;
use serde_json::Value;
use tokio::{
    sync::{Notify, mpsc},
    time::{Instant, sleep, timeout_at},
};

use self::answer::{Lines, Page, WatchEvent};
use crate::object::{ObjectEvent, ObjectKey, WatchScope};

const PATH: &str = "/apis/argoproj.io/v1alpha1";
const PAGE: usize = 500;
const FIRST_DELAY: Duration = Duration::from_secs(1);
const LONGEST_DELAY: Duration = Duration::from_secs(30);

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
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            relist: Duration::from_secs(600),
            bookmark: Duration::from_secs(150),
            silence: Duration::from_secs(300),
            watch: Duration::from_secs(290),
        }
    }
}

/// One scope of a cluster that is listed and watched.
pub struct Watcher {
    /// The cluster.
    pub cluster: Cluster,
    /// What of it.
    pub scope: WatchScope,
    /// Redacts what is read.
    pub redactor: Redactor,
    /// Where events go; a full channel stops the reading.
    pub events: mpsc::Sender<ObjectEvent>,
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

/// Tells of each trouble once, and when it is over.
#[derive(Default)]
struct Telling {
    trouble: Option<String>,
}

impl Telling {
    fn failed(&mut self, cause: String) {
        if self.trouble.as_ref() != Some(&cause) {
            tracing::warn!("{cause}; trying again");
            self.trouble = Some(cause);
        }
    }

    fn worked(&mut self) {
        if self.trouble.take().is_some() {
            tracing::info!("Applications are read again");
        }
    }
}

impl Watcher {
    /// Lists and watches until nobody listens any more.
    pub async fn run(self) {
        let mut backoff = Backoff::new(FIRST_DELAY, LONGEST_DELAY);
        let mut telling = Telling::default();
        loop {
            match self.list_and_watch(&mut backoff, &mut telling).await {
                Ok(()) | Err(Stop::Gone) => continue,
                Err(Stop::Unheard) => return,
                Err(Stop::Failed(cause) | Stop::Broken(cause)) => telling.failed(cause),
            }
            sleep(backoff.next_delay()).await;
        }
    }

    /// One complete list, and watches until the next one is due.
    async fn list_and_watch(
        &self,
        backoff: &mut Backoff,
        telling: &mut Telling,
    ) -> Result<(), Stop> {
        let mut version = self.list().await?;
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
        let (mut token, mut version) = (String::new(), 0);
        loop {
            let mut page = self.page(&token).await?;
            if token.is_empty() {
                version = page.resource_version().ok_or_else(|| {
                    Stop::Failed("the list of Applications has no numeric version".to_owned())
                })?;
                let scope = self.scope.clone();
                let started = ObjectEvent::ListStarted {
                    scope,
                    resource_version: version,
                };
                self.tell(started).await?;
            }
            for object in page.take_items() {
                self.tell(self.applied(object)).await?;
            }
            if page.metadata.token.is_empty() {
                break;
            }
            token = page.metadata.token;
        }
        let scope = self.scope.clone();
        self.tell(ObjectEvent::Listed { scope }).await?;
        Ok(version)
    }

    async fn page(&self, token: &str) -> Result<Page, Stop> {
        let mut query = format!("limit={PAGE}");
        if !token.is_empty() {
            let token = utf8_percent_encode(token, NON_ALPHANUMERIC);
            query.push_str(&format!("&continue={token}"));
        }
        let client = self.cluster.client();
        let answer = client.request_text(self.request(&query)?).await;
        let text = answer.map_err(|error| self.explain(&error))?;
        serde_json::from_str(&text).map_err(|error| {
            Stop::Failed(format!("the list of Applications cannot be read: {error}"))
        })
    }

    async fn watch(&self, from: u64, due: Instant, telling: &mut Telling) -> Result<End, Stop> {
        let seconds = self.patience.watch.as_secs().max(1);
        let query = format!(
            "watch=true&allowWatchBookmarks=true&resourceVersion={from}&timeoutSeconds={seconds}"
        );
        let client = self.cluster.client();
        let opening = client.request_stream(self.request(&query)?);
        let limit = due.min(Instant::now() + self.patience.silence);
        let Ok(opened) = timeout_at(limit, opening).await else {
            return Ok(End::Again(from));
        };
        let stream = opened.map_err(|error| self.explain(&error))?;
        telling.worked();
        self.follow(Lines::new(stream), from, due).await
    }

    async fn follow(
        &self,
        mut lines: Lines<impl AsyncBufRead + Unpin>,
        from: u64,
        due: Instant,
    ) -> Result<End, Stop> {
        let (mut version, mut patience) = (from, self.patience.silence);
        loop {
            let mute = Instant::now() + patience;
            let line = tokio::select! {
                line = timeout_at(due.min(mute), lines.next()) => line,
                () = self.relist.notified() => return Ok(End::Relist),
            };
            let line = match line {
                Ok(line) => line.map_err(Stop::Broken)?,
                Err(_) if Instant::now() >= due => return Ok(End::Relist),
                Err(_) => {
                    let seconds = patience.as_secs();
                    tracing::warn!(seconds, "a watch is mute; opening it again");
                    return Ok(End::Again(version));
                }
            };
            match line {
                None => return Ok(End::Again(version)),
                Some(WatchEvent::Bookmark(at)) => {
                    version = version.max(at);
                    patience = self.patience.bookmark;
                }
                Some(WatchEvent::Applied(object)) => {
                    version = version.max(answer::version(&object));
                    self.tell(self.applied(object)).await?;
                }
                Some(WatchEvent::Deleted(object)) => {
                    version = version.max(answer::version(&object));
                    self.tell(deleted(&object)).await?;
                }
                Some(WatchEvent::Gone) => return Err(Stop::Gone),
                Some(WatchEvent::Failed(cause)) => return Err(Stop::Broken(cause)),
            }
        }
    }

    fn applied(&self, object: Value) -> ObjectEvent {
        match Application::read(object) {
            Ok(mut application) => {
                self.redactor.application(&mut application);
                ObjectEvent::Applied(Arc::new(application))
            }
            Err(malformed) => ObjectEvent::Quarantined(malformed),
        }
    }

    async fn tell(&self, event: ObjectEvent) -> Result<(), Stop> {
        self.events.send(event).await.map_err(|_| Stop::Unheard)
    }

    fn request(&self, query: &str) -> Result<Request<Vec<u8>>, Stop> {
        let path = match &self.scope {
            WatchScope::All => format!("{PATH}/applications?{query}"),
            WatchScope::Namespace(name) => {
                format!("{PATH}/namespaces/{name}/applications?{query}")
            }
        };
        Request::get(path)
            .body(Vec::new())
            .map_err(|error| Stop::Failed(error.to_string()))
    }

    fn explain(&self, error: &kube::Error) -> Stop {
        if matches!(error, kube::Error::Api(status) if status.code == 410) {
            return Stop::Gone;
        }
        Stop::Failed(self.cluster.explain(error).to_string())
    }
}

fn deleted(object: &Value) -> ObjectEvent {
    ObjectEvent::Deleted {
        key: ObjectKey {
            namespace: answer::metadata(object, "namespace").to_owned(),
            name: answer::metadata(object, "name").to_owned(),
            uid: answer::metadata(object, "uid").to_owned(),
        },
        resource_version: answer::version(object),
    }
}
