//! Previews the effect of a join token without consuming it.

use causeway_database::{Row, Transaction};
use causeway_proto::ids::{AccountId, RuntimeName};

use super::{find, present};
use crate::{
    runtimes::model::{Offer, Purpose, TokenRejection},
    store::StoreError,
};

/// What a token would do that is known and not over its time.
pub(crate) async fn offer(transaction: &mut Transaction, found: &Row) -> Result<Offer, StoreError> {
    let (account, name): (AccountId, RuntimeName) =
        (found.get_parsed("account")?, found.get_parsed("name")?);
    let used_by: Option<String> = found.try_get("used_by")?;
    let rejoins: Option<String> = found.try_get("rejoins")?;
    let bar = match (&used_by, &rejoins) {
        (Some(_), _) => Some(TokenRejection::Used),
        (None, Some(id)) => {
            let runtime = find(transaction, &account, id).await?;
            let there = runtime.is_some_and(|runtime| runtime.revoked_at.is_none());
            (!there).then_some(TokenRejection::Gone)
        }
        (None, None) => {
            let present = present(transaction, &account, &name).await?;
            present.map(|_| TokenRejection::NameTaken)
        }
    };
    let purpose = match rejoins {
        Some(_) => Purpose::Rejoin,
        None => Purpose::Join,
    };
    Ok(Offer {
        name,
        purpose,
        expires_at: found.try_get("expires_at")?,
        bar,
    })
}
