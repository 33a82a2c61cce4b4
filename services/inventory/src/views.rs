//! Several lists in one stream: changes in batches, with totals and counts.

mod convert;
pub(crate) mod grpc;
mod view;
mod watch;

pub use view::{ViewStep, WatchedView};
pub use watch::watch;

#[cfg(test)]
mod tests;
