//! `causeway user …`.

mod identity;

use causeway_proto::{ids::RequestId, platform::v1 as pb};

use self::identity::IdentityCommand;
use crate::{
    connection::Connection,
    output::{self, Cell, Columns, Format, Headings},
    pages,
    prompt::ConfirmArgs,
    request, words,
};

const PAGE: u32 = 500;

#[derive(clap::Subcommand, Debug)]
pub(crate) enum UserAdminCommand {
    /// List the users of the account
    #[command(visible_alias = "ls")]
    List,
    /// Show one user
    Get(NameArgs),
    /// Create a user; create its credential with 'causeway api-key create --user'
    Create {
        #[command(flatten)]
        user: NameArgs,
        /// Display name
        #[arg(long, value_name = "NAME")]
        display_name: Option<String>,
        /// Role to assign (repeatable)
        #[arg(long = "role", value_name = "ROLE")]
        roles: Vec<String>,
    },
    /// Replace the roles of a user
    SetRoles {
        #[command(flatten)]
        user: NameArgs,
        /// All roles of the user; none removes all
        #[arg(value_name = "ROLE")]
        roles: Vec<String>,
    },
    /// Disable a user and revoke its API keys
    Disable(EndArgs),
    /// Enable a disabled user; its former API keys stay revoked
    Enable(NameArgs),
    /// Delete a user, its sessions, API keys, views and linked identities
    Delete(EndArgs),
    /// Say which persons of identity providers users are
    #[command(flatten)]
    Identity(IdentityCommand),
}

/// A user.
#[derive(clap::Args, Debug)]
pub(crate) struct NameArgs {
    /// The user
    #[arg(value_name = "USER")]
    user: String,
}

/// A user to disable or delete.
#[derive(clap::Args, Debug)]
pub(crate) struct EndArgs {
    #[command(flatten)]
    user: NameArgs,
    #[command(flatten)]
    confirm: ConfirmArgs,
}

impl EndArgs {
    /// Returns the user after the confirmation.
    fn confirm(self, what: &str) -> anyhow::Result<String> {
        let user = self.user.user;
        self.confirm.confirm(&format!("{what} of {user}?"))?;
        Ok(user)
    }
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
            Self::Delete(args) => return delete(connection, args, format).await,
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
                request::change(request, async |request| {
                    connection.users().create_user(request).await
                })
                .await?
                .user
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
                request::change(request, async |request| {
                    connection.users().set_user_roles(request).await
                })
                .await?
                .user
            }
            Self::Disable(args) => {
                let user = args.confirm("End the access and revoke the API keys")?;
                let request = pb::DisableUserRequest {
                    user,
                    request_id: request_id(),
                };
                request::change(request, async |request| {
                    connection.users().disable_user(request).await
                })
                .await?
                .user
            }
            Self::Enable(NameArgs { user }) => {
                let request = pb::EnableUserRequest {
                    user,
                    request_id: request_id(),
                };
                request::change(request, async |request| {
                    connection.users().enable_user(request).await
                })
                .await?
                .user
            }
        };
        output::one::<Users>(changed, format)
    }
}

async fn delete(connection: &Connection, args: EndArgs, format: Format) -> anyhow::Result<()> {
    let user = args.confirm("Delete the user, the sessions and the API keys")?;
    let request = pb::DeleteUserRequest {
        user: user.clone(),
        request_id: request_id(),
    };
    let deleted = request::change(request, async |request| {
        connection.users().delete_user(request).await
    });
    output::show(&deleted.await?, format, |_| {
        output::line(format!("{user}: deleted"))
    })
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
