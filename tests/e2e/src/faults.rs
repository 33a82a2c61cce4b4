//! Parts that are killed at any moment while the cluster goes on changing. All that happened is judged afterwards.

mod churn;
mod inventory;
mod reporter;
mod sender;
mod witness;
