//! `causeway app set --commit`: the change is made in Git, where it stands.

use anyhow::bail;
use causeway_proto::{git::v1 as git, inventory::v1 as pb};
use serde_json::{Value, json};

use super::SetArgs;
use crate::{
    app::{bulk, find},
    connection::Connection,
    failure,
    git::show_difference,
    output::{self, Format},
    request,
};

/// One request has at most so many edits.
const MOST_EDITS: usize = 200;

/// Flags of a change that is made in Git.
#[derive(clap::Args, Debug, Clone)]
#[command(next_help_heading = "Commit")]
pub(super) struct CommitArgs {
    /// Commit the change to Git, where it stands; the difference is shown first
    #[arg(long, conflicts_with = "force")]
    pub(super) commit: bool,
    /// Name of the integration; not needed if only one has the repository under its URL
    #[arg(long, value_name = "NAME", requires = "commit")]
    integration: Option<String>,
    /// File to change, if it is not found: a values file, a kustomization or the manifest of the application
    #[arg(long, value_name = "PATH", requires = "commit")]
    file: Option<String>,
    /// Branch to commit to; by default the one that the source follows
    #[arg(long, value_name = "BRANCH", requires = "commit")]
    branch: Option<String>,
    /// Commit message
    #[arg(short, long, value_name = "TEXT", requires = "commit")]
    message: Option<String>,
}

/// The edits of one branch, of all applications.
struct Change {
    runtime: String,
    planned: git::PlannedChange,
    applications: Vec<String>,
}

/// What became of a change.
enum Outcome {
    DryRun,
    Committed(git::CommitChangeResponse),
    Failed(anyhow::Error),
}

pub(super) async fn run(
    connection: &Connection,
    args: &SetArgs,
    format: Format,
) -> anyhow::Result<()> {
    let targets = args.targets.find(connection).await?;
    if targets.is_empty() {
        return Err(bulk::no_match().into());
    }
    let message = args.message(&targets);
    let changes = plan(connection, args, targets).await?;
    if format == Format::Table {
        for change in &changes {
            let git::PlannedChange {
                branch, repository, ..
            } = &change.planned;
            output::note(format!("{branch} of {repository}:"));
            show_difference(&change.planned.files)?;
        }
    }
    if changes.is_empty() {
        output::note("Git has it so already: there is nothing to commit");
    } else if !args.dry_run {
        args.targets.confirm.confirm(&question(&changes))?;
    }
    let outcomes = if args.dry_run {
        let changes = changes.into_iter();
        changes.map(|change| (change, Outcome::DryRun)).collect()
    } else {
        commit(connection, args, (changes, &message)).await?
    };
    print(outcomes, format)
}

/// Plans all changes before any is made. Changes of one branch are one.
async fn plan(
    connection: &Connection,
    args: &SetArgs,
    targets: Vec<pb::Application>,
) -> anyhow::Result<Vec<Change>> {
    let plan = async |target: &pb::Application| {
        let request = args.plan_request(target);
        let planned = connection.commits().plan_source_change(request).await?;
        Ok(planned.into_inner().changes)
    };
    let many = targets.len() > 1;
    let mut changes = Vec::new();
    for (target, planned) in bulk::run_each(targets, &args.targets, plan).await? {
        let name = find::full_name(&target);
        let planned = match planned {
            Ok(planned) => planned,
            Err(error) if many => return Err(error.context(name)),
            Err(error) => return Err(error),
        };
        for change in planned {
            join(&mut changes, (&target.runtime, &name), change);
        }
    }
    for change in &mut changes {
        show_together(connection, change).await?;
    }
    Ok(changes)
}

fn join(changes: &mut Vec<Change>, (runtime, name): (&str, &str), planned: git::PlannedChange) {
    let place = |it: &git::PlannedChange| (it.repository.clone(), it.branch.clone());
    let same = |it: &&mut Change| place(&it.planned) == place(&planned);
    let Some(change) = changes.iter_mut().find(same) else {
        changes.push(Change {
            runtime: runtime.to_owned(),
            planned,
            applications: vec![name.to_owned()],
        });
        return;
    };
    // Applications that share a values file ask for the same edit.
    for edit in planned.edits {
        if !change.planned.edits.contains(&edit) {
            change.planned.edits.push(edit);
        }
    }
    change.applications.push(name.to_owned());
}

