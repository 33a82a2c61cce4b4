//! `causeway git pull-request …`.

mod merge;

use anyhow::Context as _;
use causeway_proto::git::v1 as pb;

use super::edit::EditArgs;
use crate::{
    connection::Connection,
    integration::repository_url,
    output::{self, Cell, Columns, Format, Headings},
    prompt::ConfirmArgs,
    request::{self, RequestIdArgs},
    resource::runtime_of,
    words,
};

#[derive(clap::Subcommand, Debug)]
pub(crate) enum PullRequestCommand {
    Create(Box<CreateArgs>),
    /// Show a pull request
    Get(NumberArgs),
    /// List the newest pull requests of a repository
    #[command(visible_alias = "ls")]
    List {
        #[command(flatten)]
        repository: RepositoryArgs,
        /// List closed and merged ones too
        #[arg(long)]
        all: bool,
    },
    Merge(merge::MergeArgs),
    /// Close a pull request without merging it
    Close {
        #[command(flatten)]
        number: NumberArgs,
        #[command(flatten)]
        ids: RequestIdArgs,
        #[command(flatten)]
        confirm: ConfirmArgs,
    },
}

/// A repository by an integration.
#[derive(clap::Args, Debug)]
pub(crate) struct RepositoryArgs {
    /// URL of the repository, or its path under the URL of the integration
    #[arg(value_name = "REPOSITORY")]
    repository: String,
    /// Name of the integration
    #[arg(short, long, value_name = "NAME")]
    integration: String,
    /// Name of the runtime; not needed if there is only one
    #[arg(
        long,
        value_name = "RUNTIME",
        default_value = "",
        hide_default_value = true
    )]
    runtime: String,
}

/// A pull request.
#[derive(clap::Args, Debug)]
pub(crate) struct NumberArgs {
    #[command(flatten)]
    repository: RepositoryArgs,
    /// Number of the pull request
    #[arg(value_name = "NUMBER")]
    number: u64,
}

/// Commit edits to a new branch and open a pull request for it
///
/// The runtime makes one commit on a new branch below causeway/, pushes it and opens the pull request. The same command with the
/// same --request-id opens it once.
#[derive(clap::Args, Debug)]
pub(crate) struct CreateArgs {
    #[command(flatten)]
    repository: RepositoryArgs,
    /// Branch to merge into
    #[arg(short, long, value_name = "BRANCH")]
    branch: String,
    /// Title, which is the commit message too
    #[arg(short, long, value_name = "TEXT")]
    title: String,
    /// Description
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true
    )]
    description: String,
    #[command(flatten)]
    edits: EditArgs,
    #[command(flatten)]
    ids: RequestIdArgs,
}

/// A repository with its runtime, as requests name it.
#[derive(Debug, Clone)]
struct Place {
    runtime: String,
    integration: String,
    repository: String,
}

impl PullRequestCommand {
    pub(crate) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        match self {
            Self::Create(args) => args.run(connection, format).await,
            Self::Get(args) => {
                let place = args.repository.find(connection).await?;
                let found = get(connection, &place, args.number).await?;
                output::one::<PullRequests>(Some(found), format)
            }
            Self::List { repository, all } => list(connection, repository, all, format).await,
            Self::Merge(args) => args.run(connection, format).await,
            Self::Close {
                number,
                ids,
                confirm,
            } => close(connection, (number, ids, confirm), format).await,
        }
    }
}

impl RepositoryArgs {
    async fn find(self, connection: &Connection) -> anyhow::Result<Place> {
        let runtime = runtime_of(connection, self.runtime).await?;
        let integration = self.integration;
        let repository = repository_url(connection, (&runtime, &integration), self.repository);
        Ok(Place {
            repository: repository.await?,
            runtime,
            integration,
        })
    }
}

