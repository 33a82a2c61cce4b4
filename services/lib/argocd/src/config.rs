//! Flags that say which cluster and which Argo CD.

use std::{fmt, path::PathBuf, str::FromStr};

use reqwest::Url;

/// Which cluster. Without any of these: the cluster that the process runs in, else the user's own kubeconfig.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Cluster")]
pub struct KubeArgs {
    /// The kubeconfig of the cluster
    #[arg(long, env = "CAUSEWAY_KUBECONFIG", value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,

    /// The context of the kubeconfig to use instead of its current one
    #[arg(long, env = "CAUSEWAY_KUBE_CONTEXT", value_name = "NAME")]
    pub context: Option<String>,
}

/// Which Argo CD, and as whom.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Argo CD")]
pub struct ArgocdArgs {
    /// The namespace that Argo CD runs in
    #[arg(
        long,
        env = "CAUSEWAY_ARGOCD_NAMESPACE",
        value_name = "NAMESPACE",
        default_value = "argocd"
    )]
    pub argocd_namespace: String,

    /// The address of argocd-server, or `auto` to find it in the cluster
    #[arg(long, env = "CAUSEWAY_ARGOCD_SERVER", value_name = "URL|auto")]
    pub argocd_server: Option<ArgocdServer>,

    /// The file with a token of Argo CD; read again at each call, so that it may be replaced
    #[arg(long, env = "CAUSEWAY_ARGOCD_TOKEN_FILE", value_name = "FILE")]
    pub argocd_token_file: Option<PathBuf>,

    /// The file with certificates (PEM) to trust for argocd-server beside the system's
    #[arg(long, env = "CAUSEWAY_ARGOCD_CA_FILE", value_name = "FILE")]
    pub argocd_ca_file: Option<PathBuf>,

    /// Whether the certificate of argocd-server is checked
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

/// Where argocd-server is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgocdServer {
    /// To be found in the cluster.
    Auto,
    /// At this address.
    Url(Url),
}

/// Whether a certificate is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum TlsCheck {
    /// It must be good for the name that was dialled.
    Verify,
    /// Any is taken; for the self-signed certificate of a new Argo CD.
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
