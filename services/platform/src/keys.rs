//! Signing keys of the platform: storage, rotation and distribution.

pub(crate) mod convert;
pub(crate) mod grpc;
pub(crate) mod ring;
pub(crate) mod service;
