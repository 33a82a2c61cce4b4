//! The command line: users' commands, `serve` for each part, and `up` for all of them at once. Knows the parts only by their
//! `Args` and `serve`; holds no logic of theirs.

mod account;
mod api_key;
mod app;
mod appset;
mod audit;
mod backup;
mod can_i;
mod cluster;
mod cluster_secret;
mod complete;
mod connection;
mod context;
mod event;
mod explain;
mod failure;
mod flags;
mod git;
mod git_source;
mod help;
mod image;
mod integration;
mod join;
mod join_token;
mod key;
mod kind_and_name;
mod leading_flags;
mod login;
mod man;
mod moment;
mod name;
mod output;
mod pages;
mod preference;
mod preflight;
mod probe;
mod project;
mod prompt;
mod request;
mod resource;
mod role;
mod rollout;
mod run;
mod runtime;
mod sandbox;
mod saved_view;
mod search;
mod secret_input;
mod selection;
mod serve;
mod service_account;
mod session;
mod sign_in_provider;
mod status;
mod summary;
mod token;
mod top;
mod transport;
mod up;
mod user;
mod version;
mod watch;
mod webhook;
mod words;
mod workflow;

use std::process::ExitCode;

use causeway_shell::OtlpArgs;
use clap::{CommandFactory as _, FromArgMatches as _, Parser};

use crate::{
    account::AccountCommand,
    api_key::ApiKeyCommand,
    app::AppCommand,
    appset::AppsetCommand,
    audit::AuditCommand,
    backup::{BackupArgs, RestoreArgs},
    can_i::CanIArgs,
    cluster::ClusterCommand,
    complete::CompletionArgs,
    context::ContextGroup,
    event::EventCommand,
    explain::ExplainArgs,
    git::GitCommand,
    git_source::GitSourceCommand,
    image::ImageCommand,
    integration::IntegrationCommand,
    join_token::JoinTokenCommand,
    key::KeyCommand,
    login::LoginArgs,
    man::ManArgs,
    preference::PreferenceCommand,
    preflight::PreflightArgs,
    project::ProjectCommand,
    resource::ResourceCommand,
    role::RoleCommand,
    rollout::RolloutCommand,
    run::{PlatformArgs, UserArgs, With, ended, run_to_end, with_platform, with_target},
    runtime::RuntimeCommand,
    saved_view::SavedViewCommand,
    search::SearchArgs,
    service_account::ServiceAccountCommand,
    session::SessionCommand,
    sign_in_provider::SignInProviderCommand,
    summary::SummaryArgs,
    token::TokenArgs,
    top::TopArgs,
    user::UserAdminCommand,
    webhook::WebhookCommand,
    workflow::WorkflowCommand,
};

/// One control plane for every Argo CD, without an inbound port
#[derive(Parser, Debug)]
#[command(name = "causeway", version, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand, Debug)]
enum Command {
    #[command(flatten)]
    User(UserCommand),
    /// List and rotate signing keys, and create keys for parts
    Key(key::KeyArgs),
    /// Sign in with an identity provider, or as a service account with an ID token
    Login(With<LoginArgs>),
    /// Sign out and remove the session from this context
    Logout(PlatformArgs),
    Context(ContextGroup),
    Explain(ExplainArgs),
    /// Print an assertion for one RPC to a single part, valid for a minute
    #[command(long_about = token::ABOUT)]
    Token(With<TokenArgs>),
    /// Print the versions of this binary, the platform and its runtimes
    Version(PlatformArgs),
    Completion(CompletionArgs),
    Man(ManArgs),
    /// Register a runtime with a one-time token
    Join(Box<join::JoinArgs>),
    Probe(probe::ProbeArgs),
    Preflight(Box<PreflightArgs>),
    Backup(Box<BackupArgs>),
    Restore(Box<RestoreArgs>),
    /// Start one part
    #[command(subcommand)]
    Serve(Box<serve::PartCommand>),
    /// Start a platform and a runtime in one process, on a sandbox or your cluster
    Up(Box<up::UpArgs>),
    Sandbox(Box<sandbox::SandboxArgs>),
}

