//! A stand-in for a Kubernetes API server and Argo CD, with real Git repositories: no containers, no etcd, one process.
//!
//! Owns: the objects, their revisions and their journal, the API over them, simulated workloads and injected faults;
//! bare Git repositories over HTTP; an Argo CD that reads them and applies what they hold; and for scale a generator of
//! applications in place of both.
//! Never: runs a workload, or knows Causeway's own parts.

pub mod argocd;
pub mod cluster;
pub mod demo;
pub mod error;
pub mod git;
pub mod sandbox;

pub use cluster::{Deletion, Faults, KubeApi, KubeOptions, Rollouts, Truth, TruthObject};
pub use demo::Demo;
pub use error::SandboxError;
pub use sandbox::{Sandbox, SandboxOptions, StartError};
