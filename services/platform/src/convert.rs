//! Between the contract's messages and the platform's own types; all that comes from outside is checked here.

use std::{fmt::Display, str::FromStr};

use causeway_proto::{
    ids::{KeyId, RuntimeName, UserId},
    platform::v1 as pb,
    time::{millis_to_timestamp, timestamp_to_millis},
};
use causeway_shell::{
    Caller,
    assertion::{Authority, PublicKey, TrustedKey},
};
use uuid::Uuid;

use crate::{
    api_key::ApiKey,
    audit::{AuditRecord, End, Outcome, Verdict},
    authorization::{Call, Permit},
    key_ring::CertifiedKey,
    part::{Health, Part},
    platform::{Join, Presence, RuntimeStatus, TunnelAddress},
    request::UserRequest,
    role::Role,
    runtime::{Joining, Runtime},
    secret::{SecretDigest, sha256},
    session::{RuntimeKey, Session},
};

/// Longer texts from outside are refused, in bytes.
const LONGEST_TEXT: usize = 256;
const LONGEST_NAME: usize = 100;
const MOST_PENDING: usize = 32;
const PAGE: u32 = 100;
const LONGEST_PAGE: u32 = 500;

/// A field that cannot be taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {problem}")]
pub struct FieldError {
    field: &'static str,
    problem: String,
}

impl FieldError {
    /// Names the field and says what is wrong with it.
    pub fn new(field: &'static str, problem: impl Display) -> Self {
        let problem = problem.to_string();
        Self { field, problem }
    }
}

