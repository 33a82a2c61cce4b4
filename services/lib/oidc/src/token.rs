//! What an ID token must be to be believed. Pure: keys and time are given.

use std::time::Duration;

use aws_lc_rs::digest::{SHA256, SHA384, SHA512, digest};
use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use jsonwebtoken::{Algorithm, Validation, errors::ErrorKind};
use serde_json::{Map, Value};

pub use crate::keys::KeySet;

/// How far clocks may be apart.
pub const LEEWAY: Duration = Duration::from_secs(60);
/// The longest token that is looked at, in bytes.
pub const MAX_TOKEN_BYTES: usize = 16 << 10;

/// Claims that a token must have.
#[derive(Debug, Clone, Copy)]
pub struct ExpectedClaims<'a> {
    /// Exactly this issuer.
    pub issuer: &'a str,
    /// Among its audiences.
    pub audience: &'a str,
    /// The client that it must be made for, where it says one. None where it is made for another one to be shown here: then this is its
    /// only audience.
    pub client: Option<&'a str>,
    /// Exactly this nonce, where the flow had one.
    pub nonce: Option<&'a str>,
    /// The access token that came with it: where the token has a hash of one, it must be of this one.
    pub access_token: Option<&'a str>,
    /// Seconds since 1970.
    pub now: u64,
}

/// What a believed token says.
#[derive(Debug, Clone, PartialEq)]
pub struct Claims(Map<String, Value>);

/// Why a token is not believed. The texts never show what the token says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    #[error("the ID token is no signed JWT")]
    Malformed,
    #[error("the ID token is longer than {} KiB", MAX_TOKEN_BYTES >> 10)]
    TooLong,
    #[error("the ID token is signed in a way that is not accepted")]
    Algorithm,
    #[error("the ID token is signed with a key that the identity provider does not show")]
    UnknownKey,
    #[error("the signature of the ID token is wrong")]
    Signature,
    #[error("the ID token has no claim '{0}' of the right kind")]
    Missing(&'static str),
    #[error("the ID token is of another issuer")]
    Issuer,
    #[error("the ID token is for another client")]
    Audience,
    #[error("the ID token has expired; if you just signed in, check the clocks")]
    Expired,
    #[error("the ID token is of the future; check the clocks")]
    Future,
    #[error("the ID token belongs to another sign-in")]
    Nonce,
    #[error("the ID token belongs to another access token")]
    AccessToken,
}

/// The id of the key that a token says it is signed with.
///
/// # Errors
/// It is no JWT, or signed in a way that is never accepted.
pub fn key_id(token: &str) -> Result<String, TokenError> {
    let header = header(token)?;
    header.kid.ok_or(TokenError::UnknownKey)
}

/// The issuer that a token says it is of. Nothing of it is believed yet.
///
/// # Errors
/// It is no JWT, or signed in a way that is never accepted.
pub fn issuer(token: &str) -> Result<String, TokenError> {
    header(token)?;
    let payload = token.split('.').nth(1).unwrap_or_default();
    let payload = BASE64_URL_SAFE_NO_PAD.decode(payload);
    let payload = payload.map_err(|_| TokenError::Malformed)?;
    let claims = serde_json::from_slice(&payload).map(Claims);
    let claims = claims.map_err(|_| TokenError::Malformed)?;
    let issuer = claims.text("iss").ok_or(TokenError::Missing("iss"))?;
    Ok(issuer.to_owned())
}

/// Checks a token and reads it.
///
/// # Errors
/// See [`TokenError`].
pub fn verify(
    token: &str,
    keys: &KeySet,
    expected: &ExpectedClaims<'_>,
) -> Result<Claims, TokenError> {
    let header = header(token)?;
    let kid = header.kid.ok_or(TokenError::UnknownKey)?;
    let key = keys.get(&kid).ok_or(TokenError::UnknownKey)?;
    if !key.algorithms.contains(&header.alg) {
        return Err(TokenError::Algorithm);
    }
    let mut validation = Validation::new(header.alg);
    // The claims are checked below, against a time that is given.
    validation.required_spec_claims.clear();
    validation.validate_exp = false;
    validation.validate_aud = false;
    let read = jsonwebtoken::decode::<Map<String, Value>>(token, &key.decoding, &validation);
    let claims = Claims(read.map_err(|error| refused(error.kind()))?.claims);
    claims.check(expected)?;
    claims.check_access_token(header.alg, expected)?;
    Ok(claims)
}

