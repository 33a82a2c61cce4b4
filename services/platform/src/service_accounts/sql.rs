//! SQL queries of service accounts, which are users too.

use causeway_database::{ReadSource, Row, query};
use causeway_proto::ids::{AccountId, UserId};

use crate::{
    accounts::sql::{Work, advance, read_user, unknown_role},
    request::UserRequest,
    service_accounts::model::{ServiceAccount, TrustRule},
    sessions::sql::{SessionSelector, end_sessions},
    sign_in::sql::{from_json, to_json},
    store::{
        Change, StoreError,
        sql::{Record, SqlStore},
    },
    users::{model::UserStatus, sql::create_user},
};

pub(crate) async fn create(
    store: &SqlStore,
    request: &UserRequest,
    service_account: &ServiceAccount,
) -> Result<Change<ServiceAccount>, StoreError> {
    let user = &service_account.user;
    let record = Record::new(request, user.user.as_str(), user.created_at);
    let repeat = async |work: &mut Work, _: &str| find(work, &user.account, &user.user).await;
    let mutate = async |work: &mut Work| {
        advance(work, &user.account).await?;
        if let Some(unknown) = unknown_role(work, &user.account, &user.roles).await? {
            return Ok(Change::RoleUnknown(unknown));
        }
        if !create_user(work, user).await? {
            return Ok(Change::NameTaken);
        }
        query("INSERT INTO service_accounts (account, user_id, trust) VALUES ($1, $2, $3)")
            .bind(user.account.as_str())
            .bind(user.user.as_str())
            .bind(to_json(&service_account.trust))
            .execute(work)
            .await?;
        Ok(Change::first(service_account.clone()))
    };
    store.once(record, repeat, mutate).await
}

pub(crate) async fn set_trust(
    store: &SqlStore,
    request: &UserRequest,
    user: &UserId,
    trust: &[TrustRule],
    now: i64,
) -> Result<Change<ServiceAccount>, StoreError> {
    let account = &request.account;
    let record = Record::new(request, user.as_str(), now);
    let repeat = async |work: &mut Work, _: &str| present(work, account, user).await;
    let mutate = async |work: &mut Work| {
        let Some(mut found) = present(work, account, user).await? else {
            return Ok(Change::Unknown);
        };
        found.trust = trust.to_vec();
        query("UPDATE service_accounts SET trust = $3 WHERE account = $1 AND user_id = $2")
            .bind(account.as_str())
            .bind(user.as_str())
            .bind(to_json(&found.trust))
            .execute(&mut *work)
            .await?;
        // Sessions begun under the former rules must not outlive them.
        end_sessions(work, account, SessionSelector::User(user), now).await?;
        advance(work, account).await?;
        Ok(Change::first(found))
    };
    store.once(record, repeat, mutate).await
}

/// Finds a service account that is not deleted.
async fn present(
    work: &mut Work,
    account: &AccountId,
    user: &UserId,
) -> Result<Option<ServiceAccount>, StoreError> {
    let found = find(work, account, user).await?;
    Ok(found.filter(|it| it.user.standing() != UserStatus::Deleted))
}

pub(crate) async fn list(
    store: &SqlStore,
    account: &AccountId,
    behind: Option<&UserId>,
    limit: u32,
) -> Result<Vec<ServiceAccount>, StoreError> {
    let rows = query(
        "SELECT u.*, s.trust FROM service_accounts s \
         JOIN users u ON u.account = s.account AND u.user_id = s.user_id \
         WHERE s.account = $1 AND s.user_id > $2 AND u.deleted_at IS NULL ORDER BY s.user_id LIMIT $3",
    )
    .bind(account.as_str())
    .bind(behind.map_or("", UserId::as_str))
    .bind(i64::from(limit))
    .fetch_all(&store.database)
    .await?;
    rows.iter().map(read).collect()
}

pub(crate) async fn find(
    from: impl Into<ReadSource<'_>>,
    account: &AccountId,
    user: &UserId,
) -> Result<Option<ServiceAccount>, StoreError> {
    let row = query(
        "SELECT u.*, s.trust FROM service_accounts s \
         JOIN users u ON u.account = s.account AND u.user_id = s.user_id \
         WHERE s.account = $1 AND s.user_id = $2",
    )
    .bind(account.as_str())
    .bind(user.as_str())
    .fetch_optional(from)
    .await?;
    row.as_ref().map(read).transpose()
}

fn read(row: &Row) -> Result<ServiceAccount, StoreError> {
    Ok(ServiceAccount {
        user: read_user(row)?,
        trust: from_json(row, "trust")?,
    })
}
