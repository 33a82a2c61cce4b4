//! SQL store of API keys, and creation of the first account.

use causeway_database::{Error, Query, ReadSource, Row, Transaction, query};
use causeway_proto::ids::{AccountId, KeyId};

use crate::{
    accounts::sql as policies,
    api_keys::model::{ApiKey, Holder, KeyPlace, PresentedSecret, Rotation},
    request::UserRequest,
    secret::SecretDigest,
    sign_in::sql::{SessionSelector, end_sessions},
    store::{
        ApiKeyStore, Change, StoreError, StoreFuture,
        sql::{Record, SqlStore},
    },
    users::model::User,
};

/// What becomes of the sessions of a key that changes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SessionsOfKey {
    End,
    /// They end with the secret that they began with.
    Stay,
}

impl ApiKeyStore for SqlStore {
    fn has_account<'a>(&'a self, account: &'a AccountId) -> StoreFuture<'a, bool> {
        Box::pin(async move {
            let row = query("SELECT 1 FROM accounts WHERE account = $1")
                .bind(account.as_str())
                .fetch_optional(&self.database)
                .await?;
            Ok(row.is_some())
        })
    }

    fn create_account<'a>(
        &'a self,
        user: &'a User,
        key: &'a ApiKey,
        digest: SecretDigest,
    ) -> StoreFuture<'a, bool> {
        Box::pin(async move {
            let mut transaction = self.begin().await?;
            let made = policies::insert_account(&mut transaction, user, key, digest).await?;
            if made {
                transaction.commit().await?;
            }
            Ok(made)
        })
    }

    fn find_holder(&self, digest: SecretDigest) -> StoreFuture<'_, Option<Holder>> {
        Box::pin(async move {
            let row = query("SELECT * FROM api_keys WHERE digest = $1 OR former_digest = $1")
                .bind(&digest.0[..])
                .fetch_optional(&self.database)
                .await?;
            let Some(row) = row else {
                return Ok(None);
            };
            let key = read(&row)?;
            let present: Vec<u8> = row.try_get("digest")?;
            let shown = if present == digest.0 {
                PresentedSecret::Present
            } else {
                PresentedSecret::Former
            };
            let owner = policies::find_user(&self.database, &key.account, &key.user).await?;
            Ok(owner.map(|owner| Holder { key, shown, owner }))
        })
    }

    fn create_api_key<'a>(
        &'a self,
        request: &'a UserRequest,
        key: &'a ApiKey,
        digest: SecretDigest,
    ) -> StoreFuture<'a, Change<ApiKey>> {
        Box::pin(async move {
            let record = Record::new(request, key.key_id.as_str(), key.created_at);
            let repeat = async |work: &mut Transaction, key_id: &str| {
                find(work, &request.account, key_id).await
            };
            self.once(record, repeat, async |work: &mut Transaction| {
                insert(work, key, digest).await?;
                Ok(Change::first(key.clone()))
            })
            .await
        })
    }

    fn list_api_keys<'a>(
        &'a self,
        account: &'a AccountId,
        behind: Option<&'a KeyPlace>,
        limit: u32,
    ) -> StoreFuture<'a, Vec<ApiKey>> {
        Box::pin(async move {
            let rows = query(
                "SELECT * FROM api_keys WHERE account = $1 AND (created_at < $2 OR created_at = $2 AND key_id > $3) \
                 ORDER BY created_at DESC, key_id LIMIT $4",
            )
            .bind(account.as_str())
            .bind(behind.map_or(i64::MAX, |(created_at, _)| *created_at))
            .bind(behind.map_or("", |(_, key_id)| key_id.as_str()))
            .bind(limit)
            .fetch_all(&self.database)
            .await?;
            Ok(rows.iter().map(read).collect::<Result<_, _>>()?)
        })
    }

    fn find_api_key<'a>(
        &'a self,
        account: &'a AccountId,
        key_id: &'a KeyId,
    ) -> StoreFuture<'a, Option<ApiKey>> {
        Box::pin(async move { find(&self.database, account, key_id.as_str()).await })
    }

    fn rotate_api_key<'a>(
        &'a self,
        request: &'a UserRequest,
        key_id: &'a KeyId,
        digest: SecretDigest,
        rotation: Rotation,
    ) -> StoreFuture<'a, Change<ApiKey>> {
        Box::pin(async move {
            let update = query(
                "UPDATE api_keys SET former_digest = digest, digest = $3, rotated_at = $4, \
                 former_ends_at = $5 WHERE account = $1 AND key_id = $2 AND revoked_at IS NULL",
            );
            let update = update
                .bind(request.account.as_str())
                .bind(key_id.as_str())
                .bind(digest.0.to_vec())
                .bind(rotation.rotated_at)
                .bind(rotation.former_ends_at);
            let (now, sessions) = (rotation.rotated_at, SessionsOfKey::Stay);
            self.change_key(request, key_id, update, (now, sessions))
                .await
        })
    }

    fn revoke_api_key<'a>(
        &'a self,
        request: &'a UserRequest,
        key_id: &'a KeyId,
        now: i64,
    ) -> StoreFuture<'a, Change<ApiKey>> {
        Box::pin(async move {
            let update = query(
                "UPDATE api_keys SET revoked_at = $3 \
                 WHERE account = $1 AND key_id = $2 AND revoked_at IS NULL",
            );
            let update = update
                .bind(request.account.as_str())
                .bind(key_id.as_str())
                .bind(now);
            let sessions = SessionsOfKey::End;
            self.change_key(request, key_id, update, (now, sessions))
                .await
        })
    }

    fn touch_api_keys(&self, used: Vec<(AccountId, KeyId, i64)>) -> StoreFuture<'_, ()> {
        Box::pin(async move {
            let mut transaction = self.begin().await?;
            for (account, key_id, at) in used {
                query("UPDATE api_keys SET last_used_at = $1 WHERE account = $2 AND key_id = $3")
                    .bind(at)
                    .bind(account.as_str())
                    .bind(key_id.as_str())
                    .execute(&mut transaction)
                    .await?;
            }
            transaction.commit().await?;
            Ok(())
        })
    }
}

