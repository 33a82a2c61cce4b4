//! `causeway app delete`.

use anyhow::bail;
use causeway_proto::{inventory::v1 as pb, proxy::v1 as proxy};
use tokio::time::Instant;

use super::{
    bulk::{self, CallText, Confirmation, RequestIdArgs, TargetArgs},
    find, operation,
    wait::{TimeoutArgs, WaitOptions, WaitState, wait_for_each},
};
use crate::{
    connection::Connection,
    failure::Absent,
    name::stated,
    output::{self, Format},
};

const CALL_TEXT: CallText = CallText {
    one: "the deletion is accepted",
    many: "deletions are accepted",
    dry_run: false,
};

#[derive(clap::Args, Debug, Clone)]
pub(crate) struct DeleteArgs {
    #[command(flatten)]
    targets: TargetArgs,
    /// How the deployed resources are deleted
    #[arg(long, value_enum, value_name = "CHOICE", default_value = "foreground")]
    cascade: Cascade,
    /// List the selected applications without deleting them
    #[arg(long, conflicts_with = "wait")]
    dry_run: bool,
    /// Wait until they are deleted
    #[arg(long)]
    wait: bool,
    #[command(flatten)]
    timeout: TimeoutArgs,
    /// UID of the application; by default the one that exists now
    ///
    /// Protects an application that was created with the same name.
    #[arg(long, value_name = "UID", value_parser = stated, requires = "names")]
    uid: Option<String>,
    #[command(flatten)]
    ids: RequestIdArgs,
}

#[derive(clap::ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
enum Cascade {
    /// Delete the resources and their dependents, then the application
    #[value(alias = "true")]
    Foreground,
    /// Delete the resources; dependents follow in the background
    Background,
    /// It stays
    #[value(alias = "false")]
    Orphan,
}

pub(super) async fn run(
    connection: &Connection,
    args: &DeleteArgs,
    format: Format,
) -> anyhow::Result<()> {
    if args.uid.is_some() && args.targets.may_be_many() {
        bail!("--uid is of one application: name one alone");
    }
    let what = match args.cascade {
        Cascade::Foreground | Cascade::Background => "Delete with all that it deployed:",
        Cascade::Orphan => "Delete, and leave what it deployed:",
    };
    if args.dry_run {
        return bulk::print_plan(connection, &args.targets, what, format).await;
    }
    let targets =
        bulk::confirm_targets(connection, &args.targets, what, Confirmation::Always).await;
    let targets = match targets {
        // A repeated deletion may find it deleted; the runtime recognises its UID.
        Err(error) if error.is::<Absent>() => vec![args.deleted_target().ok_or(error)?],
        targets => targets?,
    };
    let targets: Vec<_> = targets.into_iter().map(|it| args.with_uid(it)).collect();
    let requests = args.ids.for_many(args.targets.may_be_many())?;
    let began = Instant::now();
    let answers = bulk::run_each(targets, &args.targets, async |target| {
        let id = requests.request_id(&find::full_name(target));
        let request = args.request(target, &id);
        let call = async || {
            connection
                .actions()
                .delete_application(request.clone())
                .await
        };
        bulk::send(&retry_command(target, &request), call).await
    });
    let answers = answers.await?;
    if !args.wait {
        return bulk::print_responses(CALL_TEXT, answers, began, format);
    }
    let (mut going, mut results) = (Vec::new(), Vec::new());
    for (target, answer) in answers {
        match answer {
            Ok(_) => going.push(target),
            Err(error) => results.push((target, Err(error))),
        }
    }
    if !going.is_empty() {
        let wanted = WaitOptions {
            targets: going,
            view: pb::ApplicationView::Basic,
            timeout: args.timeout,
            format,
        };
        let accepted = wanted.targets.clone();
        match wait_for_each(connection, wanted, judge).await {
            Ok(gone) => results.extend(gone),
            Err(error) if operation::is_denied(&error) => {
                operation::note_denied(&error);
                results.extend(accepted.into_iter().map(|target| (target, Ok(None))));
                return bulk::print_responses(CALL_TEXT, as_accepted(results), began, format);
            }
            Err(error) => return Err(error),
        }
    }
    if let (Format::Table, [(target, Ok(_))]) = (format, results.as_slice()) {
        output::line(format!("{}: the application has gone", target.name))?;
    }
    bulk::print_summary("have gone", results, began, format)
}

/// Returns the results of deletions whose end cannot be watched.
fn as_accepted(
    results: bulk::Results<Option<pb::Application>>,
) -> bulk::Results<proxy::DeleteApplicationResponse> {
    bulk::map_results(results, |_| proxy::DeleteApplicationResponse::default())
}

fn judge(target: &pb::Application, now: Option<&pb::Application>) -> WaitState {
    match now {
        // A new application of the same name.
        Some(now) if now.uid != target.uid => WaitState::Reached,
        None => WaitState::Reached,
        Some(_) => WaitState::Waiting("is being deleted".to_owned()),
    }
}

/// Returns the command that repeats a deletion of this very application.
fn retry_command(target: &pb::Application, request: &proxy::DeleteApplicationRequest) -> String {
    format!(
        "the same command for {} alone with --uid {} --request-id {}",
        find::full_name(target),
        request.uid,
        request.request_id
    )
}

impl DeleteArgs {
    /// Returns the application that a repeated deletion names by full name and UID.
    fn deleted_target(&self) -> Option<pb::Application> {
        let (name, uid) = (self.targets.full_name()?, self.uid.clone()?);
        Some(pb::Application {
            runtime: name.runtime,
            namespace: name.namespace,
            name: name.name,
            uid,
            ..pb::Application::default()
        })
    }

    /// Sets the UID that the user passed: another application may have the name by now.
    fn with_uid(&self, found: pb::Application) -> pb::Application {
        let uid = self.uid.clone().unwrap_or_else(|| found.uid.clone());
        pb::Application { uid, ..found }
    }

    fn request(&self, target: &pb::Application, id: &str) -> proxy::DeleteApplicationRequest {
        let cascade = match self.cascade {
            Cascade::Foreground => proxy::DeletionCascade::Foreground,
            Cascade::Background => proxy::DeletionCascade::Background,
            Cascade::Orphan => proxy::DeletionCascade::Orphan,
        };
        proxy::DeleteApplicationRequest {
            runtime: target.runtime.clone(),
            namespace: target.namespace.clone(),
            name: target.name.clone(),
            request_id: id.to_owned(),
            cascade: cascade.into(),
            uid: target.uid.clone(),
        }
    }
}

#[cfg(test)]
mod tests;