fn header(token: &str) -> Result<jsonwebtoken::Header, TokenError> {
    if token.len() > MAX_TOKEN_BYTES {
        return Err(TokenError::TooLong);
    }
    let header = jsonwebtoken::decode_header(token).map_err(|_| TokenError::Malformed)?;
    let shared = [Algorithm::HS256, Algorithm::HS384, Algorithm::HS512];
    if shared.contains(&header.alg) || header.crit.is_some() {
        Err(TokenError::Algorithm)
    } else {
        Ok(header)
    }
}

fn refused(kind: &ErrorKind) -> TokenError {
    if matches!(kind, ErrorKind::InvalidSignature) {
        return TokenError::Signature;
    }
    let of_algorithm = matches!(
        kind,
        ErrorKind::InvalidAlgorithm | ErrorKind::InvalidKeyFormat
    );
    if of_algorithm {
        TokenError::Algorithm
    } else {
        TokenError::Malformed
    }
}

impl Claims {
    /// Wraps claims that were verified before.
    #[must_use]
    pub fn from_verified(claims: Map<String, Value>) -> Self {
        Self(claims)
    }

    /// A claim that is a text that is not empty.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        let text = self.0.get(name).and_then(Value::as_str);
        text.filter(|text| !text.is_empty())
    }

    /// A claim that is a list of texts, or one text; what is not a text is left out.
    #[must_use]
    pub fn texts(&self, name: &str) -> Vec<&str> {
        match self.0.get(name) {
            Some(Value::String(one)) => vec![one],
            Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        }
    }

    /// True if a claim is there and true.
    #[must_use]
    pub fn is_true(&self, name: &str) -> bool {
        self.0.get(name) == Some(&Value::Bool(true))
    }

    fn number(&self, name: &'static str) -> Result<u64, TokenError> {
        // Some providers write times with a fraction.
        let value = self.0.get(name).ok_or(TokenError::Missing(name))?;
        let whole = value.as_u64().or_else(|| {
            let fraction = value.as_f64().filter(|time| (0.0..1e15).contains(time))?;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "the range was checked"
            )]
            Some(fraction as u64)
        });
        whole.ok_or(TokenError::Missing(name))
    }

    fn check(&self, expected: &ExpectedClaims<'_>) -> Result<(), TokenError> {
        let leeway = LEEWAY.as_secs();
        if self.text("iss") != Some(expected.issuer) {
            return Err(TokenError::Issuer);
        }
        self.check_audience(expected)?;
        if self.number("exp")?.saturating_add(leeway) <= expected.now {
            return Err(TokenError::Expired);
        }
        let begins = [self.number("iat")?, self.begins()?];
        if begins
            .iter()
            .any(|time| *time > expected.now.saturating_add(leeway))
        {
            return Err(TokenError::Future);
        }
        self.text("sub").ok_or(TokenError::Missing("sub"))?;
        match expected.nonce {
            Some(nonce) if self.text("nonce") != Some(nonce) => Err(TokenError::Nonce),
            _ => Ok(()),
        }
    }

    fn begins(&self) -> Result<u64, TokenError> {
        if self.0.contains_key("nbf") {
            self.number("nbf")
        } else {
            Ok(0)
        }
    }

    /// With several audiences the token must name the one that it was made for.
    fn check_audience(&self, expected: &ExpectedClaims<'_>) -> Result<(), TokenError> {
        let all = self.texts("aud");
        let party = self.0.get("azp").zip(expected.client);
        let party = party.map(|(party, client)| party.as_str() == Some(client));
        match (all.contains(&expected.audience), all.len(), party) {
            (true, 1, None) | (true, _, Some(true)) => Ok(()),
            _ => Err(TokenError::Audience),
        }
    }

    fn check_access_token(
        &self,
        algorithm: Algorithm,
        expected: &ExpectedClaims<'_>,
    ) -> Result<(), TokenError> {
        let (Some(token), Some(hash)) = (expected.access_token, self.0.get("at_hash")) else {
            return Ok(());
        };
        let method = match algorithm {
            Algorithm::RS384 | Algorithm::ES384 | Algorithm::PS384 => &SHA384,
            Algorithm::RS512 | Algorithm::PS512 | Algorithm::EdDSA => &SHA512,
            Algorithm::RS256 | Algorithm::ES256 | Algorithm::PS256 => &SHA256,
            // Refused before, by their heads.
            Algorithm::HS256 | Algorithm::HS384 | Algorithm::HS512 | _ => {
                return Err(TokenError::Algorithm);
            }
        };
        let whole = digest(method, token.as_bytes());
        let (half, _) = whole.as_ref().split_at(whole.as_ref().len() / 2);
        if hash.as_str() == Some(BASE64_URL_SAFE_NO_PAD.encode(half).as_str()) {
            Ok(())
        } else {
            Err(TokenError::AccessToken)
        }
    }
}

#[cfg(test)]
mod tests;
