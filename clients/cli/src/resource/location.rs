//! Where a live resource is.

use anyhow::bail;

use super::kind::Kind;
use crate::{connection::Connection, runtime};

/// Full name of a live resource.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ResourceLocation {
    pub(crate) runtime: String,
    pub(crate) group: String,
    pub(crate) kind: String,
    pub(crate) namespace: String,
    pub(crate) name: String,
}

/// Returns the API group of a kind.
pub(crate) fn group(kind: &Kind) -> anyhow::Result<String> {
    match &kind.group {
        Some(group) => Ok(group.clone()),
        None => bail!(
            "the group of {0} is not known: write {0}.GROUP, for example {0}.example.org",
            kind.kind
        ),
    }
}

/// The runtime of a command about one runtime.
#[derive(clap::Args, Debug)]
pub(crate) struct RuntimeArg {
    /// Name of the runtime; not needed if there is only one
    #[arg(
        long,
        value_name = "RUNTIME",
        default_value = "",
        hide_default_value = true
    )]
    pub(crate) runtime: String,
}

/// Returns the named runtime, or the only one.
pub(crate) async fn runtime_of(connection: &Connection, named: String) -> anyhow::Result<String> {
    if !named.is_empty() {
        return Ok(named);
    }
    let mut names = runtime::names(connection).await?;
    match names.len() {
        0 => bail!("there is no runtime; see 'causeway runtime list'"),
        1 => Ok(names.swap_remove(0)),
        _ => bail!("give --runtime: {}", names.join(", ")),
    }
}
