//! Access to a cluster and its Argo CD: flags, clients, the Application object and the redaction of what leaves the cluster.
//! Authorization is not decided here, and no state outlives a connection.

pub mod application;
mod cluster;
mod config;
mod connect;
mod credential_renewal;
mod error;
mod port_forward;
pub mod redact;
pub mod rest;
mod server_discovery;
mod token_file;
mod trace;

pub use cluster::Cluster;
pub use config::{ArgocdArgs, ArgocdServer, KubeArgs, TlsCheck};
pub use error::{ArgocdError, ClusterError};
pub use rest::Argocd;
