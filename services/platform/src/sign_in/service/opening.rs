//! Creates a session and its audit record.

use causeway_proto::ids::UserId;

use super::{CallerInfo, NewSession, SignInError, SignInRefusal, SignInService};
use crate::{
    audit::{AuditError, AuditRecord, End, Entry, Intent, Outcome},
    secret::{SESSION_PREFIX, Secret},
    sessions::model::UserSession,
    store::{Authenticated, SessionRequest, SignInOutcome},
};

impl SignInService {
    /// Makes the session. Nobody gets to know its token before it is in the audit.
    pub(crate) async fn open_session(
        &self,
        visit: &CallerInfo,
        beginning: &SessionRequest,
    ) -> Result<NewSession, SignInError> {
        let secret = Secret::generate(SESSION_PREFIX);
        let id = UserSession::new_id();
        let admitted = self.store.begin_session(beginning, &id, secret.digest());
        let (user, refused) = match admitted.await? {
            SignInOutcome::Session(session) => {
                self.note_session(visit, beginning, &session).await?;
                return Ok((*session, secret));
            }
            SignInOutcome::Gone => return Err(SignInError::Invalid),
            SignInOutcome::NotLinked => (None, SignInRefusal::NotLinked),
            SignInOutcome::Disabled(user) => (Some(user), SignInRefusal::Disabled),
        };
        self.note_refusal(visit, beginning, user, refused).await?;
        Err(refused.into())
    }

    async fn note_session(
        &self,
        visit: &CallerInfo,
        beginning: &SessionRequest,
        session: &UserSession,
    ) -> Result<(), AuditError> {
        let now = beginning.created_at;
        let credential = format!("session:{}", session.session_id);
        let intent = visit.intent(format!("user:{}", session.user), credential);
        let intent = Intent {
            target: beginning.origin(),
            ..intent
        };
        let mut record = AuditRecord::allowed(session.account.clone(), intent, now);
        record.end = Some(End::new(now, Outcome::Succeeded, 0, String::new()));
        self.audit.write(Entry::Open(Box::new(record))).await?;
        Ok(())
    }

    async fn note_refusal(
        &self,
        visit: &CallerInfo,
        beginning: &SessionRequest,
        user: Option<UserId>,
        refused: SignInRefusal,
    ) -> Result<(), AuditError> {
        let subject = user.map_or_else(|| "unknown".to_owned(), |user| format!("user:{user}"));
        let intent = Intent {
            target: beginning.origin(),
            ..visit.intent(subject, String::new())
        };
        let text = refused.to_string();
        let now = beginning.created_at;
        let end = End::new(now, Outcome::Failed, End::PERMISSION_DENIED, text);
        let record = AuditRecord::denied(beginning.account.clone(), intent, end);
        self.audit.write(Entry::Open(Box::new(record))).await?;
        Ok(())
    }
}

impl SessionRequest {
    /// Provider and person, for the audit.
    fn origin(&self) -> String {
        match &self.arrival {
            Authenticated::Person { provider, .. } => {
                format!("identityProviders/{}/{}", provider.provider, self.identity)
            }
            Authenticated::Service(user, _) => format!("serviceAccounts/{user}/{}", self.identity),
        }
    }
}

impl CallerInfo {
    pub(crate) fn intent(&self, subject: String, credential: String) -> Intent {
        Intent {
            subject,
            credential,
            method: self.method.clone(),
            trace_id: self.trace_id.clone(),
            source_address: self.source.clone(),
            ..Intent::default()
        }
    }
}
