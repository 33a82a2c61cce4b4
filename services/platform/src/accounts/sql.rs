//! SQL store of accounts, users and roles, and of the policy version of each account.

use causeway_database::{Error, Row, Transaction, query};
use causeway_proto::ids::{AccountId, RoleName, UserId};

use crate::{
    accounts::model::Account,
    api_keys::model::ApiKey,
    request::{Recorded, UserRequest},
    roles::{
        model as role,
        model::{MOST_ROLES, Role, Roles},
    },
    secret::SecretDigest,
    store::{Answer, Change, PolicyStore, Save, StoreError},
    users::model::{Standing, User},
};
use crate::{
    api_keys::sql as api_keys,
    replicas::sql::revoked,
    sign_in::sql::{Whose, end_sessions},
    store::sql::{Before, SqlStore, recall, remember},
};
use crate::{
    roles::sql::{count_roles, find_role, holder, insert_role, read_role, update_role},
    users::sql::{end_keys, has_admin, update_user},
};

pub(crate) use crate::{
    roles::sql::unknown_role,
    users::sql::{find_user, insert_user, read_user},
};

pub(crate) type Work = Transaction;

impl PolicyStore for SqlStore {
    fn found_account<'a>(
        &'a self,
        request: &'a UserRequest,
        user: &'a User,
        key: &'a ApiKey,
        digest: SecretDigest,
    ) -> Answer<'a, Change<Account>> {
        Box::pin(async move {
            let mut work = self.begin().await?;
            match recall(&mut work, request).await? {
                Before::Never => {}
                Before::Reused => return Ok(Change::Made(Recorded::Reused)),
                Before::Outcome(_) => {
                    let found = find_account(&mut work, &user.account).await?;
                    return Ok(repeated(found));
                }
            }
            if is_overtaken(&mut work, request).await? {
                return Ok(Change::Overtaken);
            }
            if !insert_account(&mut work, user, key, digest).await? {
                return Ok(Change::NameTaken);
            }
            remember(&mut work, request, user.account.as_str(), key.created_at).await?;
            work.commit().await?;
            Ok(Change::Made(Recorded::First(Account {
                account: user.account.clone(),
                created_at: key.created_at,
            })))
        })
    }

    fn list_accounts<'a>(
        &'a self,
        behind: Option<&'a AccountId>,
        limit: u32,
    ) -> Answer<'a, Vec<Account>> {
        Box::pin(async move {
            let rows = query(
                "SELECT account, created_at FROM accounts WHERE account > $1 ORDER BY account LIMIT $2",
            )
            .bind(behind.map_or("", AccountId::as_str))
            .bind(i64::from(limit))
            .fetch_all(&self.database)
            .await?;
            Ok(rows.iter().map(read_account).collect::<Result<_, _>>()?)
        })
    }

    fn roles<'a>(&'a self, account: &'a AccountId) -> Answer<'a, Roles> {
        Box::pin(async move {
            // One statement, so that the roles are those of the version.
            let rows = query(
                "SELECT a.policy_version, r.* FROM accounts a \
                 LEFT JOIN roles r ON r.account = a.account WHERE a.account = $1",
            )
            .bind(account.as_str())
            .fetch_all(&self.database)
            .await?;
            let version = rows.first().map(|row| row.try_get("policy_version"));
            let version: i64 = version.transpose()?.unwrap_or_default();
            let mut roles = Vec::with_capacity(rows.len());
            for row in &rows {
                let name: Option<String> = row.try_get("role")?;
                if name.is_some() {
                    roles.push(read_role(row)?);
                }
            }
            Ok(Roles::new(version.unsigned_abs(), roles))
        })
    }

    fn save_role<'a>(
        &'a self,
        request: &'a UserRequest,
        role: &'a Role,
        save: Save,
    ) -> Answer<'a, Change<Role>> {
        Box::pin(async move {
            let mut work = self.begin().await?;
            match recall(&mut work, request).await? {
                Before::Never => {}
                Before::Reused => return Ok(Change::Made(Recorded::Reused)),
                Before::Outcome(_) => {
                    let found = find_role(&mut work, &request.account, &role.name).await?;
                    return Ok(repeated(found));
                }
            }
            let now = role.times.map_or(0, |times| times.updated_at);
            if is_overtaken(&mut work, request).await? {
                return Ok(Change::Overtaken);
            }
            advance(&mut work, &request.account).await?;
            let before = find_role(&mut work, &request.account, &role.name).await?;
            match (before, save) {
                (Some(_), Save::New) => return Ok(Change::NameTaken),
                (None, Save::Changed) => return Ok(Change::Unknown),
                (None, Save::New) => {
                    if count_roles(&mut work, &request.account).await? >= MOST_ROLES {
                        return Ok(Change::Full);
                    }
                    insert_role(&mut work, &request.account, role, now).await?;
                }
                (Some(_), Save::Changed) => {
                    update_role(&mut work, &request.account, role, now).await?;
                }
            }
            let saved = find_role(&mut work, &request.account, &role.name).await?;
            remember(&mut work, request, role.name.as_str(), now).await?;
            work.commit().await?;
            Ok(saved.map_or(Change::Unknown, |role| Change::Made(Recorded::First(role))))
        })
    }

    fn delete_role<'a>(
        &'a self,
        request: &'a UserRequest,
        name: &'a RoleName,
        now: i64,
    ) -> Answer<'a, Change<RoleName>> {
        Box::pin(async move {
            let mut work = self.begin().await?;
            match recall(&mut work, request).await? {
                Before::Never => {}
                Before::Reused => return Ok(Change::Made(Recorded::Reused)),
                Before::Outcome(_) => return Ok(repeated(Some(name.clone()))),
            }
            if is_overtaken(&mut work, request).await? {
                return Ok(Change::Overtaken);
            }
            advance(&mut work, &request.account).await?;
            if let Some(holder) = holder(&mut work, &request.account, name).await? {
                return Ok(Change::RoleInUse(holder));
            }
            let deleted = query("DELETE FROM roles WHERE account = $1 AND role = $2")
                .bind(request.account.as_str())
                .bind(name.as_str())
                .execute(&mut work)
                .await?;
            if deleted == 0 {
                return Ok(Change::Unknown);
            }
            remember(&mut work, request, name.as_str(), now).await?;
            work.commit().await?;
            Ok(Change::Made(Recorded::First(name.clone())))
        })
    }

    fn find_user<'a>(
        &'a self,
        account: &'a AccountId,
        user: &'a UserId,
    ) -> Answer<'a, Option<User>> {
        Box::pin(find_user(&self.database, account, user))
    }

    fn list_users<'a>(
        &'a self,
        account: &'a AccountId,
        behind: Option<&'a UserId>,
        limit: u32,
    ) -> Answer<'a, Vec<User>> {
        Box::pin(async move {
            let rows = query(
                "SELECT * FROM users WHERE account = $1 AND user_id > $2 AND deleted_at IS NULL \
                 ORDER BY user_id LIMIT $3",
            )
            .bind(account.as_str())
            .bind(behind.map_or("", UserId::as_str))
            .bind(i64::from(limit))
            .fetch_all(&self.database)
            .await?;
            Ok(rows.iter().map(read_user).collect::<Result<_, _>>()?)
        })
    }

    fn create_user<'a>(
        &'a self,
        request: &'a UserRequest,
        user: &'a User,
    ) -> Answer<'a, Change<User>> {
        Box::pin(async move {
            let mut work = self.begin().await?;
            match recall(&mut work, request).await? {
                Before::Never => {}
                Before::Reused => return Ok(Change::Made(Recorded::Reused)),
                Before::Outcome(_) => {
                    let found = find_user(&mut work, &user.account, &user.user).await?;
                    return Ok(repeated(found));
                }
            }
            if is_overtaken(&mut work, request).await? {
                return Ok(Change::Overtaken);
            }
            advance(&mut work, &request.account).await?;
            if let Some(unknown) = unknown_role(&mut work, &request.account, &user.roles).await? {
                return Ok(Change::RoleUnknown(unknown));
            }
            if !insert_user(&mut work, user).await? {
                return Ok(Change::NameTaken);
            }
            remember(&mut work, request, user.user.as_str(), user.created_at).await?;
            work.commit().await?;
            Ok(Change::Made(Recorded::First(user.clone())))
        })
    }

    fn set_user_roles<'a>(
        &'a self,
        request: &'a UserRequest,
        user: &'a UserId,
        roles: &'a [RoleName],
        now: i64,
    ) -> Answer<'a, Change<User>> {
        let change = UserChange::Roles(roles);
        Box::pin(self.change_user(request, user, change, now))
    }

    fn set_user_standing<'a>(
        &'a self,
        request: &'a UserRequest,
        user: &'a UserId,
        standing: Standing,
        now: i64,
    ) -> Answer<'a, Change<User>> {
        let change = UserChange::Standing(standing);
        Box::pin(self.change_user(request, user, change, now))
    }
}

