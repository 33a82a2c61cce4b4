//! The logs of pods in the cluster.

use std::pin::Pin;

use futures::AsyncBufRead;
use jiff::Timestamp;
use k8s_openapi::api::core::v1::Pod;
use kube::{Api, Client, api::LogParams};

use super::{LineRange, reading::ContainerRun};

/// What a container has written, and where it is followed writes.
pub(super) async fn read(
    client: Client,
    source: &ContainerRun,
    portion: &LineRange,
) -> Result<Pin<Box<dyn AsyncBufRead + Send>>, String> {
    let since = portion.since.map(Timestamp::from_millisecond);
    let needs_times = portion.timestamps || portion.is_placed();
    let params = LogParams {
        container: Some(source.of.container.clone()),
        follow: portion.follow && !portion.previous,
        previous: portion.previous,
        timestamps: needs_times,
        since_time: since.transpose().ok().flatten(),
        tail_lines: portion.tail,
        ..LogParams::default()
    };
    let api: Api<Pod> = Api::namespaced(client, &source.of.namespace);
    match api.log_stream(&source.of.pod, &params).await {
        Ok(lines) => Ok(Box::pin(lines)),
        Err(kube::Error::Api(status)) => Err(status.message.clone()),
        Err(error) => Err(error.to_string()),
    }
}
