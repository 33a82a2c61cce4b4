//! Converts and validates the messages of the contract.

use std::{fmt::Display, str::FromStr};

use causeway_proto::{ids::UserId, platform::v1 as pb};
use causeway_shell::Caller;

pub(crate) use crate::{
    api_keys::convert::{new_api_key, rotation},
    audit::convert::{audit_head, audit_id, audit_query, chain, export_from},
    authorization::convert::{call, direct_call, end, issued},
    keys::convert::verification_key,
    parts::convert::{announced, part_status},
    roles::convert::{
        asker, decided, decision, held, new_user, permission_pairs, question, role, role_names,
    },
    runtimes::convert::{join, join_token, joined, listed_token, offer, rejoin_token, sessions},
    sign_in::convert::{
        client_secret, identity, new_identity_provider, new_service_account, provider_settings,
        secret_change, trust_rules, user_session,
    },
};
use crate::{request::UserRequest, secret::sha256};

/// Longer texts from outside are refused, in bytes.
pub(crate) const LONGEST_TEXT: usize = 256;

/// A field that cannot be taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {problem}")]
pub struct FieldError {
    pub field: &'static str,
    pub problem: String,
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

pub(crate) fn text(field: &'static str, text: String) -> Result<String, FieldError> {
    if text.len() > LONGEST_TEXT {
        return Err(FieldError::new(
            field,
            format!("longer than {LONGEST_TEXT} bytes"),
        ));
    }
    Ok(text)
}

pub(crate) fn named(field: &'static str, value: String) -> Result<String, FieldError> {
    if value.is_empty() {
        return Err(FieldError::new(field, "empty"));
    }
    text(field, value)
}

/// A request that has an id of its own.
pub(crate) trait Identified: prost::Message {
    /// The id.
    fn request_id(&self) -> &str;
}

macro_rules! identified {
    ($($request:ident),* $(,)?) => {
        $(impl Identified for pb::$request {
            fn request_id(&self) -> &str {
                &self.request_id
            }
        })*
    };
}

identified!(
    CreateAccountRequest,
    CreateApiKeyRequest,
    CreateIdentityProviderRequest,
    CreateJoinTokenRequest,
    CreateRejoinTokenRequest,
    CreateRoleRequest,
    CreateServiceAccountRequest,
    CreateSessionRequest,
    CreateUserRequest,
    DeleteIdentityProviderRequest,
    DeleteRoleRequest,
    DeleteSavedViewRequest,
    DeleteUserRequest,
    DisableUserRequest,
    EnableUserRequest,
    LinkIdentityRequest,
    RevokeApiKeyRequest,
    RevokeJoinTokenRequest,
    RevokeRuntimeRequest,
    RevokeSessionRequest,
    RotateApiKeyRequest,
    SaveViewRequest,
    SetPreferencesRequest,
    SetTrustRulesRequest,
    SetUserRolesRequest,
    SignOutRequest,
    UnlinkIdentityRequest,
    UpdateIdentityProviderRequest,
    UpdateRoleRequest,
);

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
        policy_version: None,
    })
}
