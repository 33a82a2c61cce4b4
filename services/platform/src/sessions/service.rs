//! Lists and revokes sessions. Users may always list and revoke their own.

use std::sync::Arc;

use causeway_proto::ids::{SessionId, UserId};

use crate::{
    authorization::access::AccessControl,
    platform::{ChangeError, Credential, Requester, seen::seen},
    request::{Recorded, UserRequest},
    secret::{SESSION_PREFIX, Secret},
    sessions::model::{SessionHolder, SessionPlace, UserSession},
    store::{Store, StoreError, StoreFuture},
    users::service::made,
};

/// Sessions of an account.
#[derive(Clone)]
pub(crate) struct SessionService {
    pub store: Arc<dyn Store>,
    pub access: AccessControl,
}

impl SessionService {
    pub(crate) fn new(store: Arc<dyn Store>, access: AccessControl) -> Self {
        Self { store, access }
    }

    /// Creates a session of the requester's API key; the token is present for the first request of its id.
    pub(crate) async fn create_session(
        &self,
        requester: &Requester,
        request: &UserRequest,
        now: i64,
    ) -> Result<(UserSession, Option<Secret>), ChangeError> {
        let Some(Credential::Key(key_id, shown_at)) = &requester.shown else {
            return Err(ChangeError::NoKey);
        };
        let key = self.store.find_api_key(&requester.account, key_id).await?;
        let key = key.filter(|it| it.user == requester.user && it.is_good_still(*shown_at, now));
        let key = key.ok_or(ChangeError::Revoked)?;
        let (session, secret) = (
            UserSession::of_key(&key, now),
            Secret::generate(SESSION_PREFIX),
        );
        let change = self
            .store
            .create_session(request, &session, secret.digest());
        match made(change.await?, "API key", key_id.as_str())? {
            Recorded::First(session) => Ok((session, Some(secret))),
            Recorded::Repeated(session) => Ok((session, None)),
            Recorded::Reused => Err(ChangeError::Reused),
        }
    }

    /// Lists the visible sessions after a cursor. The name by which a session is visible is its owner.
    pub(crate) async fn list_sessions(
        &self,
        requester: &Requester,
        user: Option<&UserId>,
        asked: (Option<SessionPlace>, u32),
        sees: impl Fn(&str) -> bool,
        now: i64,
    ) -> Result<Vec<UserSession>, StoreError> {
        let (account, store) = (&requester.account, &self.store);
        let read = |behind: Option<SessionPlace>, limit| -> StoreFuture<'_, Vec<UserSession>> {
            Box::pin(async move {
                let behind = behind.as_ref();
                store
                    .list_sessions(account, user, (behind, limit), now)
                    .await
            })
        };
        let mine = |it: &UserSession| it.user == requester.user || sees(it.user.as_str());
        let mut sessions = seen(asked, read, UserSession::place, mine).await?;
        let last_seen = self.access.grants.last_seen();
        for session in &mut sessions {
            let at = last_seen.get(&(requester.account.clone(), session.session_id.clone()));
            session.last_seen_at = at.copied().max(session.last_seen_at);
        }
        Ok(sessions)
    }

    /// Ends a session; when this answers it opens nothing any more.
    pub(crate) async fn revoke_session(
        &self,
        requester: &Requester,
        request: &UserRequest,
        session_id: &SessionId,
        now: i64,
    ) -> Result<UserSession, ChangeError> {
        let unknown = || ChangeError::Unknown {
            kind: "session",
            name: session_id.to_string(),
        };
        let found = self
            .store
            .find_session(&requester.account, session_id)
            .await?;
        let SessionHolder { owner, .. } = found.ok_or_else(unknown)?;
        if owner.user != requester.user {
            let allowed = self
                .access
                .require(requester, "session.revoke", owner.user.as_str());
            allowed.await.map_err(|error| {
                // A session that the requester may not end is reported as unknown, so that its id is not confirmed.
                let hidden = matches!(
                    error,
                    ChangeError::Denied { .. } | ChangeError::Unselected { .. }
                );
                if hidden { unknown() } else { error }
            })?;
        }
        let outcome = self.store.revoke_session(request, session_id, now).await?;
        self.access.forget_credentials();
        match outcome {
            Some(Recorded::First(session) | Recorded::Repeated(session)) => Ok(session),
            Some(Recorded::Reused) => Err(ChangeError::Reused),
            None => Err(unknown()),
        }
    }

    /// Ends the session of the requester.
    pub(crate) async fn sign_out(
        &self,
        requester: &Requester,
        request: &UserRequest,
        now: i64,
    ) -> Result<(), ChangeError> {
        let session_id = requester.session().ok_or(ChangeError::NoSession)?;
        let ended = self
            .revoke_session(requester, request, session_id, now)
            .await;
        ended.map(drop)
    }
}
