//! The keys that a provider signs with.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use jsonwebtoken::{
    Algorithm, DecodingKey,
    jwk::{Jwk, JwkSet, PublicKeyUse},
};
use serde_json::Value;

use crate::{ProviderError, cached::Cached, http::Http, metadata::Metadata};

/// How long keys are believed without asking again: a key that the provider took back counts this long.
const FRESH: Duration = Duration::from_secs(10 * 60);
/// How soon after an answer an unknown key is asked for again: tokens with made-up keys must not hammer the provider.
const PAUSE: Duration = Duration::from_secs(30);
const MOST: usize = 64;

/// Keys by their ids.
#[derive(Debug, Default)]
pub(crate) struct Keys(Cached<KeySet>);

/// The keys of one answer.
#[derive(Debug, Default)]
pub struct KeySet(BTreeMap<String, Key>);

/// A public key with the algorithms that it may be used with. Never a shared secret.
#[derive(Debug)]
pub(crate) struct Key {
    pub(crate) decoding: DecodingKey,
    pub(crate) algorithms: Vec<Algorithm>,
}

impl Keys {
    /// The keys, asked for again where `kid` is not among those that are held.
    pub(crate) async fn with(
        &self,
        kid: &str,
        http: &Http,
        metadata: &Metadata,
    ) -> Result<Arc<KeySet>, ProviderError> {
        let serves =
            |keys: &KeySet, age: Duration| age < PAUSE || (age < FRESH && keys.0.contains_key(kid));
        let ask = async {
            let document = http.get::<Value>(&metadata.keys).await?;
            KeySet::read(&document).ok_or_else(|| http.malformed("no set of keys"))
        };
        self.0.get(serves, ask).await
    }
}

impl KeySet {
    /// Reads a JWK set. Keys of kinds that are not known, without an id, or for encryption are left out.
    #[must_use]
    pub fn read(document: &Value) -> Option<Self> {
        let keys = document.get("keys")?.as_array()?;
        let known = keys
            .iter()
            .take(MOST)
            .filter_map(|key| serde_json::from_value(key.clone()).ok());
        let set = JwkSet {
            keys: known.collect(),
        };
        Some(Self(set.keys.iter().filter_map(entry).collect()))
    }

    pub(crate) fn get(&self, kid: &str) -> Option<&Key> {
        self.0.get(kid)
    }
}

fn entry(jwk: &Jwk) -> Option<(String, Key)> {
    let kid = jwk.common.key_id.clone()?;
    let signs = !matches!(jwk.common.public_key_use, Some(PublicKeyUse::Encryption));
    let algorithms = algorithms(jwk);
    if !signs || algorithms.is_empty() {
        return None;
    }
    let decoding = DecodingKey::from_jwk(jwk).ok()?;
    let key = Key {
        decoding,
        algorithms,
    };
    Some((kid, key))
}

/// What its kind allows, and no more than the one that it names itself. None for shared secrets.
fn algorithms(jwk: &Jwk) -> Vec<Algorithm> {
    use jsonwebtoken::jwk::{AlgorithmParameters as Kind, EllipticCurve as Curve};
    let of_kind: &[Algorithm] = match &jwk.algorithm {
        Kind::RSA(_) => &[
            Algorithm::RS256,
            Algorithm::RS384,
            Algorithm::RS512,
            Algorithm::PS256,
            Algorithm::PS384,
            Algorithm::PS512,
        ],
        Kind::EllipticCurve(key) => match key.curve {
            Curve::P256 => &[Algorithm::ES256],
            Curve::P384 => &[Algorithm::ES384],
            Curve::P521 | Curve::Ed25519 | _ => &[],
        },
        Kind::OctetKeyPair(_) => &[Algorithm::EdDSA],
        Kind::OctetKey(_) | Kind::Other(_) | _ => &[],
    };
    let named = jwk.common.key_algorithm.map(|name| name.to_string());
    let allowed = of_kind.iter().copied().filter(|algorithm| {
        named
            .as_ref()
            .is_none_or(|name| *name == format!("{algorithm:?}"))
    });
    allowed.collect()
}
