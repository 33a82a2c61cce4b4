//! `causeway git commit`.

use causeway_proto::git::v1 as pb;
use owo_colors::OwoColorize as _;

use super::edit::EditArgs;
use crate::{
    connection::Connection,
    integration::repository_url,
    output::{self, Format},
    request::{self, RequestIdArgs},
    resource::runtime_of,
};

/// Commit edits of files to a branch, without a checkout
///
/// The runtime makes one commit and pushes it; nothing is force-pushed. The author is you. A value that is not as expected, or
/// another conflict, refuses the whole change. The same command with the same --request-id commits once.
#[derive(clap::Args, Debug)]
pub(crate) struct CommitArgs {
    /// URL of the repository, or its path under the URL of the integration
    #[arg(value_name = "REPOSITORY")]
    repository: String,
    /// Name of the integration
    #[arg(short, long, value_name = "NAME")]
    integration: String,
    /// Branch, which must exist
    #[arg(short, long, value_name = "BRANCH")]
    branch: String,
    /// Commit message
    #[arg(short, long, value_name = "TEXT", required_unless_present = "dry_run")]
    message: Option<String>,
    /// Show the difference and commit nothing
    #[arg(long)]
    dry_run: bool,
    /// Name of the runtime; not needed if there is only one
    #[arg(
        long,
        value_name = "RUNTIME",
        default_value = "",
        hide_default_value = true
    )]
    runtime: String,
    #[command(flatten)]
    edits: EditArgs,
    #[command(flatten)]
    ids: RequestIdArgs,
}

impl CommitArgs {
    pub(super) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        let edits = self.edits.read()?;
        let runtime = runtime_of(connection, self.runtime).await?;
        let repository =
            repository_url(connection, (&runtime, &self.integration), self.repository).await?;
        if self.dry_run {
            let request = pb::PreviewChangeRequest {
                runtime,
                integration: self.integration,
                repository,
                branch: self.branch,
                edits,
            };
            return preview(connection, request, format).await;
        }
        let requests = self.ids.for_one()?;
        let request = pb::CommitChangeRequest {
            runtime,
            integration: self.integration,
            request_id: requests.request_id(&repository),
            repository,
            branch: self.branch,
            message: self.message.unwrap_or_default(),
            edits,
        };
        let call = async || connection.commits().commit_change(request.clone()).await;
        let committed = request::send(&requests.retry_command(), call).await?;
        if format != Format::Table {
            return output::document(&committed, format);
        }
        let by = if committed.repeated_request {
            " by an earlier request"
        } else {
            ""
        };
        output::line(format!(
            "committed {}{by} to {} of {}",
            committed.commit, request.branch, request.repository
        ))
    }
}

async fn preview(
    connection: &Connection,
    request: pb::PreviewChangeRequest,
    format: Format,
) -> anyhow::Result<()> {
    let shown = connection.commits().preview_change(request).await?;
    let shown = shown.into_inner();
    if format != Format::Table {
        return output::document(&shown, format);
    }
    if shown.files.is_empty() {
        output::note("dry run: the change leaves every file as it is");
    }
    show_difference(&shown.files)
}

/// Prints the difference of files.
pub(crate) fn show_difference(files: &[pb::FileDiff]) -> anyhow::Result<()> {
    let mut lines = files.iter().flat_map(|file| file.diff.lines());
    lines.try_for_each(show_line)
}

/// Prints a line of a difference, in colours where a terminal shows them.
fn show_line(line: &str) -> anyhow::Result<()> {
    let is_shown = |character: &char| *character == '\t' || !character.is_control();
    let line: String = line.chars().filter(is_shown).collect();
    output::line(match line.as_bytes() {
        [b'-', b'-', b'-', ..] | [b'+', b'+', b'+', ..] => line.bold().to_string(),
        [b'@', ..] => line.cyan().to_string(),
        [b'-', ..] => line.red().to_string(),
        [b'+', ..] => line.green().to_string(),
        _ => line,
    })
}
