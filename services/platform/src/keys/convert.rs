//! Conversions of verification keys.

use causeway_assertion::{Authority, TrustedKey};
use causeway_proto::{ids::KeyId, platform::v1 as pb, time::millis_to_timestamp};

use crate::keys::ring::{CertifiedKey, ListedKey, Phase};

impl From<CertifiedKey> for pb::SigningKey {
    fn from(certified: CertifiedKey) -> Self {
        Self {
            key_id: certified.key.id().to_string(),
            public_key: certified.key.as_bytes().to_vec().into(),
            not_before: Some(millis_to_timestamp(certified.not_before * 1000)),
            not_after: Some(millis_to_timestamp(certified.not_after * 1000)),
            root_signature: certified.root_signature.into(),
            ..Self::default()
        }
    }
}

impl From<ListedKey> for pb::SigningKey {
    fn from(listed: ListedKey) -> Self {
        Self {
            signs_from: Some(millis_to_timestamp(listed.begins * 1000)),
            state: match listed.phase {
                Phase::Waiting => pb::SigningKeyState::Waiting,
                Phase::Signing => pb::SigningKeyState::Signing,
                Phase::Leaving(_) | Phase::Over => pb::SigningKeyState::Leaving,
            }
            .into(),
            ..listed.certified.into()
        }
    }
}

/// A key with what it may say.
pub(crate) fn verification_key(
    key_id: &KeyId,
    trusted: &TrustedKey,
) -> Option<pb::VerificationKey> {
    use pb::verification_key::Authority as Says;
    let authority = match &trusted.authority {
        Authority::Platform => Says::Platform(pb::PlatformAuthority {}),
        Authority::PlatformParts => Says::PlatformPart(pb::PlatformPartAuthority {}),
        Authority::Runtime { account, runtime } => Says::Runtime(pb::RuntimeAuthority {
            account: account.to_string(),
            runtime_id: runtime.to_string(),
        }),
        // What is certified is never asked for by its id.
        Authority::Part(_) => return None,
    };
    Some(pb::VerificationKey {
        key_id: key_id.to_string(),
        public_key: trusted.key.as_bytes().to_vec().into(),
        authority: Some(authority),
    })
}
