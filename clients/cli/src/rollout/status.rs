//! `causeway rollout status`: follows an update to its end.

use std::time::Duration;

use anyhow::{Context as _, bail};
use causeway_proto::inventory::v1::{self as pb, watch_resources_response::Event};

use super::{ROLLOUTS, print};
use crate::{
    app::Late,
    connection::Connection,
    failure::Unsuccessful,
    output::{self, Format},
    resource::{self, NameArgs, find, watch},
    watch::Next,
};

/// A rollout to follow.
#[derive(clap::Args, Debug)]
pub(crate) struct StatusArgs {
    #[command(flatten)]
    name: NameArgs,
    /// Whether to wait for its end
    #[arg(short, long, value_name = "BOOL", num_args = 0..=1, default_value_t = true, default_missing_value = "true", action = clap::ArgAction::Set)]
    watch: bool,
    /// How long to wait, for example 5m; 0s for as long as it takes
    #[arg(short, long, value_name = "TIME", default_value = "0s")]
    timeout: humantime::Duration,
}

/// Exit code 0 for Healthy, 3 for Degraded, 5 for neither in time.
pub(super) async fn run(
    connection: &Connection,
    args: &StatusArgs,
    format: Format,
) -> anyhow::Result<()> {
    let meant = find::meant(connection, ROLLOUTS, &args.name).await?;
    if !args.watch {
        show(&meant, format)?;
        return verdict(&meant);
    }
    let ending = until_its_end(connection, &meant, format);
    let timeout = Duration::from(args.timeout);
    let last = match timeout.is_zero() {
        true => ending.await?,
        false => in_time(args.timeout, &meant.name, ending).await?,
    };
    verdict(&last)
}

async fn in_time<T>(
    timeout: humantime::Duration,
    name: &str,
    ending: impl Future<Output = anyhow::Result<T>>,
) -> anyhow::Result<T> {
    let ended = tokio::time::timeout(timeout.into(), ending).await;
    ended.map_err(|_| {
        Late(format!(
            "the rollout is not at its end after {timeout}; see 'causeway rollout get {name}'"
        ))
    })?
}

async fn until_its_end(
    connection: &Connection,
    meant: &pb::LiveResource,
    format: Format,
) -> anyhow::Result<pb::LiveResource> {
    let (mut shown, mut last) = (String::new(), None);
    let view = pb::ResourceView::Basic;
    watch::follow_until(
        connection,
        find::exactly(meant.clone()),
        view,
        |response| match &response.event {
            Some(Event::Updated(resource)) => {
                let line = line(resource);
                if line != shown {
                    show(resource, format)?;
                    shown = line;
                }
                if !is_at_its_end(resource) {
                    return Ok(Next::Continue);
                }
                last = Some(resource.clone());
                Ok(Next::Stop)
            }
            Some(Event::Deleted(_)) => bail!("the rollout is gone"),
            Some(Event::Bookmark(_)) | None => Ok(Next::Continue),
        },
    )
    .await?;
    last.context("the watch ended before the rollout did")
}

fn show(resource: &pb::LiveResource, format: Format) -> anyhow::Result<()> {
    match format {
        Format::Table => output::line(line(resource)),
        Format::Json | Format::Yaml => resource::document(resource, format),
    }
}

fn line(resource: &pb::LiveResource) -> String {
    let (phase, message) = print::phase(resource);
    match message.is_empty() {
        true => phase,
        false => format!("{phase} - {message}"),
    }
}

fn is_at_its_end(resource: &pb::LiveResource) -> bool {
    matches!(print::phase(resource).0.as_str(), "Healthy" | "Degraded")
}

fn verdict(resource: &pb::LiveResource) -> anyhow::Result<()> {
    match print::phase(resource).0.as_str() {
        "Degraded" => Err(Unsuccessful.into()),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
