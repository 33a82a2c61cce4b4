//! Settings of the tunnel server.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use causeway_client::PlatformPeerArgs;
use causeway_shell::TlsArgs;

/// How the tunnel server is started.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// Address of the tunnel listener, for runtimes; always TLS
    #[arg(
        long,
        env = "CAUSEWAY_TUNNEL_LISTEN",
        value_name = "ADDRESS",
        default_value = "127.0.0.1:7401"
    )]
    pub tunnel_listen: SocketAddr,

    /// PEM file with the certificate chain of the tunnel listener
    #[arg(
        long,
        env = "CAUSEWAY_TUNNEL_CERTIFICATE",
        value_name = "FILE",
        requires = "tunnel_key",
        required_unless_present = "data"
    )]
    pub tunnel_certificate: Option<PathBuf>,

    /// PEM file with the private key of the tunnel listener's certificate
    #[arg(
        long,
        env = "CAUSEWAY_TUNNEL_KEY",
        value_name = "FILE",
        requires = "tunnel_certificate"
    )]
    pub tunnel_key: Option<PathBuf>,

    /// Folder of a development CA for the tunnel listener, used without a certificate; pass its ca.pem to runtimes
    #[arg(long, env = "CAUSEWAY_DATA", value_name = "FOLDER")]
    pub data: Option<PathBuf>,

    /// Host names and addresses in the certificate of the development CA
    #[arg(
        long,
        env = "CAUSEWAY_TUNNEL_NAMES",
        value_name = "NAME",
        value_delimiter = ',',
        default_value = "localhost,127.0.0.1"
    )]
    pub tunnel_names: Vec<String>,

    /// How long calls under way may take when this replica stops; keep it below --drain-timeout
    #[arg(long, env = "CAUSEWAY_TUNNEL_DRAIN_GRACE", value_name = "TIME", default_value = "4s", value_parser = humantime::parse_duration)]
    pub tunnel_drain_grace: Duration,

    #[command(flatten)]
    pub platform: PlatformPeerArgs,

    #[command(flatten)]
    pub tls: TlsArgs,
}
