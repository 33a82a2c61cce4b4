//! Users of an account: roles, standing and credentials.

pub(crate) mod grpc;
pub(crate) mod model;
pub(crate) mod service;
pub(crate) mod sql;
