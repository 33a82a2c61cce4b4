//! Exchanges a user's credential for an assertion of the part `platform`, and reports the outcome of the call to it.
//!
//! Assertions of reads are cached until they expire or something is revoked. Those of writes are valid for one request,
//! whose outcome is recorded even if the caller disconnects.

mod outcome;

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use causeway_assertion::RevocationSignal;
use causeway_client::Peer;
use causeway_proto::{
    method::Method,
    platform::v1::{self as pb, authorization_service_client::AuthorizationServiceClient},
    time::timestamp_to_millis,
};
use causeway_shell::Tasks;
use http::{HeaderMap, HeaderValue, header::AUTHORIZATION};
use moka::future::Cache;
use sha2::{Digest as _, Sha256};
use tonic::{Code, Status};

use self::outcome::Pending;
use crate::{header::SOURCE, refusal, source::Source};

/// A read that everybody may make about themselves.
const WHO_AM_I: &str = "/causeway.platform.v1.SessionService/WhoAmI";
const KEPT: u64 = 10_000;
/// An assertion is not used in its last seconds: it must still be good when it arrives.
const LAST_SECONDS: Duration = Duration::from_secs(10);
const LONGEST_USE: Duration = Duration::from_secs(50);
const ANSWER_WITHIN: Duration = Duration::from_secs(5);
/// How long an answer to "may this stream go on" holds.
const CHECK_HOLDS: Duration = Duration::from_secs(3);
/// With the time that an answer holds, a stream ends within 5 s of the revocation.
const CHECK_EVERY: Duration = Duration::from_millis(1500);

/// Asks the part `platform`. Clones share what is kept.
#[derive(Clone)]
pub(crate) struct Authorizer {
    platform: AuthorizationServiceClient<Peer>,
    peer: Peer,
    reads: Cache<ReadKey, Grant>,
    /// The scopes that hold.
    checks: Cache<ReadKey, Bytes>,
    revocations: RevocationSignal,
    tasks: Tasks,
}

/// What an assertion of a read is good for.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
struct ReadKey {
    credential: [u8; 32],
    method: String,
    runtime: String,
    /// The number of revocations that held when it was asked for.
    revocations: u64,
}

/// Whether the platform signs for one request alone.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum GrantUse {
    Repeated,
    Once,
    /// Once, and asked about for as long as the call goes on.
    Session,
}

/// Leave to make a call.
#[derive(Clone)]
pub(crate) struct Grant {
    /// The new value of the header `authorization`.
    pub(crate) authorization: HeaderValue,
    /// The opaque id of the runtime; empty for the platform's own services.
    pub(crate) runtime: HeaderValue,
    /// The account and the subject in it.
    pub(crate) caller: Arc<str>,
    /// Another one where the user sees other things.
    scope: Bytes,
    audit_id: String,
    usable: Duration,
}

/// Follows one call to its end.
#[derive(Default)]
pub(crate) struct CallGuard {
    pending: Option<Pending>,
    read: Option<Read>,
}

/// A read that goes on, and the scope that it began with.
#[derive(Clone)]
struct Read {
    authorizer: Authorizer,
    key: ReadKey,
    scope: Bytes,
}

impl Authorizer {
    pub(crate) fn new(platform: Peer, revocations: RevocationSignal, tasks: Tasks) -> Self {
        let lives = Cache::builder().max_capacity(KEPT).expire_after(Life);
        let checks = Cache::builder()
            .max_capacity(KEPT)
            .time_to_live(CHECK_HOLDS);
        Self {
            platform: AuthorizationServiceClient::new(platform.clone()),
            peer: platform,
            reads: lives.build(),
            checks: checks.build(),
            revocations,
            tasks,
        }
    }

    /// Asserts the source address of a public call, so that the platform can throttle unauthenticated clients by address.
    pub(crate) fn introduce(
        &self,
        method: &Method,
        source: Source,
        headers: &mut HeaderMap,
    ) -> Result<(), Status> {
        let Some(assertion) = self.peer.assertion(method)? else {
            return Ok(());
        };
        let bearer = HeaderValue::try_from(format!("Bearer {assertion}"));
        let mut bearer = bearer.map_err(|_| Status::internal("internal error"))?;
        bearer.set_sensitive(true);
        headers.insert(AUTHORIZATION, bearer);
        let source = HeaderValue::try_from(source.to_string());
        headers.insert(SOURCE, source.expect("an address is digits and marks"));
        Ok(())
    }

    /// Leave for one request, and what must be to_caller_status at its end.
    pub(crate) async fn permit(
        &self,
        question: pb::AuthorizeRequest,
        grant_use: GrantUse,
    ) -> Result<(Grant, CallGuard), Status> {
        let key = ReadKey::of(&question, self.revocations.count());
        if grant_use != GrantUse::Repeated {
            let grant = self.ask(question).await?;
            let pending = Pending::new(self, &grant.audit_id);
            let read = (grant_use == GrantUse::Session).then(|| Read {
                authorizer: self.clone(),
                key,
                scope: grant.scope.clone(),
            });
            return Ok((grant, CallGuard { pending, read }));
        }
        let asked = self.ask(question);
        let grant = self.reads.try_get_with_by_ref(&key, asked).await;
        let grant = grant.map_err(|status| Status::clone(&status))?;
        let read = Some(Read {
            authorizer: self.clone(),
            key,
            scope: grant.scope.clone(),
        });
        Ok((
            grant,
            CallGuard {
                pending: None,
                read,
            },
        ))
    }

