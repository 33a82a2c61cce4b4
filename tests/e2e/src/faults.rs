//! Parts that are killed at any moment while the cluster goes on changing. All that happened is judged afterwards.

mod churn;
mod disk;
mod inventory;
mod ledger;
mod relay;
mod reporter;
mod sender;
mod witness;
mod world;
