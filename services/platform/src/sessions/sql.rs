//! SQL store of sessions.

use causeway_database::{Error, ReadSource, Row, query};
use causeway_proto::ids::{AccountId, KeyId, ProviderName, SessionId, UserId};

use crate::{
    accounts::sql::{Work, advance, find_user, insert_user},
    api_keys::sql as api_keys,
    identity_providers::model::Identity,
    identity_providers::{sql as providers, sql::identities},
    replicas::sql::revoked,
    request::{Recorded, UserRequest},
    secret::SecretDigest,
    service_accounts::sql as service_accounts,
    sessions::model::{MOST_SESSIONS, SessionHolder, SessionPlace, UserSession},
    sign_in::sql::{from_json, to_json},
    store::{
        Authenticated, Change, SessionRequest, SessionStore, SignInOutcome, StoreError,
        StoreFuture,
        sql::{PriorRequest, Record, SqlStore, recall, remember},
    },
    users::model::User,
};

impl SessionStore for SqlStore {
    fn begin_session<'a>(
        &'a self,
        beginning: &'a SessionRequest,
        session_id: &'a SessionId,
        digest: SecretDigest,
    ) -> StoreFuture<'a, SignInOutcome> {
        Box::pin(async move {
            let mut work = self.begin().await?;
            let user = match arrive(&mut work, beginning).await? {
                Ok(user) => user,
                Err(refused) => return Ok(refused),
            };
            let found = find_user(&mut work, &beginning.account, &user).await?;
            if !found.is_some_and(|user| user.may_sign_in()) {
                return Ok(SignInOutcome::Disabled(user));
            }
            let session = beginning.session(session_id, user);
            insert(&mut work, &session, digest).await?;
            make_room(&mut work, &session).await?;
            work.commit().await?;
            Ok(SignInOutcome::Session(Box::new(session)))
        })
    }

    fn create_session<'a>(
        &'a self,
        request: &'a UserRequest,
        session: &'a UserSession,
        digest: SecretDigest,
    ) -> StoreFuture<'a, Change<UserSession>> {
        Box::pin(async move {
            let record = Record::new(request, session.session_id.as_str(), session.created_at);
            let repeat = async |work: &mut Work, id: &str| {
                let row = find_text(work, &request.account, id).await?;
                Ok(row.as_ref().map(read).transpose()?)
            };
            self.once(record, repeat, async |work: &mut Work| {
                if !has_key(work, session).await? {
                    return Ok(Change::Unknown);
                }
                insert(work, session, digest).await?;
                make_room(work, session).await?;
                Ok(Change::first(session.clone()))
            })
            .await
        })
    }

    fn find_session_holder(&self, digest: SecretDigest) -> StoreFuture<'_, Option<SessionHolder>> {
        Box::pin(async move {
            let row = query("SELECT * FROM sessions WHERE digest = $1")
                .bind(&digest.0[..])
                .fetch_optional(&self.database)
                .await?;
            self.holder(row).await
        })
    }

    fn find_session<'a>(
        &'a self,
        account: &'a AccountId,
        session_id: &'a SessionId,
    ) -> StoreFuture<'a, Option<SessionHolder>> {
        Box::pin(async move {
            let row = find(&self.database, account, session_id).await?;
            self.holder(row).await
        })
    }

    fn list_sessions<'a>(
        &'a self,
        account: &'a AccountId,
        user: Option<&'a UserId>,
        (behind, limit): (Option<&'a SessionPlace>, u32),
        now: i64,
    ) -> StoreFuture<'a, Vec<UserSession>> {
        Box::pin(async move {
            let mut query = query(
                "SELECT * FROM sessions WHERE account = $1 AND revoked_at IS NULL AND expires_at > $2 \
                 AND (created_at < $3 OR created_at = $3 AND session_id > $4)",
            )
            .bind(account.as_str())
            .bind(now)
            .bind(behind.map_or(i64::MAX, |(created_at, _)| *created_at))
            .bind(behind.map_or("", |(_, session_id)| session_id.as_str()));
            if let Some(user) = user {
                query.push(" AND user_id = ").push_bind(user.as_str());
            }
            query.push(" ORDER BY created_at DESC, session_id LIMIT ");
            query.push_bind(i64::from(limit));
            let rows = query.fetch_all(&self.database).await?;
            Ok(rows.iter().map(read).collect::<Result<_, _>>()?)
        })
    }

    fn revoke_session<'a>(
        &'a self,
        request: &'a UserRequest,
        session_id: &'a SessionId,
        now: i64,
    ) -> StoreFuture<'a, Option<Recorded<UserSession>>> {
        Box::pin(async move {
            let mut work = self.begin().await?;
            let before = recall(&mut work, request).await?;
            if matches!(before, PriorRequest::Reused) {
                return Ok(Some(Recorded::Reused));
            }
            let first = matches!(before, PriorRequest::Never);
            if first {
                let whose = SessionSelector::Id(session_id);
                end_sessions(&mut work, &request.account, whose, now).await?;
            }
            let Some(row) = find(&mut work, &request.account, session_id).await? else {
                return Ok(None);
            };
            let session = read(&row)?;
            if !first {
                return Ok(Some(Recorded::Repeated(session)));
            }
            remember(&mut work, request, session_id.as_str(), now).await?;
            advance(&mut work, &request.account).await?;
            work.commit().await?;
            Ok(Some(Recorded::First(session)))
        })
    }

    fn touch_sessions(&self, used: Vec<(AccountId, SessionId, i64)>) -> StoreFuture<'_, ()> {
        Box::pin(async move {
            let mut work = self.begin().await?;
            for (account, session_id, at) in used {
                query(
                    "UPDATE sessions SET last_seen_at = $1 WHERE account = $2 AND session_id = $3",
                )
                .bind(at)
                .bind(account.as_str())
                .bind(session_id.as_str())
                .execute(&mut work)
                .await?;
            }
            work.commit().await?;
            Ok(())
        })
    }
}

