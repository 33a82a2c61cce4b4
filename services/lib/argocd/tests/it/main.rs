//! Error messages about unusable clusters and Argo CDs.

#[cfg(test)]
mod refusals;
