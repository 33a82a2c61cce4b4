//! Verification of a webhook over its bytes as they came. The provider of the route decides how, and each secret of the route
//! is tried. An unknown route costs the same as a wrong signature.

use aws_lc_rs::{
    constant_time::verify_slices_are_equal,
    hmac::{Context, HMAC_SHA256, Key},
};
use base64::{Engine as _, prelude::BASE64_STANDARD};

use crate::route::{Provider, Secrets};

/// Difference of clocks that a signed time may have.
const SKEW_SECONDS: u64 = 5 * 60;
/// Signatures that one header may list.
const MAX_SIGNATURES: usize = 8;

/// Headers of a webhook, names in lower case.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Headers(Vec<(String, Vec<u8>)>);

/// A webhook that shows no valid signature. There is one error for all causes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the signature is absent or wrong")]
pub struct NotVerified;

/// How much a verified webhook may say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// The signature covers the body.
    Signed,
    /// The sender showed a secret, which does not cover the body.
    Poke,
}

/// Verification that is under way.
pub struct Verification {
    macs: Vec<Context>,
    expected: Expected,
}

enum Expected {
    /// Signatures, of which one must be that of one secret.
    Macs(Vec<Vec<u8>>),
    /// Decided by the headers alone.
    Decided(Result<Trust, NotVerified>),
}

impl Headers {
    /// Takes names in any case.
    pub fn new(headers: impl IntoIterator<Item = (String, Vec<u8>)>) -> Self {
        let lower = |(name, value): (String, Vec<u8>)| (name.to_ascii_lowercase(), value);
        Self(headers.into_iter().map(lower).collect())
    }

    /// The value of a header that is there exactly once.
    pub fn one(&self, name: &str) -> Option<&[u8]> {
        let mut values = self.0.iter().filter(|(own, _)| own == name);
        let value = values.next();
        value
            .filter(|_| values.next().is_none())
            .map(|(_, value)| value.as_slice())
    }

    /// The same as text.
    pub fn text(&self, name: &str) -> Option<&str> {
        std::str::from_utf8(self.one(name)?).ok()
    }

    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(own, _)| own == name)
    }

    /// All headers.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let pairs = self.0.iter();
        pairs.map(|(name, value)| (name.as_str(), value.as_slice()))
    }
}

impl Verification {
    /// Begins with the head. `now` is in seconds since 1970.
    pub fn begin(provider: Provider, secrets: &Secrets, headers: &Headers, now: u64) -> Self {
        match provider {
            Provider::Github => hmac(secrets, prefixed(headers, "x-hub-signature-256")),
            Provider::BitbucketCloud | Provider::BitbucketDataCenter => {
                hmac(secrets, prefixed(headers, "x-hub-signature"))
            }
            Provider::Gitea => {
                let forgejo = headers.has("x-forgejo-signature");
                let name = if forgejo {
                    "x-forgejo-signature"
                } else {
                    "x-gitea-signature"
                };
                hmac(secrets, headers.text(name).and_then(unhex))
            }
            Provider::Gitlab if !headers.has("webhook-signature") => {
                decided(is_secret(secrets, headers.one("x-gitlab-token")))
            }
            Provider::Gitlab | Provider::Standard => standard(secrets, headers, now),
            Provider::AzureDevops => {
                let basic = headers.text("authorization").and_then(basic);
                decided(is_secret(secrets, basic.as_deref()))
            }
        }
    }

    /// Begins one that fails, with the work of one that may succeed.
    pub fn failing() -> Self {
        let macs = vec![Context::with_key(&Key::new(HMAC_SHA256, &[0; 32]))];
        let expected = Expected::Decided(Err(NotVerified));
        Self { macs, expected }
    }

    /// Takes the next bytes of the body.
    pub fn update(&mut self, bytes: &[u8]) {
        for mac in &mut self.macs {
            mac.update(bytes);
        }
    }

    /// Decides after the last byte.
    pub fn finish(self) -> Result<Trust, NotVerified> {
        let tags: Vec<_> = self.macs.into_iter().map(Context::sign).collect();
        let expected = match self.expected {
            Expected::Decided(decision) => return decision,
            Expected::Macs(expected) => expected,
        };
        let mut matches = false;
        for tag in &tags {
            for given in &expected {
                matches |= verify_slices_are_equal(tag.as_ref(), given).is_ok();
            }
        }
        matches.then_some(Trust::Signed).ok_or(NotVerified)
    }
}

