//! Causeway and its test harness on a real Kubernetes and a real Argo CD; `make cluster` builds them.
//!
//! Where the programs are not built a test of these passes without having looked, and one line says so. In continuous
//! integration it fails.
#![cfg(test)]

mod application;
mod charts;
mod clusters;
mod end_to_end;
mod harness;
mod node;
mod runtime_in_pods;
mod sign_in;
mod stage;
mod trial;
mod workflow;
