//! What lists show, filter and sort by besides the summary, read from the reported state.

use std::sync::Arc;

use crate::history::Phase;

/// Properties of an application that only its reported state has. The default is that of a state without any.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Details {
    /// Creation time of the object, milliseconds since 1970; 0 if unknown.
    pub created_at: i64,
    /// Phase of the running or last operation.
    pub operation: Phase,
    /// Start of that operation, milliseconds since 1970; 0 without one.
    pub operation_started_at: i64,
    /// Whether new commits are synced automatically.
    pub automated: bool,
    /// Repository URLs of the sources, one a line.
    pub repositories: Arc<str>,
    /// Parent in an app-of-apps as NAMESPACE/NAME; empty without one.
    pub parent: Arc<str>,
}