/// Signs a body as the provider would, for a sample: the headers to add.
pub fn sign(
    provider: Provider,
    secret: &[u8],
    (id, now): (&str, u64),
    body: &[u8],
) -> Vec<(&'static str, String)> {
    let own = |name, value: String| vec![(name, value)];
    let mac = || hex(&tag(secret, &[body]));
    match provider {
        Provider::Github => own("x-hub-signature-256", format!("sha256={}", mac())),
        Provider::BitbucketCloud | Provider::BitbucketDataCenter => {
            own("x-hub-signature", format!("sha256={}", mac()))
        }
        Provider::Gitea => own("x-gitea-signature", mac()),
        Provider::Gitlab => own(
            "x-gitlab-token",
            String::from_utf8_lossy(secret).into_owned(),
        ),
        Provider::AzureDevops => {
            let basic = BASE64_STANDARD.encode(secret);
            own("authorization", format!("Basic {basic}"))
        }
        Provider::Standard => {
            let prefix = format!("{id}.{now}.");
            let tag = tag(&standard_key(secret), &[prefix.as_bytes(), body]);
            vec![
                ("webhook-id", id.to_owned()),
                ("webhook-timestamp", now.to_string()),
                (
                    "webhook-signature",
                    format!("v1,{}", BASE64_STANDARD.encode(tag)),
                ),
            ]
        }
    }
}

fn tag(secret: &[u8], pieces: &[&[u8]]) -> Vec<u8> {
    let mut mac = Context::with_key(&Key::new(HMAC_SHA256, secret));
    for piece in pieces {
        mac.update(piece);
    }
    mac.sign().as_ref().to_vec()
}

fn hmac(secrets: &Secrets, given: Option<Vec<u8>>) -> Verification {
    let context = |secret: &[u8]| Context::with_key(&Key::new(HMAC_SHA256, secret));
    Verification {
        macs: secrets.iter().map(context).collect(),
        expected: given.map_or(Expected::Decided(Err(NotVerified)), |mac| {
            Expected::Macs(vec![mac])
        }),
    }
}

fn decided(decision: Result<Trust, NotVerified>) -> Verification {
    let expected = Expected::Decided(decision);
    Verification {
        expected,
        ..Verification::failing()
    }
}

/// Standard Webhooks: `v1` signatures over id, time and body.
fn standard(secrets: &Secrets, headers: &Headers, now: u64) -> Verification {
    let signed = || {
        let id = headers.text("webhook-id")?;
        let time = headers.text("webhook-timestamp")?;
        let seconds: u64 = time.parse().ok()?;
        (seconds.abs_diff(now) <= SKEW_SECONDS).then_some(())?;
        let listed = headers.text("webhook-signature")?.split(' ');
        let listed = listed.filter_map(|one| one.strip_prefix("v1,"));
        let macs: Vec<_> = listed
            .take(MAX_SIGNATURES)
            .filter_map(|one| BASE64_STANDARD.decode(one).ok())
            .collect();
        Some((format!("{id}.{time}."), macs))
    };
    let Some((prefix, macs)) = signed() else {
        return Verification::failing();
    };
    let context = |secret: &[u8]| {
        let mut mac = Context::with_key(&Key::new(HMAC_SHA256, &standard_key(secret)));
        mac.update(prefix.as_bytes());
        mac
    };
    Verification {
        macs: secrets.iter().map(context).collect(),
        expected: Expected::Macs(macs),
    }
}

/// A secret is base64 after `whsec_`, or the key itself.
fn standard_key(secret: &[u8]) -> Vec<u8> {
    let encoded = secret.strip_prefix(b"whsec_");
    let decoded = encoded.and_then(|text| BASE64_STANDARD.decode(text).ok());
    decoded.unwrap_or_else(|| secret.to_vec())
}

fn is_secret(secrets: &Secrets, given: Option<&[u8]>) -> Result<Trust, NotVerified> {
    let given = given.ok_or(NotVerified)?;
    let mut matches = false;
    for secret in secrets.iter() {
        matches |= verify_slices_are_equal(secret, given).is_ok();
    }
    matches.then_some(Trust::Poke).ok_or(NotVerified)
}

fn prefixed(headers: &Headers, name: &str) -> Option<Vec<u8>> {
    unhex(headers.text(name)?.strip_prefix("sha256=")?)
}

fn basic(value: &str) -> Option<Vec<u8>> {
    let (scheme, encoded) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("basic").then_some(())?;
    BASE64_STANDARD.decode(encoded.trim()).ok()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| {
        char::from(byte)
            .to_digit(16)
            .and_then(|it| u8::try_from(it).ok())
    };
    let pairs = text.as_bytes().chunks(2);
    let byte = |pair: &[u8]| match pair {
        [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
        _ => None,
    };
    (text.len() == 64).then_some(())?;
    pairs.map(byte).collect()
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests;
