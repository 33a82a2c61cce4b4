//! Sealing of secrets to a key: HPKE (RFC 9180) in base mode, P-256, HKDF-SHA256, AES-256-GCM.

use aws_lc_rs::{
    encoding::{AsBigEndian as _, EcPrivateKeyBin},
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair},
};
use rustls::crypto::{
    aws_lc_rs::hpke::DH_KEM_P256_HKDF_SHA256_AES_256,
    hpke::{EncapsulatedSecret, Hpke as _, HpkePrivateKey, HpkePublicKey},
};

use crate::{PublicKey, SigningKey};

/// A sealed secret, which only the holder of the private key opens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sealed {
    pub encapsulated_key: Vec<u8>,
    pub ciphertext: Vec<u8>,
}

/// What a secret is for. It opens for the same purpose only.
#[derive(Debug, Clone, Copy)]
pub struct SealPurpose<'a> {
    /// Names the kind of the secret.
    pub info: &'a [u8],
    /// Names what the secret belongs to.
    pub context: &'a [u8],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    #[error("cannot seal")]
    Seal,
    #[error("it was sealed to another key or for another purpose, or it is damaged")]
    Open,
}

impl PublicKey {
    /// Seals a secret to this key.
    pub fn seal(&self, purpose: SealPurpose<'_>, secret: &[u8]) -> Result<Sealed, SealError> {
        let key = HpkePublicKey(self.as_bytes().to_vec());
        let sealed =
            DH_KEM_P256_HKDF_SHA256_AES_256.seal(purpose.info, purpose.context, secret, &key);
        let (encapsulated, ciphertext) = sealed.map_err(|_| SealError::Seal)?;
        Ok(Sealed {
            encapsulated_key: encapsulated.0,
            ciphertext,
        })
    }
}

impl SigningKey {
    /// Opens a secret that was sealed to the public half of this key.
    pub fn open_sealed(
        &self,
        purpose: SealPurpose<'_>,
        sealed: &Sealed,
    ) -> Result<Vec<u8>, SealError> {
        let secret = EncapsulatedSecret(sealed.encapsulated_key.clone());
        DH_KEM_P256_HKDF_SHA256_AES_256
            .open(
                &secret,
                purpose.info,
                purpose.context,
                &sealed.ciphertext,
                &self.scalar()?,
            )
            .map_err(|_| SealError::Open)
    }

    fn scalar(&self) -> Result<HpkePrivateKey, SealError> {
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, self.pkcs8());
        let pair = pair.map_err(|_| SealError::Open)?;
        let scalar: EcPrivateKeyBin<'_> = pair
            .private_key()
            .as_be_bytes()
            .map_err(|_| SealError::Open)?;
        Ok(HpkePrivateKey::from(scalar.as_ref().to_vec()))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use base64::{Engine as _, engine::general_purpose::STANDARD};

    use super::*;

    const PURPOSE: SealPurpose<'_> = SealPurpose {
        info: b"test",
        context: b"rt-1\0shop",
    };

    #[test]
    fn a_secret_opens_for_its_key_and_purpose_only() {
        let key = SigningKey::generate().unwrap();
        let sealed = key.public_key().seal(PURPOSE, b"token").unwrap();
        assert_eq!(key.open_sealed(PURPOSE, &sealed).unwrap(), b"token");
        let context = b"rt-1\0other";
        let other = SealPurpose { context, ..PURPOSE };
        assert_eq!(key.open_sealed(other, &sealed), Err(SealError::Open));
        let info = b"else";
        let other = SealPurpose { info, ..PURPOSE };
        assert_eq!(key.open_sealed(other, &sealed), Err(SealError::Open));
        let other = SigningKey::generate().unwrap();
        assert_eq!(other.open_sealed(PURPOSE, &sealed), Err(SealError::Open));
    }

    /// Sealed by the web UI, whose own tests make the same bytes.
    #[test]
    fn a_secret_that_a_browser_sealed_opens() {
        let lines = include_str!("seal/browser.txt").lines();
        let lines: HashMap<_, _> = lines.filter_map(|line| line.split_once(' ')).collect();
        let bytes = |name| {
            let digits = lines[name].as_bytes().chunks_exact(2);
            let bytes = digits.map(|pair| std::str::from_utf8(pair).unwrap());
            let bytes = bytes.map(|pair| u8::from_str_radix(pair, 16).unwrap());
            bytes.collect::<Vec<u8>>()
        };
        let body = STANDARD.encode(bytes("private_key"));
        let (begin, end) = ("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----");
        let key = SigningKey::from_pem(&format!("{begin}\n{body}\n{end}\n")).unwrap();
        assert_eq!(key.public_key().as_bytes()[..], bytes("public_key"));
        let sealed = Sealed {
            encapsulated_key: bytes("encapsulated_key"),
            ciphertext: bytes("ciphertext"),
        };
        let (info, context) = (&bytes("info")[..], &bytes("context")[..]);
        let opened = key.open_sealed(SealPurpose { info, context }, &sealed);
        assert_eq!(opened.unwrap(), bytes("secret"));
    }

    #[test]
    fn a_damaged_secret_does_not_open() {
        let key = SigningKey::generate().unwrap();
        let sealed = key.public_key().seal(PURPOSE, b"token").unwrap();
        for at in 0..sealed.ciphertext.len() {
            let mut damaged = sealed.clone();
            damaged.ciphertext[at] ^= 1;
            assert_eq!(key.open_sealed(PURPOSE, &damaged), Err(SealError::Open));
        }
        let empty = Sealed {
            encapsulated_key: Vec::new(),
            ciphertext: Vec::new(),
        };
        assert_eq!(key.open_sealed(PURPOSE, &empty), Err(SealError::Open));
    }
}
