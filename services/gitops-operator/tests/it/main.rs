//! The operator before a Kubernetes API and an Argo CD stand-in.

#![cfg(test)]

mod sources;
mod stage;
