//! Preferences of users, and views of lists that they save or share with roles.

pub(crate) mod convert;
pub(crate) mod grpc;
pub(crate) mod model;
pub(crate) mod service;
pub(crate) mod sql;
pub(crate) mod store;
