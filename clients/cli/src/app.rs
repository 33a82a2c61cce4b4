//! `causeway app …`: lists, inspects and acts on applications of all runtimes.

mod actions;
mod bulk;
mod delete;
mod deployment_count;
mod deployments;
mod diff;
mod errors;
mod exec;
mod facets;
mod filter;
mod find;
mod get;
mod list;
mod logs;
mod manifests;
mod operation;
mod print;
mod refresh;
mod resource;
mod resources;
mod revision;
mod rollback;
mod set;
mod sources;
mod sync;
mod terminate;
mod timeline;
mod tree;
mod wait;
mod watch;

pub(crate) use self::{diff::lines as differences, filter::FilterArgs, get::details};

use self::find::NameArgs;
use crate::{connection::Connection, output::Format};

#[derive(clap::Subcommand, Debug)]
pub(crate) enum AppCommand {
    /// List applications
    #[command(visible_alias = "ls")]
    List(Box<list::ListArgs>),
    /// Count applications by runtime, project, health and so on
    Facets(Box<facets::FacetsArgs>),
    /// Show one application, now or at a past time
    Get(get::GetArgs),
    /// Show the resources of an application as a tree
    Tree(NameArgs),
    /// List applications, then stream their changes
    Watch(Box<watch::WatchArgs>),
    /// Sync applications and wait for the operations
    ///
    /// Exit code 3 if an operation does not succeed.
    Sync(Box<sync::SyncArgs>),
    /// Wait until applications reach the requested state
    ///
    /// Exit code 20 if they do not reach it in time.
    Wait(Box<wait::WaitArgs>),
    /// Refresh applications from Git
    Refresh(Box<refresh::RefreshArgs>),
    /// Roll back an application to a past deployment and wait for the operation
    ///
    /// Exit code 3 if the operation does not succeed.
    Rollback(rollback::RollbackArgs),
    /// Terminate running operations
    TerminateOp(Box<terminate::TerminateArgs>),
    /// Delete applications, with or without their resources
    #[command(visible_alias = "rm")]
    Delete(Box<delete::DeleteArgs>),
    /// Change source parameters or the sync policy of live applications
    ///
    /// Changes the revision, Helm parameters, Kustomize images or automated sync. Refused for applications that Git manages, unless --force is set.
    Set(Box<set::SetArgs>),
    /// Diff cluster and Git, two times, two revisions or two applications
    ///
    /// Exit code 0 without differences, 3 with differences, another one if the diff failed ('argocd app diff' returns 1 for differences).
    Diff(Box<diff::DiffArgs>),
    /// Print logs of the pods of an application
    Logs(Box<logs::LogsArgs>),
    /// Run a command in a container of an application
    ///
    /// Returns the command's exit code. Requires the permission, and a runtime that allows it.
    Exec(Box<exec::ExecArgs>),
    /// Show the manifests of an application
    Manifests(manifests::ManifestsArgs),
    /// List and run Argo CD resource actions
    #[command(subcommand)]
    Actions(actions::ActionsCommand),
    /// List the resources of an application with their states
    Resources(resources::ResourcesArgs),
    /// Inspect and delete single resources of an application
    #[command(subcommand)]
    Resource(resource::ResourceCommand),
    /// Show past states and deployments of an application, newest first
    Timeline(timeline::TimelineArgs),
    /// List finished deployments, newest first, also of deleted applications
    #[command(visible_alias = "history")]
    Deployments(Box<deployments::DeploymentsArgs>),
    /// Count ended sync operations per interval, and in the period before
    DeploymentCount(Box<deployment_count::DeploymentCountArgs>),
}

impl AppCommand {
    pub(crate) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        match self {
            Self::List(args) => list::run(connection, &args, format).await,
            Self::Facets(args) => facets::run(connection, &args, format).await,
            Self::Get(args) => get::run(connection, &args, format).await,
            Self::Tree(args) => get::tree(connection, &args, format).await,
            Self::Watch(args) => watch::run(connection, &args, format).await,
            Self::Sync(args) => sync::run(connection, &args, format).await,
            Self::Wait(args) => wait::run(connection, &args, format).await,
            Self::Refresh(args) => refresh::run(connection, &args, format).await,
            Self::Rollback(args) => rollback::run(connection, &args, format).await,
            Self::TerminateOp(args) => terminate::run(connection, &args, format).await,
            Self::Delete(args) => delete::run(connection, &args, format).await,
            Self::Set(args) => set::run(connection, &args, format).await,
            Self::Diff(args) => diff::run(connection, &args, format).await,
            Self::Logs(args) => logs::run(connection, &args, format).await,
            Self::Exec(args) => exec::run(connection, &args, format).await,
            Self::Manifests(args) => manifests::run(connection, &args, format).await,
            Self::Actions(command) => command.run(connection, format).await,
            Self::Resources(args) => resources::run(connection, &args, format).await,
            Self::Resource(command) => command.run(connection, format).await,
            Self::Timeline(args) => timeline::run(connection, &args, format).await,
            Self::Deployments(args) => deployments::run(connection, &args, format).await,
            Self::DeploymentCount(args) => deployment_count::run(connection, &args, format).await,
        }
    }
}

#[cfg(test)]
mod tests;
