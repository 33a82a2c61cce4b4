//! SQL store of accounts, users and roles, and of the policy version of each account.

use causeway_database::{Error, Row, Transaction, query};
use causeway_proto::ids::{AccountId, RoleName, UserId};

use crate::{
    accounts::model::Account,
    api_keys::model::ApiKey,
    api_keys::sql as api_keys,
    replicas::sql::revoked,
    request::UserRequest,
    roles::{
        model as role,
        model::{MOST_ROLES, Role, Roles},
    },
    secret::SecretDigest,
    sign_in::sql::{SessionSelector, end_sessions},
    store::sql::{Record, SqlStore},
    store::{Change, PolicyStore, Save, StoreError, StoreFuture},
    users::model::{User, UserStatus},
};
use crate::{
    roles::sql::{count_roles, find_role, holder, insert_role, read_role, update_role},
    users::sql::{create_user, end_keys, has_admin, update_user},
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
    ) -> StoreFuture<'a, Change<Account>> {
        Box::pin(async move {
            let record = Record::new(request, user.account.as_str(), key.created_at);
            let repeat = async |work: &mut Work, _: &str| find_account(work, &user.account).await;
            self.once(record, repeat, async |work: &mut Work| {
                if !insert_account(work, user, key, digest).await? {
                    return Ok(Change::NameTaken);
                }
                Ok(Change::first(Account {
                    account: user.account.clone(),
                    created_at: key.created_at,
                }))
            })
            .await
        })
    }

    fn list_accounts<'a>(
        &'a self,
        behind: Option<&'a AccountId>,
        limit: u32,
    ) -> StoreFuture<'a, Vec<Account>> {
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

    fn roles<'a>(&'a self, account: &'a AccountId) -> StoreFuture<'a, Roles> {
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
    ) -> StoreFuture<'a, Change<Role>> {
        Box::pin(async move {
            let (account, name) = (&request.account, &role.name);
            let now = role.times.map_or(0, |times| times.updated_at);
            let record = Record::new(request, name.as_str(), now);
            let repeat = async |work: &mut Work, _: &str| find_role(work, account, name).await;
            self.once(record, repeat, async |work: &mut Work| {
                advance(work, account).await?;
                let before = find_role(&mut *work, account, name).await?;
                match (before, save) {
                    (Some(_), Save::New) => return Ok(Change::NameTaken),
                    (None, Save::Changed) => return Ok(Change::Unknown),
                    (None, Save::New) => {
                        if count_roles(work, account).await? >= MOST_ROLES {
                            return Ok(Change::Full);
                        }
                        insert_role(work, account, role, now).await?;
                    }
                    (Some(_), Save::Changed) => update_role(work, account, role, now).await?,
                }
                // Read back for the times, of which an update keeps the first.
                let saved = find_role(work, account, name).await?;
                Ok(saved.map_or(Change::Unknown, Change::first))
            })
            .await
        })
    }

    fn delete_role<'a>(
        &'a self,
        request: &'a UserRequest,
        name: &'a RoleName,
        now: i64,
    ) -> StoreFuture<'a, Change<RoleName>> {
        Box::pin(async move {
            let account = &request.account;
            let record = Record::new(request, name.as_str(), now);
            let repeat = async |_: &mut Work, _: &str| Ok(Some(name.clone()));
            self.once(record, repeat, async |work: &mut Work| {
                advance(work, account).await?;
                if let Some(holder) = holder(work, account, name).await? {
                    return Ok(Change::RoleInUse(holder));
                }
                let deleted = query("DELETE FROM roles WHERE account = $1 AND role = $2")
                    .bind(account.as_str())
                    .bind(name.as_str())
                    .execute(work)
                    .await?;
                if deleted == 0 {
                    return Ok(Change::Unknown);
                }
                Ok(Change::first(name.clone()))
            })
            .await
        })
    }

    fn find_user<'a>(
        &'a self,
        account: &'a AccountId,
        user: &'a UserId,
    ) -> StoreFuture<'a, Option<User>> {
        Box::pin(find_user(&self.database, account, user))
    }

    fn list_users<'a>(
        &'a self,
        account: &'a AccountId,
        behind: Option<&'a UserId>,
        limit: u32,
    ) -> StoreFuture<'a, Vec<User>> {
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
    ) -> StoreFuture<'a, Change<User>> {
        Box::pin(async move {
            let record = Record::new(request, user.user.as_str(), user.created_at);
            let repeat =
                async |work: &mut Work, _: &str| find_user(work, &user.account, &user.user).await;
            self.once(record, repeat, async |work: &mut Work| {
                advance(work, &request.account).await?;
                let unknown = unknown_role(work, &request.account, &user.roles).await?;
                if let Some(unknown) = unknown {
                    return Ok(Change::RoleUnknown(unknown));
                }
                if !create_user(work, user).await? {
                    return Ok(Change::NameTaken);
                }
                Ok(Change::first(user.clone()))
            })
            .await
        })
    }

    fn set_user_roles<'a>(
        &'a self,
        request: &'a UserRequest,
        user: &'a UserId,
        roles: &'a [RoleName],
        now: i64,
    ) -> StoreFuture<'a, Change<User>> {
        let change = UserChange::Roles(roles);
        Box::pin(self.change_user(request, user, change, now))
    }

    fn set_user_standing<'a>(
        &'a self,
        request: &'a UserRequest,
        user: &'a UserId,
        standing: UserStatus,
        now: i64,
    ) -> StoreFuture<'a, Change<User>> {
        let change = UserChange::UserStatus(standing);
        Box::pin(self.change_user(request, user, change, now))
    }
}

