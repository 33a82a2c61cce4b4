//! The epoch of a stream that takes over from another one.

use crate::{
    application::Scope,
    store::{Outcome, Store, StoreError, Write},
};

/// The next epoch of a scope.
pub(super) async fn next_epoch(store: &dyn Store, scope: &Scope) -> Result<u64, StoreError> {
    let receipt = store.submit(Write::Epoch(scope.clone())).await?;
    match receipt.await? {
        Outcome::Epoch(number) => Ok(number),
        Outcome::Stored
        | Outcome::Superseded
        | Outcome::Missing(_)
        | Outcome::Collected { .. }
        | Outcome::Compacted { .. } => Err(StoreError::Corrupt("epoch")),
    }
}