/// Commands that talk to a platform as a user.
#[derive(clap::Subcommand, Debug)]
enum UserCommand {
    /// List, inspect and act on applications of all runtimes
    App(UserArgs<AppCommand>),
    /// Show and manage applications on a full-screen live view
    ///
    /// '?' shows the keys.
    Top(With<TopArgs>),
    /// Show problems by cause, running operations, paused rollouts and silent runtimes
    Summary(With<SummaryArgs>),
    /// Find applications, runtimes, clusters, resources, images and commits
    Search(With<SearchArgs>),
    /// List, inspect and delete Kubernetes objects other than applications
    Resource(UserArgs<ResourceCommand>),
    /// List, inspect and control Argo Rollouts
    Rollout(UserArgs<RolloutCommand>),
    /// List application sets and the applications that they generate
    Appset(UserArgs<AppsetCommand>),
    /// List Argo CD projects, their permissions and sync windows
    Project(UserArgs<ProjectCommand>),
    /// List, inspect, control and submit Argo Workflows
    Workflow(UserArgs<WorkflowCommand>),
    /// List reported clusters, and create and remove read-only accounts in them
    Cluster(UserArgs<ClusterCommand>),
    /// List Kubernetes events of the last 24 hours
    Event(UserArgs<EventCommand>),
    /// List images and the applications that run them
    Image(UserArgs<ImageCommand>),
    /// List, create, test and delete Git integrations of runtimes
    Integration(UserArgs<IntegrationCommand>),
    /// List, create and delete folders of Applications in Git
    GitSource(UserArgs<GitSourceCommand>),
    /// Commit to Git repositories, and open and merge pull requests
    Git(UserArgs<GitCommand>),
    /// List, replay and test webhooks of runtimes
    Webhook(UserArgs<WebhookCommand>),
    /// List, export and verify the audit log
    Audit(UserArgs<AuditCommand>),
    /// List, install and revoke runtimes
    Runtime(UserArgs<RuntimeCommand>),
    /// List and revoke unused join tokens
    JoinToken(UserArgs<JoinTokenCommand>),
    /// Read and write your preferences of the web UI
    Preference(UserArgs<PreferenceCommand>),
    /// List, save and delete views of lists for the web UI
    SavedView(UserArgs<SavedViewCommand>),
    /// Check if an action is allowed, and by which rule; exit code 0 for yes, 1 for no
    CanI(With<CanIArgs>),
    /// Show your user, credential and roles
    #[command(name = "whoami")]
    WhoAmI(PlatformArgs),
    /// List and revoke sessions
    Session(UserArgs<SessionCommand>),
    /// List, create, rotate and revoke API keys
    ApiKey(UserArgs<ApiKeyCommand>),
    /// List and change users and their roles
    User(UserArgs<UserAdminCommand>),
    /// List, create and change service accounts for CI systems
    ServiceAccount(UserArgs<ServiceAccountCommand>),
    /// List and change OpenID Connect providers for sign-in
    SignInProvider(UserArgs<SignInProviderCommand>),
    /// List and change roles and their rules
    Role(UserArgs<RoleCommand>),
    /// List and create accounts; for users of the first account
    Account(UserArgs<AccountCommand>),
    /// Show the health of the platform's and the runtimes' parts; exit code 3 if one is not well
    Status(PlatformArgs),
}

#[doc(hidden)]
pub use backup::read_backup;

/// Everything that `main` does.
pub fn main() -> ExitCode {
    if let Some(code) = complete::answer(command) {
        return code;
    }
    let words = leading_flags::move_behind(&command(), std::env::args_os().collect());
    let words = kind_and_name::split(command(), words);
    let matches = match command().try_get_matches_from(&words) {
        Ok(matches) => matches,
        Err(error) => {
            return help::answer(&command(), &words, &error).unwrap_or_else(|| error.exit());
        }
    };
    flags::store(&matches);
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    match cli.command {
        Command::User(command) => run_user(command),
        Command::Key(args) => run_key(args.command),
        Command::Login(command) => command.run_with_target(LoginArgs::run),
        Command::Logout(args) => {
            with_target(&args, async |target, _| session::sign_out(target).await)
        }
        Command::Context(args) => ended(args.run(), ""),
        Command::Explain(args) => ended(args.run(), ""),
        Command::Token(command) => command.run_with_target(TokenArgs::run),
        Command::Version(args) => version::run(&args),
        Command::Completion(args) => ended(args.run(), ""),
        Command::Man(args) => ended(args.run(command()), ""),
        Command::Join(args) => run_to_end("", &OtlpArgs::default(), args.run()),
        Command::Probe(args) => run_to_end("", &OtlpArgs::default(), args.run()),
        Command::Preflight(args) => run_to_end("", &OtlpArgs::default(), args.run()),
        Command::Backup(args) => run_to_end("", &OtlpArgs::default(), args.run()),
        Command::Restore(args) => run_to_end("", &OtlpArgs::default(), args.run()),
        Command::Serve(part) => part.run(),
        Command::Up(args) => args.run(),
        Command::Sandbox(args) => args.run(),
    }
}

