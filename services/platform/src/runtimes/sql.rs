//! SQL store of runtimes and join tokens.

mod offer;
mod tokens;

use causeway_assertion::PublicKey;
use causeway_database::{Error, Row, Transaction, query};
use causeway_proto::ids::{AccountId, KeyId, RuntimeId, RuntimeName};

use crate::{
    accounts::sql::is_overtaken,
    audit::sql::append,
    replicas::sql::revoked,
    request::{Recorded, UserRequest},
    runtimes::{
        join_record,
        model::{
            JoinOutcome, JoinToken, JoinTokenId, Joining, Offer, Purpose, Runtime, TokenRejection,
        },
        presence::{LastContact, RuntimeKey},
    },
    secret::SecretDigest,
    store::sql::{PriorRequest, Record, SqlStore, recall, remember},
    store::{Change, RevokeOutcome, RuntimeStore, StoreError, StoreFuture, TokenOutcome},
};

impl RuntimeStore for SqlStore {
    fn create_join_token<'a>(
        &'a self,
        request: &'a UserRequest,
        token: &'a JoinToken,
    ) -> StoreFuture<'a, TokenOutcome> {
        Box::pin(async move {
            let mut transaction = self.begin().await?;
            match recall(&mut transaction, request).await? {
                PriorRequest::Never => {}
                PriorRequest::Reused => return Ok(TokenOutcome::Made(Recorded::Reused)),
                PriorRequest::Outcome(end) => {
                    let found = Recorded::repeated(end.parse().ok(), "outcome")?;
                    return Ok(TokenOutcome::Made(found));
                }
            }
            if is_overtaken(&mut transaction, request).await? {
                return Ok(TokenOutcome::Overtaken);
            }
            let present = present(&mut transaction, &token.account, &token.name).await?;
            let rejoins = match (token.purpose, present) {
                (Purpose::Join, Some(_)) => return Ok(TokenOutcome::NameTaken),
                (Purpose::Rejoin, None) => return Ok(TokenOutcome::Unknown),
                (Purpose::Join | Purpose::Rejoin, present) => present,
            };
            insert_token(&mut transaction, token, rejoins).await?;
            let outcome = token.expires_at.to_string();
            remember(&mut transaction, request, &outcome, token.created_at).await?;
            transaction.commit().await?;
            Ok(TokenOutcome::Made(Recorded::First(token.expires_at)))
        })
    }

    fn list_join_tokens<'a>(
        &'a self,
        account: &'a AccountId,
        now: i64,
        limit: u32,
    ) -> StoreFuture<'a, Vec<JoinToken>> {
        Box::pin(async move { tokens::list(&self.database, account, now, limit).await })
    }

    fn revoke_join_token<'a>(
        &'a self,
        request: &'a UserRequest,
        id: &'a JoinTokenId,
        now: i64,
    ) -> StoreFuture<'a, Change<()>> {
        Box::pin(async move {
            let record = Record::new(request, &id.0, now);
            let repeat = async |_: &mut Transaction, _: &str| Ok(Some(()));
            self.once(record, repeat, async |work: &mut Transaction| {
                let revoked = tokens::revoke(work, &request.account, id, now).await?;
                Ok(if revoked {
                    Change::first(())
                } else {
                    Change::Unknown
                })
            })
            .await
        })
    }

    fn look_at_token(&self, token: SecretDigest, now: i64) -> StoreFuture<'_, Option<Offer>> {
        Box::pin(async move {
            let found = query("SELECT * FROM join_tokens WHERE digest = $1 AND expires_at > $2")
                .bind(&token.0[..])
                .bind(now)
                .fetch_optional(&self.database)
                .await?;
            match found {
                Some(found) => {
                    let offer = offer::offer(&mut self.begin().await?, &found).await?;
                    Ok(Some(offer))
                }
                None => Ok(None),
            }
        })
    }

    fn join<'a>(
        &'a self,
        token: SecretDigest,
        joining: &'a Joining,
        now: i64,
    ) -> StoreFuture<'a, JoinOutcome> {
        Box::pin(async move {
            let mut transaction = self.begin().await?;
            let found = query("SELECT * FROM join_tokens WHERE digest = $1 AND expires_at > $2")
                .bind(&token.0[..])
                .bind(now)
                .fetch_optional(&mut transaction)
                .await?;
            let Some(found) = found else {
                return Ok(JoinOutcome::Invalid);
            };
            let (account, name) = (found.get_parsed("account")?, found.get_parsed("name")?);
            let used_by: Option<String> = found.try_get("used_by")?;
            let rejoins: Option<String> = found.try_get("rejoins")?;
            if let (Some(id), None) = (&rejoins, &used_by) {
                let outcome = join_again(&mut transaction, (account, name), id, joining).await?;
                if let JoinOutcome::Rejoined(runtime) = &outcome {
                    use_token(&mut transaction, token, id).await?;
                    revoked(&mut transaction).await?;
                    append(&mut transaction, join_record::rejoined(runtime, now)).await?;
                    transaction.commit().await?;
                }
                return Ok(outcome);
            }
            let runtime = joining.clone().into_runtime(account, name, now);
            let bar = match used_by {
                Some(id) => match rejoin(&mut transaction, &runtime.account, &id, joining).await? {
                    Some(runtime) => {
                        let record = join_record::joined(&runtime, String::new(), now);
                        append(&mut transaction, record).await?;
                        transaction.commit().await?;
                        return Ok(JoinOutcome::Joined(Box::new(runtime)));
                    }
                    None => Some(TokenRejection::Used),
                },
                None => taken(&mut transaction, &runtime).await?,
            };
            if let Some(bar) = bar {
                let (account, name) = (runtime.account, runtime.name);
                return Ok(JoinOutcome::Barred { account, name, bar });
            }
            admit(&mut transaction, token, &runtime).await?;
            let record = join_record::joined(&runtime, String::new(), now);
            append(&mut transaction, record).await?;
            transaction.commit().await?;
            Ok(JoinOutcome::Joined(Box::new(runtime)))
        })
    }

    fn list_runtimes<'a>(
        &'a self,
        account: &'a AccountId,
        behind: Option<&'a RuntimeName>,
        limit: u32,
    ) -> StoreFuture<'a, Vec<Runtime>> {
        Box::pin(async move {
            let rows = query(
                "SELECT * FROM runtimes WHERE account = $1 AND name > $2 AND replaced_at IS NULL \
                 ORDER BY name LIMIT $3",
            )
            .bind(account.as_str())
            .bind(behind.map_or("", RuntimeName::as_str))
            .bind(limit)
            .fetch_all(&self.database)
            .await?;
            Ok(rows.iter().map(read).collect::<Result<_, _>>()?)
        })
    }

    fn present_runtimes(&self, limit: u32) -> StoreFuture<'_, Vec<Runtime>> {
        Box::pin(async move {
            let rows = query(
                "SELECT * FROM runtimes WHERE revoked_at IS NULL AND replaced_at IS NULL \
                 ORDER BY account, name LIMIT $1",
            )
            .bind(limit)
            .fetch_all(&self.database)
            .await?;
            Ok(rows.iter().map(read).collect::<Result<_, _>>()?)
        })
    }

    fn find_runtime<'a>(
        &'a self,
        account: &'a AccountId,
        name: &'a RuntimeName,
    ) -> StoreFuture<'a, Option<Runtime>> {
        Box::pin(async move {
            let row = query(
                "SELECT * FROM runtimes WHERE account = $1 AND name = $2 AND replaced_at IS NULL",
            )
            .bind(account.as_str())
            .bind(name.as_str())
            .fetch_optional(&self.database)
            .await?;
            Ok(row.as_ref().map(read).transpose()?)
        })
    }

    fn resolve_runtime<'a>(
        &'a self,
        account: &'a AccountId,
        id: &'a RuntimeId,
    ) -> StoreFuture<'a, Option<Runtime>> {
        Box::pin(async move {
            let row = query("SELECT * FROM runtimes WHERE account = $1 AND runtime_id = $2")
                .bind(account.as_str())
                .bind(id.as_str())
                .fetch_optional(&self.database)
                .await?;
            Ok(row.as_ref().map(read).transpose()?)
        })
    }

    fn find_runtime_by_key<'a>(&'a self, key_id: &'a KeyId) -> StoreFuture<'a, Option<Runtime>> {
        Box::pin(async move {
            let row = query("SELECT * FROM runtimes WHERE key_id = $1 AND revoked_at IS NULL")
                .bind(key_id.as_str())
                .fetch_optional(&self.database)
                .await?;
            Ok(row.as_ref().map(read).transpose()?)
        })
    }

    fn revoke_runtime<'a>(
        &'a self,
        request: &'a UserRequest,
        name: &'a RuntimeName,
        now: i64,
    ) -> StoreFuture<'a, RevokeOutcome> {
        Box::pin(async move {
            let mut transaction = self.begin().await?;
            match recall(&mut transaction, request).await? {
                PriorRequest::Never => {}
                PriorRequest::Reused => return Ok(RevokeOutcome::Revoked(Recorded::Reused)),
                PriorRequest::Outcome(id) => {
                    let found = find(&mut transaction, &request.account, &id).await?;
                    let repeated = Recorded::repeated(found.map(Box::new), "outcome")?;
                    return Ok(RevokeOutcome::Revoked(repeated));
                }
            }
            let Some(runtime) = revoke(&mut transaction, &request.account, name, now).await? else {
                return Ok(RevokeOutcome::Unknown);
            };
            remember(&mut transaction, request, runtime.runtime_id.as_str(), now).await?;
            revoked(&mut transaction).await?;
            transaction.commit().await?;
            Ok(RevokeOutcome::Revoked(Recorded::First(Box::new(runtime))))
        })
    }

    fn present_keys<'a>(&'a self, of: &'a [RuntimeKey]) -> StoreFuture<'a, Vec<Option<KeyId>>> {
        Box::pin(async move {
            let mut keys = Vec::with_capacity(of.len());
            for runtime in of {
                let row = query(
                    "SELECT key_id FROM runtimes WHERE account = $1 AND runtime_id = $2 AND revoked_at IS NULL",
                )
                .bind(runtime.0.as_str())
                .bind(runtime.1.as_str())
                .fetch_optional(&self.database)
                .await?;
                keys.push(row.map(|row| row.get_parsed("key_id")).transpose()?);
            }
            Ok(keys)
        })
    }

    fn touch_runtimes(&self, seen: Vec<(RuntimeKey, LastContact)>) -> StoreFuture<'_, ()> {
        Box::pin(async move {
            let mut transaction = self.begin().await?;
            for ((account, id), seen) in seen {
                query(
                    "UPDATE runtimes SET last_seen_at = $1, \
                     version = CASE WHEN $2 = '' THEN version ELSE $2 END \
                     WHERE account = $3 AND runtime_id = $4",
                )
                .bind(seen.at)
                .bind(seen.version)
                .bind(account.as_str())
                .bind(id.as_str())
                .execute(&mut transaction)
                .await?;
            }
            transaction.commit().await?;
            Ok(())
        })
    }
}

