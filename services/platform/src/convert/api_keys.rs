//! API keys.

use causeway_proto::{
    ids::UserId,
    platform::v1 as pb,
    time::{millis_to_timestamp, timestamp_to_millis},
};
use causeway_shell::Caller;

use super::{FieldError, id};
use crate::{api_key::ApiKey, role::Role};

const LONGEST_NAME: usize = 100;

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
