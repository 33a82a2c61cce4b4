//! Benchmark entry points. Not for callers of the platform.

mod rules;
mod trail;

pub use self::{rules::ManyRules, trail::AuditTrail};
