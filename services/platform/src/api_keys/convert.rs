//! Conversions of API key messages.

use causeway_proto::{
    platform::v1 as pb,
    time::{millis_to_timestamp, timestamp_to_millis},
};

use crate::{
    api_keys::model::{ApiKey, Rotation},
    convert::{FieldError, id},
    platform::NewApiKey,
    roles::convert::display_name,
};

/// The former secret of a rotated key goes on for at most so many seconds.
const LONGEST_OVERLAP: u32 = 7 * 24 * 60 * 60;

/// The key that a request asks for.
pub(crate) fn new_api_key(
    request: &pb::CreateApiKeyRequest,
    now: i64,
) -> Result<NewApiKey, FieldError> {
    let expires_at = request.expires_at.as_ref().map(timestamp_to_millis);
    if expires_at.is_some_and(|end| end <= now) {
        return Err(FieldError::new("expires_at", "must be in the future"));
    }
    let given = |text: &'_ String| !text.is_empty();
    let user = Some(&request.user).filter(|it| given(it));
    let role = Some(&request.role).filter(|it| given(it));
    Ok(NewApiKey {
        display_name: display_name(&request.display_name)?,
        user: user.map(|user| id("user", user)).transpose()?,
        role: role.map(|role| id("role", role)).transpose()?,
        expires_at,
    })
}

/// How a key is to be rotated.
pub(crate) fn rotation(overlap_seconds: u32, now: i64) -> Result<Rotation, FieldError> {
    if overlap_seconds > LONGEST_OVERLAP {
        let text = format!("more than {LONGEST_OVERLAP}, which are 7 days");
        return Err(FieldError::new("overlap_seconds", text));
    }
    Ok(Rotation {
        rotated_at: now,
        former_ends_at: now + i64::from(overlap_seconds) * 1000,
    })
}

impl From<ApiKey> for pb::ApiKey {
    fn from(key: ApiKey) -> Self {
        let rotation = key.rotation;
        Self {
            key_id: key.key_id.to_string(),
            display_name: key.display_name,
            subject: format!("user:{}", key.user),
            role: key.role.map(String::from).unwrap_or_default(),
            created_at: Some(millis_to_timestamp(key.created_at)),
            expires_at: key.expires_at.map(millis_to_timestamp),
            last_used_at: key.last_used_at.map(millis_to_timestamp),
            revoked_at: key.revoked_at.map(millis_to_timestamp),
            rotated_at: rotation.map(|it| millis_to_timestamp(it.rotated_at)),
            former_secret_ends_at: rotation.map(|it| millis_to_timestamp(it.former_ends_at)),
        }
    }
}