/// What becomes of a user.
pub(crate) enum UserChange<'a> {
    Roles(&'a [RoleName]),
    UserStatus(UserStatus),
}

impl UserChange<'_> {
    pub(crate) fn apply(&self, user: &mut User, now: i64) {
        match self {
            Self::Roles(roles) => user.roles = roles.to_vec(),
            Self::UserStatus(UserStatus::Enabled) => user.disabled_at = None,
            Self::UserStatus(UserStatus::Disabled) => {
                user.disabled_at = user.disabled_at.or(Some(now))
            }
            Self::UserStatus(UserStatus::Deleted) => user.deleted_at = Some(now),
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
        let account = &request.account;
        let record = Record::new(request, user.as_str(), now);
        let repeat = async |work: &mut Work, _: &str| find_user(work, account, user).await;
        self.once(record, repeat, async |work: &mut Work| {
            advance(work, account).await?;
            let found = find_user(&mut *work, account, user).await?;
            let Some(mut changed) = found.filter(|user| user.standing() != UserStatus::Deleted)
            else {
                return Ok(Change::Unknown);
            };
            if let UserChange::Roles(roles) = &change
                && let Some(unknown) = unknown_role(work, account, roles).await?
            {
                return Ok(Change::RoleUnknown(unknown));
            }
            let was_admin = changed.has(&role::admin());
            change.apply(&mut changed, now);
            update_user(work, &changed).await?;
            // Checked after the update; a refusal rolls it back.
            if was_admin && !has_admin(work, account).await? {
                return Ok(Change::LastAdmin);
            }
            if changed.standing() != UserStatus::Enabled {
                end_keys(work, &changed, now).await?;
                end_sessions(work, account, SessionSelector::User(user), now).await?;
            }
            Ok(Change::first(changed))
        })
        .await
    }
}

/// True when the account's policy changed since the request was authorized; otherwise locks it until the transaction ends.
pub(crate) async fn is_overtaken(
    work: &mut Work,
    request: &UserRequest,
) -> Result<bool, StoreError> {
    let Some(version) = request.policy_version else {
        return Ok(false);
    };
    // A write waits for other writers and blocks them; a read would do neither.
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
