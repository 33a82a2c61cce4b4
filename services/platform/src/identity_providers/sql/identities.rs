//! SQL store of identity links: by subject, or by name until the first sign-in with that name.

use causeway_database::{Error, Row, query};
use causeway_proto::ids::{AccountId, ProviderName, UserId};

use crate::{
    accounts::sql::{Work, advance, find_user},
    identity_providers::model::{Identity, LinkPlace, NAME, NAME_WAITS, Person, SUBJECT},
    identity_providers::sql as providers,
    request::UserRequest,
    service_accounts::sql as service_accounts,
    sessions::sql::{SessionSelector, end_sessions},
    store::{
        Change, StoreError,
        sql::{Record, SqlStore},
    },
    users::model::UserStatus,
};

pub(crate) async fn link(
    store: &SqlStore,
    request: &UserRequest,
    identity: &Identity,
) -> Result<Change<Identity>, StoreError> {
    let (account, user, provider) = (&request.account, &identity.user, &identity.provider);
    let link = identity.link();
    let record = Record::new(request, user.as_str(), identity.linked_at);
    let repeat = async |work: &mut Work, _: &str| find(work, account, provider, &link).await;
    let mutate = async |work: &mut Work| {
        let found = find_user(&mut *work, account, user).await?;
        let exists = found.is_some_and(|user| user.standing() != UserStatus::Deleted);
        let service_account = service_accounts::find(&mut *work, account, user).await?;
        let provider = providers::find(&mut *work, account, provider).await?;
        if !exists || service_account.is_some() || provider.is_none() {
            return Ok(Change::Unknown);
        }
        if is_taken(work, account, identity).await? {
            return Ok(Change::NameTaken);
        }
        insert(work, account, identity).await?;
        Ok(Change::first(identity.clone()))
    };
    store.once(record, repeat, mutate).await
}

pub(crate) async fn unlink(
    store: &SqlStore,
    request: &UserRequest,
    user: &UserId,
    provider: &ProviderName,
    now: i64,
) -> Result<Change<()>, StoreError> {
    let account = &request.account;
    let record = Record::new(request, user.as_str(), now);
    let repeat = async |_: &mut Work, _: &str| Ok(Some(()));
    let mutate = async |work: &mut Work| {
        let deleted =
            query("DELETE FROM identities WHERE account = $1 AND provider = $2 AND user_id = $3")
                .bind(account.as_str())
                .bind(provider.as_str())
                .bind(user.as_str())
                .execute(&mut *work)
                .await?;
        if deleted == 0 {
            return Ok(Change::Unknown);
        }
        let whose = SessionSelector::UserByProvider(user, provider);
        end_sessions(work, account, whose, now).await?;
        advance(work, account).await?;
        Ok(Change::first(()))
    };
    store.once(record, repeat, mutate).await
}

pub(crate) async fn list(
    store: &SqlStore,
    account: &AccountId,
    user: &UserId,
    (behind, limit): (Option<&LinkPlace>, u32),
) -> Result<Vec<Identity>, StoreError> {
    let mut query = query("SELECT * FROM identities WHERE account = $1 AND user_id = $2")
        .bind(account.as_str())
        .bind(user.as_str());
    if let Some((linked_at, provider, link)) = behind {
        query.push(" AND (linked_at, provider, link) > (");
        query.push_bind(*linked_at).push(", ");
        query.push_bind(provider.as_str()).push(", ");
        query.push_bind(link.as_str()).push(")");
    }
    query.push(" ORDER BY linked_at, provider, link LIMIT ");
    query.push_bind(i64::from(limit));
    let rows = query.fetch_all(&store.database).await?;
    Ok(rows.iter().map(read).collect::<Result<_, _>>()?)
}

/// The user whom a person is linked to. A link by name becomes one by subject.
pub(crate) async fn resolve(
    work: &mut Work,
    account: &AccountId,
    provider: &ProviderName,
    person: &Person,
    now: i64,
) -> Result<Option<UserId>, StoreError> {
    let by_subject = format!("{SUBJECT}{}", person.subject);
    if let Some(found) = find(work, account, provider, &by_subject).await? {
        if found.name.as_deref() != Some(&person.name) {
            rename(work, account, &found, &person.name).await?;
        }
        return Ok(Some(found.user));
    }
    let by_name = format!("{NAME}{}", person.name);
    let found = find(work, account, provider, &by_name).await?;
    let Some(found) = found.filter(|found| !found.is_over(now)) else {
        return Ok(None);
    };
    delete(work, account, &found).await?;
    let bound = Identity::of(provider, person, found.user, now);
    insert(work, account, &bound).await?;
    Ok(Some(bound.user))
}

