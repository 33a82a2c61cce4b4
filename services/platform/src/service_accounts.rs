//! Service accounts: users that sign in with tokens of a trusted issuer.

pub(crate) mod grpc;
pub(crate) mod model;
pub(crate) mod service;
pub(crate) mod sql;
