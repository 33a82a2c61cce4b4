//! `causeway app diff`: differences between two times, the cluster and Git, two revisions, or two applications, as `diff -u` prints them.

mod args;
mod compare;
mod local;
mod text;
mod times;

use anyhow::bail;

pub(crate) use self::{args::DiffArgs, compare::lines};
use crate::{connection::Connection, moment::Moment, output::Format};

pub(super) async fn run(
    connection: &Connection,
    args: &DiffArgs,
    format: Format,
) -> anyhow::Result<()> {
    match args.from {
        Some(Moment(from)) => times::run(connection, args, from, format).await,
        None if args.revisions.len() > 2 => bail!("give --revision at most twice"),
        None => compare::run(connection, args, format).await,
    }
}
