//! SQL queries of service accounts, which are users too.

use causeway_database::{ReadSource, Row, query};
use causeway_proto::ids::{AccountId, UserId};

use crate::{
    accounts::sql::{advance, insert_user, is_overtaken, read_user, repeated, unknown_role},
    request::{Recorded, UserRequest},
    service_accounts::model::{ServiceAccount, TrustRule},
    store::{
        Change, StoreError,
        sql::{Before, SqlStore, recall, remember},
    },
    users::model::Standing,
};
use crate::{
    sessions::sql::{Whose, end_sessions},
    sign_in::sql::{from_json, to_json},
};

pub(crate) async fn create(
    store: &SqlStore,
    request: &UserRequest,
    service_account: &ServiceAccount,
) -> Result<Change<ServiceAccount>, StoreError> {
    let mut work = store.begin().await?;
    let user = &service_account.user;
    match recall(&mut work, request).await? {
        Before::Never => {}
        Before::Reused => return Ok(Change::Made(Recorded::Reused)),
        Before::Outcome(_) => {
            return Ok(repeated(find(&mut work, &user.account, &user.user).await?));
        }
    }
    if is_overtaken(&mut work, request).await? {
        return Ok(Change::Overtaken);
    }
    advance(&mut work, &user.account).await?;
    if let Some(unknown) = unknown_role(&mut work, &user.account, &user.roles).await? {
        return Ok(Change::RoleUnknown(unknown));
    }
    if !insert_user(&mut work, user).await? {
        return Ok(Change::NameTaken);
    }
    query("INSERT INTO service_accounts (account, user_id, trust) VALUES ($1, $2, $3)")
        .bind(user.account.as_str())
        .bind(user.user.as_str())
        .bind(to_json(&service_account.trust))
        .execute(&mut work)
        .await?;
    remember(&mut work, request, user.user.as_str(), user.created_at).await?;
    work.commit().await?;
    Ok(Change::Made(Recorded::First(service_account.clone())))
}

pub(crate) async fn set_trust(
    store: &SqlStore,
    request: &UserRequest,
    (user, trust): (&UserId, &[TrustRule]),
    now: i64,
) -> Result<Change<ServiceAccount>, StoreError> {
    let mut work = store.begin().await?;
    let before = recall(&mut work, request).await?;
    if matches!(before, Before::Reused) {
        return Ok(Change::Made(Recorded::Reused));
    }
    let found = find(&mut work, &request.account, user).await?;
    let found = found.filter(|it| it.user.standing() != Standing::Deleted);
    let Some(mut found) = found else {
        return Ok(Change::Unknown);
    };
    if matches!(before, Before::Outcome(_)) {
        return Ok(repeated(Some(found)));
    }
    if is_overtaken(&mut work, request).await? {
        return Ok(Change::Overtaken);
    }
    found.trust = trust.to_vec();
    query("UPDATE service_accounts SET trust = $3 WHERE account = $1 AND user_id = $2")
        .bind(request.account.as_str())
        .bind(user.as_str())
        .bind(to_json(&found.trust))
        .execute(&mut work)
        .await?;
    end_sessions(&mut work, &request.account, Whose::User(user), now).await?;
    advance(&mut work, &request.account).await?;
    remember(&mut work, request, user.as_str(), now).await?;
    work.commit().await?;
    Ok(Change::Made(Recorded::First(found)))
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
