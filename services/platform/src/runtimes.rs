//! Runtimes: join tokens, registration and presence.

pub(crate) mod convert;
pub(crate) mod grpc;
pub(crate) mod join_record;
pub(crate) mod model;
pub(crate) mod presence;
pub(crate) mod service;
pub(crate) mod sql;