impl SqlStore {
    async fn holder(&self, row: Option<Row>) -> Result<Option<SessionHolder>, StoreError> {
        let Some(row) = row else {
            return Ok(None);
        };
        let session = read(&row)?;
        let provider = match &session.provider {
            Some(name) => providers::find(&self.database, &session.account, name).await?,
            None => None,
        };
        let key = match &session.key_id {
            Some(id) => api_keys::find(&self.database, &session.account, id.as_str()).await?,
            None => None,
        };
        let owner = find_user(&self.database, &session.account, &session.user).await?;
        Ok(owner.map(|owner| SessionHolder {
            session,
            owner,
            provider,
            key,
        }))
    }
}

/// Finds or creates the user of a person.
async fn arrive(
    work: &mut Work,
    beginning: &SessionRequest,
) -> Result<Result<UserId, SignInOutcome>, StoreError> {
    let (account, now) = (&beginning.account, beginning.created_at);
    let (provider, person, user_names) = match &beginning.arrival {
        Authenticated::Service(user, rule) => {
            let found = service_accounts::find(work, account, user).await?;
            let found = found.filter(|it| it.trust.contains(rule));
            return Ok(found.map(|it| it.user.user).ok_or(SignInOutcome::Gone));
        }
        Authenticated::Person {
            provider,
            person,
            user_names,
        } => (provider, person, user_names),
    };
    let found = providers::find(&mut *work, account, &provider.provider).await?;
    if found.as_ref() != Some(provider) {
        return Ok(Err(SignInOutcome::Gone));
    }
    let provider = &provider.provider;
    if let Some(user) = identities::resolve(work, account, provider, person, now).await? {
        return Ok(Ok(user));
    }
    for name in user_names {
        let display = person.name.clone();
        let user = User::new(account.clone(), name.clone(), display, Vec::new(), now);
        if insert_user(work, &user).await? {
            let identity = Identity::of(provider, person, user.user.clone(), now);
            identities::insert(work, account, &identity).await?;
            return Ok(Ok(user.user));
        }
    }
    Ok(Err(SignInOutcome::NotLinked))
}

/// True if the key of a session may be used when it begins.
async fn has_key(work: &mut Work, session: &UserSession) -> Result<bool, StoreError> {
    let Some(key_id) = &session.key_id else {
        return Ok(false);
    };
    let key = api_keys::find(work, &session.account, key_id.as_str()).await?;
    Ok(key.is_some_and(|key| key.check(session.created_at).is_ok()))
}

