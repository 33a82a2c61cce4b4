//! Authorizes calls of users and signs caller assertions. A change is signed only after its audit row is durable.

pub(crate) mod access;
pub(crate) mod convert;
mod denial;
mod direct;
pub(crate) mod grants;
pub(crate) mod grpc;
pub(crate) mod policy;
mod proof;
pub(crate) mod revocation;
pub(crate) mod service;

use std::sync::Arc;

use causeway_assertion::{Audience, Claims, Scope, ScopeTooLarge, SigningKeyError, Subject};
use causeway_proto::{
    access::v1::{CallerKind, Side},
    ids::{AccountId, PartName, RequestId, RuntimeId, RuntimeName},
    method::{Method, method},
};
use uuid::Uuid;

pub(crate) use self::proof::{CallStage, Proof, needed};
use self::{
    grants::Grants,
    policy::{DenialReason, Policy, ScopeRefusal},
};
use crate::{
    accounts::model::first_account,
    audit::{AuditError, AuditLog, AuditRecord, Entry, Intent, RefusalCounter},
    credential::{Grant, Refusal},
    keys::ring::KeyRing,
    roles::rule::Permission,
    store::{Store, StoreError},
    throttle::{Bucket, CREDENTIALS, Throttled},
};

/// What belongs to the platform as a whole and to no tenant: its accounts and its signing keys.
const FIRST_ACCOUNT_ONLY: [&str; 2] = ["account", "key"];
/// What is about the shown credential alone and gives it no right. A role that limits it does not have to allow this.
const OF_THE_CREDENTIAL: [&str; 2] = ["session.create", "session.sign-out"];
/// The part that all this belongs to.
const OWN_PART: &str = "platform";
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
    /// Whether it was let in already.
    pub stage: CallStage,
}

/// The signed permission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permit {
    /// The assertion; empty for a call that goes on.
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
    /// Another one where the user sees and touches other things.
    pub scope: u64,
}

/// Why a call gets no assertion.
#[derive(Debug, thiserror::Error)]
pub enum AuthorizeError {
    /// There is no credential.
    #[error(
        "no credential: send 'authorization: Bearer <API key or session>', or sign in with 'causeway login'"
    )]
    CredentialMissing,
    /// The credential is none of ours.
    #[error(
        "the API key or session is unknown: check it, sign in again, or ask an admin for a new key"
    )]
    CredentialUnknown,
    /// Too many credentials that are none of ours came from the same place.
    #[error(transparent)]
    Throttled(#[from] Throttled),
    /// The credential opens nothing any more.
    #[error(transparent)]
    Credential(#[from] Refusal),
    /// The user may not.
    #[error("{0}")]
    Denied(Denial),
    /// The account has no such runtime.
    #[error("no runtime '{0}': list the runtimes with 'causeway runtime list'")]
    RuntimeUnknown(String),
    /// A field that this call needs is missing.
    #[error("{field}: {method} needs it")]
    Missing {
        /// The field.
        field: &'static str,
        /// The path of the RPC.
        method: String,
    },
    /// It is not signed for an arbitrary request.
    #[error(
        "method: {0} changes something or reads something secret, so it is signed for one request alone: send it to the router with the API key"
    )]
    OneRequest(String),
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
    #[error("{method} is not available to users")]
    NotForUsers {
        /// The path, at most 128 characters.
        method: String,
    },
    /// No rule allows it.
    #[error("{lack}: {permission} is denied; ask an admin, and see 'causeway can-i'")]
    NoRule {
        /// What is missing.
        lack: DenialReason,
        /// What is needed.
        permission: &'static str,
    },
    /// More rules allow it than an assertion can carry.
    #[error("{permission}: {too_large}")]
    TooLarge {
        /// How many.
        too_large: ScopeTooLarge,
        /// What is needed.
        permission: &'static str,
    },
    /// It is about the platform as a whole, which only users of the first account may touch.
    #[error("{permission} is only available to users of the first account")]
    FirstAccountOnly {
        /// What is needed.
        permission: &'static str,
    },
}