impl SqlStore {
    async fn change_key(
        &self,
        request: &UserRequest,
        key_id: &KeyId,
        update: Query,
        (now, sessions): (i64, SessionsOfKey),
    ) -> Result<Change<ApiKey>, StoreError> {
        let account = &request.account;
        let record = Record::new(request, key_id.as_str(), now);
        let repeat =
            async |work: &mut Transaction, _: &str| find(work, account, key_id.as_str()).await;
        self.once(record, repeat, async |work: &mut Transaction| {
            update.execute(&mut *work).await?;
            let Some(key) = find(&mut *work, account, key_id.as_str()).await? else {
                return Ok(Change::Unknown);
            };
            if sessions == SessionsOfKey::End {
                end_sessions(work, account, SessionSelector::Key(key_id), now).await?;
            }
            policies::advance(work, account).await?;
            Ok(Change::first(key))
        })
        .await
    }
}

pub(crate) async fn insert(
    transaction: &mut Transaction,
    key: &ApiKey,
    digest: SecretDigest,
) -> Result<(), StoreError> {
    query(
        "INSERT INTO api_keys (account, key_id, digest, display_name, user_id, role, created_at, expires_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
    )
    .bind(key.account.to_string())
    .bind(key.key_id.to_string())
    .bind(digest.0.to_vec())
    .bind(key.display_name.clone())
    .bind(key.user.to_string())
    .bind(key.role.as_ref().map(ToString::to_string))
    .bind(key.created_at)
    .bind(key.expires_at)
    .execute(transaction)
    .await?;
    Ok(())
}

pub(crate) async fn find(
    from: impl Into<ReadSource<'_>>,
    account: &AccountId,
    key_id: &str,
) -> Result<Option<ApiKey>, StoreError> {
    let row = query("SELECT * FROM api_keys WHERE account = $1 AND key_id = $2")
        .bind(account.as_str())
        .bind(key_id)
        .fetch_optional(from)
        .await?;
    Ok(row.as_ref().map(read).transpose()?)
}

fn read(row: &Row) -> Result<ApiKey, Error> {
    let rotated_at: Option<i64> = row.try_get("rotated_at")?;
    let former_ends_at: Option<i64> = row.try_get("former_ends_at")?;
    let rotation = rotated_at.zip(former_ends_at);
    let role: Option<&str> = row.try_get("role")?;
    Ok(ApiKey {
        account: row.get_parsed("account")?,
        key_id: row.get_parsed("key_id")?,
        display_name: row.try_get("display_name")?,
        user: row.get_parsed("user_id")?,
        role: role.map(|_| row.get_parsed("role")).transpose()?,
        created_at: row.try_get("created_at")?,
        expires_at: row.try_get("expires_at")?,
        last_used_at: row.try_get("last_used_at")?,
        revoked_at: row.try_get("revoked_at")?,
        rotation: rotation.map(|(rotated_at, former_ends_at)| Rotation {
            rotated_at,
            former_ends_at,
        }),
    })
}
