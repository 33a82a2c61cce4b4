//! Exchange of state between replicas that share a database.

pub(crate) mod exchange;
pub(crate) mod sql;
