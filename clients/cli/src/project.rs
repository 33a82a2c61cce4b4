//! `causeway project …`: Argo CD's projects, and when they let applications be synced.

mod print;
mod window;

use serde_json::{Value, json};

use self::print::Projects;
use crate::{
    connection::Connection,
    output::{self, Format},
    resource::{ListedOfKindArgs, NameArgs, describe_one, manifests::Described},
};

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
            Self::List(args) => args.run_described::<Projects>(connection, format).await,
            Self::Get(args) => {
                let project = describe_one::<Projects>(connection, &args).await?;
                if format == Format::Table {
                    return output::line(print::details(&project));
                }
                output::value(&document(&project)?, format)
            }
            Self::Windows(args) => {
                let project = describe_one::<Projects>(connection, &args).await?;
                if format == Format::Table {
                    return print::windows(&project).print();
                }
                output::value(&json!({"windows": windows(&project)}), format)
            }
        }
    }
}

fn document(project: &Described) -> anyhow::Result<Value> {
    Ok(json!({
        "resource": output::to_json(&project.resource)?,
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
