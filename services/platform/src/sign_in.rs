//! Sign-in of users by OpenID Connect.

pub(crate) mod convert;
pub(crate) mod grpc;
pub(crate) mod model;
pub(crate) mod sealing;
pub(crate) mod service;
pub(crate) mod sql;
pub(crate) mod store;
