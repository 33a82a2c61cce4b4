//! What reporters share, whatever they report: a list and watch of a kind, a book of what there is, a queue that loses
//! nothing, and an acknowledged stream to the inventory. What is about one kind alone is in its [`Reported`]. No part.

mod base;
mod book;
mod config;
mod convert;
mod enricher;
mod enrichment;
#[cfg(test)]
mod fixtures;
pub mod kube;
mod link;
mod manifest;
mod members;
mod metrics;
pub mod object;
mod operations;
pub mod pace;
pub mod queue;
mod reported;
mod reporter;
mod session;
mod trace;

pub use config::ReporterArgs;
pub use enrichment::{Enrichment, Freshness, Quality};
pub use manifest::{Content, Digest, Kept};
pub use metrics::Metrics;
pub use operations::Knowledge;
pub use reported::{Ending, Kind, OperationTrace, Reported, Stage};
pub use reporter::{ObjectEvents, Reporter, Setup, Source};