async fn find(
    work: &mut Work,
    account: &AccountId,
    provider: &ProviderName,
    link: &str,
) -> Result<Option<Identity>, StoreError> {
    let row = query("SELECT * FROM identities WHERE account = $1 AND provider = $2 AND link = $3")
        .bind(account.as_str())
        .bind(provider.as_str())
        .bind(link)
        .fetch_optional(work)
        .await?;
    Ok(row.as_ref().map(read).transpose()?)
}

/// True if a subject or a name is linked. Removes expired links by name on the way.
async fn is_taken(
    work: &mut Work,
    account: &AccountId,
    identity: &Identity,
) -> Result<bool, StoreError> {
    let own = identity.link();
    if let Some(found) = find(work, account, &identity.provider, &own).await? {
        if !found.is_over(identity.linked_at) {
            return Ok(true);
        }
        delete(work, account, &found).await?;
    }
    let (None, Some(name)) = (&identity.subject, &identity.name) else {
        return Ok(false);
    };
    let row = query(
        "SELECT 1 FROM identities WHERE account = $1 AND provider = $2 AND name = $3 LIMIT 1",
    )
    .bind(account.as_str())
    .bind(identity.provider.as_str())
    .bind(name.as_str())
    .fetch_optional(work)
    .await?;
    Ok(row.is_some())
}

/// Removes the pending links by name of a provider.
pub(crate) async fn forget_names(
    work: &mut Work,
    account: &AccountId,
    provider: &ProviderName,
) -> Result<(), StoreError> {
    query("DELETE FROM identities WHERE account = $1 AND provider = $2 AND link LIKE 'name:%'")
        .bind(account.as_str())
        .bind(provider.as_str())
        .execute(work)
        .await?;
    Ok(())
}

/// Removes the expired links by name of all accounts.
pub(crate) async fn sweep_names(work: &mut Work, now: i64) -> Result<(), StoreError> {
    query("DELETE FROM identities WHERE link LIKE 'name:%' AND linked_at <= $1")
        .bind(now.saturating_sub(NAME_WAITS))
        .execute(work)
        .await?;
    Ok(())
}

async fn rename(
    work: &mut Work,
    account: &AccountId,
    link: &Identity,
    name: &str,
) -> Result<(), StoreError> {
    query("UPDATE identities SET name = $4 WHERE account = $1 AND provider = $2 AND link = $3")
        .bind(account.as_str())
        .bind(link.provider.as_str())
        .bind(link.link())
        .bind(name)
        .execute(work)
        .await?;
    Ok(())
}

async fn delete(work: &mut Work, account: &AccountId, link: &Identity) -> Result<(), StoreError> {
    query("DELETE FROM identities WHERE account = $1 AND provider = $2 AND link = $3")
        .bind(account.as_str())
        .bind(link.provider.as_str())
        .bind(link.link())
        .execute(work)
        .await?;
    Ok(())
}

pub(crate) async fn insert(
    work: &mut Work,
    account: &AccountId,
    identity: &Identity,
) -> Result<(), StoreError> {
    query(
        "INSERT INTO identities (account, provider, link, name, user_id, linked_at) \
         VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(account.as_str())
    .bind(identity.provider.as_str())
    .bind(identity.link())
    .bind(identity.name.clone())
    .bind(identity.user.as_str())
    .bind(identity.linked_at)
    .execute(work)
    .await?;
    Ok(())
}

fn read(row: &Row) -> Result<Identity, Error> {
    let link: String = row.try_get("link")?;
    Ok(Identity {
        provider: row.get_parsed("provider")?,
        subject: link.strip_prefix(SUBJECT).map(str::to_owned),
        name: row.try_get("name")?,
        user: row.get_parsed("user_id")?,
        linked_at: row.try_get("linked_at")?,
    })
}
