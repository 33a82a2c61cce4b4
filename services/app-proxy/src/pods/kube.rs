//! Pods in the cluster.

use futures::{Stream, StreamExt as _, future, stream};
use k8s_openapi::api::core::v1::Pod as PodObject;
use kube::{
    Api,
    api::ListParams,
    runtime::{
        WatchStreamExt as _,
        watcher::{self, Event, watcher},
    },
};
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use super::PodQuery;
use crate::subject::{Resources, SubjectError, to_value};

const PAGE: u32 = 500;
/// How many pods of a namespace are looked through.
const LOOKED_THROUGH: usize = 10_000;

/// What happened to a pod.
pub(crate) enum Change {
    /// It is there, as this object.
    There(Value),
    /// The one with this uid is gone.
    Gone(String),
}

/// Reads the pods of a namespace that may be meant, some at a time.
pub(super) struct Pages {
    resources: Resources,
    api: Api<PodObject>,
    namespace: String,
    params: ListParams,
    read: usize,
    ended: bool,
}

impl Pages {
    pub(super) fn new(sought: &PodQuery, namespace: &str) -> Self {
        let resources = sought.subjects.resources.clone();
        let mut params = ListParams::default().limit(PAGE);
        params.label_selector = Some(sought.selector.clone());
        params.field_selector = field(sought);
        Self {
            api: Api::namespaced(resources.client(), namespace),
            resources,
            namespace: namespace.to_owned(),
            params,
            read: 0,
            ended: false,
        }
    }

    /// The next ones, by then; none where there are no more.
    pub(super) async fn next(&mut self, by: Instant) -> Result<Option<Vec<Value>>, SubjectError> {
        if self.ended {
            return Ok(None);
        }
        if self.read >= LOOKED_THROUGH {
            return Err(SubjectError::Crowded(self.namespace.clone()));
        }
        let page = timeout_at(by, self.api.list(&self.params)).await;
        let page = page.map_err(|_| SubjectError::Late)?;
        let page = page.map_err(|error| self.resources.explain(&error))?;
        let token = page.metadata.continue_.filter(|token| !token.is_empty());
        self.ended = token.is_none();
        self.params.continue_token = token;
        self.read += page.items.len();
        let pods = page.items.into_iter().map(to_value);
        pods.collect::<Result<_, _>>().map(Some)
    }
}

/// Every pod that may be meant, and then what happens to them. Goes on for ever.
pub(super) fn watch(sought: &PodQuery) -> impl Stream<Item = Change> + Send + Unpin + use<> {
    let mut config = watcher::Config::default().labels(&sought.selector);
    if let Some(field) = field(sought) {
        config = config.fields(&field);
    }
    let client = sought.subjects.resources.client();
    let watches = sought.namespaces.iter().map(|namespace| {
        let api = Api::namespaced(client.clone(), namespace);
        let events = watcher(api, config.clone()).default_backoff();
        events
            .filter_map(|event| future::ready(event.ok().and_then(change)))
            .boxed()
    });
    stream::select_all(watches)
}

fn field(sought: &PodQuery) -> Option<String> {
    let pod = sought.pod.as_ref()?;
    Some(format!("metadata.name={pod}"))
}

fn change(event: Event<PodObject>) -> Option<Change> {
    match event {
        Event::Apply(pod) | Event::InitApply(pod) => Some(Change::There(to_value(pod).ok()?)),
        Event::Delete(pod) => Some(Change::Gone(pod.metadata.uid?)),
        Event::Init | Event::InitDone => None,
    }
}