/// What becomes of a user.
pub(crate) enum UserChange<'a> {
    Roles(&'a [RoleName]),
    Standing(Standing),
}

impl UserChange<'_> {
    pub(crate) fn apply(&self, user: &mut User, now: i64) {
        match self {
            Self::Roles(roles) => user.roles = roles.to_vec(),
            Self::Standing(Standing::Enabled) => user.disabled_at = None,
            Self::Standing(Standing::Disabled) => user.disabled_at = user.disabled_at.or(Some(now)),
            Self::Standing(Standing::Deleted) => user.deleted_at = Some(now),
        }
    }
}

impl SqlStore {
    pub(crate) async fn change_user(
        &self,
        request: &UserRequest,
        user: &UserId,
        change: UserChange<'_>,
        now: i64,
    ) -> Result<Change<User>, StoreError> {
        let mut work = self.begin().await?;
        match recall(&mut work, request).await? {
            Before::Never => {}
            Before::Reused => return Ok(Change::Made(Recorded::Reused)),
            Before::Outcome(_) => {
                return Ok(repeated(
                    find_user(&mut work, &request.account, user).await?,
                ));
            }
        }
        if is_overtaken(&mut work, request).await? {
            return Ok(Change::Overtaken);
        }
        advance(&mut work, &request.account).await?;
        let found = find_user(&mut work, &request.account, user).await?;
        let Some(mut changed) = found.filter(|user| user.standing() != Standing::Deleted) else {
            return Ok(Change::Unknown);
        };
        if let UserChange::Roles(roles) = &change
            && let Some(unknown) = unknown_role(&mut work, &request.account, roles).await?
        {
            return Ok(Change::RoleUnknown(unknown));
        }
        let was_admin = changed.has(&role::admin());
        change.apply(&mut changed, now);
        update_user(&mut work, &changed).await?;
        if was_admin && !has_admin(&mut work, &request.account).await? {
            return Ok(Change::LastAdmin);
        }
        if changed.standing() != Standing::Enabled {
            end_keys(&mut work, &changed, now).await?;
            end_sessions(&mut work, &request.account, Whose::User(user), now).await?;
        }
        remember(&mut work, request, user.as_str(), now).await?;
        work.commit().await?;
        Ok(Change::Made(Recorded::First(changed)))
    }
}

