//! `causeway workflow wait`: follows a workflow to its end.

use super::print::{self, Workflows};
use crate::{
    connection::Connection,
    failure::Unsuccessful,
    output::Format,
    resource::{
        NameArgs, ReportedKind as _,
        completion::{self, CompletionKind},
        find,
    },
};

/// A workflow to follow.
#[derive(clap::Args, Debug)]
pub(crate) struct WaitArgs {
    #[command(flatten)]
    name: NameArgs,
    /// Maximum time to wait, for example 5m; 0s waits forever
    #[arg(short, long, value_name = "TIME", default_value = "0s")]
    timeout: humantime::Duration,
}

/// End of a workflow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Succeeded,
    Failed,
}

const KIND: CompletionKind = CompletionKind {
    name: "workflow",
    line: print::line,
    phase: print::phase,
    is_end: |phase| end(phase).is_some(),
};

/// Exit code 0 where it succeeded, 3 where it did not, 5 for neither in time.
pub(super) async fn run(
    connection: &Connection,
    args: &WaitArgs,
    format: Format,
) -> anyhow::Result<()> {
    let meant = find::resolve(connection, Workflows::RESOURCE, &args.name).await?;
    let last = completion::follow(connection, meant, &KIND, args.timeout, format).await?;
    match end(&print::phase(&last)) {
        Some(End::Succeeded) => Ok(()),
        Some(End::Failed) | None => Err(Unsuccessful.into()),
    }
}

/// Returns the end that a phase means, if any.
fn end(phase: &str) -> Option<End> {
    match phase {
        "Succeeded" => Some(End::Succeeded),
        "Failed" | "Error" => Some(End::Failed),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use causeway_proto::inventory::v1::{self as pb, live_resource::Detail};

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
    fn a_workflow_state_is_one_line() {
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
        assert_eq!((KIND.line)(&resource), "Running 1/3 - waits");
        assert!(!(KIND.is_end)(&(KIND.phase)(&resource)));
    }
}
