//! SSH signatures of commits, in the format of `ssh-keygen -Y sign -n git`.

use std::fmt;

use aws_lc_rs::{
    digest::{SHA512, digest},
    signature::{Ed25519KeyPair, KeyPair as _},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};

use crate::GitError;

const MAGIC: &[u8] = b"SSHSIG";
const NAMESPACE: &[u8] = b"git";
const KEY_TYPE: &[u8] = b"ssh-ed25519";
const KEY_FILE: &[u8] = b"openssh-key-v1\0";
const LINE: usize = 70;

/// A private SSH key that signs commits. No message shows it.
pub struct SigningKey(Ed25519KeyPair);

impl SigningKey {
    /// Reads an ed25519 key in the OpenSSH format, without a passphrase.
    pub fn parse(text: &str) -> Result<Self, GitError> {
        let body = text
            .trim()
            .strip_prefix("-----BEGIN OPENSSH PRIVATE KEY-----")
            .and_then(|text| text.strip_suffix("-----END OPENSSH PRIVATE KEY-----"))
            .ok_or(GitError::SigningKey(
                "is no private key in the OpenSSH format",
            ))?;
        let body: String = body.split_whitespace().collect();
        let damaged = GitError::SigningKey("is damaged");
        let bytes = STANDARD.decode(body).map_err(|_| damaged.clone())?;
        let fields = bytes.strip_prefix(KEY_FILE).ok_or(damaged.clone())?;
        let (seed, public) = read_key(&mut Fields(fields))?;
        let key = Ed25519KeyPair::from_seed_and_public_key(seed, public);
        Ok(Self(key.map_err(|_| damaged)?))
    }

    /// The public key, as it is written in a list of allowed signers.
    #[must_use]
    pub fn public_key(&self) -> String {
        format!("ssh-ed25519 {}", STANDARD.encode(self.public()))
    }

    fn public(&self) -> Vec<u8> {
        joined(&[KEY_TYPE, self.0.public_key().as_ref()])
    }

    /// Signs the bytes of a commit.
    pub(crate) fn sign(&self, commit: &[u8]) -> String {
        let hash = digest(&SHA512, commit);
        let mut signed = MAGIC.to_vec();
        signed.extend(joined(&[NAMESPACE, b"", b"sha512", hash.as_ref()]));
        let signature = joined(&[KEY_TYPE, self.0.sign(&signed).as_ref()]);
        let mut blob = MAGIC.to_vec();
        blob.extend(1_u32.to_be_bytes());
        blob.extend(joined(&[
            &self.public(),
            NAMESPACE,
            b"",
            b"sha512",
            &signature,
        ]));
        armored(&STANDARD.encode(blob))
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.public_key())
    }
}

/// The seed and the public key.
fn read_key<'a>(fields: &mut Fields<'a>) -> Result<(&'a [u8], &'a [u8]), GitError> {
    let damaged = || GitError::SigningKey("is damaged");
    let cipher = fields.text().ok_or_else(damaged)?;
    if cipher != b"none" {
        return Err(GitError::SigningKey("has a passphrase"));
    }
    let (_kdf, _options) = (fields.text(), fields.text());
    if fields.number() != Some(1) {
        return Err(damaged());
    }
    let _public = fields.text();
    let mut private = Fields(fields.text().ok_or_else(damaged)?);
    let checks = (private.number(), private.number());
    if checks.0.is_none() || checks.0 != checks.1 {
        return Err(damaged());
    }
    if private.text() != Some(KEY_TYPE) {
        return Err(GitError::SigningKey("is no ed25519 key"));
    }
    let public = private.text().ok_or_else(damaged)?;
    let pair = private.text().filter(|pair| pair.len() == 64);
    Ok((&pair.ok_or_else(damaged)?[..32], public))
}

/// Fields of the SSH wire format.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn number(&mut self) -> Option<u32> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_be_bytes(*number))
    }

    fn text(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(text)
    }
}

fn joined(texts: &[&[u8]]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for text in texts {
        let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
        bytes.extend(length.to_be_bytes());
        bytes.extend(*text);
    }
    bytes
}

fn armored(base64: &str) -> String {
    let mut text = "-----BEGIN SSH SIGNATURE-----\n".to_owned();
    let mut rest = base64;
    while !rest.is_empty() {
        let (line, after) = rest.split_at(rest.len().min(LINE));
        text.push_str(line);
        text.push('\n');
        rest = after;
    }
    text + "-----END SSH SIGNATURE-----"
}
