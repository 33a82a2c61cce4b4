//! A real Kubernetes and a real Argo CD, built from their public Go modules, for trials and tests. No part.
//!
//! Owns: the building of the programs, their processes, ports, keys and folders. Never: a stand-in; that is the sandbox.

mod image;

pub use image::{Image, ImageDigest, ImageError};
