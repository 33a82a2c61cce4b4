//! The sandbox as its users see it: over sockets, through stock clients.

mod argocd;
mod git;
