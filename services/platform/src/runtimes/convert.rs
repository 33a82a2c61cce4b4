//! Conversions of runtimes, join tokens and tunnel sessions.

use causeway_assertion::PublicKey;
use causeway_proto::{
    platform::v1 as pb,
    time::{millis_to_timestamp, timestamp_to_millis},
};

use crate::convert::{FieldError, id, named, text};
use crate::{
    keys::ring::CertifiedKey,
    platform::{Connection, JoinRequest, RuntimeStatus, TunnelAddress},
    runtimes::{
        model::{JoinToken, Joining, Offer, Purpose, Runtime},
        presence::{ReportedSession, Session, SessionsToEnd},
    },
    secret::SecretDigest,
};

/// A join token with when it ends, in milliseconds since 1970.
pub(crate) fn join_token(secret: &str, expires_at: i64) -> pb::CreateJoinTokenResponse {
    pb::CreateJoinTokenResponse {
        token: secret.to_owned(),
        expires_at: Some(millis_to_timestamp(expires_at)),
    }
}

/// A token to join again with when it ends, in milliseconds since 1970.
pub(crate) fn rejoin_token(secret: &str, expires_at: i64) -> pb::CreateRejoinTokenResponse {
    pb::CreateRejoinTokenResponse {
        token: secret.to_owned(),
        expires_at: Some(millis_to_timestamp(expires_at)),
    }
}

/// A join token without its secret.
pub(crate) fn listed_token(token: &JoinToken) -> pb::JoinToken {
    pb::JoinToken {
        join_token_id: token.id().0,
        runtime: token.name.to_string(),
        created_by: token.created_by.to_string(),
        created_at: Some(millis_to_timestamp(token.created_at)),
        expires_at: Some(millis_to_timestamp(token.expires_at)),
        rejoins: token.purpose == Purpose::Rejoin,
    }
}

/// What a join token would do.
pub(crate) fn offer(offer: &Offer) -> pb::CheckJoinTokenResponse {
    pb::CheckJoinTokenResponse {
        runtime: offer.name.to_string(),
        expires_at: Some(millis_to_timestamp(offer.expires_at)),
        rejoins: offer.purpose == Purpose::Rejoin,
    }
}

/// A runtime that wants to join.
pub(crate) fn join(request: pb::JoinRequest) -> Result<JoinRequest, FieldError> {
    let clock = request.client_time.as_ref().map(timestamp_to_millis);
    let identity = point("identity_key", &request.identity_key)?;
    let sealing = point("sealing_key", &request.sealing_key)?;
    Ok(JoinRequest {
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

impl From<RuntimeStatus> for pb::Runtime {
    fn from(status: RuntimeStatus) -> Self {
        let runtime = status.runtime;
        let connection = match status.connection {
            Connection::Online => pb::Connection::Online,
            Connection::Reporting => pb::Connection::Reporting,
            Connection::Offline => pb::Connection::Offline,
            Connection::Revoked => pb::Connection::Revoked,
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
            allowed_actions: status.allowed_actions,
            sealing_key: runtime.sealing_key.as_bytes().to_vec().into(),
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

impl From<SessionsToEnd> for pb::ReportSessionsResponse {
    fn from(ending: SessionsToEnd) -> Self {
        let runtimes = ending.runtimes.into_iter();
        let keys = ending.keys.into_iter();
        Self {
            revoked_runtime_ids: runtimes.map(|(_, id)| id.to_string()).collect(),
            revoked_key_ids: keys.map(|key| key.to_string()).collect(),
        }
    }
}

type Reported = (String, Vec<ReportedSession>);

/// The sessions of a tunnel server.
pub(crate) fn sessions(request: pb::ReportSessionsRequest) -> Result<Reported, FieldError> {
    let server = named("server", request.server)?;
    let sessions = request.sessions.into_iter().map(|reported| {
        let runtime = (
            id("sessions.account", &reported.account)?,
            id("sessions.runtime_id", &reported.runtime_id)?,
        );
        let key = match reported.key_id.as_str() {
            "" => None,
            key => Some(id("sessions.key_id", key)?),
        };
        let session = read_session(&server, reported.session.unwrap_or_default())?;
        Ok(ReportedSession {
            runtime,
            key,
            session,
        })
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
