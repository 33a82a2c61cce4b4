//! `causeway runtime …`.

mod install;
pub(crate) mod list;
mod shards;
mod token;

use causeway_proto::ids::RuntimeName;

pub(crate) use self::{list::names, shards::groups};
use crate::{connection::Connection, output::Format};

#[derive(clap::Subcommand, Debug)]
pub(crate) enum RuntimeCommand {
    /// List the runtimes of the account
    #[command(visible_alias = "ls")]
    List(list::ListArgs),
    /// Make a token with which one runtime can join once, within 15 minutes
    Token {
        /// The name that the runtime will have
        #[arg(value_name = "NAME")]
        name: RuntimeName,
        /// For a runtime that is there: it joins again from an empty folder and stays what it is, its former keys count no more
        #[arg(long)]
        rejoin: bool,
    },
    Install(Box<install::InstallArgs>),
    Upgrade(Box<install::UpgradeArgs>),
    Uninstall(Box<install::UninstallArgs>),
    /// Put a runtime out: its key is refused and its sessions end
    Revoke {
        /// The runtime's name
        #[arg(value_name = "NAME")]
        name: RuntimeName,
    },
    /// Show which reporters share the objects of a runtime, how many each has, and who came or went last
    Shards {
        /// The runtime's name; all runtimes if not given
        #[arg(value_name = "NAME")]
        name: Option<RuntimeName>,
    },
}

impl RuntimeCommand {
    pub(crate) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        match self {
            Self::List(args) => list::run(connection, &args, format).await,
            Self::Token {
                name,
                rejoin: false,
            } => token::print(connection, &name, format).await,
            Self::Token { name, rejoin: true } => {
                token::print_rejoin(connection, &name, format).await
            }
            Self::Install(args) => args.run(connection, format).await,
            Self::Upgrade(args) => args.run(connection).await,
            Self::Uninstall(args) => args.run(connection).await,
            Self::Revoke { name } => token::revoke(connection, &name).await,
            Self::Shards { name } => shards::run(connection, name.as_ref(), format).await,
        }
    }
}