impl CreateArgs {
    async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        let edits = self.edits.read()?;
        let place = self.repository.find(connection).await?;
        let requests = self.ids.for_one()?;
        let request = pb::OpenPullRequestRequest {
            runtime: place.runtime,
            integration: place.integration,
            request_id: requests.request_id(&place.repository),
            repository: place.repository,
            base_branch: self.branch,
            title: self.title,
            description: self.description,
            edits,
        };
        let call = async || {
            let mut service = connection.pull_requests();
            service.open_pull_request(request.clone()).await
        };
        let opened = request::send(&requests.retry_command(), call).await?;
        if format != Format::Table {
            return output::document(&opened, format);
        }
        let by = if opened.repeated_request {
            " by an earlier request"
        } else {
            ""
        };
        let found = opened.pull_request.unwrap_or_default();
        output::line(format!(
            "opened pull request {}{by}: {}",
            found.number,
            words::plain(&found.url)
        ))
    }
}

async fn get(
    connection: &Connection,
    place: &Place,
    number: u64,
) -> anyhow::Result<pb::PullRequest> {
    let request = pb::GetPullRequestRequest {
        runtime: place.runtime.clone(),
        integration: place.integration.clone(),
        repository: place.repository.clone(),
        number,
    };
    let found = connection.pull_requests().get_pull_request(request).await?;
    let found = found.into_inner().pull_request;
    found.context("the answer has no pull request")
}

async fn list(
    connection: &Connection,
    repository: RepositoryArgs,
    all: bool,
    format: Format,
) -> anyhow::Result<()> {
    let place = repository.find(connection).await?;
    let request = pb::ListPullRequestsRequest {
        runtime: place.runtime,
        integration: place.integration,
        repository: place.repository,
        all,
    };
    let mut service = connection.pull_requests();
    let listed = service.list_pull_requests(request).await?.into_inner();
    if listed.truncated {
        output::note("the host has older ones, which are not listed");
    }
    output::list::<PullRequests>(listed, format)
}

async fn close(
    connection: &Connection,
    (args, ids, confirm): (NumberArgs, RequestIdArgs, ConfirmArgs),
    format: Format,
) -> anyhow::Result<()> {
    let place = args.repository.find(connection).await?;
    let number = args.number;
    confirm.confirm(&format!(
        "Close pull request {number} of {}?",
        place.repository
    ))?;
    let requests = ids.for_one()?;
    let request = pb::ClosePullRequestRequest {
        request_id: requests.request_id(&place.repository),
        runtime: place.runtime,
        integration: place.integration,
        repository: place.repository,
        number,
    };
    let call = async || {
        let mut service = connection.pull_requests();
        service.close_pull_request(request.clone()).await
    };
    let closed = request::send(&requests.retry_command(), call).await?;
    match format {
        Format::Table => output::line(format!("pull request {number} closed")),
        Format::Json | Format::Yaml => output::document(&closed, format),
    }
}

fn state_word(state: pb::PullRequestState) -> &'static str {
    match state {
        pb::PullRequestState::Unspecified => "-",
        pb::PullRequestState::Open => "open",
        pb::PullRequestState::Closed => "closed",
        pb::PullRequestState::Merged => "merged",
    }
}

/// Whether it can be merged, where that is still a question.
fn merge_word(found: &pb::PullRequest) -> String {
    if found.state() != pb::PullRequestState::Open {
        return "-".to_owned();
    }
    match found.mergeability() {
        pb::Mergeability::Unspecified | pb::Mergeability::Unknown => "unknown".to_owned(),
        pb::Mergeability::Mergeable => "yes".to_owned(),
        pb::Mergeability::Conflicting => "conflicts".to_owned(),
        pb::Mergeability::Blocked => format!("blocked: {}", words::plain(&found.blocked_reason)),
    }
}

struct PullRequests;

impl Columns for PullRequests {
    type Item = pb::PullRequest;
    const HEADINGS: Headings = &[
        "NUMBER",
        "STATE",
        "MERGEABLE",
        "BASE",
        "HEAD",
        "TITLE",
        "URL",
    ];

    fn cells(found: &pb::PullRequest) -> Vec<Cell> {
        vec![
            Cell::new(found.number),
            Cell::new(state_word(found.state())),
            Cell::new(merge_word(found)),
            Cell::new(words::plain(&found.base_branch)),
            Cell::new(words::short(&found.head).to_owned()),
            Cell::new(words::plain(&found.title)),
            Cell::new(words::plain(&found.url)),
        ]
    }
}
