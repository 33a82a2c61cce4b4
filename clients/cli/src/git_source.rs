//! `causeway git-source …`.

mod create;

use causeway_proto::gitops::v1 as pb;

use crate::{
    connection::Connection,
    output::{self, Cell, Columns, Format, Headings},
    prompt::ConfirmArgs,
    request::{self, RequestIdArgs},
    resource::{RuntimeArg, runtime_of},
    words,
};

#[derive(clap::Subcommand, Debug)]
pub(crate) enum GitSourceCommand {
    /// List the Git sources of a runtime, restricted and ordinary ones
    #[command(visible_alias = "ls")]
    List(RuntimeArg),
    /// Show a Git source
    Get(NameArgs),
    /// Create or change a restricted Git source
    Create(Box<create::CreateArgs>),
    /// Delete a restricted Git source with its Applications
    Delete {
        #[command(flatten)]
        name: NameArgs,
        #[command(flatten)]
        ids: RequestIdArgs,
        #[command(flatten)]
        confirm: ConfirmArgs,
    },
}

/// A Git source of a runtime.
#[derive(clap::Args, Debug)]
pub(crate) struct NameArgs {
    /// Name of the Git source
    #[arg(value_name = "NAME")]
    name: String,
    #[command(flatten)]
    runtime: RuntimeArg,
}

impl GitSourceCommand {
    pub(crate) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        match self {
            Self::List(args) => {
                let runtime = runtime_of(connection, args.runtime).await?;
                let request = pb::ListGitSourcesRequest { runtime };
                let listed = connection.git_sources().list_git_sources(request).await?;
                output::list::<GitSources>(listed.into_inner(), format)
            }
            Self::Get(args) => {
                let runtime = runtime_of(connection, args.runtime.runtime).await?;
                let name = args.name;
                let request = pb::GetGitSourceRequest { runtime, name };
                let found = connection.git_sources().get_git_source(request).await?;
                output::one::<GitSources>(found.into_inner().git_source, format)
            }
            Self::Create(args) => args.run(connection, format).await,
            Self::Delete { name, ids, confirm } => {
                delete(connection, (name, ids, confirm), format).await
            }
        }
    }
}

async fn delete(
    connection: &Connection,
    (args, ids, confirm): (NameArgs, RequestIdArgs, ConfirmArgs),
    format: Format,
) -> anyhow::Result<()> {
    let runtime = runtime_of(connection, args.runtime.runtime).await?;
    let name = args.name;
    confirm.confirm(&format!(
        "Delete the Git source {name} of {runtime} with its Applications?"
    ))?;
    let requests = ids.for_one()?;
    let request = pb::DeleteGitSourceRequest {
        runtime,
        name: name.clone(),
        request_id: requests.request_id(&name),
    };
    let call = async || {
        connection
            .git_sources()
            .delete_git_source(request.clone())
            .await
    };
    let deleted = request::send(&requests.retry_command(), call).await?;
    match format {
        Format::Table => output::line(format!("Git source '{name}' is being deleted")),
        Format::Json | Format::Yaml => output::document(&deleted, format),
    }
}

/// The condition that matters: a refusal, else what holds.
fn state(source: &pb::GitSource) -> (String, String) {
    let holds = |kind: &str| {
        let mut found = source.conditions.iter();
        found.find(|it| it.r#type == kind && it.holds)
    };
    let of = |kind: &str| holds(kind).map(|it| (kind.to_owned(), it.reason.clone()));
    let kinds = ["Refused", "Degraded", "Progressing", "Available"];
    let shown = kinds.into_iter().find_map(of);
    let pending = || {
        let reason = source.conditions.first().map(|it| it.reason.clone());
        ("Pending".to_owned(), reason.unwrap_or_default())
    };
    shown.unwrap_or_else(pending)
}

/// The message of the condition that matters.
fn message(source: &pb::GitSource) -> String {
    let (kind, _) = state(source);
    let mut found = source.conditions.iter();
    let found = found.find(|it| it.r#type == kind);
    found.map(|it| it.message.clone()).unwrap_or_default()
}

struct GitSources;

impl Columns for GitSources {
    type Item = pb::GitSource;
    const HEADINGS: Headings = &[
        "NAME",
        "KIND",
        "REPOSITORY",
        "PATH",
        "NAMESPACE",
        "STATE",
        "REASON",
        "CREATED",
    ];
    const WIDE: Headings = &["MESSAGE"];

    fn cells(source: &pb::GitSource) -> Vec<Cell> {
        let kind = match source.kind() {
            pb::GitSourceKind::Unspecified => "-",
            pb::GitSourceKind::Application => "application",
            pb::GitSourceKind::Restricted => "restricted",
        };
        let spec = source.spec.clone().unwrap_or_default();
        let (state, reason) = state(source);
        vec![
            Cell::new(&source.name),
            Cell::new(kind),
            Cell::new(words::plain(&spec.repository)),
            Cell::new(words::plain(&spec.path)),
            Cell::new(words::plain(&spec.source_namespace)),
            Cell::new(words::plain(&state)),
            Cell::new(words::plain(&reason)),
            Cell::new(words::ago(source.created_at.as_ref())),
            Cell::new(words::plain(&message(source))),
        ]
    }
}

#[cfg(test)]
mod tests;