/// The id of the runtime that has a name and was not put out.
async fn present(
    transaction: &mut Transaction,
    account: &AccountId,
    name: &RuntimeName,
) -> Result<Option<String>, StoreError> {
    let row = query(
        "SELECT runtime_id FROM runtimes WHERE account = $1 AND name = $2 AND revoked_at IS NULL",
    )
    .bind(account.as_str())
    .bind(name.as_str())
    .fetch_optional(&mut *transaction)
    .await?;
    Ok(row.map(|row| row.try_get(0)).transpose()?)
}

async fn insert_token(
    transaction: &mut Transaction,
    token: &JoinToken,
    rejoins: Option<String>,
) -> Result<(), StoreError> {
    query(
        "INSERT INTO join_tokens (account, digest, name, created_by, created_at, expires_at, rejoins) \
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
    )
    .bind(token.account.as_str())
    .bind(&token.digest.0[..])
    .bind(token.name.as_str())
    .bind(token.created_by.as_str())
    .bind(token.created_at)
    .bind(token.expires_at)
    .bind(rejoins)
    .execute(transaction)
    .await?;
    Ok(())
}

/// A second use of a token: only the same runtime may request the response that it lost again.
async fn rejoin(
    transaction: &mut Transaction,
    account: &AccountId,
    id: &str,
    joining: &Joining,
) -> Result<Option<Runtime>, StoreError> {
    let found = find(transaction, account, id).await?;
    Ok(found.filter(|runtime| runtime.is_same(joining)))
}

