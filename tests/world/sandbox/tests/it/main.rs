//! What is the sandbox's own: faults, durability, simulated workloads, Git, Argo CD. That it answers as Kubernetes does is held
//! in `tests/conformance`.

#![cfg(test)]

mod argocd;
mod durability;
mod faults;
mod git;
mod kubectl;
mod lifecycle;
mod socket;
mod watches;
mod workloads;
mod world;
mod writes;
