//! SQL store of identity providers.

pub(crate) mod identities;

use causeway_database::{Error, ReadSource, Row, query};
use causeway_proto::ids::{AccountId, ProviderName, RoleName, UserId};

use crate::{
    accounts::sql::{Work, advance, unknown_role},
    identity_providers::model::{
        ClientSecret, Identity, IdentityProvider, LinkPlace, MOST_PROVIDERS, Settings,
    },
    request::UserRequest,
    service_accounts::model::{ServiceAccount, TrustRule},
    service_accounts::sql as service_accounts,
    sessions::sql::{SessionSelector, end_sessions},
    sign_in::sql::{from_json, to_json},
    store::{
        Change, IdentityStore, StoreError, StoreFuture,
        sql::{Record, SqlStore},
    },
};

impl IdentityStore for SqlStore {
    fn list_identity_providers<'a>(
        &'a self,
        account: &'a AccountId,
    ) -> StoreFuture<'a, Vec<IdentityProvider>> {
        Box::pin(list(&self.database, account))
    }

    fn find_identity_provider<'a>(
        &'a self,
        account: &'a AccountId,
        provider: &'a ProviderName,
    ) -> StoreFuture<'a, Option<IdentityProvider>> {
        Box::pin(find(&self.database, account, provider))
    }

    fn create_identity_provider<'a>(
        &'a self,
        request: &'a UserRequest,
        provider: &'a IdentityProvider,
    ) -> StoreFuture<'a, Change<IdentityProvider>> {
        Box::pin(async move {
            let (account, name) = (&provider.account, &provider.provider);
            let record = Record::new(request, name.as_str(), provider.created_at);
            let repeat = async |work: &mut Work, _: &str| find(work, account, name).await;
            self.once(record, repeat, async |work: &mut Work| {
                if let Some(role) = unknown(work, request, &provider.settings).await? {
                    return Ok(Change::RoleUnknown(role));
                }
                let present = list(&mut *work, account).await?;
                if present.iter().any(|it| it.provider == *name) {
                    return Ok(Change::NameTaken);
                }
                if present.len() >= MOST_PROVIDERS {
                    return Ok(Change::Full);
                }
                insert(work, provider).await?;
                Ok(Change::first(provider.clone()))
            })
            .await
        })
    }

    fn update_identity_provider<'a>(
        &'a self,
        request: &'a UserRequest,
        provider: &'a IdentityProvider,
        version: &'a str,
        now: i64,
    ) -> StoreFuture<'a, Change<IdentityProvider>> {
        Box::pin(async move {
            let (account, name) = (&request.account, &provider.provider);
            let settings = &provider.settings;
            let record = Record::new(request, name.as_str(), now);
            let repeat = async |work: &mut Work, _: &str| find(work, account, name).await;
            self.once(record, repeat, async |work: &mut Work| {
                let Some(mut found) = find(&mut *work, account, name).await? else {
                    return Ok(Change::Unknown);
                };
                if found.version() != version {
                    return Ok(Change::Stale);
                }
                if let Some(role) = unknown(work, request, settings).await? {
                    return Ok(Change::RoleUnknown(role));
                }
                if !found.settings.lets_in_the_same(settings) {
                    end_sessions(work, account, SessionSelector::Provider(name), now).await?;
                }
                if found.settings.user_claim != settings.user_claim {
                    identities::forget_names(work, account, name).await?;
                }
                found.change_to(provider);
                update(work, &found).await?;
                advance(work, account).await?;
                Ok(Change::first(found))
            })
            .await
        })
    }

    fn delete_identity_provider<'a>(
        &'a self,
        request: &'a UserRequest,
        provider: &'a ProviderName,
        now: i64,
    ) -> StoreFuture<'a, Change<()>> {
        Box::pin(async move {
            let account = &request.account;
            let record = Record::new(request, provider.as_str(), now);
            let repeat = async |_: &mut Work, _: &str| Ok(Some(()));
            self.once(record, repeat, async |work: &mut Work| {
                query("DELETE FROM identities WHERE account = $1 AND provider = $2")
                    .bind(account.as_str())
                    .bind(provider.as_str())
                    .execute(&mut *work)
                    .await?;
                let deleted =
                    query("DELETE FROM identity_providers WHERE account = $1 AND provider = $2")
                        .bind(account.as_str())
                        .bind(provider.as_str())
                        .execute(&mut *work)
                        .await?;
                if deleted == 0 {
                    return Ok(Change::Unknown);
                }
                end_sessions(work, account, SessionSelector::Provider(provider), now).await?;
                advance(work, account).await?;
                Ok(Change::first(()))
            })
            .await
        })
    }

    fn list_sealed<'a>(
        &'a self,
        behind: Option<&'a IdentityProvider>,
        limit: u32,
    ) -> StoreFuture<'a, Vec<IdentityProvider>> {
        Box::pin(async move {
            let place = behind.map(|it| (it.account.as_str(), it.provider.as_str()));
            let (account, provider) = place.unwrap_or_default();
            let rows = query(
                "SELECT * FROM identity_providers WHERE secret IS NOT NULL \
                 AND (account, provider) > ($1, $2) ORDER BY account, provider LIMIT $3",
            )
            .bind(account)
            .bind(provider)
            .bind(limit)
            .fetch_all(&self.database)
            .await?;
            Ok(rows.iter().map(read).collect::<Result<_, _>>()?)
        })
    }

    fn reseal<'a>(
        &'a self,
        provider: &'a IdentityProvider,
        sealed: Vec<u8>,
    ) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let mut work = self.begin().await?;
            query(
                "UPDATE identity_providers SET secret = $4 \
                 WHERE account = $1 AND provider = $2 AND secret = $3",
            )
            .bind(provider.account.as_str())
            .bind(provider.provider.as_str())
            .bind(sealed_of(provider))
            .bind(sealed)
            .execute(&mut work)
            .await?;
            work.commit().await?;
            Ok(())
        })
    }

    fn link_identity<'a>(
        &'a self,
        request: &'a UserRequest,
        identity: &'a Identity,
    ) -> StoreFuture<'a, Change<Identity>> {
        Box::pin(identities::link(self, request, identity))
    }

    fn unlink_identity<'a>(
        &'a self,
        request: &'a UserRequest,
        user: &'a UserId,
        provider: &'a ProviderName,
        now: i64,
    ) -> StoreFuture<'a, Change<()>> {
        Box::pin(identities::unlink(self, request, user, provider, now))
    }

    fn list_identities<'a>(
        &'a self,
        account: &'a AccountId,
        user: &'a UserId,
        asked: (Option<&'a LinkPlace>, u32),
    ) -> StoreFuture<'a, Vec<Identity>> {
        Box::pin(identities::list(self, account, user, asked))
    }

    fn create_service_account<'a>(
        &'a self,
        request: &'a UserRequest,
        service_account: &'a ServiceAccount,
    ) -> StoreFuture<'a, Change<ServiceAccount>> {
        Box::pin(service_accounts::create(self, request, service_account))
    }

    fn set_trust_rules<'a>(
        &'a self,
        request: &'a UserRequest,
        user: &'a UserId,
        trust: &'a [TrustRule],
        now: i64,
    ) -> StoreFuture<'a, Change<ServiceAccount>> {
        Box::pin(service_accounts::set_trust(self, request, user, trust, now))
    }

    fn list_service_accounts<'a>(
        &'a self,
        account: &'a AccountId,
        behind: Option<&'a UserId>,
        limit: u32,
    ) -> StoreFuture<'a, Vec<ServiceAccount>> {
        Box::pin(service_accounts::list(self, account, behind, limit))
    }

    fn find_service_account<'a>(
        &'a self,
        account: &'a AccountId,
        user: &'a UserId,
    ) -> StoreFuture<'a, Option<ServiceAccount>> {
        Box::pin(service_accounts::find(&self.database, account, user))
    }
}

