//! `causeway join`: a runtime makes its keys and registers their public halves with a one-time token.

use std::path::PathBuf;

use anyhow::Context as _;
use causeway_argocd::KubeArgs;
use causeway_assertion::private_file::write_private;
use causeway_client::{Credential, Peer, PeerUrl, ProxyArgs, RuntimeIdentity};

use crate::{
    cluster_secret::{ClusterSecret, Files},
    output, transport,
};

/// Joins a runtime: makes its keys in a folder and registers their public halves.
#[derive(clap::Args, Debug)]
pub(crate) struct JoinArgs {
    /// The platform's address
    #[arg(long, env = "CAUSEWAY_PLATFORM_URL", value_name = "URL")]
    platform_url: String,
    /// A file with the certificates, as PEM, that vouch for the platform
    #[arg(long, env = "CAUSEWAY_PLATFORM_CA_FILE", value_name = "FILE")]
    platform_ca_file: Option<PathBuf>,
    /// A file with the join token
    #[arg(long, env = "CAUSEWAY_JOIN_TOKEN_FILE", value_name = "FILE")]
    join_token_file: PathBuf,
    /// The folder for the runtime's keys
    #[arg(long, env = "CAUSEWAY_RUNTIME_FOLDER", value_name = "FOLDER")]
    runtime_folder: PathBuf,
    /// A Secret that is there, in the namespace of this pod or of the kubeconfig's context, that keeps what is in the folder: what it
    /// holds is put into the folder, and where that has not joined it does so and the Secret keeps it. Takes get and patch on it
    #[arg(long, env = "CAUSEWAY_RUNTIME_SECRET", value_name = "NAME")]
    runtime_secret: Option<String>,
    #[command(flatten)]
    proxy: ProxyArgs,
    #[command(flatten)]
    kube: KubeArgs,
}

impl JoinArgs {
    pub(crate) async fn run(self) -> anyhow::Result<()> {
        let ca = self
            .platform_ca_file
            .as_ref()
            .map(std::fs::read)
            .transpose();
        let ca = ca.context("cannot read --platform-ca-file")?;
        let url = PeerUrl::parse(&self.platform_url, ca)?.with_proxy(&self.proxy);
        let identity = match &self.runtime_secret {
            Some(name) => self.kept(name, &url).await?,
            None => self.join(&url).await?,
        };
        let folder = self.runtime_folder.display();
        output::line(format!(
            "joined as {} ({}); the keys are in {folder}",
            identity.name, identity.runtime_id
        ))
    }

    async fn join(&self, url: &PeerUrl) -> anyhow::Result<RuntimeIdentity> {
        let token = std::fs::read_to_string(&self.join_token_file).with_context(|| {
            format!(
                "cannot read --join-token-file {}",
                self.join_token_file.display()
            )
        })?;
        let peer = Peer::new(url, Credential::None);
        match RuntimeIdentity::join(&self.runtime_folder, url, peer, token.trim()).await {
            Ok(identity) => Ok(identity),
            Err(error) => Err(transport::explain(error, url.as_str()).await),
        }
    }

    /// The runtime of the Secret, which joins first where it has not.
    async fn kept(&self, name: &str, url: &PeerUrl) -> anyhow::Result<RuntimeIdentity> {
        let folder = &self.runtime_folder;
        let secret = ClusterSecret::open(&self.kube, name).await?;
        let mut held = secret.read().await?;
        for (name, content) in held.files.iter().filter(|(name, _)| is_ours(name)) {
            write_private(&folder.join(name), content)?;
        }
        if let Some(identity) = RuntimeIdentity::open(folder)? {
            if !RuntimeIdentity::update_platform(folder, url)? {
                return Ok(identity);
            }
            secret.write(&mut held, self.files()?).await?;
            let identity = RuntimeIdentity::open(folder)?;
            return identity.context("the record is gone");
        }
        // A token is valid for one key pair, so the keys are stored before they are sent.
        RuntimeIdentity::create_keys(folder)?;
        secret.write(&mut held, self.files()?).await?;
        let identity = self.join(url).await?;
        secret.write(&mut held, self.files()?).await?;
        Ok(identity)
    }

    fn files(&self) -> anyhow::Result<Files> {
        let there = RuntimeIdentity::FILES
            .into_iter()
            .filter(|name| self.runtime_folder.join(name).exists());
        let read = |name: &str| {
            let file = self.runtime_folder.join(name);
            let content = std::fs::read(&file);
            let content = content.with_context(|| file.display().to_string())?;
            Ok((name.to_owned(), content))
        };
        there.map(read).collect()
    }
}

fn is_ours(name: &str) -> bool {
    RuntimeIdentity::FILES.contains(&name)
}
