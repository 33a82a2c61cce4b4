//! Random tokens of 256 bits.

use aws_lc_rs::{
    digest::{SHA256, digest},
    rand::{SecureRandom as _, SystemRandom},
};
use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};

/// 256 random bits as 43 characters of base64url: a state, a nonce or a PKCE verifier. Redacted in logs.
#[derive(Clone, PartialEq, Eq)]
pub struct RandomToken(String);

impl RandomToken {
    /// A new one from the system's source of randomness.
    #[must_use]
    pub fn generate() -> Self {
        let mut bytes = [0; 32];
        SystemRandom::new()
            .fill(&mut bytes)
            .expect("the system's source of randomness does not fail once it is seeded");
        Self(BASE64_URL_SAFE_NO_PAD.encode(bytes))
    }

    /// Wraps a token that was generated before.
    #[must_use]
    pub fn from_text(text: String) -> Self {
        Self(text)
    }

    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// The S256 challenge of PKCE: base64url of the SHA-256 of the text.
    #[must_use]
    pub fn challenge(&self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(digest(&SHA256, self.0.as_bytes()))
    }
}

impl std::fmt::Debug for RandomToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Unguessable")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::RandomToken;

    #[test]
    fn the_challenge_is_that_of_the_standards_example() {
        let verifier =
            RandomToken::from_text("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk".to_owned());
        let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
        assert_eq!(verifier.challenge(), challenge);
    }

    #[test]
    fn n_25_a_hundred_thousand_are_all_different_and_long_enough() {
        let all: HashSet<String> = (0..100_000)
            .map(|_| RandomToken::generate().expose().to_owned())
            .collect();
        assert_eq!(all.len(), 100_000);
        assert!(all.iter().all(|text| text.len() == 43));
    }
}
