//! `causeway runtime uninstall`.

use std::path::PathBuf;

use causeway_proto::ids::RuntimeName;

use super::{ClusterArgs, helm::Helm};
use crate::{
    connection::Connection,
    output::{self, Format},
    prompt::ConfirmArgs,
};

/// Take a runtime out of its cluster, and put it out of the platform
///
/// What it reported stays until it is over its time, and its name is free for another one.
#[derive(clap::Args, Debug)]
pub(crate) struct UninstallArgs {
    /// The name of the runtime
    #[arg(value_name = "NAME")]
    name: RuntimeName,
    /// The name of the Helm release; that of the runtime if not given
    #[arg(long, value_name = "NAME")]
    release: Option<String>,
    /// The namespace that it is in
    #[arg(short, long, value_name = "NAMESPACE", default_value = "causeway")]
    namespace: String,
    #[command(flatten)]
    cluster: ClusterArgs,
    /// Leave it known to the platform, so that it is the same runtime when it is installed again and its keys are still there
    #[arg(long)]
    keep: bool,
    #[command(flatten)]
    confirm: ConfirmArgs,
    /// The program helm
    #[arg(
        long,
        env = "CAUSEWAY_HELM",
        value_name = "FILE",
        default_value = "helm"
    )]
    helm: PathBuf,
}

impl UninstallArgs {
    pub(crate) async fn run(self, connection: &Connection) -> anyhow::Result<()> {
        let name = &self.name;
        let helm = Helm::find(&self.helm, &self.namespace)?;
        let helm = helm.on(
            self.cluster.kubeconfig.clone(),
            self.cluster.kube_context.clone(),
        );
        let release = self.release.clone().unwrap_or_else(|| name.to_string());
        self.confirm.confirm(&format!(
            "Uninstall the release {release} from {}, and the runtime {name} with it?",
            self.namespace
        ))?;
        helm.uninstall(&release).await?;
        output::line(format!("{release}: taken out of {}", self.namespace))?;
        if self.keep {
            return Ok(());
        }
        super::super::token::revoke(connection, name, Format::Table).await?;
        output::note(format!(
            "Its keys, which count no more, are still in the cluster; remove them with: kubectl delete secret -n {} -l app.kubernetes.io/instance={release}",
            self.namespace
        ));
        Ok(())
    }
}