/// The RPC at a path, if users may call it, and the permission for it.
pub(crate) fn open_to_users(path: &str) -> Result<(&'static Method, Permission<'static>), Denial> {
    let open = |method: &'static Method| {
        let users = method.callers.contains(&CallerKind::User);
        let permission = Permission::parse(&method.permission).filter(|_| users);
        permission.map(|permission| (method, permission))
    };
    method(path).and_then(open).ok_or_else(|| {
        let method = path.chars().take(128).collect();
        Denial::NotForUsers { method }
    })
}

/// What a caller sees and touches by an RPC, in a runtime where one is named; none where that is nothing of this runtime.
pub(crate) fn decide(
    method: &'static Method,
    permission: Permission<'static>,
    account: &AccountId,
    policy: &Policy,
    runtime: Option<&str>,
) -> Result<Option<Scope>, Denial> {
    let permission_text = method.permission.as_str();
    if FIRST_ACCOUNT_ONLY.contains(&permission.entity()) && *account != first_account() {
        return Err(Denial::FirstAccountOnly {
            permission: permission_text,
        });
    }
    match policy.scope(permission, runtime) {
        Ok(scope) => Ok(Some(scope)),
        Err(ScopeRefusal::Denied(_)) if is_own(method, permission, policy) => {
            Ok(Some(policy.empty_scope()))
        }
        Err(ScopeRefusal::Denied(lack)) => Err(Denial::NoRule {
            lack,
            permission: permission_text,
        }),
        Err(ScopeRefusal::Elsewhere) => Ok(None),
        Err(ScopeRefusal::TooLarge(too_large)) => Err(Denial::TooLarge {
            too_large,
            permission: permission_text,
        }),
    }
}

/// True if a caller without the permission may make a call about what is their own. A credential with a role of its own changes
/// nothing that this role does not allow.
fn is_own(method: &Method, permission: Permission<'_>, policy: &Policy) -> bool {
    let reads = needed(method.kind) == Proof::Reusable;
    let of_itself = OF_THE_CREDENTIAL.contains(&method.permission.as_str());
    method.own && (reads || of_itself || policy.is_within_limit(permission))
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
        self.asked_by(subject.to_string(), grant.shown.name())
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
    /// Counts refusals of unknown credentials.
    pub refusals: Arc<RefusalCounter>,
    /// What signs.
    pub ring: Arc<KeyRing>,
}

impl Authorizer {
    /// Decides one call. `now` is in milliseconds since 1970.
    pub(crate) async fn authorize(&self, call: &Call, now: i64) -> Result<Permit, AuthorizeError> {
        let grant = self.identify(call, now).await?;
        let decided = self.decide(&grant, call).await;
        let (method, scope, runtime) = match decided {
            Ok(decided) => decided,
            Err(why @ (AuthorizeError::Denied(_) | AuthorizeError::RuntimeUnknown(_))) => {
                return Err(self.deny(&grant, call, why, now).await);
            }
            Err(error) => return Err(error),
        };
        let fingerprint = scope.fingerprint();
        let claims = claims(&grant, method, runtime.clone(), call, scope);
        let audit_id = match (call.stage, needed(method.kind)) {
            (CallStage::GoesOn, _) | (CallStage::Begins, Proof::Reusable) => None,
            (CallStage::Begins, Proof::Digest | Proof::DigestAndRequestId) => {
                Some(self.intend(&grant, call, &claims.sub, now).await?)
            }
        };
        let assertion = match call.stage {
            CallStage::GoesOn => String::new(),
            CallStage::Begins => self.ring.sign(&claims)?,
        };
        Ok(Permit {
            assertion,
            expires_at: claims.exp,
            audit_id,
            account: grant.shown.account().clone(),
            runtime,
            subject: claims.sub.to_string(),
            scope: fingerprint,
        })
    }

