//! The one way to reach a cluster and its Argo CD: flags, clients, the Application object as Argo CD writes it, and the
//! redaction of what leaves a cluster. Never decides who may do what, and never keeps state beyond a connection.

pub mod application;
mod cluster;
mod config;
mod discovery;
mod error;
mod forward;
pub mod redact;
mod renewal;
pub mod rest;
mod token;
mod trace;

pub use cluster::{Cluster, ClusterError};
pub use config::{ArgocdArgs, ArgocdServer, KubeArgs, TlsCheck};
pub use error::ArgocdError;
pub use rest::Argocd;
