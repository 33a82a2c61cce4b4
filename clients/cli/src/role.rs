//! `causeway role …`.

mod rule;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use causeway_proto::{ids::RequestId, platform::v1 as pb};
use prost_reflect::DynamicMessage;

pub(crate) use self::rule::{conditions, text};
use crate::{
    connection::Connection,
    output::{self, Cell, Columns, Format, Headings, NamedMessage as _, Table},
    pages,
    prompt::ConfirmArgs,
    request,
};

#[derive(clap::Subcommand, Debug)]
pub(crate) enum RoleCommand {
    /// List roles
    #[command(visible_alias = "ls")]
    List,
    /// Show the rules of a role; with -o yaml in the form that --file reads
    Get {
        /// The role
        #[arg(value_name = "ROLE")]
        role: String,
    },
    /// Create a role
    Create(RulesArgs),
    /// Replace the rules of a role
    Update(RulesArgs),
    /// Delete a role that no user and no API key has
    Delete {
        /// The role
        #[arg(value_name = "ROLE")]
        role: String,
        #[command(flatten)]
        confirm: ConfirmArgs,
    },
}

/// A role and its rules.
#[derive(clap::Args, Debug)]
pub(crate) struct RulesArgs {
    /// The role
    #[arg(value_name = "ROLE")]
    role: String,
    /// Description
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Rule: ACTIONS ENTITIES [FIELD=PATTERNS]… (repeatable)
    ///
    /// For example 'get,sync application project=shop,team-* label:tier=web'. Fields: runtime, cluster, project, namespace, name,
    /// label:KEY, product, environment. '*' and '?' are wildcards in patterns; '* *' allows everything.
    #[arg(long = "rule", value_name = "RULE", value_parser = rule::parse)]
    rules: Vec<pb::Rule>,
    /// File with the role, as 'role get -o yaml' prints it
    #[arg(long, value_name = "FILE", conflicts_with = "rules")]
    file: Option<PathBuf>,
}

impl RoleCommand {
    pub(crate) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        match self {
            Self::List => list(connection, format).await,
            Self::Get { role } => {
                let request = pb::GetRoleRequest { name: role };
                let response = connection.roles().get_role(request).await?;
                show(response.into_inner().role, format)
            }
            Self::Create(args) => create(connection, args, format).await,
            Self::Update(args) => update(connection, args, format).await,
            Self::Delete { role, confirm } => {
                confirm.confirm(&format!("Delete the role {role}?"))?;
                delete(connection, role, format).await
            }
        }
    }
}

impl RulesArgs {
    /// Returns the description and the rules.
    fn read(&self) -> anyhow::Result<(String, Vec<pb::Rule>)> {
        let role = match &self.file {
            Some(file) => read(file).with_context(|| format!("--file {}", file.display()))?,
            None if self.rules.is_empty() => {
                bail!("a role without rules allows nothing: give --rule or --file")
            }
            None => pb::Role {
                rules: self.rules.clone(),
                ..pb::Role::default()
            },
        };
        let description = self.description.clone();
        Ok((description.unwrap_or(role.description), role.rules))
    }
}

fn read(file: &Path) -> anyhow::Result<pb::Role> {
    let text = std::fs::read_to_string(file).context("cannot read it")?;
    let value: serde_json::Value =
        serde_saphyr::from_str(&text).context("it is neither YAML nor JSON")?;
    let pool = causeway_proto::descriptor_pool();
    let descriptor = pool
        .get_message_by_name(pb::Role::NAME)
        .context("the contract has no role")?;
    let role = DynamicMessage::deserialize(descriptor, value);
    let role = role.context("it is no role; see 'causeway role get viewer -o yaml'")?;
    role.transcode_to().context("reading the role")
}

async fn list(connection: &Connection, format: Format) -> anyhow::Result<()> {
    let mut client = connection.roles();
    let roles = pages::read_all(async |page_token| {
        let request = pb::ListRolesRequest {
            page_token,
            ..Default::default()
        };
        client.list_roles(request).await
    });
    output::list::<Roles>(roles.await?, format)
}

struct Roles;

impl Columns for Roles {
    type Item = pb::Role;
    const HEADINGS: Headings = &["ROLE", "RULES", "KIND", "DESCRIPTION"];

    fn cells(role: &pb::Role) -> Vec<Cell> {
        vec![
            Cell::new(&role.name),
            Cell::new(role.rules.len()),
            Cell::new(if role.built_in { "built in" } else { "own" }),
            Cell::new(&role.description),
        ]
    }
}

/// Prints the rules of a role.
fn show(role: Option<pb::Role>, format: Format) -> anyhow::Result<()> {
    let role = role.unwrap_or_default();
    if format != Format::Table {
        return output::document(&role, format);
    }
    let mut table = Table::new(&["RULE", "ALLOWS"]);
    for (rule, number) in role.rules.iter().zip(1..) {
        table.row([Cell::new(number), Cell::new(text(rule))]);
    }
    table.print()
}

async fn create(connection: &Connection, args: RulesArgs, format: Format) -> anyhow::Result<()> {
    let (description, rules) = args.read()?;
    let request = pb::CreateRoleRequest {
        name: args.role,
        description,
        rules,
        request_id: RequestId::generate().to_string(),
    };
    let response = request::change(request, async |request| {
        connection.roles().create_role(request).await
    })
    .await?;
    show(response.role, format)
}

async fn update(connection: &Connection, args: RulesArgs, format: Format) -> anyhow::Result<()> {
    let (description, rules) = args.read()?;
    let request = pb::UpdateRoleRequest {
        name: args.role,
        description,
        rules,
        request_id: RequestId::generate().to_string(),
    };
    let response = request::change(request, async |request| {
        connection.roles().update_role(request).await
    })
    .await?;
    show(response.role, format)
}

async fn delete(connection: &Connection, role: String, format: Format) -> anyhow::Result<()> {
    let request = pb::DeleteRoleRequest {
        name: role.clone(),
        request_id: RequestId::generate().to_string(),
    };
    let deleted = request::change(request, async |request| {
        connection.roles().delete_role(request).await
    })
    .await?;
    output::show(&deleted, format, |_| {
        output::line(format!("{role}: deleted"))
    })
}