pub(crate) async fn find(
    from: impl Into<ReadSource<'_>>,
    account: &AccountId,
    provider: &ProviderName,
) -> Result<Option<IdentityProvider>, StoreError> {
    let row = query("SELECT * FROM identity_providers WHERE account = $1 AND provider = $2")
        .bind(account.as_str())
        .bind(provider.as_str())
        .fetch_optional(from)
        .await?;
    Ok(row.as_ref().map(read).transpose()?)
}

async fn list(
    from: impl Into<ReadSource<'_>>,
    account: &AccountId,
) -> Result<Vec<IdentityProvider>, StoreError> {
    let rows = query("SELECT * FROM identity_providers WHERE account = $1 ORDER BY provider")
        .bind(account.as_str())
        .fetch_all(from)
        .await?;
    Ok(rows.iter().map(read).collect::<Result<_, _>>()?)
}

/// Which provider gives a role to a group, in words.
pub(crate) async fn holder(
    work: &mut Work,
    account: &AccountId,
    role: &RoleName,
) -> Result<Option<String>, StoreError> {
    let providers = list(work, account).await?;
    let mut giving = providers.into_iter().filter(|it| it.settings.gives(role));
    let giving = giving.next();
    Ok(giving.map(|it| format!("a group of the identity provider {}", it.provider)))
}

async fn unknown(
    work: &mut Work,
    request: &UserRequest,
    settings: &Settings,
) -> Result<Option<RoleName>, StoreError> {
    let given: Vec<_> = settings.group_roles.values().flatten().cloned().collect();
    unknown_role(work, &request.account, &given).await
}

async fn insert(work: &mut Work, provider: &IdentityProvider) -> Result<(), StoreError> {
    query(
        "INSERT INTO identity_providers \
         (account, provider, issuer, settings, secret, created_at, secret_id) \
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
    )
    .bind(provider.account.as_str())
    .bind(provider.provider.as_str())
    .bind(provider.issuer.as_str())
    .bind(to_json(&provider.settings))
    .bind(sealed_of(provider))
    .bind(provider.created_at)
    .bind(secret_id(provider))
    .execute(work)
    .await?;
    Ok(())
}

async fn update(work: &mut Work, provider: &IdentityProvider) -> Result<(), StoreError> {
    query(
        "UPDATE identity_providers SET settings = $3, secret = $4, secret_id = $5 \
         WHERE account = $1 AND provider = $2",
    )
    .bind(provider.account.as_str())
    .bind(provider.provider.as_str())
    .bind(to_json(&provider.settings))
    .bind(sealed_of(provider))
    .bind(secret_id(provider))
    .execute(work)
    .await?;
    Ok(())
}

fn sealed_of(provider: &IdentityProvider) -> Option<Vec<u8>> {
    let secret = provider.secret.as_ref();
    secret.map(|secret| secret.sealed.clone())
}

fn secret_id(provider: &IdentityProvider) -> Option<&str> {
    provider.secret.as_ref().map(|secret| &*secret.id)
}

fn read(row: &Row) -> Result<IdentityProvider, Error> {
    let sealed: Option<Vec<u8>> = row.try_get("secret")?;
    let id: Option<String> = row.try_get("secret_id")?;
    let secret = |sealed| ClientSecret {
        id: id.unwrap_or_default(),
        sealed,
    };
    Ok(IdentityProvider {
        account: row.get_parsed("account")?,
        provider: row.get_parsed("provider")?,
        issuer: row.try_get("issuer")?,
        settings: from_json(row, "settings")?,
        secret: sealed.map(secret),
        created_at: row.try_get("created_at")?,
    })
}
