//! Accounts: the tenants that own users, runtimes and policies.

pub(crate) mod grpc;
pub(crate) mod model;
pub(crate) mod service;
pub(crate) mod sql;
pub(crate) mod store;
