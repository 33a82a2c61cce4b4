//! API keys of users: creation, rotation and revocation.

pub(crate) mod convert;
pub(crate) mod grpc;
pub(crate) mod model;
pub(crate) mod service;
pub(crate) mod sql;
