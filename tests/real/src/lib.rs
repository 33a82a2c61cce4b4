//! Causeway and its test harness on a real Kubernetes and a real Argo CD; `make cluster` builds them.
//!
//! Where the programs are not built a test of these passes without having looked, and one line says so. In continuous
//! integration it fails.
#![cfg(test)]

mod harness;
mod node;
mod stage;
