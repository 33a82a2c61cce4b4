//! Audit records of joins.

use causeway_proto::ids::{AccountId, RuntimeName};

use super::model::{Runtime, TokenRejection};
use crate::audit::{AuditRecord, End, Intent, Outcome};

/// Record of a runtime that is let in; the message is empty for its first join.
pub(crate) fn joined(runtime: &Runtime, message: String, now: i64) -> AuditRecord {
    let subject = format!("runtime:{}/{}", runtime.account, runtime.runtime_id);
    let intent = join_intent(&runtime.name, subject);
    let mut record = AuditRecord::allowed(runtime.account.clone(), intent, now);
    record.end = Some(End::new(now, Outcome::Succeeded, 0, message));
    record
}

/// Record of a runtime that joins again with other keys.
pub(crate) fn rejoined(runtime: &Runtime, now: i64) -> AuditRecord {
    joined(runtime, "its former keys count no more".to_owned(), now)
}

/// Record of a runtime that may not use a valid token.
pub(crate) fn barred(
    account: AccountId,
    name: &RuntimeName,
    bar: TokenRejection,
    now: i64,
) -> AuditRecord {
    let end = End::new(
        now,
        Outcome::Failed,
        End::PERMISSION_DENIED,
        bar.to_string(),
    );
    AuditRecord::denied(account, join_intent(name, "join-token".to_owned()), end)
}

fn join_intent(name: &RuntimeName, subject: String) -> Intent {
    Intent {
        subject,
        method: "/causeway.platform.v1.RuntimeService/Join".to_owned(),
        runtime: name.to_string(),
        ..Intent::default()
    }
}