async fn taken(
    transaction: &mut Transaction,
    runtime: &Runtime,
) -> Result<Option<TokenRejection>, StoreError> {
    if present(transaction, &runtime.account, &runtime.name)
        .await?
        .is_some()
    {
        return Ok(Some(TokenRejection::NameTaken));
    }
    key_taken(transaction, &runtime.key_id()).await
}

async fn key_taken(
    transaction: &mut Transaction,
    key_id: &KeyId,
) -> Result<Option<TokenRejection>, StoreError> {
    let key = query("SELECT 1 FROM runtimes WHERE key_id = $1 AND revoked_at IS NULL")
        .bind(key_id.as_str())
        .fetch_optional(&mut *transaction)
        .await?;
    Ok(key.map(|_| TokenRejection::KeyTaken))
}

/// Gives a runtime other keys.
async fn join_again(
    transaction: &mut Transaction,
    (account, name): (AccountId, RuntimeName),
    id: &str,
    joining: &Joining,
) -> Result<JoinOutcome, StoreError> {
    let found = find(transaction, &account, id).await?;
    let Some(runtime) = found.filter(|runtime| runtime.revoked_at.is_none()) else {
        let bar = TokenRejection::Gone;
        return Ok(JoinOutcome::Barred { account, name, bar });
    };
    let runtime = runtime.with_keys_of(joining);
    if let Some(bar) = key_taken(transaction, &runtime.key_id()).await? {
        return Ok(JoinOutcome::Barred { account, name, bar });
    }
    query(
        "UPDATE runtimes SET key_id = $1, identity_key = $2, sealing_key = $3, version = $4 \
         WHERE account = $5 AND runtime_id = $6",
    )
    .bind(runtime.key_id().to_string())
    .bind(runtime.identity_key.as_bytes())
    .bind(runtime.sealing_key.as_bytes())
    .bind(runtime.version.as_str())
    .bind(account.as_str())
    .bind(id)
    .execute(transaction)
    .await?;
    Ok(JoinOutcome::Rejoined(Box::new(runtime)))
}

