//! Shared library of the reporters: list and watch, object cache, queue that loses no key, and an acknowledged stream
//! to the inventory. Behavior of a single kind is in its [`ReportedKind`].

mod config;
mod convert;
mod delta_base;
mod enricher;
mod enrichment;
#[cfg(test)]
mod fixtures;
pub mod kube;
mod link;
mod manifest;
mod membership;
mod metrics;
pub mod object;
mod object_cache;
mod operations;
pub mod queue;
pub mod rate_limit;
mod reported_kind;
mod reporter;
mod session;
mod trace;

pub use config::ReporterArgs;
pub use enrichment::{Enrichment, Freshness, Quality};
pub use manifest::{CompressedContent, Content, Digest};
pub use metrics::Metrics;
pub use operations::Knowledge;
pub use reported_kind::{DeletionPolicy, Kind, OperationTrace, ReportedKind, Stage};
pub use reporter::{ObjectEvents, Reporter, Setup, Source};