    /// The RPC, what the caller sees and touches by it, and the runtime that it is for.
    async fn decide(
        &self,
        grant: &Grant,
        call: &Call,
    ) -> Result<(&'static Method, Scope, Option<RuntimeId>), AuthorizeError> {
        let account = grant.shown.account();
        let (method, permission) = open_to_users(&call.method).map_err(AuthorizeError::Denied)?;
        // A text that is no name is looked for all the same, so that it is refused as a name that is unknown.
        let named: Option<RuntimeName> = call.runtime.parse().ok();
        let named = named.as_ref().filter(|_| method.side == Side::Runtime);
        let named = named.map(RuntimeName::as_str);
        let scope = decide(method, permission, account, &grant.policy, named)
            .map_err(AuthorizeError::Denied)?;
        call.check(needed(method.kind))?;
        let runtime = self.locate(account, method, call).await?;
        // A runtime in which nothing is allowed is as unknown as one that is not there.
        let scope = scope.ok_or_else(|| unknown_runtime(&call.runtime))?;
        Ok((method, scope, runtime))
    }

    /// Whose key it is, if it opens anything.
    async fn identify(&self, call: &Call, now: i64) -> Result<Arc<Grant>, AuthorizeError> {
        let found = self.find_grant(&call.credential).await;
        if let Err(why @ (AuthorizeError::CredentialMissing | AuthorizeError::CredentialUnknown)) =
            &found
        {
            self.count_unknown_caller(call, why, now).await;
        }
        if let Err(AuthorizeError::CredentialUnknown) = &found {
            let bucket = Bucket::of_source(CREDENTIALS, &call.source_address);
            self.store.take_tries(&[bucket], now).await??;
        }
        let grant = found?;
        if let Err(refusal) = grant.shown.check(now) {
            let (account, why) = (grant.shown.account(), refusal.into());
            let intent = call.intent(&grant.shown.subject(), &grant);
            self.note_ended(account, intent, &why, now).await;
            return Err(why);
        }
        self.grants.used(&grant, now);
        Ok(grant)
    }

    async fn find_grant(&self, credential: &str) -> Result<Arc<Grant>, AuthorizeError> {
        if credential.is_empty() {
            return Err(AuthorizeError::CredentialMissing);
        }
        let found = self.grants.find(credential).await?;
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
        let unknown = || unknown_runtime(&call.runtime);
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
        let account = grant.shown.account().clone();
        let record = AuditRecord::allowed(account, call.intent(subject, grant), now);
        let audit_id = record.audit_id;
        self.audit.write(Entry::Open(Box::new(record))).await?;
        Ok(audit_id)
    }

    /// Writes that a call was refused, and refuses it whether or not that could be written.
    async fn deny(
        &self,
        grant: &Grant,
        call: &Call,
        why: AuthorizeError,
        now: i64,
    ) -> AuthorizeError {
        let account = grant.shown.account().clone();
        let intent = call.intent(&grant.shown.subject(), grant);
        match self.note_denial(account, intent, &why, now).await {
            Ok(()) => why,
            Err(error) => error.into(),
        }
    }
}

fn unknown_runtime(name: &str) -> AuthorizeError {
    AuthorizeError::RuntimeUnknown(name.chars().take(63).collect())
}

fn claims(
    grant: &Grant,
    method: &Method,
    runtime: Option<RuntimeId>,
    call: &Call,
    scope: Scope,
) -> Claims {
    let once = needed(method.kind) != Proof::Reusable;
    let part: PartName = method
        .part
        .parse()
        .expect("the contract's part names fit the grammar");
    let iat = causeway_assertion::now();
    Claims {
        iss: "platform".to_owned(),
        sub: grant.shown.subject(),
        aud: Audience {
            account: grant.shown.account().clone(),
            runtime,
            part,
        },
        method: method.path.clone(),
        iat,
        exp: grant
            .shown
            .ends_at()
            .map_or(iat + LIFE, |end| (iat + LIFE).min(end)),
        jti: once.then(|| Uuid::new_v4().simple().to_string()),
        digest: call.digest.filter(|_| once),
        request_id: once.then(|| call.request_id.unwrap_or_else(RequestId::generate)),
        // Nobody but the platform asks what a user showed.
        credential: (method.part == OWN_PART).then(|| grant.shown.name()),
        scope,
    }
}

#[cfg(test)]
mod tests;
