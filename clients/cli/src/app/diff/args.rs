//! Flags of `causeway app diff`.

use std::path::PathBuf;

use crate::{
    app::find::NameArgs,
    moment::{Moment, moment},
};

/// What to compare; the cluster and Git by default.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct DiffArgs {
    #[command(flatten)]
    pub(super) name: NameArgs,
    /// First time to compare: today, 2h, a date or RFC 3339
    ///
    /// Name a deleted application as RUNTIME/NAMESPACE/NAME.
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub(super) from: Option<Moment>,
    /// Second time to compare; now by default
    #[arg(long, value_name = "TIME", value_parser = moment, requires = "from")]
    pub(super) to: Option<Moment>,
    /// Git revision to compare; repeat it for the second one
    ///
    /// The second one is the target revision by default.
    #[arg(long = "revision", value_name = "REVISION", conflicts_with = "from")]
    pub(super) revisions: Vec<String>,
    /// Application to compare with, of any runtime
    ///
    /// NAME, NAMESPACE/NAME or RUNTIME/NAMESPACE/NAME. Fields set by a cluster are ignored.
    #[arg(long, value_name = "APPLICATION", conflicts_with_all = ["from", "revisions"])]
    pub(super) with: Option<String>,
    /// Compare live objects with plain manifests of this file or folder
    ///
    /// '-' reads standard input, for example of 'kustomize build'. Only fields that the manifests set are compared.
    #[arg(long, value_name = "PATH", conflicts_with_all = ["from", "revisions", "with", "desired"])]
    pub(super) local: Option<PathBuf>,
    /// Compare desired manifests from Git instead of live ones
    #[arg(long)]
    pub(super) desired: bool,
}