/// An id in a field.
pub(crate) fn id<T>(field: &'static str, text: &str) -> Result<T, FieldError>
where
    T: FromStr,
    T::Err: Display,
{
    text.parse()
        .map_err(|error: T::Err| FieldError::new(field, error))
}

fn text(field: &'static str, text: String) -> Result<String, FieldError> {
    if text.len() > LONGEST_TEXT {
        return Err(FieldError::new(
            field,
            format!("longer than {LONGEST_TEXT} bytes"),
        ));
    }
    Ok(text)
}

fn named(field: &'static str, value: String) -> Result<String, FieldError> {
    if value.is_empty() {
        return Err(FieldError::new(field, "empty"));
    }
    text(field, value)
}

/// How many rows a page has.
pub(crate) fn page_size(asked: u32) -> Result<u32, FieldError> {
    match asked {
        0 => Ok(PAGE),
        1..=LONGEST_PAGE => Ok(asked),
        _ => Err(FieldError::new(
            "page_size",
            format!("more than {LONGEST_PAGE}"),
        )),
    }
}

/// Where a page begins; none for the first one.
pub(crate) fn page_token<T: FromStr>(token: &str) -> Result<Option<T>, FieldError> {
    if token.is_empty() {
        return Ok(None);
    }
    let wrong = || {
        FieldError::new(
            "page_token",
            "not one of ours: leave it empty for the first page",
        )
    };
    token.parse().map(Some).map_err(|_| wrong())
}

/// A page of rows of which one more was asked for, and its last row if there are more behind it.
pub(crate) fn page<T: Clone>(mut rows: Vec<T>, size: u32) -> (Vec<T>, Option<T>) {
    let size = size as usize;
    let more = rows.len() > size;
    rows.truncate(size);
    let last = rows.last().filter(|_| more).cloned();
    (rows, last)
}

/// A request that has an id of its own.
pub(crate) trait Identified: prost::Message {
    /// The id.
    fn request_id(&self) -> &str;
}

impl Identified for pb::CreateApiKeyRequest {
    fn request_id(&self) -> &str {
        &self.request_id
    }
}

impl Identified for pb::RevokeApiKeyRequest {
    fn request_id(&self) -> &str {
        &self.request_id
    }
}

impl Identified for pb::CreateJoinTokenRequest {
    fn request_id(&self) -> &str {
        &self.request_id
    }
}

impl Identified for pb::RevokeRuntimeRequest {
    fn request_id(&self) -> &str {
        &self.request_id
    }
}

/// A request of a user that changes something.
pub(crate) fn user_request(
    caller: &Caller,
    user: &UserId,
    method: &'static str,
    message: &impl Identified,
) -> Result<UserRequest, FieldError> {
    let request_id = message.request_id().parse();
    Ok(UserRequest {
        account: caller.account.clone(),
        user: user.clone(),
        method,
        request_id: request_id.map_err(|_| FieldError::new("request_id", "must be a UUID"))?,
        digest: sha256(&message.encode_to_vec()),
    })
}

/// The key that a request asks for: never more than the caller's own.
pub(crate) fn new_api_key(
    caller: &Caller,
    user: &UserId,
    request: &pb::CreateApiKeyRequest,
    now: i64,
) -> Result<ApiKey, FieldError> {
    let name = request.display_name.trim();
    if !(1..=LONGEST_NAME).contains(&name.chars().count()) || name.chars().any(char::is_control) {
        return Err(FieldError::new(
            "display_name",
            "must have 1 to 100 characters, none of them a control character",
        ));
    }
    let expires_at = request.expires_at.as_ref().map(timestamp_to_millis);
    if expires_at.is_some_and(|end| end <= now) {
        return Err(FieldError::new("expires_at", "must be in the future"));
    }
    Ok(ApiKey {
        account: caller.account.clone(),
        key_id: ApiKey::new_id(),
        display_name: name.to_owned(),
        user: user.clone(),
        role: new_role(caller, &request.role)?,
        created_at: now,
        expires_at,
        last_used_at: None,
        revoked_at: None,
    })
}

fn new_role(caller: &Caller, asked: &str) -> Result<Role, FieldError> {
    let own: Role = id("role", &caller.scope.role)?;
    if asked.is_empty() {
        return Ok(own);
    }
    let role: Role = id("role", asked)?;
    if role > own {
        return Err(FieldError::new(
            "role",
            format!("more than your own, which is {own}"),
        ));
    }
    Ok(role)
}

/// A new key with its secret.
pub(crate) fn created(key: ApiKey, secret: &str) -> pb::CreateApiKeyResponse {
    pb::CreateApiKeyResponse {
        api_key: Some(key.into()),
        secret: secret.to_owned(),
    }
}

impl From<ApiKey> for pb::ApiKey {
    fn from(key: ApiKey) -> Self {
        Self {
            key_id: key.key_id.to_string(),
            display_name: key.display_name,
            subject: format!("user:{}", key.user),
            role: key.role.to_string(),
            created_at: Some(millis_to_timestamp(key.created_at)),
            expires_at: key.expires_at.map(millis_to_timestamp),
            last_used_at: key.last_used_at.map(millis_to_timestamp),
            revoked_at: key.revoked_at.map(millis_to_timestamp),
        }
    }
}

/// A call that wants an assertion.
pub(crate) fn call(request: pb::AuthorizeRequest) -> Result<Call, FieldError> {
    let digest = match request.request_digest.len() {
        0 => None,
        _ => Some(digest(&request.request_digest)?),
    };
    let request_id = match request.request_id.as_str() {
        "" => None,
        text => Some(
            text.parse()
                .map_err(|_| FieldError::new("request_id", "must be a UUID"))?,
        ),
    };
    Ok(Call {
        credential: request.credential,
        method: request.method,
        runtime: request.runtime,
        digest,
        request_id,
        target: request.target,
        trace_id: request.trace_id,
        source_address: request.source_address,
    })
}

fn digest(bytes: &[u8]) -> Result<[u8; 32], FieldError> {
    bytes
        .try_into()
        .map_err(|_| FieldError::new("request_digest", "must have 32 bytes"))
}

impl From<Permit> for pb::AuthorizeResponse {
    fn from(permit: Permit) -> Self {
        let expires_at = i64::try_from(permit.expires_at).unwrap_or(i64::MAX / 1000);
        Self {
            assertion: permit.assertion,
            expires_at: Some(millis_to_timestamp(expires_at.saturating_mul(1000))),
            audit_id: permit.audit_id.map(|id| id.to_string()).unwrap_or_default(),
            account: permit.account.to_string(),
            runtime_id: permit.runtime.map(|id| id.to_string()).unwrap_or_default(),
            subject: permit.subject,
        }
    }
}

/// How a call ended, and the row for it.
pub(crate) fn end(request: pb::RecordOutcomeRequest, now: i64) -> Result<(Uuid, End), FieldError> {
    let outcome = match request.outcome() {
        pb::Outcome::Succeeded => Outcome::Succeeded,
        pb::Outcome::Failed => Outcome::Failed,
        pb::Outcome::Unknown => Outcome::Unknown,
        pb::Outcome::Unspecified => {
            return Err(FieldError::new("outcome", "must be one of the three"));
        }
    };
    let audit_id = id("audit_id", &request.audit_id)?;
    Ok((
        audit_id,
        End::new(now, outcome, request.code, request.message),
    ))
}

impl From<AuditRecord> for pb::AuditRecord {
    fn from(record: AuditRecord) -> Self {
        let intent = record.intent;
        let outcome = match record.end.as_ref().map(|end| end.outcome) {
            None => pb::Outcome::Unspecified,
            Some(Outcome::Succeeded) => pb::Outcome::Succeeded,
            Some(Outcome::Failed) => pb::Outcome::Failed,
            Some(Outcome::Unknown) => pb::Outcome::Unknown,
        };
        Self {
            audit_id: record.audit_id.to_string(),
            intended_at: Some(millis_to_timestamp(record.intended_at)),
            ended_at: record
                .end
                .as_ref()
                .map(|end| millis_to_timestamp(end.ended_at)),
            subject: intent.subject,
            method: intent.method,
            runtime: intent.runtime,
            target: intent.target,
            request_id: intent.request_id,
            trace_id: intent.trace_id,
            source_address: intent.source_address,
            outcome: outcome.into(),
            code: record.end.as_ref().map_or(0, |end| end.code),
            message: record.end.map(|end| end.message).unwrap_or_default(),
            denied: record.verdict == Verdict::Denied,
        }
    }
}

/// A join token with when it ends, in milliseconds since 1970.
pub(crate) fn join_token(secret: &str, expires_at: i64) -> pb::CreateJoinTokenResponse {
    pb::CreateJoinTokenResponse {
        token: secret.to_owned(),
        expires_at: Some(millis_to_timestamp(expires_at)),
    }
}

/// A runtime that wants to join.
pub(crate) fn join(request: pb::JoinRequest) -> Result<Join, FieldError> {
    let clock = request.client_time.as_ref().map(timestamp_to_millis);
    let identity = point("identity_key", &request.identity_key)?;
    let sealing = point("sealing_key", &request.sealing_key)?;
    Ok(Join {
        token: SecretDigest::of(&request.token),
        joining: Joining::new(identity, sealing, text("version", request.version)?),
        proof: request.proof.to_vec(),
        clock: clock.ok_or_else(|| FieldError::new("client_time", "missing"))?,
    })
}

fn point(field: &'static str, bytes: &[u8]) -> Result<PublicKey, FieldError> {
    let wrong = || FieldError::new(field, "must be an uncompressed P-256 point of 65 bytes");
    PublicKey::from_bytes(bytes).ok_or_else(wrong)
}

/// What a runtime learns when it joins.
pub(crate) fn joined(
    runtime: &Runtime,
    root: &PublicKey,
    certified: CertifiedKey,
    tunnel: TunnelAddress,
    now: i64,
) -> pb::JoinResponse {
    pb::JoinResponse {
        account: runtime.account.to_string(),
        key_id: runtime.key_id().to_string(),
        runtime_id: runtime.runtime_id.to_string(),
        name: runtime.name.to_string(),
        root_key: root.as_bytes().to_vec().into(),
        signing_keys: vec![certified.into()],
        tunnel_url: tunnel.url,
        tunnel_ca: tunnel.ca,
        server_time: Some(millis_to_timestamp(now)),
    }
}

impl From<CertifiedKey> for pb::SigningKey {
    fn from(certified: CertifiedKey) -> Self {
        Self {
            key_id: certified.key.id().to_string(),
            public_key: certified.key.as_bytes().to_vec().into(),
            not_before: Some(millis_to_timestamp(certified.not_before * 1000)),
            not_after: Some(millis_to_timestamp(certified.not_after * 1000)),
            root_signature: certified.root_signature.into(),
        }
    }
}

/// A key with what it may say.
pub(crate) fn verification_key(key_id: &KeyId, trusted: &TrustedKey) -> pb::VerificationKey {
    use pb::verification_key::Authority as Says;
    let authority = match &trusted.authority {
        Authority::Platform => Says::Platform(pb::PlatformAuthority {}),
        Authority::PlatformPart => Says::PlatformPart(pb::PlatformPartAuthority::default()),
        Authority::Runtime { account, runtime } => Says::Runtime(pb::RuntimeAuthority {
            account: account.to_string(),
            runtime_id: runtime.to_string(),
        }),
    };
    pb::VerificationKey {
        key_id: key_id.to_string(),
        public_key: trusted.key.as_bytes().to_vec().into(),
        authority: Some(authority),
    }
}

impl From<RuntimeStatus> for pb::Runtime {
    fn from(status: RuntimeStatus) -> Self {
        let runtime = status.runtime;
        let connection = match (runtime.revoked_at, status.sessions.is_empty()) {
            (Some(_), _) => pb::Connection::Revoked,
            (None, true) => pb::Connection::Offline,
            (None, false) => pb::Connection::Online,
        };
        Self {
            name: runtime.name.to_string(),
            runtime_id: runtime.runtime_id.to_string(),
            connection: connection.into(),
            version: runtime.version,
            joined_at: Some(millis_to_timestamp(runtime.joined_at)),
            last_seen_at: runtime.last_seen_at.map(millis_to_timestamp),
            sessions: status.sessions.into_iter().map(pb::Session::from).collect(),
            revoked_at: runtime.revoked_at.map(millis_to_timestamp),
        }
    }
}

impl From<Session> for pb::Session {
    fn from(session: Session) -> Self {
        Self {
            server: session.server,
            client: session.client,
            slot: session.slot,
            generation: session.generation,
            connected_at: Some(millis_to_timestamp(session.connected_at)),
            peer_address: session.peer_address,
            version: session.version,
        }
    }
}

type Reported = (String, Vec<(RuntimeKey, Session)>);

/// The sessions of a tunnel server.
pub(crate) fn sessions(request: pb::ReportSessionsRequest) -> Result<Reported, FieldError> {
    let server = named("server", request.server)?;
    let sessions = request.sessions.into_iter().map(|reported| {
        let runtime = (
            id("sessions.account", &reported.account)?,
            id("sessions.runtime_id", &reported.runtime_id)?,
        );
        let session = reported.session.unwrap_or_default();
        Ok((runtime, read_session(&server, session)?))
    });
    let sessions = sessions.collect::<Result<_, FieldError>>()?;
    Ok((server, sessions))
}

fn read_session(server: &str, session: pb::Session) -> Result<Session, FieldError> {
    Ok(Session {
        server: server.to_owned(),
        client: text("sessions.session.client", session.client)?,
        slot: session.slot,
        generation: session.generation,
        connected_at: session.connected_at.as_ref().map_or(0, timestamp_to_millis),
        peer_address: text("sessions.session.peer_address", session.peer_address)?,
        version: text("sessions.session.version", session.version)?,
    })
}

/// What a part tells of itself.
pub(crate) fn announced(
    request: pb::AnnounceRequest,
    now: i64,
) -> Result<(Part, Presence), FieldError> {
    let health = match request.health() {
        pb::Health::Serving => Health::Serving,
        pb::Health::Unspecified | pb::Health::NotServing | pb::Health::Lost => Health::NotServing,
    };
    let presence = if request.leaving {
        Presence::Leaving
    } else {
        Presence::Staying
    };
    if request.pending.len() > MOST_PENDING {
        return Err(FieldError::new(
            "pending",
            format!("more than {MOST_PENDING}"),
        ));
    }
    let pending = request
        .pending
        .into_iter()
        .map(|what| text("pending", what));
    let part = Part {
        name: id("part", &request.part)?,
        instance: named("instance", request.instance)?,
        version: text("version", request.version)?,
        health,
        pending: pending.collect::<Result<_, _>>()?,
        last_seen_at: now,
    };
    Ok((part, presence))
}

/// A part as it is listed.
pub(crate) fn part_status((runtime, part): (Option<RuntimeName>, Part)) -> pb::PartStatus {
    use causeway_proto::access::v1::Side;
    let health = match part.health {
        Health::Serving => pb::Health::Serving,
        Health::NotServing => pb::Health::NotServing,
        Health::Lost => pb::Health::Lost,
    };
    let side = if runtime.is_some() {
        Side::Runtime
    } else {
        Side::Platform
    };
    pb::PartStatus {
        part: part.name.to_string(),
        side: side.into(),
        runtime: runtime.map(|name| name.to_string()).unwrap_or_default(),
        instance: part.instance,
        version: part.version,
        health: health.into(),
        pending: part.pending,
        last_seen_at: Some(millis_to_timestamp(part.last_seen_at)),
    }
}
