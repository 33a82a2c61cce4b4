//! The claims of an assertion and their form as an ES256 JWT.

use std::time::Duration;

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use causeway_proto::ids::RequestId;
use serde::{Deserialize, Serialize};

use super::{Audience, Scope, SigningKey, SigningKeyError, Subject, jwt};

/// Maximum lifetime of an assertion.
pub const MAX_LIFETIME: Duration = Duration::from_secs(60);

/// Claims of one assertion.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Claims {
    /// `platform` for users, the subject itself for all others.
    pub iss: String,
    pub sub: Subject,
    pub aud: Audience,
    /// The path of the call, such as `/causeway.inventory.v1.ApplicationService/GetApplication`.
    pub method: String,
    /// Seconds since 1970.
    pub iat: u64,
    /// Seconds since 1970, at most 60 after `iat`.
    pub exp: u64,
    /// 16 to 64 bytes; makes the assertion valid for one use.
    pub jti: Option<String>,
    /// SHA-256 of the uncompressed protobuf request.
    pub digest: Option<[u8; 32]>,
    pub request_id: Option<RequestId>,
    /// Credential that the user presented, such as `session:ses-0123` or `key:key-0123`; at most 80 bytes.
    pub credential: Option<String>,
    pub scope: Scope,
}

/// Parse error of an assertion, with its cause.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct MalformedAssertion(pub(crate) String);

#[derive(Deserialize, Serialize)]
struct Wire {
    iss: String,
    sub: String,
    aud: String,
    method: String,
    iat: u64,
    exp: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    jti: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    request_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    credential: Option<String>,
    #[serde(default)]
    scope: Scope,
}

impl Claims {
    /// Creates claims for reads, valid from now for `life` (at most 60 s).
    #[must_use]
    pub fn for_read(
        iss: impl Into<String>,
        sub: Subject,
        aud: Audience,
        method: impl Into<String>,
        life: Duration,
    ) -> Self {
        let iat = super::now();
        Self {
            iss: iss.into(),
            sub,
            aud,
            method: method.into(),
            iat,
            exp: iat + life.min(MAX_LIFETIME).as_secs(),
            jti: None,
            digest: None,
            request_id: None,
            credential: None,
            scope: Scope::default(),
        }
    }

    /// Binds the claims to one request: adds a one-time id and the digest of the uncompressed protobuf message.
    #[must_use]
    pub fn for_one_request(mut self, message: &[u8], request_id: RequestId) -> Self {
        use sha2::Digest as _;
        self.jti = Some(uuid::Uuid::new_v4().simple().to_string());
        self.digest = Some(sha2::Sha256::digest(message).into());
        self.request_id = Some(request_id);
        self
    }

    #[must_use]
    pub fn with_scope(mut self, scope: Scope) -> Self {
        self.scope = scope;
        self
    }

    pub(super) fn encode(
        &self,
        key: &SigningKey,
        certificate: Option<&str>,
    ) -> Result<String, SigningKeyError> {
        jwt::encode(&Wire::from(self), key, certificate)
    }

    /// Parses the claims; checks neither signature nor time.
    pub(super) fn read(token: &jwt::Token<'_>) -> Result<Self, MalformedAssertion> {
        token.claims::<Wire>()?.try_into()
    }
}

impl From<&Claims> for Wire {
    fn from(claims: &Claims) -> Self {
        Self {
            iss: claims.iss.clone(),
            sub: claims.sub.to_string(),
            aud: claims.aud.to_string(),
            method: claims.method.clone(),
            iat: claims.iat,
            exp: claims.exp,
            jti: claims.jti.clone(),
            digest: claims
                .digest
                .map(|digest| BASE64_URL_SAFE_NO_PAD.encode(digest)),
            request_id: claims.request_id.map(|id| id.to_string()),
            credential: claims.credential.clone(),
            scope: claims.scope.clone(),
        }
    }
}

impl TryFrom<Wire> for Claims {
    type Error = MalformedAssertion;

    fn try_from(wire: Wire) -> Result<Self, Self::Error> {
        let malformed =
            |claim: &str, error: String| MalformedAssertion(format!("{claim}: {error}"));
        wire.scope
            .check_size()
            .map_err(|error| malformed("scope", error.to_string()))?;
        Ok(Self {
            sub: wire
                .sub
                .parse()
                .map_err(|error: super::SubjectError| malformed("sub", error.to_string()))?,
            aud: wire
                .aud
                .parse()
                .map_err(|error: super::SubjectError| malformed("aud", error.to_string()))?,
            jti: wire.jti.map(check_jti).transpose()?,
            credential: wire.credential.map(check_credential).transpose()?,
            digest: wire.digest.map(|text| parse_digest(&text)).transpose()?,
            request_id: wire
                .request_id
                .map(|text| {
                    text.parse()
                        .map_err(|error: causeway_proto::ids::RequestIdError| {
                            malformed("request_id", error.to_string())
                        })
                })
                .transpose()?,
            iss: wire.iss,
            method: wire.method,
            iat: wire.iat,
            exp: wire.exp,
            scope: wire.scope,
        })
    }
}

fn check_jti(jti: String) -> Result<String, MalformedAssertion> {
    if (16..=64).contains(&jti.len()) {
        Ok(jti)
    } else {
        Err(MalformedAssertion("jti: not 16 to 64 bytes".to_owned()))
    }
}

fn check_credential(credential: String) -> Result<String, MalformedAssertion> {
    if (1..=80).contains(&credential.len()) {
        Ok(credential)
    } else {
        Err(MalformedAssertion(
            "credential: not 1 to 80 bytes".to_owned(),
        ))
    }
}

fn parse_digest(text: &str) -> Result<[u8; 32], MalformedAssertion> {
    BASE64_URL_SAFE_NO_PAD
        .decode(text)
        .ok()
        .and_then(|bytes| bytes.try_into().ok())
        .ok_or_else(|| MalformedAssertion("digest: not 32 bytes in base64url".to_owned()))
}
