//! Part keys and their certificates, signed by the key of the runtime or the platform.
//!
//! A certificate travels with each assertion, so a verifier needs only the issuer's public key. There are no chains: a certified
//! key cannot certify another.

use std::{fmt, str::FromStr};

use base64::{
    Engine as _,
    prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD},
};
use causeway_proto::ids::{AccountId, KeyId, PartName, RuntimeId};

use super::{Claims, PublicKey, SigningKey, SigningKeyError, Subject};
use crate::Side;

/// Maximum lifetime of a certificate.
pub const MAX_CERTIFICATE_SECONDS: u64 = 24 * 60 * 60;

/// Domain separation prefix of the signed bytes.
const CONTEXT: &[u8] = b"causeway-part-certificate-v1";
/// Longest certificate in bytes that is looked at.
const LONGEST: usize = 640;
const SIGNATURE: usize = 64;
const BEGIN: &str = "-----BEGIN CAUSEWAY PART CERTIFICATE-----";
const END: &str = "-----END CAUSEWAY PART CERTIFICATE-----";
const PEM_LINE: usize = 64;

/// One part of the platform, or of one runtime.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct KeyHolder {
    pub side: Side,
    pub part: PartName,
    /// None for parts of the platform.
    pub runtime: Option<(AccountId, RuntimeId)>,
}

/// Certificate of a part key. Times are Unix seconds.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct PartCertificate {
    pub issuer: KeyId,
    pub holder: KeyHolder,
    pub key: PublicKey,
    pub not_before: u64,
    pub not_after: u64,
    signature: [u8; SIGNATURE],
}

/// The text is no certificate of a part.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("not the certificate of a part's key")]
pub struct MalformedCertificate;

/// The private key of one part with its certificate.
#[derive(Debug)]
pub struct PartKey {
    key: SigningKey,
    certificate: PartCertificate,
    text: String,
}

/// A file does not hold the key of a part.
#[derive(Debug, thiserror::Error)]
pub enum PartKeyError {
    #[error(transparent)]
    Key(#[from] SigningKeyError),
    #[error("no certificate in it ({BEGIN}): make the file with 'causeway key issue'")]
    Absent,
    #[error(transparent)]
    Certificate(#[from] MalformedCertificate),
    #[error("its certificate is for another key: make the file with 'causeway key issue'")]
    Mismatch,
}

impl KeyHolder {
    /// A part of the platform.
    #[must_use]
    pub fn platform(part: PartName) -> Self {
        Self {
            side: Side::Platform,
            part,
            runtime: None,
        }
    }

    /// A part of a runtime.
    #[must_use]
    pub fn runtime(account: AccountId, runtime: RuntimeId, part: PartName) -> Self {
        Self {
            side: Side::Runtime,
            part,
            runtime: Some((account, runtime)),
        }
    }

    /// The only subject that its key may assert.
    #[must_use]
    pub fn subject(&self) -> Subject {
        Subject::Part {
            side: self.side,
            part: self.part.clone(),
        }
    }
}

impl fmt::Display for KeyHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.subject())?;
        match &self.runtime {
            Some((account, runtime)) => write!(f, " of {account}/{runtime}"),
            None => Ok(()),
        }
    }
}

impl PartCertificate {
    /// Returns the signed bytes: each field prefixed by its length as a big-endian u16.
    fn statement(&self) -> Vec<u8> {
        let holder = &self.holder;
        let (account, runtime) = match &holder.runtime {
            Some((account, runtime)) => (account.as_str(), runtime.as_str()),
            None => ("", ""),
        };
        let fields = [
            CONTEXT,
            self.issuer.as_str().as_bytes(),
            holder.side.as_str().as_bytes(),
            account.as_bytes(),
            runtime.as_bytes(),
            holder.part.as_str().as_bytes(),
            self.key.as_bytes(),
            &self.not_before.to_be_bytes(),
            &self.not_after.to_be_bytes(),
        ];
        let mut statement = Vec::with_capacity(LONGEST);
        for field in fields {
            let length = u16::try_from(field.len()).expect("ids are at most 128 bytes long");
            statement.extend(length.to_be_bytes());
            statement.extend(field);
        }
        statement
    }

    /// Verifies the signature with the key of the issuer.
    #[must_use]
    pub fn is_signed_by(&self, issuer: &PublicKey) -> bool {
        issuer.verifies(&self.statement(), &self.signature)
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let (mut statement, signature) = bytes.split_last_chunk::<SIGNATURE>()?;
        let mut field = || take_field(&mut statement);
        if field()? != CONTEXT {
            return None;
        }
        let issuer = id(field()?)?;
        let side = id(field()?)?;
        let (account, runtime) = (field()?, field()?);
        let runtime = match (account, runtime) {
            (b"", b"") => None,
            (account, runtime) => Some((id(account)?, id(runtime)?)),
        };
        let part = id(field()?)?;
        let key = PublicKey::from_bytes(field()?)?;
        let not_before = u64::from_be_bytes(field()?.try_into().ok()?);
        let not_after = u64::from_be_bytes(field()?.try_into().ok()?);
        let holder = KeyHolder {
            side,
            part,
            runtime,
        };
        statement.is_empty().then_some(Self {
            issuer,
            holder,
            key,
            not_before,
            not_after,
            signature: *signature,
        })
    }
}

