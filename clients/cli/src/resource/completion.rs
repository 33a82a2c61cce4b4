//! Waits until a resource completes: an update of a Rollout, a run of a Workflow.

use std::{cell::RefCell, time::Duration};

use anyhow::{Context as _, bail};
use causeway_proto::{
    inventory::v1::{self as pb, watch_resources_response::Event},
    proxy::v1::GetLiveResourceRequest,
};
use serde_json::Value;
use tokio::time::sleep;

use super::{find, manifests::text, watch};
use crate::{
    connection::Connection,
    failure::WaitTimeout,
    output::{self, Format},
    watch::{Next, note_reconnect},
};

/// Interval of checks until its controller has observed an object.
const OBSERVE_INTERVAL: Duration = Duration::from_secs(1);
/// Interval of checks for an end that was reported before: of two changes only the last one is reported, if any.
const CONFIRM_INTERVAL: Duration = Duration::from_secs(5);

/// A kind whose objects complete.
pub(crate) struct CompletionKind {
    /// Name, as in "the workflow".
    pub(crate) name: &'static str,
    /// State of an object in a line.
    pub(crate) line: fn(&pb::LiveResource) -> String,
    /// Phase of an object.
    pub(crate) phase: fn(&pb::LiveResource) -> String,
    /// True for phases that are an end.
    pub(crate) is_end: fn(&str) -> bool,
}

/// Shows where an object stands, whenever that changes, until it is at its end, and gives it as it is then. What was reported before
/// what the cluster holds now is no end.
///
/// # Errors
/// It is gone, or not at its end in time; 0s is as long as it takes.
pub(crate) async fn follow(
    connection: &Connection,
    target: pb::LiveResource,
    kind: &CompletionKind,
    timeout: humantime::Duration,
    format: Format,
) -> anyhow::Result<pb::LiveResource> {
    let name = target.name.clone();
    let ending = async {
        let now = wait_observed(connection, &target).await;
        wait_reported_end(connection, target, kind, now, format).await
    };
    if timeout.is_zero() {
        return ending.await;
    }
    let ended = tokio::time::timeout(timeout.into(), ending).await;
    ended.map_err(|_| timeout_error(kind.name, &name, timeout))?
}

fn timeout_error(kind: &str, name: &str, timeout: humantime::Duration) -> WaitTimeout {
    WaitTimeout(format!(
        "the {kind} is not at its end after {timeout}; see 'causeway {kind} get {name}'"
    ))
}

async fn wait_reported_end(
    connection: &Connection,
    target: pb::LiveResource,
    kind: &CompletionKind,
    now: Option<LiveState>,
    format: Format,
) -> anyhow::Result<pb::LiveResource> {
    let (mut shown, mut last, outdated) = (String::new(), None, RefCell::new(None));
    let view = pb::ResourceView::Basic;
    let filter = find::exact_filter(target.clone());
    let watching = watch::follow(connection, filter, view, note_reconnect, |response| {
        match &response.event {
            Some(Event::Updated(resource)) if is_outdated(resource, kind, now.as_ref()) => {
                let earlier = (kind.phase)(resource);
                output::note(format!(
                    "it was {earlier} before, which is not its end now: waiting for its runtime to tell more"
                ));
                outdated.replace(Some(resource.clone()));
                Ok(Next::Continue)
            }
            Some(Event::Updated(resource)) => {
                outdated.replace(None);
                let line = (kind.line)(resource);
                if line != shown {
                    show(resource, &line, format)?;
                    shown = line;
                }
                if !(kind.is_end)(&(kind.phase)(resource)) {
                    return Ok(Next::Continue);
                }
                last = Some(resource.clone());
                Ok(Next::Stop)
            }
            Some(Event::Deleted(_)) => bail!("the {} is gone", kind.name),
            Some(Event::Bookmark(_)) | None => Ok(Next::Continue),
        }
    });
    tokio::select! {
        watched = watching => watched?,
        ended = wait_confirmed_end(connection, &target, kind, &outdated) => {
            show(&ended, &(kind.line)(&ended), format)?;
            return Ok(ended);
        }
    }
    last.with_context(|| format!("the watch ended before the {} did", kind.name))
}

/// Waits until the cluster confirms the end that was reported before.
async fn wait_confirmed_end(
    connection: &Connection,
    target: &pb::LiveResource,
    kind: &CompletionKind,
    outdated: &RefCell<Option<pb::LiveResource>>,
) -> pb::LiveResource {
    loop {
        sleep(CONFIRM_INTERVAL).await;
        if outdated.borrow().is_none() {
            continue;
        }
        let now = get_live_state(connection, target).await;
        let reported = outdated.borrow().clone();
        if let (Ok(Some(now)), Some(reported)) = (now, reported)
            && !is_outdated(&reported, kind, Some(&now))
        {
            return reported;
        }
    }
}

fn show(resource: &pb::LiveResource, line: &str, format: Format) -> anyhow::Result<()> {
    output::show(resource, format, |_| output::line(line))
}

/// Live state of an object in its cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LiveState {
    resource_version: u64,
    phase: String,
}

/// True if an end that was reported is one from before the object was begun again. An end that the cluster tells of in the same words
/// counts whatever its version is: not each change of an object is reported.
fn is_outdated(
    reported: &pb::LiveResource,
    kind: &CompletionKind,
    now: Option<&LiveState>,
) -> bool {
    let phase = (kind.phase)(reported);
    now.is_some_and(|now| {
        (kind.is_end)(&phase)
            && reported.resource_version < now.resource_version
            && phase != now.phase
    })
}

/// Returns the live state once its controller has observed the object; none if the runtime cannot tell.
async fn wait_observed(connection: &Connection, target: &pb::LiveResource) -> Option<LiveState> {
    loop {
        match get_live_state(connection, target).await {
            Ok(Some(held)) => return Some(held),
            Ok(None) => sleep(OBSERVE_INTERVAL).await,
            Err(status) => {
                note_unobserved(&status);
                return None;
            }
        }
    }
}

/// Returns the live state; none until its controller has observed the object.
async fn get_live_state(
    connection: &Connection,
    target: &pb::LiveResource,
) -> Result<Option<LiveState>, tonic::Status> {
    let request = GetLiveResourceRequest {
        runtime: target.runtime.clone(),
        group: target.group.clone(),
        kind: target.kind.clone(),
        namespace: target.namespace.clone(),
        name: target.name.clone(),
        // The UID excludes an object of the same name in another cluster of the runtime.
        uid: target.uid.clone(),
    };
    let mut client = connection.resource_actions();
    let live = client.get_live_resource(request).await?.into_inner();
    let manifest: Value = serde_json::from_slice(&live.manifest).unwrap_or_default();
    Ok(is_observed(&manifest).then(|| LiveState {
        resource_version: live.resource_version,
        phase: text(manifest.pointer("/status/phase")),
    }))
}

/// Notes that the cluster cannot be read; a deleted object is reported by the watch.
fn note_unobserved(status: &tonic::Status) {
    if status.code() != tonic::Code::NotFound {
        output::note(format!(
            "it cannot be looked at in its cluster, so what was reported last counts: {}",
            status.message()
        ));
    }
}

/// True if the controller has observed the newest generation, or does not report it. A Rollout reports it as text.
fn is_observed(manifest: &Value) -> bool {
    let number = |pointer: &str| text(manifest.pointer(pointer)).parse::<u64>().ok();
    let (wanted, seen) = (
        number("/metadata/generation"),
        number("/status/observedGeneration"),
    );
    wanted.zip(seen).is_none_or(|(wanted, seen)| seen >= wanted)
}

#[cfg(test)]
mod tests;
