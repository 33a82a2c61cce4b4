//! Rights of a key: the subjects it may assert and the keys it may certify. They never depend on the signed text.

use causeway_proto::ids::{AccountId, RuntimeId};

use super::{Claims, KeyHolder, PartCertificate, Subject};
use crate::Side;

/// Issuer claim of assertions about users.
const PLATFORM_ISSUER: &str = "platform";

/// Rights of a key.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Authority {
    /// Platform signing key: asserts users for any audience, certifies no key.
    Platform,
    /// Platform key for parts: certifies the keys of platform parts, asserts nothing itself.
    PlatformParts,
    /// Runtime key: asserts its runtime within its own account and certifies the keys of its parts.
    Runtime {
        account: AccountId,
        runtime: RuntimeId,
    },
    /// Certified part key: asserts exactly its part and certifies no key. A runtime's part is limited to the audiences of its runtime.
    Part(KeyHolder),
}

impl Authority {
    /// Returns true if a key with this authority may sign these claims. A runtime or part is its own issuer.
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

    /// Returns the authority of a certified key, or none if this key may not certify its holder.
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

    /// Returns the runtime whose key backs the assertion.
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

/// Returns true if the audience is the platform or this runtime, in the same account.
fn within(account: &AccountId, runtime: &RuntimeId, claims: &Claims) -> bool {
    let shown_to = claims.aud.runtime.as_ref();
    claims.aud.account == *account && shown_to.is_none_or(|shown_to| shown_to == runtime)
}
