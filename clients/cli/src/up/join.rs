//! How the runtime of `causeway up` joins: the platform of the same process, or one that runs elsewhere.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use causeway_client::{Credential, Peer, PeerUrl, RuntimeIdentity};
use causeway_proto::{
    ids::RequestId,
    platform::v1::{self as pb, runtime_service_client::RuntimeServiceClient},
};

use super::folder::Folder;
use crate::transport;

/// The name of the runtime in the process of its platform.
const LOCAL: &str = "local";

/// The platform that a runtime joins instead of one in this process.
#[derive(clap::Args, Debug, Clone)]
#[command(next_help_heading = "A runtime alone")]
pub(super) struct JoinTarget {
    /// Start only a runtime, which joins the platform at this address
    #[arg(id = "join", long = "join", value_name = "URL")]
    pub(super) url: Option<String>,
    /// A file with the join token; needed until the runtime has joined
    #[arg(
        id = "join_token_file",
        long = "join-token-file",
        value_name = "FILE",
        requires = "join"
    )]
    token_file: Option<PathBuf>,
    /// A file with the certificates, as PEM, that vouch for the platform
    #[arg(
        id = "join_ca_file",
        long = "join-ca-file",
        value_name = "FILE",
        requires = "join"
    )]
    ca_file: Option<PathBuf>,
}

impl JoinTarget {
    /// Joins the platform at a URL, once; later starts need no token.
    pub(super) async fn join(&self, folder: &Folder, url: &str) -> anyhow::Result<RuntimeIdentity> {
        let ca = self.ca_file.as_ref().map(std::fs::read).transpose();
        let ca = ca.context("cannot read --join-ca-file")?;
        let url = PeerUrl::parse(url, ca).context("--join")?;
        let url = url.with_proxy(&transport::environment_proxy());
        let runtime = folder.runtime();
        if RuntimeIdentity::open(&runtime)?.is_some() {
            RuntimeIdentity::update_platform(&runtime, &url)?;
            let identity = RuntimeIdentity::open(&runtime)?;
            return identity.context("the record of the runtime was removed");
        }
        let token = self.token()?;
        let peer = Peer::new(&url, Credential::None);
        match RuntimeIdentity::join(&runtime, &url, peer, token.trim()).await {
            Ok(identity) => Ok(identity),
            Err(error) => {
                let error = transport::explain(error, url.as_str()).await;
                Err(error.context(format!("cannot join {}", url.as_str())))
            }
        }
    }

    fn token(&self) -> anyhow::Result<String> {
        let file = self.token_file.as_ref().context(
            "--join: pass --join-token-file with the output of 'causeway runtime token NAME'",
        )?;
        let token = std::fs::read_to_string(file);
        token.with_context(|| format!("cannot read --join-token-file {}", file.display()))
    }
}

/// Makes the runtime of this folder known to the platform of this folder, once.
pub(super) async fn join_local(
    folder: &Folder,
    platform: &str,
    tunnel_url: &str,
) -> anyhow::Result<()> {
    let runtime = folder.runtime();
    if RuntimeIdentity::open(&runtime)?.is_some() {
        return RuntimeIdentity::update_urls(&runtime, platform, tunnel_url);
    }
    let url = PeerUrl::parse(platform, None)?;
    let token = join_token(&url, &folder.admin_key())
        .await
        .context("cannot make a join token")?;
    let identity =
        RuntimeIdentity::join(&runtime, &url, Peer::new(&url, Credential::None), &token).await;
    identity.context("the runtime cannot join").map(drop)
}

async fn join_token(url: &PeerUrl, admin_key: &Path) -> anyhow::Result<String> {
    let key =
        std::fs::read_to_string(admin_key).with_context(|| admin_key.display().to_string())?;
    let request = pb::CreateJoinTokenRequest {
        runtime: LOCAL.to_owned(),
        request_id: RequestId::generate().to_string(),
    };
    let mut client = RuntimeServiceClient::new(Peer::new(url, Credential::api_key(key.trim())));
    Ok(client.create_join_token(request).await?.into_inner().token)
}
