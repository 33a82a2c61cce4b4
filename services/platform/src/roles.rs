//! Roles, their rules and the patterns that rules use.

pub(crate) mod convert;
pub(crate) mod grpc;
pub(crate) mod model;
pub(crate) mod pattern;
pub(crate) mod rule;
pub(crate) mod service;
pub(crate) mod sql;
