//! Flags of the cluster and of Argo CD.

use std::{fmt, path::PathBuf, str::FromStr};

use reqwest::Url;

/// Cluster to connect to. Default: the cluster that the process runs in, else the user's kubeconfig.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Cluster")]
pub struct KubeArgs {
    /// Kubeconfig of the cluster
    #[arg(long, env = "CAUSEWAY_KUBECONFIG", value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,

    /// Context of the kubeconfig; default: its current one
    #[arg(long, env = "CAUSEWAY_KUBE_CONTEXT", value_name = "NAME")]
    pub context: Option<String>,
}

/// Argo CD and its account.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Argo CD")]
pub struct ArgocdArgs {
    /// Namespace of Argo CD
    #[arg(
        long,
        env = "CAUSEWAY_ARGOCD_NAMESPACE",
        value_name = "NAMESPACE",
        default_value = "argocd"
    )]
    pub argocd_namespace: String,

    /// URL of argocd-server, or `auto` to find it in the cluster
    #[arg(long, env = "CAUSEWAY_ARGOCD_SERVER", value_name = "URL|auto")]
    pub argocd_server: Option<ArgocdServer>,

    /// File with an Argo CD token; read at each call, so it can be replaced
    #[arg(long, env = "CAUSEWAY_ARGOCD_TOKEN_FILE", value_name = "FILE")]
    pub argocd_token_file: Option<PathBuf>,

    /// File with CA certificates (PEM) to trust for argocd-server in addition to the system's
    #[arg(long, env = "CAUSEWAY_ARGOCD_CA_FILE", value_name = "FILE")]
    pub argocd_ca_file: Option<PathBuf>,

    /// Whether to verify the certificate of argocd-server
    #[arg(
        long,
        env = "CAUSEWAY_ARGOCD_TLS_CHECK",
        value_name = "HOW",
        default_value = "verify"
    )]
    pub argocd_tls_check: TlsCheck,
}

impl Default for ArgocdArgs {
    fn default() -> Self {
        Self {
            argocd_namespace: "argocd".to_owned(),
            argocd_server: None,
            argocd_token_file: None,
            argocd_ca_file: None,
            argocd_tls_check: TlsCheck::Verify,
        }
    }
}

/// Address of argocd-server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgocdServer {
    /// Discovered in the cluster.
    Auto,
    Url(Url),
}

/// Verification of certificates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum TlsCheck {
    /// The certificate must be valid for the host name
    Verify,
    /// Any certificate is accepted, such as the self-signed one of a new Argo CD
    Skip,
}

impl FromStr for ArgocdServer {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "auto" {
            return Ok(Self::Auto);
        }
        let url = Url::parse(text).ok();
        let usable = |url: &Url| matches!(url.scheme(), "http" | "https") && url.has_host();
        url.filter(usable).map(Self::Url).ok_or_else(|| {
            format!(
                "'{text}' is not an address: use https://HOST[:PORT], http://HOST[:PORT] or auto"
            )
        })
    }
}

impl fmt::Display for TlsCheck {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Verify => "verify",
            Self::Skip => "skip",
        })
    }
}

impl fmt::Display for ArgocdServer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => formatter.write_str("auto"),
            Self::Url(url) => formatter.write_str(url.as_str().trim_end_matches('/')),
        }
    }
}
