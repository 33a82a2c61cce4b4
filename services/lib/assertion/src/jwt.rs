//! Compact JWT of an assertion. Parsing is strict where JWTs are ambiguous: only ES256, no unknown and no duplicate fields.

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use causeway_proto::ids::KeyId;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{MalformedAssertion, PublicKey, SigningKey, SigningKeyError};

const ALGORITHM: &str = "ES256";
const TYPE: &str = "JWT";

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    typ: Option<String>,
    alg: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kid: Option<String>,
    /// Certificate of the signing part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cert: Option<String>,
}

/// Unverified header fields of the signing key.
#[derive(Debug)]
pub(super) struct Head {
    pub(super) kid: KeyId,
    /// Certificate text, for a part key.
    pub(super) certificate: Option<String>,
}

/// Parsed token with an unverified signature.
pub(super) struct Token<'a> {
    pub(super) head: Head,
    signed: &'a str,
    claims: &'a str,
    signature: &'a str,
}

pub(super) fn encode(
    claims: &impl Serialize,
    key: &SigningKey,
    certificate: Option<&str>,
) -> Result<String, SigningKeyError> {
    let head = Wire {
        typ: Some(TYPE.to_owned()),
        alg: ALGORITHM.to_owned(),
        kid: Some(key.kid().to_string()),
        cert: certificate.map(str::to_owned),
    };
    let json = |value: serde_json::Result<Vec<u8>>| value.expect("texts and numbers are JSON");
    let head = BASE64_URL_SAFE_NO_PAD.encode(json(serde_json::to_vec(&head)));
    let claims = BASE64_URL_SAFE_NO_PAD.encode(json(serde_json::to_vec(claims)));
    let signed = format!("{head}.{claims}");
    let signature = BASE64_URL_SAFE_NO_PAD.encode(key.sign_bytes(signed.as_bytes())?);
    Ok(format!("{signed}.{signature}"))
}

fn malformed(text: &str) -> MalformedAssertion {
    MalformedAssertion(text.to_owned())
}

impl<'a> Token<'a> {
    pub(super) fn parse(text: &'a str) -> Result<Self, MalformedAssertion> {
        let no_token = || malformed("it is not a JWT");
        let (signed, signature) = text.rsplit_once('.').ok_or_else(no_token)?;
        let (head, claims) = signed.split_once('.').ok_or_else(no_token)?;
        let head = BASE64_URL_SAFE_NO_PAD.decode(head);
        let head = Head::read(&head.map_err(|_| no_token())?)?;
        Ok(Self {
            head,
            signed,
            claims,
            signature,
        })
    }

    pub(super) fn is_signed_by(&self, key: &PublicKey) -> bool {
        let signature = BASE64_URL_SAFE_NO_PAD.decode(self.signature);
        signature.is_ok_and(|signature| key.verifies(self.signed.as_bytes(), &signature))
    }

    pub(super) fn claims<T: DeserializeOwned>(&self) -> Result<T, MalformedAssertion> {
        let json = BASE64_URL_SAFE_NO_PAD.decode(self.claims);
        let json = json.map_err(|_| malformed("its claims are not base64url"))?;
        serde_json::from_slice(&json).map_err(|_| malformed("its claims are not those of ours"))
    }
}

impl Head {
    fn read(json: &[u8]) -> Result<Self, MalformedAssertion> {
        let loose: LooseHead = serde_json::from_slice(json)
            .map_err(|_| malformed("its header is not that of a JWT"))?;
        if loose.alg != ALGORITHM {
            return Err(malformed("it is not signed with ES256"));
        }
        let wire: Wire = serde_json::from_slice(json)
            .map_err(|_| malformed("its header has a field that is not known"))?;
        if wire.typ.is_some_and(|typ| typ != TYPE) {
            return Err(malformed("its header says that it is no JWT"));
        }
        let kid = wire.kid.ok_or_else(|| malformed("it names no key (kid)"))?;
        let kid = kid
            .parse()
            .map_err(|_| malformed("its kid is not a key id"))?;
        Ok(Self {
            kid,
            certificate: wire.cert,
        })
    }
}

/// Read first, so that the error names an unsupported algorithm regardless of other fields.
#[derive(Deserialize)]
struct LooseHead {
    alg: String,
}
