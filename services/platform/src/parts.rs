//! Parts of Causeway that announce themselves to the platform.

pub(crate) mod convert;
pub(crate) mod grpc;
pub(crate) mod model;
pub(crate) mod service;