/// Whether an account's policy is not the one at which a request was checked; if it is, it stays so until the transaction ends.
pub(crate) async fn is_overtaken(
    work: &mut Work,
    request: &UserRequest,
) -> Result<bool, StoreError> {
    let Some(version) = request.policy_version else {
        return Ok(false);
    };
    // A write, for it waits for other writers and keeps them waiting.
    let same = query(
        "UPDATE accounts SET policy_version = policy_version \
         WHERE account = $1 AND policy_version = $2",
    )
    .bind(request.account.as_str())
    .bind(version.cast_signed())
    .execute(work)
    .await?;
    Ok(same == 0)
}

/// Raises the version of an account's policy, for every replica.
pub(crate) async fn advance(work: &mut Work, account: &AccountId) -> Result<(), StoreError> {
    query("UPDATE accounts SET policy_version = policy_version + 1 WHERE account = $1")
        .bind(account.as_str())
        .execute(work)
        .await?;
    revoked(work).await
}

pub(crate) fn repeated<T>(found: Option<T>) -> Change<T> {
    found.map_or(Change::Unknown, |found| {
        Change::Made(Recorded::Repeated(found))
    })
}

/// Adds an account with its first user and key, if it is not there.
pub(crate) async fn insert_account(
    work: &mut Work,
    user: &User,
    key: &ApiKey,
    digest: SecretDigest,
) -> Result<bool, StoreError> {
    let made = query(
        "INSERT INTO accounts (account, created_at, policy_version) VALUES ($1, $2, 1) \
         ON CONFLICT DO NOTHING",
    )
    .bind(user.account.as_str())
    .bind(key.created_at)
    .execute(work)
    .await?;
    if made == 0 {
        return Ok(false);
    }
    insert_user(work, user).await?;
    api_keys::insert(work, key, digest).await?;
    Ok(true)
}

pub(crate) async fn find_account(
    work: &mut Work,
    account: &AccountId,
) -> Result<Option<Account>, StoreError> {
    let row = query("SELECT account, created_at FROM accounts WHERE account = $1")
        .bind(account.as_str())
        .fetch_optional(&mut *work)
        .await?;
    Ok(row.as_ref().map(read_account).transpose()?)
}

pub(crate) fn read_account(row: &Row) -> Result<Account, Error> {
    Ok(Account {
        account: row.get_parsed("account")?,
        created_at: row.try_get("created_at")?,
    })
}
