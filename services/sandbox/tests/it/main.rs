//! The sandbox as its users see it: through `kube` in process, over sockets, and by stock clients.

#![cfg(test)]

mod argocd;
mod durability;
mod faults;
mod git;
mod kubectl;
mod lifecycle;
mod reads;
mod socket;
mod watches;
mod workloads;
mod world;
mod writes;
