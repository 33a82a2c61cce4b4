//! SQL queries of roles.

use causeway_database::{Error, Row, query};
use causeway_proto::ids::{AccountId, RoleName};

use crate::accounts::sql::Work;
use crate::{
    roles::{
        model as role,
        model::{Role, RoleTimes},
    },
    sign_in::sql as sign_in,
    store::StoreError,
};

pub(crate) async fn find_role(
    work: &mut Work,
    account: &AccountId,
    name: &RoleName,
) -> Result<Option<Role>, StoreError> {
    let row = query("SELECT * FROM roles WHERE account = $1 AND role = $2")
        .bind(account.as_str())
        .bind(name.as_str())
        .fetch_optional(&mut *work)
        .await?;
    Ok(row.as_ref().map(read_role).transpose()?)
}

pub(crate) fn read_role(row: &Row) -> Result<Role, Error> {
    let rules: String = row.try_get("rules")?;
    Ok(Role {
        name: row.get_parsed("role")?,
        description: row.try_get("description")?,
        rules: serde_json::from_str(&rules).map_err(|error| Row::corrupt("rules", error))?,
        times: Some(RoleTimes {
            created_at: row.try_get("created_at")?,
            updated_at: row.try_get("updated_at")?,
        }),
    })
}

fn rules(role: &Role) -> String {
    serde_json::to_string(&role.rules).expect("rules are lists and maps of texts")
}

pub(crate) async fn count_roles(work: &mut Work, account: &AccountId) -> Result<usize, StoreError> {
    let row = query("SELECT COUNT(*) AS number FROM roles WHERE account = $1")
        .bind(account.as_str())
        .fetch_one(&mut *work)
        .await?;
    let number: i64 = row.try_get("number")?;
    Ok(usize::try_from(number).unwrap_or(usize::MAX))
}

pub(crate) async fn insert_role(
    work: &mut Work,
    account: &AccountId,
    role: &Role,
    now: i64,
) -> Result<(), StoreError> {
    query(
        "INSERT INTO roles (account, role, description, rules, created_at, updated_at) \
         VALUES ($1, $2, $3, $4, $5, $5)",
    )
    .bind(account.as_str())
    .bind(role.name.as_str())
    .bind(role.description.as_str())
    .bind(rules(role))
    .bind(now)
    .execute(work)
    .await?;
    Ok(())
}

pub(crate) async fn update_role(
    work: &mut Work,
    account: &AccountId,
    role: &Role,
    now: i64,
) -> Result<(), StoreError> {
    query(
        "UPDATE roles SET description = $3, rules = $4, updated_at = $5 \
         WHERE account = $1 AND role = $2",
    )
    .bind(account.as_str())
    .bind(role.name.as_str())
    .bind(role.description.as_str())
    .bind(rules(role))
    .bind(now)
    .execute(work)
    .await?;
    Ok(())
}

/// Who has a role, in words.
pub(crate) async fn holder(
    work: &mut Work,
    account: &AccountId,
    role: &RoleName,
) -> Result<Option<String>, StoreError> {
    let user = query(
        "SELECT user_id FROM users WHERE account = $1 AND deleted_at IS NULL \
         AND roles LIKE '% ' || $2 || ' %' LIMIT 1",
    )
    .bind(account.as_str())
    .bind(role.as_str())
    .fetch_optional(&mut *work)
    .await?;
    if let Some(row) = user {
        let user: String = row.try_get("user_id")?;
        return Ok(Some(format!("the user {user}")));
    }
    let key = query(
        "SELECT key_id FROM api_keys \
         WHERE account = $1 AND role = $2 AND revoked_at IS NULL LIMIT 1",
    )
    .bind(account.as_str())
    .bind(role.as_str())
    .fetch_optional(&mut *work)
    .await?;
    let key = key.map(|row| row.try_get::<String>("key_id")).transpose()?;
    match key {
        Some(key) => Ok(Some(format!("the API key {key}"))),
        None => sign_in::holder(work, account, role).await,
    }
}

pub(crate) async fn unknown_role(
    work: &mut Work,
    account: &AccountId,
    roles: &[RoleName],
) -> Result<Option<RoleName>, StoreError> {
    for name in roles {
        let built_in = role::find_built_in(name).is_some();
        if !built_in && find_role(work, account, name).await?.is_none() {
            return Ok(Some(name.clone()));
        }
    }
    Ok(None)
}
