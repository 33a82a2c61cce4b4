//! A stand-in for a Kubernetes API server and Argo CD, with real Git repositories: no containers, no etcd, one process.
//!
//! [`cluster`] is the API server with its store, journal, simulated workloads and injected faults. [`git`] serves bare
//! repositories over HTTP. [`argocd`] reads them, applies their manifests and answers the REST API. [`sandbox`] starts
//! all three, and [`demo`] fills them for `causeway up`. The crate runs no workload and knows no part of Causeway.

pub mod argocd;
pub mod cluster;
pub mod demo;
pub mod error;
pub mod git;
pub mod sandbox;

pub use cluster::{Deletion, Faults, KubeApi, KubeOptions, Rollouts, Snapshot, SnapshotObject};
pub use demo::Demo;
pub use error::SandboxError;
pub use sandbox::{Sandbox, SandboxOptions, StartError};