/// Every command, with all its flags.
#[must_use]
pub fn command() -> clap::Command {
    flags::with_common_flags(Cli::command())
}

fn run_user(command: UserCommand) -> ExitCode {
    match command {
        UserCommand::App(group) => group.run(AppCommand::run),
        UserCommand::Top(command) => command.run(TopArgs::run),
        UserCommand::Summary(command) => command.run(SummaryArgs::run),
        UserCommand::Search(command) => command.run(SearchArgs::run),
        UserCommand::Resource(group) => group.run(ResourceCommand::run),
        UserCommand::Rollout(group) => group.run(RolloutCommand::run),
        UserCommand::Appset(group) => group.run(AppsetCommand::run),
        UserCommand::Project(group) => group.run(ProjectCommand::run),
        UserCommand::Workflow(group) => group.run(WorkflowCommand::run),
        UserCommand::Cluster(group) => run_cluster(group),
        UserCommand::Event(group) => group.run(EventCommand::run),
        UserCommand::Image(group) => group.run(ImageCommand::run),
        UserCommand::GitSource(group) => group.run(GitSourceCommand::run),
        UserCommand::Integration(group) => group.run(IntegrationCommand::run),
        UserCommand::Git(group) => group.run(GitCommand::run),
        UserCommand::Webhook(group) => group.run(WebhookCommand::run),
        UserCommand::Audit(group) => run_audit(group),
        UserCommand::Runtime(group) => match group.command.without_platform(&group.platform.output)
        {
            Some(end) => ended(end, ""),
            None => group.run(RuntimeCommand::run),
        },
        UserCommand::JoinToken(group) => group.run(JoinTokenCommand::run),
        UserCommand::Preference(group) => group.run(PreferenceCommand::run),
        UserCommand::SavedView(group) => group.run(SavedViewCommand::run),
        UserCommand::CanI(command) => command.run(CanIArgs::run),
        UserCommand::WhoAmI(args) => with_platform(&args, async |connection, format| {
            session::who_am_i(&connection, format).await
        }),
        UserCommand::Session(group) => group.run(SessionCommand::run),
        UserCommand::ServiceAccount(group) => group.run(ServiceAccountCommand::run),
        UserCommand::SignInProvider(group) => group.run(SignInProviderCommand::run),
        UserCommand::ApiKey(group) => group.run(ApiKeyCommand::run),
        UserCommand::User(group) => group.run(UserAdminCommand::run),
        UserCommand::Role(group) => group.run(RoleCommand::run),
        UserCommand::Account(group) => group.run(AccountCommand::run),
        UserCommand::Status(args) => with_platform(&args, async |connection, format| {
            status::run(&connection, format).await
        }),
    }
}

fn run_cluster(args: UserArgs<ClusterCommand>) -> ExitCode {
    let UserArgs { platform, command } = args;
    match command {
        ClusterCommand::Add(args) => run_to_end("", &platform.otlp, args.run()),
        ClusterCommand::Remove(args) => run_to_end("", &platform.otlp, args.run()),
        command @ (ClusterCommand::List(_) | ClusterCommand::Get(_) | ClusterCommand::Check(_)) => {
            UserArgs { platform, command }.run(ClusterCommand::run)
        }
    }
}

fn run_audit(args: UserArgs<AuditCommand>) -> ExitCode {
    if let Some(done) = args.command.without_platform() {
        return run_to_end("", &args.platform.otlp, async { done });
    }
    let memory = args.platform.context.sibling_file("audit.json");
    with_platform(&args.platform, async |connection, format| {
        args.command.run(&connection, format, memory).await
    })
}

fn run_key(command: KeyCommand) -> ExitCode {
    match command {
        KeyCommand::List(args) => with_platform(&args, async |connection, format| {
            key::list(&connection, format).await
        }),
        KeyCommand::Rotate(args) => with_platform(&args.platform, async |connection, format| {
            args.confirm()?;
            if args.sign_in {
                key::rotate_sealing(&connection, args.at_once, format).await
            } else {
                key::rotate(&connection, args.at_once, format).await
            }
        }),
        KeyCommand::Issue(args) => run_to_end("", &OtlpArgs::default(), async { args.run() }),
        KeyCommand::Keep(args) => args.run(),
    }
}

#[cfg(test)]
mod tests;
