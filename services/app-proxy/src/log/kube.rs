//! Pods and their logs in the cluster.

use std::pin::Pin;

use futures::{AsyncBufRead, Stream, StreamExt as _, future, stream};
use jiff::Timestamp;
use k8s_openapi::api::core::v1::Pod as PodObject;
use kube::{
    Api,
    api::{ListParams, LogParams},
    runtime::{
        WatchStreamExt as _,
        watcher::{self, Event, watcher},
    },
};
use serde_json::Value;

use super::{Portion, Question, reading::Source};
use crate::subject::{Resources, SubjectError, to_value};

const PAGE: u32 = 500;
/// How many pods of a namespace are looked through.
const LOOKED_THROUGH: usize = 10_000;

/// The pods of the cluster.
#[derive(Clone)]
pub(super) struct Pods {
    resources: Resources,
}

/// What happened to a pod.
pub(super) enum Change {
    /// It is there, as this object.
    There(Value),
    /// The one with this uid is gone.
    Gone(String),
}

impl Pods {
    pub(super) fn new(resources: Resources) -> Self {
        Self { resources }
    }

    fn api(&self, namespace: &str) -> Api<PodObject> {
        Api::namespaced(self.resources.client(), namespace)
    }

    /// The pods of a namespace that may be meant.
    pub(super) async fn list(
        &self,
        namespace: &str,
        question: &Question,
    ) -> Result<Vec<Value>, SubjectError> {
        let api = self.api(namespace);
        let mut params = ListParams::default().limit(PAGE);
        params.label_selector = Some(question.order.selector.clone());
        params.field_selector = field(question);
        let mut pods = Vec::new();
        loop {
            let page = api.list(&params).await;
            let page = page.map_err(|error| self.resources.explain(&error))?;
            for pod in page.items {
                pods.push(to_value(pod)?);
            }
            params.continue_token = page.metadata.continue_.filter(|token| !token.is_empty());
            if params.continue_token.is_none() || pods.len() >= LOOKED_THROUGH {
                return Ok(pods);
            }
        }
    }

    /// Every pod that may be meant, and then what happens to them. Goes on for ever.
    pub(super) fn watch(
        &self,
        question: &Question,
    ) -> impl Stream<Item = Change> + Send + Unpin + use<> {
        let mut config = watcher::Config::default().labels(&question.order.selector);
        if let Some(field) = field(question) {
            config = config.fields(&field);
        }
        let namespaces = question.meant.namespaces.iter();
        let watches = namespaces.map(|namespace| {
            let events = watcher(self.api(namespace), config.clone()).default_backoff();
            events
                .filter_map(|event| future::ready(event.ok().and_then(change)))
                .boxed()
        });
        stream::select_all(watches)
    }

    /// What a container has written, and where it is followed writes.
    pub(super) async fn read(
        &self,
        source: &Source,
        portion: &Portion,
    ) -> Result<Pin<Box<dyn AsyncBufRead + Send>>, String> {
        let since = portion.since.map(Timestamp::from_millisecond);
        let params = LogParams {
            container: Some(source.of.container.clone()),
            follow: portion.follow && !portion.previous,
            previous: portion.previous,
            timestamps: portion.timestamps,
            since_time: since.transpose().ok().flatten(),
            tail_lines: portion.tail,
            ..LogParams::default()
        };
        let api = self.api(&source.of.namespace);
        let opened = api.log_stream(&source.of.pod, &params).await;
        match opened {
            Ok(lines) => Ok(Box::pin(lines)),
            Err(kube::Error::Api(status)) => Err(status.message.clone()),
            Err(error) => Err(error.to_string()),
        }
    }
}

fn field(question: &Question) -> Option<String> {
    let pod = question.meant.pod.as_ref()?;
    Some(format!("metadata.name={pod}"))
}

fn change(event: Event<PodObject>) -> Option<Change> {
    match event {
        Event::Apply(pod) | Event::InitApply(pod) => Some(Change::There(to_value(pod).ok()?)),
        Event::Delete(pod) => Some(Change::Gone(pod.metadata.uid?)),
        Event::Init | Event::InitDone => None,
    }
}
