//! Whether a user's call may go on, and the assertion that says so. A change is never signed before its audit row is durable.

mod denial;

use std::sync::Arc;

use causeway_proto::{
    access::v1::{CallerKind, Kind, Side},
    ids::{AccountId, PartName, RequestId, RuntimeId},
    method::{Method, method},
};
use causeway_shell::assertion::{Audience, Claims, Scope, SigningKeyError, Subject};
use uuid::Uuid;

use crate::{
    api_key::{Grant, KeyRefusal},
    audit::{AuditError, AuditLog, AuditRecord, Entry, Intent, Strangers},
    grants::Grants,
    key_ring::KeyRing,
    role::{POLICY_VERSION, Role},
    secret::SecretDigest,
    store::{Store, StoreError},
};

/// How long an assertion lives, in seconds.
const LIFE: u64 = 60;

/// A call that wants an assertion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Call {
    /// The credential as it came in.
    pub credential: String,
    /// The path of the RPC.
    pub method: String,
    /// The runtime's name; empty for the platform's own services.
    pub runtime: String,
    /// The SHA-256 of the request.
    pub digest: Option<[u8; 32]>,
    /// The client's id of the request.
    pub request_id: Option<RequestId>,
    /// What is touched, for the audit.
    pub target: String,
    /// The trace, for the audit.
    pub trace_id: String,
    /// Where the call came from, for the audit.
    pub source_address: String,
}

/// The signed permission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permit {
    /// The assertion.
    pub assertion: String,
    /// When it ends, in seconds since 1970.
    pub expires_at: u64,
    /// The row to record the outcome in; none for reads.
    pub audit_id: Option<Uuid>,
    /// The user's account.
    pub account: AccountId,
    /// The runtime, where the call is for one.
    pub runtime: Option<RuntimeId>,
    /// Who asks, for example `user:admin`.
    pub subject: String,
}

/// Why a call gets no assertion.
#[derive(Debug, thiserror::Error)]
pub enum AuthorizeError {
    /// There is no credential.
    #[error("no API key: send 'authorization: Bearer <API key>', or name a context with one")]
    CredentialMissing,
    /// The credential is none of ours.
    #[error("the API key is unknown: check it, or ask an admin for a new one")]
    CredentialUnknown,
    /// The credential opens nothing any more.
    #[error(transparent)]
    Credential(#[from] KeyRefusal),
    /// The user may not.
    #[error("{0}")]
    Denied(Denial),
    /// The account has no such runtime.
    #[error("no runtime '{0}': 'causeway runtime list' shows those that are there")]
    RuntimeUnknown(String),
    /// A field that this call needs is missing.
    #[error("{field}: {method} needs it")]
    Missing {
        /// The field.
        field: &'static str,
        /// The path of the RPC.
        method: String,
    },
    /// The intent cannot be written, so the call may not go on.
    #[error(transparent)]
    Audit(#[from] AuditError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The key failed.
    #[error("cannot sign")]
    Signing(#[from] SigningKeyError),
}

/// Why a user may not make a call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Denial {
    /// Users do not call it, or it does not exist: which of both is not told.
    #[error("{method}: no call for users")]
    NotForUsers {
        /// The path, at most 128 characters.
        method: String,
    },
    /// The role does not hold the permission.
    #[error("the role {role} does not hold the permission {permission}: ask an admin")]
    Role {
        /// The lesser of the key's and the user's role.
        role: Role,
        /// What is needed.
        permission: &'static str,
    },
}

/// What a call needs beside the permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Proof {
    /// Nothing: the assertion may be used again.
    Reusable,
    /// The request's digest: the assertion is for one use.
    Digest,
    /// The digest and a request id.
    DigestAndRequestId,
}

/// Whether a role may call an RPC.
pub(crate) fn decide(path: &str, role: Role) -> Result<&'static Method, Denial> {
    let open = |method: &&Method| {
        method.callers.contains(&CallerKind::User) && !method.permission.is_empty()
    };
    let Some(method) = method(path).filter(open) else {
        let method = path.chars().take(128).collect();
        return Err(Denial::NotForUsers { method });
    };
    if role.allows(&method.permission) {
        return Ok(method);
    }
    let permission = &method.permission;
    Err(Denial::Role { role, permission })
}

/// What an RPC of a kind needs. A kind that is not known needs all.
pub(crate) fn needed(kind: Kind) -> Proof {
    match kind {
        Kind::Read | Kind::Public | Kind::Stream => Proof::Reusable,
        Kind::SecretRead => Proof::Digest,
        Kind::Mutation | Kind::Unspecified => Proof::DigestAndRequestId,
    }
}

impl Call {
    fn check(&self, proof: Proof) -> Result<(), AuthorizeError> {
        let missing = |field| AuthorizeError::Missing {
            field,
            method: self.method.clone(),
        };
        if proof != Proof::Reusable && self.digest.is_none() {
            return Err(missing("request_digest"));
        }
        if proof == Proof::DigestAndRequestId && self.request_id.is_none() {
            return Err(missing("request_id"));
        }
        Ok(())
    }

    fn intent(&self, subject: &Subject, grant: &Grant) -> Intent {
        self.asked_by(subject.to_string(), format!("key:{}", grant.key.key_id))
    }
}