async fn use_token(
    transaction: &mut Transaction,
    token: SecretDigest,
    by: &str,
) -> Result<(), StoreError> {
    query("UPDATE join_tokens SET used_by = $1 WHERE digest = $2")
        .bind(by)
        .bind(&token.0[..])
        .execute(transaction)
        .await?;
    Ok(())
}

async fn admit(
    transaction: &mut Transaction,
    token: SecretDigest,
    runtime: &Runtime,
) -> Result<(), StoreError> {
    use_token(transaction, token, runtime.runtime_id.as_str()).await?;
    query("UPDATE runtimes SET replaced_at = $1 WHERE account = $2 AND name = $3 AND replaced_at IS NULL")
        .bind(runtime.joined_at)
        .bind(runtime.account.as_str())
        .bind(runtime.name.as_str())
        .execute(transaction)
        .await?;
    query(
        "INSERT INTO runtimes (account, runtime_id, name, key_id, identity_key, sealing_key, version, joined_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
    )
    .bind(runtime.account.as_str())
    .bind(runtime.runtime_id.as_str())
    .bind(runtime.name.as_str())
    .bind(runtime.key_id().to_string())
    .bind(runtime.identity_key.as_bytes())
    .bind(runtime.sealing_key.as_bytes())
    .bind(runtime.version.as_str())
    .bind(runtime.joined_at)
    .execute(transaction)
    .await?;
    Ok(())
}

async fn revoke(
    transaction: &mut Transaction,
    account: &AccountId,
    name: &RuntimeName,
    now: i64,
) -> Result<Option<Runtime>, StoreError> {
    let row = query(
        "UPDATE runtimes SET revoked_at = COALESCE(revoked_at, $1) \
         WHERE account = $2 AND name = $3 AND replaced_at IS NULL RETURNING *",
    )
    .bind(now)
    .bind(account.as_str())
    .bind(name.as_str())
    .fetch_optional(&mut *transaction)
    .await?;
    Ok(row.as_ref().map(read).transpose()?)
}

async fn find(
    transaction: &mut Transaction,
    account: &AccountId,
    id: &str,
) -> Result<Option<Runtime>, StoreError> {
    let row = query("SELECT * FROM runtimes WHERE account = $1 AND runtime_id = $2")
        .bind(account.as_str())
        .bind(id)
        .fetch_optional(&mut *transaction)
        .await?;
    Ok(row.as_ref().map(read).transpose()?)
}

fn read(row: &Row) -> Result<Runtime, Error> {
    Ok(Runtime {
        account: row.get_parsed("account")?,
        runtime_id: row.get_parsed("runtime_id")?,
        name: row.get_parsed("name")?,
        identity_key: point(row, "identity_key")?,
        sealing_key: point(row, "sealing_key")?,
        version: row.try_get("version")?,
        joined_at: row.try_get("joined_at")?,
        last_seen_at: row.try_get("last_seen_at")?,
        revoked_at: row.try_get("revoked_at")?,
    })
}

fn point(row: &Row, column: &'static str) -> Result<PublicKey, Error> {
    let bytes: &[u8] = row.try_get(column)?;
    PublicKey::from_bytes(bytes).ok_or_else(|| Row::corrupt(column, "not a P-256 point"))
}
