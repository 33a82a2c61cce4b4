//! `causeway workflow wait`: follows a workflow to its end.

use std::time::Duration;

use anyhow::{Context as _, bail};
use causeway_proto::inventory::v1::{self as pb, watch_resources_response::Event};

use super::{WORKFLOWS, print};
use crate::{
    app::Late,
    connection::Connection,
    failure::Unsuccessful,
    output::{self, Format},
    resource::{self, NameArgs, find, watch},
    watch::Next,
};

/// A workflow to follow.
#[derive(clap::Args, Debug)]
pub(crate) struct WaitArgs {
    #[command(flatten)]
    name: NameArgs,
    /// How long to wait, for example 5m; 0s for as long as it takes
    #[arg(short, long, value_name = "TIME", default_value = "0s")]
    timeout: humantime::Duration,
}

/// How a workflow ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Succeeded,
    Failed,
}

/// Exit code 0 where it succeeded, 3 where it did not, 5 for neither in time.
pub(super) async fn run(
    connection: &Connection,
    args: &WaitArgs,
    format: Format,
) -> anyhow::Result<()> {
    let meant = find::meant(connection, WORKFLOWS, &args.name).await?;
    let name = meant.name.clone();
    let ending = until_its_end(connection, meant, format);
    let timeout = Duration::from(args.timeout);
    let end = match timeout.is_zero() {
        true => ending.await?,
        false => tokio::time::timeout(timeout, ending)
            .await
            .map_err(|_| late(&name, args.timeout))??,
    };
    match end {
        End::Succeeded => Ok(()),
        End::Failed => Err(Unsuccessful.into()),
    }
}

fn late(name: &str, timeout: humantime::Duration) -> Late {
    Late(format!(
        "the workflow is not at its end after {timeout}; see 'causeway workflow get {name}'"
    ))
}

async fn until_its_end(
    connection: &Connection,
    meant: pb::LiveResource,
    format: Format,
) -> anyhow::Result<End> {
    let (mut shown, mut last) = (String::new(), None);
    let view = pb::ResourceView::Basic;
    let filter = find::exactly(meant);
    watch::follow_until(connection, filter, view, |response| match &response.event {
        Some(Event::Updated(resource)) => {
            let line = print::line(resource);
            if line != shown {
                show(resource, &line, format)?;
                shown = line;
            }
            last = end(&print::phase(resource));
            Ok(last.map_or(Next::Continue, |_| Next::Stop))
        }
        Some(Event::Deleted(_)) => bail!("the workflow is gone"),
        Some(Event::Bookmark(_)) | None => Ok(Next::Continue),
    })
    .await?;
    last.context("the watch ended before the workflow did")
}

fn show(resource: &pb::LiveResource, line: &str, format: Format) -> anyhow::Result<()> {
    match format {
        Format::Table => output::line(line),
        Format::Json | Format::Yaml => resource::document(resource, format),
    }
}

/// How a workflow in this phase ended; nothing where it has not.
fn end(phase: &str) -> Option<End> {
    match phase {
        "Succeeded" => Some(End::Succeeded),
        "Failed" | "Error" => Some(End::Failed),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use causeway_proto::inventory::v1::live_resource::Detail;

    use super::*;

    #[test]
    fn a_workflow_has_ended_in_its_last_phases_alone() {
        for (phase, expected) in [
            ("Succeeded", Some(End::Succeeded)),
            ("Failed", Some(End::Failed)),
            ("Error", Some(End::Failed)),
            ("Running", None),
            ("Pending", None),
            ("", None),
        ] {
            assert_eq!(end(phase), expected, "{phase}");
        }
    }

    #[test]
    fn what_is_waited_for_is_told_as_it_changes_and_lateness_names_the_next_step() {
        let workflow = pb::Workflow {
            phase: "Running".to_owned(),
            progress: "1/3".to_owned(),
            message: "waits\nfor a node".to_owned(),
            ..pb::Workflow::default()
        };
        let resource = pb::LiveResource {
            detail: Some(Detail::Workflow(workflow)),
            ..pb::LiveResource::default()
        };
        assert_eq!(print::line(&resource), "Running 1/3 - waits");
        let late = anyhow::Error::from(late("build-x", "5s".parse().unwrap()));
        assert!(
            late.to_string()
                .ends_with("'causeway workflow get build-x'")
        );
    }
}
