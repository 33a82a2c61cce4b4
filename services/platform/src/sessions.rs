//! Sessions of signed-in users.

pub(crate) mod grpc;
pub(crate) mod model;
pub(crate) mod service;
pub(crate) mod sql;
