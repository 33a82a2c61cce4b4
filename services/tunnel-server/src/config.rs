//! Settings of the tunnel server.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use causeway_client::PlatformPeerArgs;
use causeway_shell::TlsArgs;

/// How the tunnel server is started.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// Address of the internal listener: gRPC from parts of the platform
    #[arg(
        long,
        env = "CAUSEWAY_LISTEN",
        value_name = "ADDRESS",
        default_value = "127.0.0.1:7403"
    )]
    pub listen: SocketAddr,

    /// Address of the tunnel listener, for runtimes; always TLS
    #[arg(
        long,
        env = "CAUSEWAY_TUNNEL_LISTEN",
        value_name = "ADDRESS",
        default_value = "127.0.0.1:7443"
    )]
    pub tunnel_listen: SocketAddr,

    /// PEM file with the certificate chain of the tunnel listener
    #[arg(long, env = "CAUSEWAY_TUNNEL_CERTIFICATE", value_name = "FILE")]
    pub tunnel_certificate: PathBuf,

    /// PEM file with the private key of the tunnel listener's certificate
    #[arg(long, env = "CAUSEWAY_TUNNEL_KEY", value_name = "FILE")]
    pub tunnel_key: PathBuf,

    /// How long calls under way may take when this replica stops; keep it below --drain-timeout
    #[arg(long, env = "CAUSEWAY_TUNNEL_DRAIN_GRACE", value_name = "TIME", default_value = "4s", value_parser = humantime::parse_duration)]
    pub tunnel_drain_grace: Duration,

    #[command(flatten)]
    pub platform: PlatformPeerArgs,

    #[command(flatten)]
    pub tls: TlsArgs,
}