/// Selects sessions.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SessionSelector<'a> {
    Id(&'a SessionId),
    User(&'a UserId),
    Key(&'a KeyId),
    Provider(&'a ProviderName),
    UserByProvider(&'a UserId, &'a ProviderName),
}

/// Ends sessions; the first end of each stays.
pub(crate) async fn end_sessions(
    work: &mut Work,
    account: &AccountId,
    whose: SessionSelector<'_>,
    now: i64,
) -> Result<(), StoreError> {
    let mut update =
        query("UPDATE sessions SET revoked_at = $1 WHERE revoked_at IS NULL AND account = $2")
            .bind(now)
            .bind(account.as_str());
    match whose {
        SessionSelector::Id(id) => update.push(" AND session_id = ").push_bind(id.as_str()),
        SessionSelector::User(user) => update.push(" AND user_id = ").push_bind(user.as_str()),
        SessionSelector::Key(key_id) => update.push(" AND key_id = ").push_bind(key_id.as_str()),
        SessionSelector::Provider(provider) => {
            update.push(" AND provider = ").push_bind(provider.as_str())
        }
        SessionSelector::UserByProvider(user, provider) => update
            .push(" AND user_id = ")
            .push_bind(user.as_str())
            .push(" AND provider = ")
            .push_bind(provider.as_str()),
    };
    update.execute(work).await?;
    Ok(())
}

/// Removes sessions of a user who has too many beside a new one: first those that have ended, then the oldest.
async fn make_room(work: &mut Work, session: &UserSession) -> Result<(), StoreError> {
    let rows = query(
        "SELECT * FROM sessions WHERE account = $1 AND user_id = $2 AND session_id <> $3 \
         ORDER BY CASE WHEN revoked_at IS NULL AND expires_at > $4 THEN 0 ELSE 1 END, \
         created_at DESC, session_id LIMIT 1000 OFFSET $5",
    )
    .bind(session.account.as_str())
    .bind(session.user.as_str())
    .bind(session.session_id.as_str())
    .bind(session.created_at)
    .bind(i64::from(MOST_SESSIONS - 1))
    .fetch_all(&mut *work)
    .await?;
    let gone: Vec<_> = rows.iter().map(read).collect::<Result<_, _>>()?;
    for old in &gone {
        query("DELETE FROM sessions WHERE account = $1 AND session_id = $2")
            .bind(old.account.as_str())
            .bind(old.session_id.as_str())
            .execute(&mut *work)
            .await?;
    }
    // What had ended opened nothing before either.
    if gone.iter().any(|old| old.is_open(session.created_at)) {
        revoked(work).await
    } else {
        Ok(())
    }
}

async fn insert(
    work: &mut Work,
    session: &UserSession,
    digest: SecretDigest,
) -> Result<(), StoreError> {
    query(
        "INSERT INTO sessions (account, session_id, digest, user_id, provider, identity, \
         group_names, created_at, expires_at, source_address, key_id) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
    )
    .bind(session.account.as_str())
    .bind(session.session_id.as_str())
    .bind(digest.0.to_vec())
    .bind(session.user.as_str())
    .bind(session.provider.as_ref().map(ToString::to_string))
    .bind(session.identity.as_str())
    .bind(to_json(&session.groups))
    .bind(session.created_at)
    .bind(session.expires_at)
    .bind(session.source_address.as_str())
    .bind(session.key_id.as_ref().map(ToString::to_string))
    .execute(work)
    .await?;
    Ok(())
}

async fn find(
    from: impl Into<ReadSource<'_>>,
    account: &AccountId,
    session_id: &SessionId,
) -> Result<Option<Row>, StoreError> {
    find_text(from, account, session_id.as_str()).await
}

async fn find_text(
    from: impl Into<ReadSource<'_>>,
    account: &AccountId,
    session_id: &str,
) -> Result<Option<Row>, StoreError> {
    let row = query("SELECT * FROM sessions WHERE account = $1 AND session_id = $2")
        .bind(account.as_str())
        .bind(session_id)
        .fetch_optional(from)
        .await?;
    Ok(row)
}

fn read(row: &Row) -> Result<UserSession, Error> {
    let provider: Option<&str> = row.try_get("provider")?;
    let key_id: Option<&str> = row.try_get("key_id")?;
    Ok(UserSession {
        account: row.get_parsed("account")?,
        session_id: row.get_parsed("session_id")?,
        user: row.get_parsed("user_id")?,
        provider: provider.map(|_| row.get_parsed("provider")).transpose()?,
        key_id: key_id.map(|_| row.get_parsed("key_id")).transpose()?,
        identity: row.try_get("identity")?,
        groups: from_json(row, "group_names")?,
        created_at: row.try_get("created_at")?,
        last_seen_at: row.try_get("last_seen_at")?,
        expires_at: row.try_get("expires_at")?,
        revoked_at: row.try_get("revoked_at")?,
        source_address: row.try_get("source_address")?,
    })
}
