//! `causeway project …`: Argo CD's projects, and when they let applications be synced.

mod print;
mod window;

use serde_json::{Value, json};

use crate::{
    connection::Connection,
    output::{self, Format},
    resource::{
        ListedOfKindArgs, NameArgs,
        changes::RowFormat,
        find,
        manifests::{self, Described},
    },
};

const PROJECTS: &str = "appprojects.argoproj.io";
const RESOURCE: &str = "causeway.inventory.v1.LiveResource";

#[derive(clap::Subcommand, Debug)]
pub(crate) enum ProjectCommand {
    /// List projects
    #[command(visible_alias = "ls")]
    List(Box<ListedOfKindArgs>),
    /// Show one project with its permissions, roles and sync windows
    Get(NameArgs),
    /// Show the sync windows of one project and which are open
    Windows(NameArgs),
}

impl ProjectCommand {
    pub(crate) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        match self {
            Self::List(args) => {
                let rows = RowFormat {
                    headings: &print::HEADINGS,
                    row: print::row,
                };
                args.run_described(connection, PROJECTS, format, rows, print::list)
                    .await
            }
            Self::Get(args) => {
                let project = one(connection, &args).await?;
                if format == Format::Table {
                    return output::line(print::whole(&project));
                }
                output::value(&document(&project)?, format)
            }
            Self::Windows(args) => {
                let project = one(connection, &args).await?;
                if format == Format::Table {
                    return print::windows(&project).print();
                }
                output::value(&json!({"windows": windows(&project)}), format)
            }
        }
    }
}

async fn one(connection: &Connection, args: &NameArgs) -> anyhow::Result<Described> {
    let found = find::resolve(connection, PROJECTS, args).await?;
    manifests::one(connection, found).await
}

fn document(project: &Described) -> anyhow::Result<Value> {
    Ok(json!({
        "resource": output::to_json(RESOURCE, &project.resource)?,
        "manifest": project.manifest,
        "windows": windows(project),
    }))
}

/// Its sync windows as they are written, and whether each is open now.
fn windows(project: &Described) -> Vec<Value> {
    let now = jiff::Timestamp::now();
    let windows = project.list("/spec/syncWindows").iter();
    let windows = windows.map(|it| {
        let mut window = it.clone();
        if let Some(fields) = window.as_object_mut() {
            let active = window::is_active(it, now);
            fields.insert("active".to_owned(), json!(active));
        }
        window
    });
    windows.collect()
}