/// The difference of all edits of a branch, as one.
async fn show_together(connection: &Connection, change: &mut Change) -> anyhow::Result<()> {
    let planned = &mut change.planned;
    let number = planned.edits.len();
    if number > MOST_EDITS {
        let branch = &planned.branch;
        bail!(
            "{number} edits of {branch}: at most {MOST_EDITS} in one commit, so select fewer applications"
        );
    }
    if change.applications.len() > 1 {
        let request = git::PreviewChangeRequest {
            runtime: change.runtime.clone(),
            integration: planned.integration.clone(),
            repository: planned.repository.clone(),
            branch: planned.branch.clone(),
            edits: planned.edits.clone(),
        };
        let shown = connection.commits().preview_change(request).await?;
        planned.files = shown.into_inner().files;
    }
    Ok(())
}

fn question(changes: &[Change]) -> String {
    match changes {
        [only] => {
            let git::PlannedChange {
                branch, repository, ..
            } = &only.planned;
            format!("Commit this to {branch} of {repository}?")
        }
        several => format!("Commit this to {} branches?", several.len()),
    }
}

async fn commit(
    connection: &Connection,
    args: &SetArgs,
    (changes, message): (Vec<Change>, &str),
) -> anyhow::Result<Vec<(Change, Outcome)>> {
    let many = args.targets.may_be_many() || changes.len() > 1;
    let requests = args.ids.for_many(many)?;
    let mut outcomes = Vec::new();
    for change in changes {
        let planned = &change.planned;
        let request = git::CommitChangeRequest {
            runtime: change.runtime.clone(),
            integration: planned.integration.clone(),
            request_id: requests.request_id(&format!("{} {}", planned.repository, planned.branch)),
            repository: planned.repository.clone(),
            branch: planned.branch.clone(),
            message: message.to_owned(),
            edits: planned.edits.clone(),
        };
        let call = async || connection.commits().commit_change(request.clone()).await;
        let outcome = match request::send(&requests.retry_command(), call).await {
            Ok(committed) => Outcome::Committed(committed),
            Err(error) => Outcome::Failed(error),
        };
        outcomes.push((change, outcome));
    }
    Ok(outcomes)
}

fn print(mut outcomes: Vec<(Change, Outcome)>, format: Format) -> anyhow::Result<()> {
    if let [(_, Outcome::Failed(_))] = outcomes.as_slice()
        && let Some((_, Outcome::Failed(error))) = outcomes.pop()
    {
        return Err(error);
    }
    if format == Format::Table {
        for (change, outcome) in &outcomes {
            let git::PlannedChange {
                branch, repository, ..
            } = &change.planned;
            match outcome {
                Outcome::Committed(done) => {
                    output::line(format!(
                        "committed {} to {branch} of {repository}",
                        done.commit
                    ))?;
                }
                Outcome::Failed(error) => {
                    let line = failure::line(error, "the address of this context");
                    output::note(format!("{branch} of {repository}: {line}"));
                }
                Outcome::DryRun => {}
            }
        }
    } else {
        let documents = outcomes.iter().map(document);
        let documents = documents.collect::<anyhow::Result<Vec<_>>>()?;
        output::value(&json!({ "changes": documents }), format)?;
    }
    let failed = |(_, outcome): &&(Change, Outcome)| matches!(outcome, Outcome::Failed(_));
    match outcomes.iter().filter(failed).count() {
        0 => Ok(()),
        failed => bail!("{failed} of {} commits failed", outcomes.len()),
    }
}

fn document((change, outcome): &(Change, Outcome)) -> anyhow::Result<Value> {
    let mut document = output::to_json(&change.planned)?;
    document["runtime"] = json!(change.runtime);
    document["applications"] = json!(change.applications);
    match outcome {
        Outcome::DryRun => document["dryRun"] = json!(true),
        Outcome::Committed(done) => {
            document["commit"] = json!(done.commit);
            document["requestId"] = json!(done.request_id);
            document["repeatedRequest"] = json!(done.repeated_request);
        }
        Outcome::Failed(error) => {
            document["error"] = json!(failure::line(error, "the address of this context"));
        }
    }
    Ok(document)
}

impl SetArgs {
    fn plan_request(&self, target: &pb::Application) -> git::PlanSourceChangeRequest {
        let text = |value: &Option<String>| value.clone().unwrap_or_default();
        git::PlanSourceChangeRequest {
            runtime: target.runtime.clone(),
            namespace: target.namespace.clone(),
            name: target.name.clone(),
            change: Some(self.request(target, String::new())),
            integration: text(&self.commit.integration),
            file: text(&self.commit.file),
            branch: text(&self.commit.branch),
        }
    }

    /// The message, by default the names of what is set; values may be secrets.
    fn message(&self, targets: &[pb::Application]) -> String {
        if let Some(message) = &self.commit.message {
            return message.clone();
        }
        let names = self.source.names().join(", ");
        match targets {
            [only] => format!("Set {names} of {}", only.name),
            several => format!("Set {names} of {} applications", several.len()),
        }
    }
}
