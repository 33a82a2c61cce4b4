//! Creates a session and its audit record.

use causeway_proto::ids::UserId;

use super::{Opened, Refused, SignInError, Visit};
use crate::{
    audit::{AuditError, AuditRecord, End, Entry, Intent, Outcome},
    platform::Platform,
    secret::{SESSION_PREFIX, Secret},
    sessions::model::UserSession,
    store::{Admitted, Arrival, Beginning},
};

impl Platform {
    /// Makes the session. Nobody gets to know its token before it is in the audit.
    pub(crate) async fn open_session(
        &self,
        visit: &Visit,
        beginning: &Beginning,
    ) -> Result<Opened, SignInError> {
        let secret = Secret::generate(SESSION_PREFIX);
        let id = UserSession::new_id();
        let admitted = self.store.begin_session(beginning, &id, secret.digest());
        let (user, refused) = match admitted.await? {
            Admitted::Session(session) => {
                self.note_session(visit, beginning, &session).await?;
                return Ok((*session, secret));
            }
            Admitted::Gone => return Err(SignInError::Invalid),
            Admitted::NotLinked => (None, Refused::NotLinked),
            Admitted::Disabled(user) => (Some(user), Refused::Disabled),
        };
        self.note_refusal(visit, beginning, user, refused).await?;
        Err(refused.into())
    }

    async fn note_session(
        &self,
        visit: &Visit,
        beginning: &Beginning,
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
        visit: &Visit,
        beginning: &Beginning,
        user: Option<UserId>,
        refused: Refused,
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

impl Beginning {
    /// Who vouches for whom, for the audit.
    fn origin(&self) -> String {
        match &self.arrival {
            Arrival::Person { provider, .. } => {
                format!("identityProviders/{}/{}", provider.provider, self.identity)
            }
            Arrival::Service(user, _) => format!("serviceAccounts/{user}/{}", self.identity),
        }
    }
}

impl Visit {
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
