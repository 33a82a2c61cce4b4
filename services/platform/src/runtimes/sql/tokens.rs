//! Unused join tokens.

use causeway_database::{ReadSource, Row, Transaction, query};
use causeway_proto::ids::AccountId;

use crate::{
    runtimes::model::{JoinToken, JoinTokenId, MOST_TOKENS, Purpose},
    secret::SecretDigest,
    store::StoreError,
};

/// The tokens that can be used at a time, newest first.
pub(crate) async fn list(
    from: impl Into<ReadSource<'_>>,
    account: &AccountId,
    now: i64,
    limit: u32,
) -> Result<Vec<JoinToken>, StoreError> {
    let rows = query(
        "SELECT * FROM join_tokens WHERE account = $1 AND expires_at > $2 AND used_by IS NULL \
         ORDER BY created_at DESC, digest LIMIT $3",
    )
    .bind(account.as_str())
    .bind(now)
    .bind(i64::from(limit))
    .fetch_all(from)
    .await?;
    rows.iter().map(read).collect()
}

/// Removes a token; tells whether it was there.
pub(crate) async fn revoke(
    work: &mut Transaction,
    account: &AccountId,
    id: &JoinTokenId,
    now: i64,
) -> Result<bool, StoreError> {
    let tokens = list(&mut *work, account, now, MOST_TOKENS).await?;
    let Some(token) = tokens.into_iter().find(|token| token.id() == *id) else {
        return Ok(false);
    };
    let row = query(
        "DELETE FROM join_tokens WHERE account = $1 AND digest = $2 AND used_by IS NULL \
         RETURNING name",
    )
    .bind(account.as_str())
    .bind(&token.digest.0[..])
    .fetch_optional(work)
    .await?;
    Ok(row.is_some())
}

fn read(row: &Row) -> Result<JoinToken, StoreError> {
    let digest: &[u8] = row.try_get("digest")?;
    let digest = digest
        .try_into()
        .map_err(|_| Row::corrupt("digest", "not 32 bytes"))?;
    let rejoins: Option<&str> = row.try_get("rejoins")?;
    Ok(JoinToken {
        account: row.get_parsed("account")?,
        name: row.get_parsed("name")?,
        purpose: match rejoins {
            Some(_) => Purpose::Rejoin,
            None => Purpose::Join,
        },
        digest: SecretDigest(digest),
        created_by: row.get_parsed("created_by")?,
        created_at: row.try_get("created_at")?,
        expires_at: row.try_get("expires_at")?,
    })
}
