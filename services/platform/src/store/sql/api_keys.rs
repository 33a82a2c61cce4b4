//! Accounts, users and API keys.

use causeway_database::{Error, Row, Transaction, query};
use causeway_proto::ids::{AccountId, KeyId};

use super::{Before, SqlStore, recall, remember, replicas::revoked};
use crate::{
    api_key::{ApiKey, Grant, User},
    request::{Recorded, UserRequest},
    secret::SecretDigest,
    store::{Answer, ApiKeyStore, KeyRevokeOutcome, StoreError},
};

impl ApiKeyStore for SqlStore {
    fn has_account<'a>(&'a self, account: &'a AccountId) -> Answer<'a, bool> {
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
    ) -> Answer<'a, ()> {
        Box::pin(async move {
            let mut transaction = self.begin().await?;
            let made = query(
                "INSERT INTO accounts (account, created_at) VALUES ($1, $2) ON CONFLICT DO NOTHING",
            )
            .bind(user.account.as_str())
            .bind(key.created_at)
            .execute(&mut transaction)
            .await?;
            if made == 0 {
                return Ok(());
            }
            query("INSERT INTO users (account, user_id, role, created_at) VALUES ($1, $2, $3, $4)")
                .bind(user.account.as_str())
                .bind(user.user.as_str())
                .bind(user.role.as_str())
                .bind(key.created_at)
                .execute(&mut transaction)
                .await?;
            insert(&mut transaction, key, digest).await?;
            transaction.commit().await?;
            Ok(())
        })
    }

    fn find_grant(&self, digest: SecretDigest) -> Answer<'_, Option<Grant>> {
        Box::pin(async move {
            let row = query(
                "SELECT k.*, u.role AS owner_role FROM api_keys k \
                 JOIN users u ON u.account = k.account AND u.user_id = k.user_id WHERE k.digest = $1",
            )
            .bind(&digest.0[..])
            .fetch_optional(&self.database)
            .await?;
            let grant = |row: &Row| -> Result<Grant, Error> {
                Ok(Grant {
                    key: read(row)?,
                    owner_role: row.parsed("owner_role")?,
                })
            };
            Ok(row.as_ref().map(grant).transpose()?)
        })
    }

    fn create_api_key<'a>(
        &'a self,
        request: &'a UserRequest,
        key: &'a ApiKey,
        digest: SecretDigest,
    ) -> Answer<'a, Recorded<ApiKey>> {
        Box::pin(async move {
            let mut transaction = self.begin().await?;
            match recall(&mut transaction, request).await? {
                Before::Never => {}
                Before::Reused => return Ok(Recorded::Reused),
                Before::Outcome(key_id) => {
                    let found = find(&mut transaction, &request.account, &key_id).await?;
                    return Recorded::repeated(found, "outcome");
                }
            }
            insert(&mut transaction, key, digest).await?;
            remember(
                &mut transaction,
                request,
                key.key_id.as_str(),
                key.created_at,
            )
            .await?;
            transaction.commit().await?;
            Ok(Recorded::First(key.clone()))
        })
    }

    fn list_api_keys<'a>(&'a self, account: &'a AccountId) -> Answer<'a, Vec<ApiKey>> {
        Box::pin(async move {
            let rows = query(
                "SELECT * FROM api_keys WHERE account = $1 ORDER BY created_at DESC, key_id LIMIT 1000",
            )
            .bind(account.as_str())
            .fetch_all(&self.database)
            .await?;
            Ok(rows.iter().map(read).collect::<Result<_, _>>()?)
        })
    }

    fn revoke_api_key<'a>(
        &'a self,
        request: &'a UserRequest,
        key_id: &'a KeyId,
        now: i64,
    ) -> Answer<'a, KeyRevokeOutcome> {
        Box::pin(async move {
            let mut transaction = self.begin().await?;
            let before = recall(&mut transaction, request).await?;
            if matches!(before, Before::Reused) {
                return Ok(KeyRevokeOutcome::Revoked(Recorded::Reused));
            }
            query(
                "UPDATE api_keys SET revoked_at = $1 \
                 WHERE account = $2 AND key_id = $3 AND revoked_at IS NULL",
            )
            .bind(now)
            .bind(request.account.as_str())
            .bind(key_id.as_str())
            .execute(&mut transaction)
            .await?;
            let found = find(&mut transaction, &request.account, key_id.as_str()).await?;
            let Some(key) = found else {
                return Ok(KeyRevokeOutcome::Unknown);
            };
            if matches!(before, Before::Outcome(_)) {
                return Ok(KeyRevokeOutcome::Revoked(Recorded::Repeated(key)));
            }
            remember(&mut transaction, request, key_id.as_str(), now).await?;
            revoked(&mut transaction).await?;
            transaction.commit().await?;
            Ok(KeyRevokeOutcome::Revoked(Recorded::First(key)))
        })
    }

    fn touch_api_keys(&self, used: Vec<(AccountId, KeyId, i64)>) -> Answer<'_, ()> {
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

async fn insert(
    transaction: &mut Transaction,
    key: &ApiKey,
    digest: SecretDigest,
) -> Result<(), StoreError> {
    query(
        "INSERT INTO api_keys (account, key_id, digest, display_name, user_id, role, created_at, expires_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
    )
    .bind(key.account.as_str())
    .bind(key.key_id.as_str())
    .bind(&digest.0[..])
    .bind(key.display_name.as_str())
    .bind(key.user.as_str())
    .bind(key.role.as_str())
    .bind(key.created_at)
    .bind(key.expires_at)
    .execute(transaction)
    .await?;
    Ok(())
}

async fn find(
    transaction: &mut Transaction,
    account: &AccountId,
    key_id: &str,
) -> Result<Option<ApiKey>, StoreError> {
    let row = query("SELECT * FROM api_keys WHERE account = $1 AND key_id = $2")
        .bind(account.as_str())
        .bind(key_id)
        .fetch_optional(transaction)
        .await?;
    Ok(row.as_ref().map(read).transpose()?)
}

fn read(row: &Row) -> Result<ApiKey, Error> {
    Ok(ApiKey {
        account: row.parsed("account")?,
        key_id: row.parsed("key_id")?,
        display_name: row.try_get("display_name")?,
        user: row.parsed("user_id")?,
        role: row.parsed("role")?,
        created_at: row.try_get("created_at")?,
        expires_at: row.try_get("expires_at")?,
        last_used_at: row.try_get("last_used_at")?,
        revoked_at: row.try_get("revoked_at")?,
    })
}
