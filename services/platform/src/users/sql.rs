//! SQL queries of users.

use causeway_database::{Error, ReadSource, Row, query};
use causeway_proto::ids::{AccountId, UserId};

use crate::accounts::sql::Work;
use crate::{roles::model::ADMIN, store::StoreError, users::model::User};

pub(crate) async fn find_user(
    from: impl Into<ReadSource<'_>>,
    account: &AccountId,
    user: &UserId,
) -> Result<Option<User>, StoreError> {
    let row = query("SELECT * FROM users WHERE account = $1 AND user_id = $2")
        .bind(account.as_str())
        .bind(user.as_str())
        .fetch_optional(from)
        .await?;
    Ok(row.as_ref().map(read_user).transpose()?)
}

pub(crate) fn read_user(row: &Row) -> Result<User, Error> {
    let roles: String = row.try_get("roles")?;
    let roles = roles.split_whitespace().map(str::parse);
    Ok(User {
        account: row.get_parsed("account")?,
        user: row.get_parsed("user_id")?,
        display_name: row.try_get("display_name")?,
        roles: roles
            .collect::<Result<_, _>>()
            .map_err(|error| Row::corrupt("roles", error))?,
        created_at: row.try_get("created_at")?,
        disabled_at: row.try_get("disabled_at")?,
        deleted_at: row.try_get("deleted_at")?,
    })
}

/// The names with a space before and behind each, so that one of them can be looked for.
fn roles_text(user: &User) -> String {
    let names = user.roles.iter().map(|name| format!(" {name}"));
    names.chain([" ".to_owned()]).collect()
}

pub(crate) async fn insert_user(work: &mut Work, user: &User) -> Result<bool, StoreError> {
    let made = query(
        "INSERT INTO users (account, user_id, display_name, roles, created_at) \
         VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
    )
    .bind(user.account.as_str())
    .bind(user.user.as_str())
    .bind(user.display_name.as_str())
    .bind(roles_text(user))
    .bind(user.created_at)
    .execute(work)
    .await?;
    Ok(made > 0)
}

/// Deletes what a deleted user left: its name may go to another user, who must not get it.
const DELETE_REMAINS: [&str; 4] = [
    "DELETE FROM identities WHERE account = $1 AND user_id = $2",
    "DELETE FROM preferences WHERE account = $1 AND user_id = $2",
    "DELETE FROM saved_views WHERE account = $1 AND user_id = $2",
    "DELETE FROM service_accounts WHERE account = $1 AND user_id = $2",
];

/// Adds a user that an admin creates. Unlike a sign-in, which must not undo a deletion, it may take a deleted user's name.
pub(crate) async fn create_user(work: &mut Work, user: &User) -> Result<bool, StoreError> {
    if insert_user(work, user).await? {
        return Ok(true);
    }
    let taken_over = query(
        "UPDATE users SET display_name = $3, roles = $4, created_at = $5, disabled_at = NULL, \
         deleted_at = NULL WHERE account = $1 AND user_id = $2 AND deleted_at IS NOT NULL",
    )
    .bind(user.account.as_str())
    .bind(user.user.as_str())
    .bind(user.display_name.as_str())
    .bind(roles_text(user))
    .bind(user.created_at)
    .execute(&mut *work)
    .await?;
    if taken_over == 0 {
        return Ok(false);
    }
    for statement in DELETE_REMAINS {
        query(statement)
            .bind(user.account.as_str())
            .bind(user.user.as_str())
            .execute(&mut *work)
            .await?;
    }
    Ok(true)
}

pub(crate) async fn update_user(work: &mut Work, user: &User) -> Result<(), StoreError> {
    query(
        "UPDATE users SET roles = $3, disabled_at = $4, deleted_at = $5 \
         WHERE account = $1 AND user_id = $2",
    )
    .bind(user.account.as_str())
    .bind(user.user.as_str())
    .bind(roles_text(user))
    .bind(user.disabled_at)
    .bind(user.deleted_at)
    .execute(work)
    .await?;
    Ok(())
}

pub(crate) async fn has_admin(work: &mut Work, account: &AccountId) -> Result<bool, StoreError> {
    let row = query(
        "SELECT 1 FROM users WHERE account = $1 AND disabled_at IS NULL AND deleted_at IS NULL \
         AND roles LIKE '% ' || $2 || ' %' LIMIT 1",
    )
    .bind(account.as_str())
    .bind(ADMIN)
    .fetch_optional(&mut *work)
    .await?;
    Ok(row.is_some())
}

/// Ends the keys of a user, and their unused join tokens.
pub(crate) async fn end_keys(work: &mut Work, user: &User, now: i64) -> Result<(), StoreError> {
    query(
        "UPDATE api_keys SET revoked_at = $3 \
         WHERE account = $1 AND user_id = $2 AND revoked_at IS NULL",
    )
    .bind(user.account.as_str())
    .bind(user.user.as_str())
    .bind(now)
    .execute(&mut *work)
    .await?;
    query("DELETE FROM join_tokens WHERE account = $1 AND created_by = $2 AND used_by IS NULL")
        .bind(user.account.as_str())
        .bind(user.user.as_str())
        .execute(work)
        .await?;
    Ok(())
}