/// Decides and signs.
pub(crate) struct Authorizer {
    /// What API keys open.
    pub grants: Arc<Grants>,
    /// Where runtimes are found.
    pub store: Arc<dyn Store>,
    /// Where intents are written.
    pub audit: AuditLog,
    /// Whom nobody knows.
    pub strangers: Arc<Strangers>,
    /// What signs.
    pub ring: Arc<KeyRing>,
}

impl Authorizer {
    /// Decides one call. `now` is in milliseconds since 1970.
    pub(crate) async fn authorize(&self, call: &Call, now: i64) -> Result<Permit, AuthorizeError> {
        let grant = self.identify(call, now).await?;
        let subject = Subject::User(grant.key.user.clone());
        let method = match decide(&call.method, grant.role()) {
            Ok(method) => method,
            Err(denial) => {
                return self
                    .deny(
                        &grant,
                        call.intent(&subject, &grant),
                        AuthorizeError::Denied(denial),
                        now,
                    )
                    .await;
            }
        };
        let proof = needed(method.kind);
        call.check(proof)?;
        let runtime = match self.locate(&grant.key.account, method, call).await {
            Err(unknown @ AuthorizeError::RuntimeUnknown(_)) => {
                return self
                    .deny(&grant, call.intent(&subject, &grant), unknown, now)
                    .await;
            }
            located => located?,
        };
        let claims = claims(&grant, subject, method, runtime.clone(), call);
        let audit_id = match proof {
            Proof::Reusable => None,
            Proof::Digest | Proof::DigestAndRequestId => {
                Some(self.intend(&grant, call, &claims.sub, now).await?)
            }
        };
        Ok(Permit {
            assertion: self.ring.sign(&claims)?,
            expires_at: claims.exp,
            audit_id,
            account: grant.key.account,
            runtime,
            subject: claims.sub.to_string(),
        })
    }

    /// Whose key it is, if it opens anything.
    async fn identify(&self, call: &Call, now: i64) -> Result<Grant, AuthorizeError> {
        let found = self.find_grant(&call.credential).await;
        if let Err(why @ (AuthorizeError::CredentialMissing | AuthorizeError::CredentialUnknown)) =
            &found
        {
            self.note_stranger(call, why, now).await;
        }
        let grant = found?;
        if let Err(refusal) = grant.key.check(now) {
            let subject = Subject::User(grant.key.user.clone());
            let (why, intent) = (refusal.into(), call.intent(&subject, &grant));
            self.deny(&grant, intent, why, now).await?;
        }
        self.grants.used(&grant, now);
        Ok(grant)
    }

    async fn find_grant(&self, credential: &str) -> Result<Grant, AuthorizeError> {
        if credential.is_empty() {
            return Err(AuthorizeError::CredentialMissing);
        }
        let digest = SecretDigest::of(credential).ok_or(AuthorizeError::CredentialUnknown)?;
        let found = self.grants.find(digest).await?;
        found.ok_or(AuthorizeError::CredentialUnknown)
    }

    /// The runtime that a call is for. One of another account is as unknown as none.
    async fn locate(
        &self,
        account: &AccountId,
        method: &Method,
        call: &Call,
    ) -> Result<Option<RuntimeId>, AuthorizeError> {
        if method.side != Side::Runtime {
            return Ok(None);
        }
        if call.runtime.is_empty() {
            let (field, method) = ("runtime", call.method.clone());
            return Err(AuthorizeError::Missing { field, method });
        }
        let unknown = || AuthorizeError::RuntimeUnknown(call.runtime.chars().take(63).collect());
        let name = call.runtime.parse().map_err(|_| unknown())?;
        let found = self.store.find_runtime(account, &name).await?;
        let present = found.filter(|runtime| runtime.revoked_at.is_none());
        Ok(Some(present.ok_or_else(unknown)?.runtime_id))
    }

    async fn intend(
        &self,
        grant: &Grant,
        call: &Call,
        subject: &Subject,
        now: i64,
    ) -> Result<Uuid, AuthorizeError> {
        let account = grant.key.account.clone();
        let record = AuditRecord::allowed(account, call.intent(subject, grant), now);
        let audit_id = record.audit_id;
        self.audit.write(Entry::Open(Box::new(record))).await?;
        Ok(audit_id)
    }

    /// Writes that a call was refused, and refuses it whether or not that could be written.
    async fn deny(
        &self,
        grant: &Grant,
        intent: Intent,
        why: AuthorizeError,
        now: i64,
    ) -> Result<Permit, AuthorizeError> {
        let account = grant.key.account.clone();
        self.note_denial(account, intent, &why, now).await?;
        Err(why)
    }
}

fn claims(
    grant: &Grant,
    subject: Subject,
    method: &Method,
    runtime: Option<RuntimeId>,
    call: &Call,
) -> Claims {
    let once = needed(method.kind) != Proof::Reusable;
    let part: PartName = method
        .part
        .parse()
        .expect("the contract's part names fit the grammar");
    let iat = causeway_shell::assertion::now();
    Claims {
        iss: "platform".to_owned(),
        sub: subject,
        aud: Audience {
            account: grant.key.account.clone(),
            runtime,
            part,
        },
        method: method.path.clone(),
        iat,
        exp: iat + LIFE,
        jti: once.then(|| Uuid::new_v4().simple().to_string()),
        digest: call.digest.filter(|_| once),
        request_id: once.then(|| call.request_id.unwrap_or_else(RequestId::generate)),
        scope: Scope {
            policy_version: POLICY_VERSION.to_string(),
            ..Scope::everything(grant.role().as_str())
        },
    }
}

#[cfg(test)]
mod tests;
