//! A stand-in for a Kubernetes API server, for trials and tests: no containers, no etcd, one process.
//!
//! Owns: the objects, their revisions and their journal, the API over them, simulated workloads and injected faults.
//! Never: runs anything, reaches another machine, or knows Causeway's own parts.

pub mod cluster;
pub mod error;

pub use cluster::{Deletion, Faults, KubeApi, KubeOptions, Truth, TruthObject};
pub use error::SandboxError;
