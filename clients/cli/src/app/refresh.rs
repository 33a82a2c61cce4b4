//! `causeway app refresh`.

use std::time::Duration;

use causeway_proto::{ids::RequestId, inventory::v1 as pb, proxy::v1 as proxy};
use tokio::time::Instant;

use super::{
    bulk::{self, CallText, Confirmation, RequestIdArgs, TargetArgs},
    find::{self, NameArgs},
    wait::{TimeoutArgs, WaitOptions, WaitState, wait_for_each},
};
use crate::{connection::Connection, output::Format, request};

/// Limit for the comparison of one application after its refresh.
const REFRESHED_WITHIN: Duration = Duration::from_secs(60);

const CALL_TEXT: CallText = CallText {
    one: "the refresh is asked for",
    many: "refreshes are asked for",
    dry_run: false,
};

#[derive(clap::Args, Debug, Clone)]
pub(crate) struct RefreshArgs {
    #[command(flatten)]
    targets: TargetArgs,
    /// Also regenerate the manifests (hard refresh)
    #[arg(long)]
    hard: bool,
    /// List the selected applications without refreshing them
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    ids: RequestIdArgs,
}

/// Flags of `app get`.
#[derive(clap::Args, Debug, Clone, Copy)]
pub(super) struct GetRefreshArgs {
    /// Refresh it from Git first, and wait until that is reported
    #[arg(long, conflicts_with = "at")]
    refresh: bool,
    /// Refresh it and regenerate its manifests first
    #[arg(long, conflicts_with_all = ["at", "refresh"])]
    hard_refresh: bool,
}

impl GetRefreshArgs {
    pub(super) fn kind(self) -> Option<proxy::RefreshKind> {
        match (self.refresh, self.hard_refresh) {
            (_, true) => Some(proxy::RefreshKind::Hard),
            (true, false) => Some(proxy::RefreshKind::Normal),
            (false, false) => None,
        }
    }
}

/// Refreshes one application and waits until the comparison is reported.
pub(super) async fn refresh_one(
    connection: &Connection,
    name: &NameArgs,
    kind: proxy::RefreshKind,
) -> anyhow::Result<()> {
    let target = find::resolve(connection, name).await?;
    let request = proxy::RefreshApplicationRequest {
        runtime: target.runtime.clone(),
        namespace: target.namespace.clone(),
        name: target.name.clone(),
        request_id: RequestId::generate().to_string(),
        kind: kind.into(),
    };
    let accepted = request::change(request, async |request| {
        connection.actions().refresh_application(request).await
    });
    // Argo CD notes the time of a comparison in whole seconds.
    let since = accepted.await?.accepted_at.map_or(0, |at| at.seconds);
    let wanted = WaitOptions {
        targets: vec![target],
        view: pb::ApplicationView::Basic,
        timeout: TimeoutArgs::with(REFRESHED_WITHIN),
        format: Format::Json,
    };
    let reached = wait_for_each(connection, wanted, |_, now| judge(since, now)).await?;
    reached.into_iter().try_for_each(|(_, done)| done.map(drop))
}

fn judge(since: i64, now: Option<&pb::Application>) -> WaitState {
    let status = now.and_then(|now| now.status.as_ref());
    let compared = status.and_then(|status| status.reconciled_at.as_ref());
    match now {
        None => WaitState::Never("it was deleted".to_owned()),
        Some(_) if compared.is_some_and(|at| at.seconds >= since) => WaitState::Reached,
        Some(_) => WaitState::Waiting("the refresh is not reported yet".to_owned()),
    }
}

pub(super) async fn run(
    connection: &Connection,
    args: &RefreshArgs,
    format: Format,
) -> anyhow::Result<()> {
    if args.dry_run {
        return bulk::print_plan(connection, &args.targets, "Refresh:", format).await;
    }
    let targets = bulk::confirm_targets(
        connection,
        &args.targets,
        "Refresh",
        Confirmation::IfSelected,
    )
    .await?;
    let kind = if args.hard {
        proxy::RefreshKind::Hard
    } else {
        proxy::RefreshKind::Normal
    };
    let began = Instant::now();
    let responses = bulk::call_each(
        targets,
        &args.targets,
        args.ids,
        async |target, request_id| {
            let request = proxy::RefreshApplicationRequest {
                runtime: target.runtime.clone(),
                namespace: target.namespace.clone(),
                name: target.name.clone(),
                request_id,
                kind: kind.into(),
            };
            connection.actions().refresh_application(request).await
        },
    );
    bulk::print_responses(CALL_TEXT, responses.await?, began, format)
}

#[cfg(test)]
mod tests {
    use prost_types::Timestamp;

    use super::*;

    #[test]
    fn a_refresh_is_over_once_a_comparison_since_it_is_reported() {
        let compared = |seconds| pb::Application {
            status: Some(pb::ApplicationStatus {
                reconciled_at: Some(Timestamp { seconds, nanos: 0 }),
                ..pb::ApplicationStatus::default()
            }),
            ..pb::Application::default()
        };
        let waiting = |state| matches!(state, WaitState::Waiting(_));
        assert!(waiting(judge(10, Some(&compared(9)))));
        assert!(waiting(judge(10, Some(&pb::Application::default()))));
        assert_eq!(judge(10, Some(&compared(10))), WaitState::Reached);
        assert!(matches!(judge(10, None), WaitState::Never(_)));
    }
}