fn take_field<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, rest) = bytes.split_first_chunk()?;
    let (field, rest) = rest.split_at_checked(u16::from_be_bytes(*length).into())?;
    *bytes = rest;
    Some(field)
}

fn id<T: FromStr>(bytes: &[u8]) -> Option<T> {
    std::str::from_utf8(bytes).ok()?.parse().ok()
}

impl fmt::Display for PartCertificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = [self.statement(), self.signature.to_vec()].concat();
        f.write_str(&BASE64_URL_SAFE_NO_PAD.encode(bytes))
    }
}

impl FromStr for PartCertificate {
    type Err = MalformedCertificate;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.len() > LONGEST * 4 / 3 {
            return Err(MalformedCertificate);
        }
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(text).ok();
        bytes
            .and_then(|bytes| Self::read(&bytes))
            .ok_or(MalformedCertificate)
    }
}

impl SigningKey {
    /// Certifies the key of a part. The verifier, not the issuer, bounds the times (Unix seconds).
    pub fn certify(
        &self,
        holder: KeyHolder,
        key: &PublicKey,
        (not_before, not_after): (u64, u64),
    ) -> Result<PartCertificate, SigningKeyError> {
        let mut certificate = PartCertificate {
            issuer: self.kid().clone(),
            holder,
            key: *key,
            not_before,
            not_after,
            signature: [0; SIGNATURE],
        };
        let signature = self.sign_bytes(&certificate.statement())?;
        certificate
            .signature
            .copy_from_slice(signature.get(..SIGNATURE).unwrap_or(&[0; SIGNATURE]));
        Ok(certificate)
    }
}

impl PartKey {
    /// Generates and certifies a part key, valid from now for `life` seconds (at most 24 h).
    pub fn issue(
        issuer: &SigningKey,
        holder: KeyHolder,
        life: u64,
    ) -> Result<Self, SigningKeyError> {
        let key = SigningKey::generate()?;
        let now = super::now();
        let times = (now, now + life.min(MAX_CERTIFICATE_SECONDS));
        let certificate = issuer.certify(holder, key.public_key(), times)?;
        Ok(Self::new(key, certificate))
    }

    fn new(key: SigningKey, certificate: PartCertificate) -> Self {
        let text = certificate.to_string();
        Self {
            key,
            certificate,
            text,
        }
    }

    #[must_use]
    pub fn kid(&self) -> &KeyId {
        self.key.kid()
    }

    #[must_use]
    pub fn certificate(&self) -> &PartCertificate {
        &self.certificate
    }

    /// Signs an assertion with the certificate in its header, for use as a bearer token.
    pub fn sign(&self, claims: &Claims) -> Result<String, SigningKeyError> {
        self.key.sign_with(claims, Some(&self.text))
    }

    /// Returns true if the key should be renewed: half of its lifetime has passed or the clock went back.
    #[must_use]
    pub fn is_due(&self, now: u64) -> bool {
        let PartCertificate {
            not_before,
            not_after,
            ..
        } = self.certificate;
        let half = not_after.saturating_sub(not_before) / 2;
        !(not_before..not_before + half).contains(&now)
    }

    /// Returns the private key and the certificate as PEM. The text is secret.
    #[must_use]
    pub fn to_pem(&self) -> String {
        let bytes = [
            self.certificate.statement(),
            self.certificate.signature.to_vec(),
        ]
        .concat();
        let text = BASE64_STANDARD.encode(bytes);
        let lines: Vec<_> = text
            .as_bytes()
            .chunks(PEM_LINE)
            .map(String::from_utf8_lossy)
            .collect();
        let key = self.key.to_pem();
        format!("{}\n{BEGIN}\n{}\n{END}\n", key.trim_end(), lines.join("\n"))
    }

    pub fn from_pem(pem: &str) -> Result<Self, PartKeyError> {
        let (key, rest) = pem.split_once(BEGIN).ok_or(PartKeyError::Absent)?;
        let (text, _) = rest.split_once(END).ok_or(MalformedCertificate)?;
        let text: String = text.split_whitespace().collect();
        let bytes = BASE64_STANDARD
            .decode(text)
            .map_err(|_| MalformedCertificate)?;
        let certificate = PartCertificate::read(&bytes).ok_or(MalformedCertificate)?;
        let key = SigningKey::from_pem(key)?;
        if certificate.key != *key.public_key() {
            return Err(PartKeyError::Mismatch);
        }
        Ok(Self::new(key, certificate))
    }
}
