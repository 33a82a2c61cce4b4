//! `causeway user …`.

mod identity;

use causeway_proto::{ids::RequestId, platform::v1 as pb};

use self::identity::IdentityCommand;
use crate::{
    connection::Connection,
    output::{self, Cell, Columns, Format, Headings},
    pages, words,
};

const PAGE: u32 = 500;

#[derive(clap::Subcommand, Debug)]
pub(crate) enum UserAdminCommand {
    /// List the users of the account
    #[command(visible_alias = "ls")]
    List,
    /// Show one user
    Get(NameArgs),
    /// Make a user; a credential comes from 'causeway api-key create --user'
    Create {
        #[command(flatten)]
        user: NameArgs,
        /// What people call it
        #[arg(long, value_name = "NAME")]
        display_name: Option<String>,
        /// A role that it will hold; may be given again
        #[arg(long = "role", value_name = "ROLE")]
        roles: Vec<String>,
    },
    /// Give a user these roles in the place of those that it holds
    SetRoles {
        #[command(flatten)]
        user: NameArgs,
        /// All roles that it will hold; none takes all away
        #[arg(value_name = "ROLE")]
        roles: Vec<String>,
    },
    /// End what a user may do, and its API keys for good
    Disable(NameArgs),
    /// Let a disabled user in again; its former API keys stay revoked
    Enable(NameArgs),
    /// Remove a user for good; its name is never given to another one
    Delete(NameArgs),
    /// Say which persons of identity providers users are
    #[command(flatten)]
    Identity(IdentityCommand),
}

/// Which user.
#[derive(clap::Args, Debug)]
pub(crate) struct NameArgs {
    /// The user
    #[arg(value_name = "USER")]
    user: String,
}

fn request_id() -> String {
    RequestId::generate().to_string()
}

impl UserAdminCommand {
    pub(crate) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        let mut users = connection.users();
        let changed = match self {
            Self::List => return list(connection, format).await,
            Self::Identity(command) => return command.run(connection, format).await,
            Self::Delete(NameArgs { user }) => {
                let request = pb::DeleteUserRequest {
                    user: user.clone(),
                    request_id: request_id(),
                };
                users.delete_user(request).await?;
                return output::line(format!("{user}: deleted"));
            }
            Self::Get(NameArgs { user }) => {
                let request = pb::GetUserRequest { user };
                users.get_user(request).await?.into_inner().user
            }
            Self::Create {
                user: NameArgs { user },
                display_name,
                roles,
            } => {
                let request = pb::CreateUserRequest {
                    user,
                    display_name: display_name.unwrap_or_default(),
                    roles,
                    request_id: request_id(),
                };
                users.create_user(request).await?.into_inner().user
            }
            Self::SetRoles {
                user: NameArgs { user },
                roles,
            } => {
                let request = pb::SetUserRolesRequest {
                    user,
                    roles,
                    request_id: request_id(),
                };
                users.set_user_roles(request).await?.into_inner().user
            }
            Self::Disable(NameArgs { user }) => {
                let request = pb::DisableUserRequest {
                    user,
                    request_id: request_id(),
                };
                users.disable_user(request).await?.into_inner().user
            }
            Self::Enable(NameArgs { user }) => {
                let request = pb::EnableUserRequest {
                    user,
                    request_id: request_id(),
                };
                users.enable_user(request).await?.into_inner().user
            }
        };
        output::one::<Users>(changed, format)
    }
}

async fn list(connection: &Connection, format: Format) -> anyhow::Result<()> {
    let mut client = connection.users();
    let users = pages::read_all(async |page_token| {
        let page_size = PAGE;
        let request = pb::ListUsersRequest {
            page_size,
            page_token,
        };
        client.list_users(request).await
    });
    output::list::<Users>(users.await?, format)
}

struct Users;

impl Columns for Users {
    type Item = pb::User;
    const HEADINGS: Headings = &["USER", "NAME", "ROLES", "STATE", "CREATED"];

    fn cells(user: &pb::User) -> Vec<Cell> {
        vec![
            Cell::new(&user.user),
            Cell::new(&user.display_name),
            Cell::new(words::or_dash(&user.roles.join(", "))),
            Cell::state(words::enabled(user.disabled_at.as_ref())),
            Cell::new(words::ago(user.created_at.as_ref())),
        ]
    }
}
