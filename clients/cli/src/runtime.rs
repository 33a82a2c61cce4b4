//! `causeway runtime …`.

mod get;
mod install;
pub(crate) mod list;
mod shards;
mod token;

use causeway_proto::ids::RuntimeName;

pub(crate) use self::{list::names, shards::groups};
use crate::{
    connection::Connection,
    output::{Arrangement, Format, OutputArgs},
    prompt::ConfirmArgs,
};

#[derive(clap::Subcommand, Debug)]
pub(crate) enum RuntimeCommand {
    /// List the runtimes of the account
    #[command(visible_alias = "ls")]
    List(list::ListArgs),
    /// Show a runtime: its sessions, and the actions that it allows itself
    Get {
        /// Name of the runtime
        #[arg(value_name = "NAME")]
        name: RuntimeName,
    },
    /// Create a one-time join token, valid for 15 minutes
    Token {
        /// Name of the runtime
        #[arg(value_name = "NAME")]
        name: RuntimeName,
        /// Let an existing runtime join again from an empty folder; revokes its former keys
        #[arg(long)]
        rejoin: bool,
    },
    Install(Box<install::InstallArgs>),
    Upgrade(Box<install::UpgradeArgs>),
    Uninstall(Box<install::UninstallArgs>),
    Chart(install::ExportChartArgs),
    /// Revoke a runtime's key and end its sessions; its name can be used again
    #[command(visible_alias = "delete")]
    Revoke {
        /// Name of the runtime
        #[arg(value_name = "NAME")]
        name: RuntimeName,
        #[command(flatten)]
        confirm: ConfirmArgs,
    },
    /// Show the reporters of a runtime, their shares and their last change
    Shards {
        /// Name of the runtime; by default all
        #[arg(value_name = "NAME")]
        name: Option<RuntimeName>,
    },
}

impl RuntimeCommand {
    /// Runs what needs no platform, if it is that.
    pub(crate) fn without_platform(&self, output: &OutputArgs) -> Option<anyhow::Result<()>> {
        match self {
            Self::Chart(args) => Some(args.run(output.begin(Arrangement::default()))),
            Self::List(_)
            | Self::Get { .. }
            | Self::Token { .. }
            | Self::Install(_)
            | Self::Upgrade(_)
            | Self::Uninstall(_)
            | Self::Revoke { .. }
            | Self::Shards { .. } => None,
        }
    }

    pub(crate) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        match self {
            Self::List(args) => list::run(connection, &args, format).await,
            Self::Get { name } => get::run(connection, &name, format).await,
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
            Self::Chart(args) => args.run(format),
            Self::Revoke { name, confirm } => {
                confirm.confirm(&format!(
                    "Revoke the runtime {name} and end its sessions? It cannot connect again."
                ))?;
                token::revoke(connection, &name, format).await
            }
            Self::Shards { name } => shards::run(connection, name.as_ref(), format).await,
        }
    }
}
