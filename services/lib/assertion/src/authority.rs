//! What a key may assert, and whose keys it may certify. Nothing of it is asked of the text that the key signed.

use causeway_proto::ids::{AccountId, RuntimeId};

use super::{Claims, KeyHolder, PartCertificate, Subject};
use crate::Side;

/// The issuer of what the platform says of users.
const PLATFORM_ISSUER: &str = "platform";

/// What a key may say.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Authority {
    /// A signing key of the platform asserts users, for any audience. It certifies nobody.
    Platform,
    /// The platform's key for its parts certifies them. It asserts nobody.
    PlatformParts,
    /// A runtime's key asserts that runtime, shown to the platform or within it, in its own account; and certifies its parts.
    Runtime {
        account: AccountId,
        runtime: RuntimeId,
    },
    /// A certified key asserts exactly its part: the platform's for any audience, a runtime's as its runtime may. It certifies
    /// nobody.
    Part(KeyHolder),
}

impl Authority {
    /// Whether a key with this authority may say what the claims say. Whoever speaks for itself is its own issuer.
    #[must_use]
    pub fn may_assert(&self, claims: &Claims) -> bool {
        match self {
            Self::Platform => {
                matches!(claims.sub, Subject::User(_)) && claims.iss == PLATFORM_ISSUER
            }
            Self::PlatformParts => false,
            Self::Runtime { account, runtime } => {
                let own = Subject::Runtime {
                    account: account.clone(),
                    runtime: runtime.clone(),
                };
                claims.sub == own && speaks_itself(claims) && within(account, runtime, claims)
            }
            Self::Part(holder) => {
                let shown_well = match &holder.runtime {
                    Some((account, runtime)) => within(account, runtime, claims),
                    None => true,
                };
                claims.sub == holder.subject() && speaks_itself(claims) && shown_well
            }
        }
    }

    /// What a key may say that a key with this authority has certified; nothing where that is none of its parts.
    #[must_use]
    pub fn certifies(&self, certificate: &PartCertificate) -> Option<Self> {
        let holder = &certificate.holder;
        let own = match self {
            Self::PlatformParts => holder.side == Side::Platform && holder.runtime.is_none(),
            Self::Runtime { account, runtime } => {
                let home = (account.clone(), runtime.clone());
                holder.side == Side::Runtime && holder.runtime == Some(home)
            }
            Self::Platform | Self::Part(_) => false,
        };
        own.then(|| Self::Part(holder.clone()))
    }

    /// The runtime that vouches for what is asserted.
    pub(super) fn runtime(&self) -> Option<&RuntimeId> {
        match self {
            Self::Runtime { runtime, .. } => Some(runtime),
            Self::Part(holder) => holder.runtime.as_ref().map(|(_, runtime)| runtime),
            Self::Platform | Self::PlatformParts => None,
        }
    }
}

fn speaks_itself(claims: &Claims) -> bool {
    claims.iss == claims.sub.to_string()
}

/// Whether claims are for the platform or for one runtime, in its account.
fn within(account: &AccountId, runtime: &RuntimeId, claims: &Claims) -> bool {
    let shown_to = claims.aud.runtime.as_ref();
    claims.aud.account == *account && shown_to.is_none_or(|shown_to| shown_to == runtime)
}
