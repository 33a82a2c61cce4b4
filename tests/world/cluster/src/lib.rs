//! A real Kubernetes and a real Argo CD, built from their public Go modules, for trials and tests. No part.
//!
//! Owns: the building of the programs, their processes, ports, keys and folders. Never: a stand-in; that is the sandbox.

mod argocd;
mod audit;
mod build_cache;
mod child;
mod cluster;
mod command;
mod companion;
mod compile;
mod control_plane;
mod controllers;
mod display;
mod error;
mod folder;
mod gitea;
mod identity_provider;
mod image;
mod jaeger;
mod keys;
mod log;
mod managed;
mod node;
mod objects;
mod options;
mod port;
mod process;
mod program;
mod programs;
mod progress;
mod recipe;
mod rollouts;
mod sidecars;
mod toolchain;
mod up;
mod workflows;

pub use build_cache::BuildCache;
pub use child::Child;
pub use cluster::Cluster;
pub use command::main;
pub use display::Display;
pub use error::ClusterError;
pub use gitea::{DeployKey, Gitea, GiteaUser};
pub use identity_provider::{IdentityProvider, Person};
pub use image::{Image, ImageDigest, ImageError};
pub use jaeger::Jaeger;
pub use node::NodeError;
pub use options::{
    ApplicationSets, ArgocdInstance, ArgocdOptions, Options, Rollouts, Scheme, Workflows,
};
pub use process::ProcessError;
pub use program::Program;
pub use programs::{Programs, ProgramsError};
pub use progress::{Progress, Step};
pub use toolchain::{GoVersion, GoVersionError};
