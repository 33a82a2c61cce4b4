//! Identity providers of an account and the identities that are linked to users.

pub(crate) mod discovery;
pub(crate) mod grpc;
pub(crate) mod model;
pub(crate) mod service;
pub(crate) mod sql;
