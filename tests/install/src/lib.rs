//! The charts installed for real: on a node with pods, beside a real Argo CD, with the API server's audit log as the witness.
//!
//! Where the programs are not built, or this machine can hold no node, a test passes without having looked, and one line says
//! so. In continuous integration it fails. The node enforces no NetworkPolicies: what they let through is not proven here.
#![cfg(test)]

mod acts;
mod audit;
mod before;
mod command;
mod console;
mod demo;
mod direct;
mod door;
mod grant;
mod helm;
mod image;
mod kills;
mod kinds;
mod left;
mod life;
mod pods;
mod site;
mod stage;
mod terraform;
mod usage;
