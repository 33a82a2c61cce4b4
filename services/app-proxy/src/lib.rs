//! The part `app-proxy`: acts on applications for a user, inside the runtime. Owns the runtime's own list of what may be done
//! at all, and the promise that a request acts at most once. Never acts without a verified user, and never outside that list.

mod action;
mod config;
mod convert;
mod exec;
mod git;
mod git_source;
mod grpc;
mod kube;
mod log;
mod merge;
mod nearest;
mod outcome;
mod pods;
mod policy;
mod record;
mod resource;
mod rollout;
mod scope;
mod source;
mod stream_limiter;
mod subject;
mod sync;
mod workflow;

use std::sync::Arc;

use causeway_argocd::{Argocd, Cluster};
use causeway_client::announce_actions;
use causeway_proto::{
    git::v1::{
        commit_service_server::CommitServiceServer,
        integration_service_server::IntegrationServiceServer,
        pull_request_service_server::PullRequestServiceServer,
    },
    gitops::v1::git_source_service_server::GitSourceServiceServer,
    proxy::v1::{
        application_action_service_server::ApplicationActionServiceServer,
        exec_service_server::ExecServiceServer, log_service_server::LogServiceServer,
        resource_action_service_server::ResourceActionServiceServer,
        rollout_action_service_server::RolloutActionServiceServer,
        workflow_action_service_server::WorkflowActionServiceServer,
    },
};
use causeway_shell::{Access, Shell};
use futures::future::BoxFuture;
use tokio::net::TcpListener;

use self::{
    git::Repositories,
    git_source::GitSources,
    grpc::{git::GitHandler, git_source::GitSourceHandler},
};

pub use action::{ActionContext, Actions};
pub use config::Args;
pub use exec::Commands;
pub use git::GitArgs;
pub use grpc::{
    ExecHandler, Handler, LogHandler, ResourceHandler, rollout::RolloutHandler,
    workflow::WorkflowHandler,
};
pub use log::Logs;
pub use policy::{Action, Entry, EntryError, NotAllowed, Policy, PolicyDecision};
pub use resource::LiveResources;
pub use rollout::act::Rollouts;
pub use scope::{Requester, ScopeTarget};
pub use subject::{ResourceName, SubjectError, Subjects};
pub use workflow::act::Workflows;

/// The part's name.
pub const PART: &str = "app-proxy";
/// A message of a session has at most so many bytes.
const LARGEST_INPUT: usize = 1 << 20;

/// Serves until the shell drains.
pub fn serve(
    args: Args,
    listener: TcpListener,
    shell: Shell,
) -> BoxFuture<'static, anyhow::Result<()>> {
    Box::pin(async move {
        let part = args.runtime.part(PART)?;
        let cluster = Cluster::open(&args.kube).await?;
        let setup = Arc::new(ActionContext {
            argocd: Argocd::open(&args.argocd, &cluster)?,
            cluster,
            policy: Policy::new(args.allow),
            place: ScopeTarget {
                runtime: part.runtime.name.clone(),
                cluster: args.cluster,
            },
            namespaces: args.watch_namespaces,
            redactor: args.redaction.redactor(&part.redaction_secret()?)?,
        });
        announce_actions(&shell, part.platform(), setup.policy.actions());
        let server = shell.server(Access::from_contract(part.verifier()?));
        let actions = Actions::new(Arc::clone(&setup));
        let repositories = Repositories::open(args.git, &part, Arc::clone(&setup))?;
        let git = GitHandler::new(repositories.clone(), actions.clone());
        let actions = Handler::new(actions);
        let sources = GitSources::new(Arc::clone(&setup), args.argocd.argocd_namespace);
        let subjects = Subjects::new(setup);
        let rollouts = RolloutHandler::new(Rollouts::new(subjects.clone()));
        let logs = LogHandler::new(Logs::new(subjects.clone(), shell.clone()));
        let commands = ExecHandler::new(Commands::new(subjects.clone(), shell.clone()));
        let commands = ExecServiceServer::new(commands).max_decoding_message_size(LARGEST_INPUT);
        let workflows = WorkflowHandler::new(Workflows::new(subjects.clone()));
        let resources = ResourceHandler::new(LiveResources::new(subjects));
        let server = server.add(ApplicationActionServiceServer::new(actions));
        let server = server.add(RolloutActionServiceServer::new(rollouts));
        let server = server.add(WorkflowActionServiceServer::new(workflows));
        let server = server.add(ResourceActionServiceServer::new(resources));
        let server = server.add(LogServiceServer::new(logs));
        let server = server.add(commands);
        let server = server.add(IntegrationServiceServer::new(git.clone()));
        let server = server.add(PullRequestServiceServer::new(git.clone()));
        let server = server.add(CommitServiceServer::new(git));
        let sources = GitSourceServiceServer::new(GitSourceHandler::new(sources));
        let server = server.add(sources);
        let served = server.serve(listener).await;
        repositories.drain().await;
        served
    })
}
