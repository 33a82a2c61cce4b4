//! What is said about clusters and Argo CDs that cannot be used.

#[cfg(test)]
mod refusals;
