//! `causeway saved-view …`.

use causeway_proto::{ids::RequestId, platform::v1 as pb};

use crate::{
    connection::Connection,
    output::{self, Cell, Columns, Format, Headings},
    pages,
    prompt::ConfirmArgs,
    request, words,
};

#[derive(clap::Subcommand, Debug)]
pub(crate) enum SavedViewCommand {
    /// List your saved views of the web UI and those shared with your roles
    #[command(visible_alias = "ls")]
    List,
    /// Create or replace a saved view of yours
    Save {
        /// Name of the view
        #[arg(value_name = "NAME")]
        name: String,
        /// Query part of the page's URL, for example 'health=degraded&runtime=prod-*'
        #[arg(value_name = "QUERY")]
        query: String,
        /// The page
        #[arg(long, value_name = "PAGE", default_value = "apps")]
        page: String,
        /// Share it with this role of yours; may be given again
        #[arg(long = "role", value_name = "ROLE")]
        roles: Vec<String>,
    },
    /// Delete a saved view of yours
    Delete {
        /// Name of the view
        #[arg(value_name = "NAME")]
        name: String,
        #[command(flatten)]
        confirm: ConfirmArgs,
    },
}

impl SavedViewCommand {
    pub(crate) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        match self {
            Self::List => list(connection, format).await,
            Self::Save {
                name,
                query,
                page,
                roles,
            } => {
                let request = pb::SaveViewRequest {
                    name,
                    query,
                    page,
                    roles,
                    request_id: RequestId::generate().to_string(),
                };
                let saved = request::change(request, async |request| {
                    connection.preferences().save_view(request).await
                })
                .await?;
                let view = saved.view.unwrap_or_default();
                match format {
                    Format::Table => output::line(format!("{}: saved", view.name)),
                    Format::Json | Format::Yaml => output::document(&view, format),
                }
            }
            Self::Delete { name, confirm } => {
                confirm.confirm(&format!("Delete the view {name}?"))?;
                let request = pb::DeleteSavedViewRequest {
                    name: name.clone(),
                    request_id: RequestId::generate().to_string(),
                };
                let deleted = request::change(request, async |request| {
                    connection.preferences().delete_saved_view(request).await
                })
                .await?;
                output::show(&deleted, format, |_| {
                    output::line(format!("{name}: deleted"))
                })
            }
        }
    }
}

async fn list(connection: &Connection, format: Format) -> anyhow::Result<()> {
    let mut client = connection.preferences();
    let views = pages::read_all(async |page_token| {
        let request = pb::ListSavedViewsRequest {
            page_token,
            ..Default::default()
        };
        client.list_saved_views(request).await
    });
    output::list::<SavedViews>(views.await?, format)
}

struct SavedViews;

impl Columns for SavedViews {
    type Item = pb::SavedView;
    const HEADINGS: Headings = &["NAME", "OWNER", "PAGE", "QUERY", "ROLES", "CHANGED"];

    fn cells(view: &pb::SavedView) -> Vec<Cell> {
        vec![
            Cell::new(words::plain(&view.name)),
            Cell::new(&view.owner),
            Cell::new(&view.page),
            Cell::new(words::plain(&view.query)),
            Cell::new(words::or_dash(&view.roles.join(","))),
            Cell::new(words::ago(view.updated_at.as_ref())),
        ]
    }
}
