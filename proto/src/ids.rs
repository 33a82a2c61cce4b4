//! Identifiers as newtypes, so that the compiler rejects an account in the place of a runtime.

use std::{fmt, str::FromStr};

/// A text that is not a valid identifier.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{value}' is not a valid {kind}: use 1 to 63 of a-z, 0-9 and '-', beginning and ending with a letter or digit"
)]
pub struct IdError {
    kind: &'static str,
    value: String,
}

fn check(kind: &'static str, value: &str) -> Result<(), IdError> {
    let edge = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = value.as_bytes();
    let grammar = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'-';
    if bytes.len() <= 63 && edge(bytes.first()) && edge(bytes.last()) && bytes.iter().all(grammar) {
        return Ok(());
    }
    let value = value.chars().take(80).collect();
    Err(IdError { kind, value })
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $kind:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(value: &str) -> Result<Self, IdError> {
                check($kind, value)?;
                Ok(Self(value.to_owned()))
            }
        }

        impl TryFrom<String> for $name {
            type Error = IdError;

            fn try_from(value: String) -> Result<Self, IdError> {
                check($kind, &value)?;
                Ok(Self(value))
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(&self.0)
            }
        }
    };
}

id!(
    /// A tenant of the platform.
    AccountId, "account"
);
id!(
    /// A user of an account.
    UserId, "user"
);
id!(
    /// A role of an account.
    RoleName, "role name"
);
id!(
    /// A runtime, opaque: never its name.
    RuntimeId, "runtime id"
);
id!(
    /// The name that users give to a runtime, unique in its account.
    RuntimeName, "runtime name"
);
id!(
    /// The name of a part, for example `inventory`.
    PartName, "part name"
);
id!(
    /// The id of a signing key.
    KeyId, "key id"
);
id!(
    /// An identity provider of an account.
    ProviderName, "identity provider"
);
id!(
    /// The public id of a user's session.
    SessionId, "session id"
);

/// Request ID: a UUID chosen by the client. Repeating a request with the same ID has no second effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RequestId(uuid::Uuid);

/// A text that is not a UUID.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("request_id must be a UUID, for example 0194b4a6-63f2-7d25-9a3c-5ad0f1d1a001")]
pub struct RequestIdError;

impl RequestId {
    /// Generates a UUIDv7, which sorts by time.
    pub fn generate() -> Self {
        Self(uuid::Uuid::now_v7())
    }
}

impl FromStr for RequestId {
    type Err = RequestIdError;

    fn from_str(value: &str) -> Result<Self, RequestIdError> {
        uuid::Uuid::parse_str(value)
            .map(Self)
            .map_err(|_| RequestIdError)
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(formatter)
    }
}

#[cfg(test)]
mod tests;