    /// Whether a credential opens anything, before a large request is read for it. Nothing is signed or recorded.
    pub(crate) async fn verify(
        &self,
        credential: String,
        source: Option<Source>,
    ) -> Result<(), Status> {
        let question = pb::AuthorizeRequest {
            credential,
            method: WHO_AM_I.to_owned(),
            source_address: source.map(|source| source.to_string()).unwrap_or_default(),
            going_on: true,
            ..pb::AuthorizeRequest::default()
        };
        let key = ReadKey::of(&question, self.revocations.count());
        let check = async { Ok(self.ask(question).await?.scope) };
        let checked: Result<Bytes, Arc<Status>> =
            self.checks.try_get_with_by_ref(&key, check).await;
        checked.map(|_| ()).map_err(|status| Status::clone(&status))
    }

    async fn ask(&self, question: pb::AuthorizeRequest) -> Result<Grant, Status> {
        let mut platform = self.platform.clone();
        let answer = tokio::time::timeout(ANSWER_WITHIN, platform.authorize(question)).await;
        let answer = answer.unwrap_or_else(|_| Err(Status::unavailable("no answer")));
        let answer = answer.map_err(|status| to_caller_status(&status))?;
        Grant::new(answer.into_inner()).ok_or_else(|| {
            tracing::error!("the part platform gave an assertion that is no header");
            Status::internal("internal error")
        })
    }

    fn record(&self, request: pb::RecordOutcomeRequest) {
        let platform = self.platform.clone();
        let recording = outcome::record(platform, request);
        let recording = causeway_shell::with_current_trace(recording);
        self.tasks.spawn("outcome", recording);
    }
}

/// Converts an error of the platform for the caller: without its response headers.
fn to_caller_status(status: &Status) -> Status {
    if status.code() == Code::Unavailable && causeway_client::reason(status).is_none() {
        tracing::warn!(%status, "the part platform cannot be asked");
        return refusal::undecided();
    }
    let details = Bytes::copy_from_slice(status.details());
    Status::with_details(status.code(), status.message(), details)
}

impl ReadKey {
    fn of(question: &pb::AuthorizeRequest, revocations: u64) -> Self {
        Self {
            credential: Sha256::digest(&question.credential).into(),
            method: question.method.clone(),
            runtime: question.runtime.clone(),
            revocations,
        }
    }
}

impl Grant {
    fn new(answer: pb::AuthorizeResponse) -> Option<Self> {
        let mut authorization =
            HeaderValue::try_from(format!("Bearer {}", answer.assertion)).ok()?;
        authorization.set_sensitive(true);
        let expires = answer.expires_at.as_ref().map_or(0, timestamp_to_millis);
        let now = causeway_proto::time::to_millis(std::time::SystemTime::now());
        let left = u64::try_from(expires.saturating_sub(now)).unwrap_or(0);
        let usable = Duration::from_millis(left).saturating_sub(LAST_SECONDS);
        Some(Self {
            authorization,
            runtime: HeaderValue::try_from(answer.runtime_id).ok()?,
            caller: format!("{}/{}", answer.account, answer.subject).into(),
            scope: answer.scope_digest,
            audit_id: answer.audit_id,
            usable: usable.min(LONGEST_USE),
        })
    }
}

/// Keeps each grant for as long as it says.
struct Life;

impl moka::Expiry<ReadKey, Grant> for Life {
    #[expect(clippy::disallowed_types, reason = "the trait names this clock")]
    fn expire_after_create(
        &self,
        _: &ReadKey,
        grant: &Grant,
        _: std::time::Instant,
    ) -> Option<Duration> {
        Some(grant.usable)
    }
}

impl CallGuard {
    /// Notes what the part says that it did, for the audit of a call that succeeds.
    pub(crate) fn effected(&mut self, headers: &HeaderMap) {
        if let Some(pending) = &mut self.pending {
            pending.effected(headers);
        }
    }

    /// The call has ended so. Only the first end counts.
    pub(crate) fn ended(&mut self, status: &Status) {
        if let Some(pending) = self.pending.take() {
            pending.ended(status);
        }
        if status.code() == Code::Unauthenticated
            && let Some(read) = self.read.take()
        {
            let reads = read.authorizer.reads.clone();
            let forget = async move { reads.invalidate(&read.key).await };
            read.authorizer.tasks.spawn("forget", forget);
        }
    }

    /// Resolves when the user may no longer read what a stream shows, or may read something else.
    pub(crate) fn revoked(
        &self,
        question: pb::AuthorizeRequest,
    ) -> impl Future<Output = Status> + Send + 'static {
        let read = self.read.clone();
        async move {
            match read {
                Some(read) => read.ended(question).await,
                None => std::future::pending().await,
            }
        }
    }
}

impl Read {
    async fn ended(self, question: pb::AuthorizeRequest) -> Status {
        let Self {
            authorizer,
            mut key,
            scope,
        } = self;
        loop {
            tokio::select! {
                () = tokio::time::sleep(CHECK_EVERY) => {}
                _ = authorizer.revocations.changed_since(key.revocations) => {}
            }
            key.revocations = authorizer.revocations.count();
            let question = question.clone();
            let check = async { Ok(authorizer.ask(question).await?.scope) };
            let checked: Result<Bytes, Arc<Status>> =
                authorizer.checks.try_get_with_by_ref(&key, check).await;
            match checked {
                Ok(now) if now == scope => {}
                Ok(_) => {
                    // Whoever opens the stream again gets what holds now.
                    authorizer.reads.invalidate(&key).await;
                    return refusal::scope_changed();
                }
                Err(status) if is_refused(&status) => {
                    authorizer.reads.invalidate(&key).await;
                    return Status::clone(&status);
                }
                Err(_) => {}
            }
        }
    }
}

/// True for a decision against the user, as opposed to an unavailable platform.
fn is_refused(status: &Status) -> bool {
    matches!(
        status.code(),
        Code::Unauthenticated | Code::PermissionDenied | Code::NotFound
    )
}
