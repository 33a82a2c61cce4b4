//! Canary secrets in the usual locations of secrets, each with a unique text: objects, an Application and messages about them. A
//! test feeds them to a runtime and searches for the texts where they must not appear.

mod argo;
mod nest;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde_json::Value;

use self::nest::Nest;

/// Secret by its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Canary {
    /// Description of the location.
    pub place: &'static str,
    /// Unique text.
    pub text: String,
}

/// All objects with a canary.
pub struct Canaries {
    pub all: Vec<Canary>,
    /// Objects of a cluster.
    pub manifests: Vec<Value>,
    /// `spec`, `status` and labels of an Application.
    pub application: Value,
    /// Health message of Argo CD for a resource.
    pub health_message: String,
    /// Commit message.
    pub commit_message: String,
    /// Error message of Argo CD.
    pub failure: String,
}

/// Redaction rules for the locations that are not secret by default.
pub const RULES: &str = "
hide:
- annotation: vault.example.com/*
- label: customer-*
- environment: LICENSE_*
- path: spec.connection.uri
  kind: Database.db.example.com
- path: spec.template.spec.containers[name=web].env[*].value
  kind: Deployment.apps
";

impl Canary {
    /// Returns all encodings in which the secret may appear.
    pub fn forms(&self) -> Vec<Vec<u8>> {
        let in_base64 = (0..3).map(|before| {
            let bytes = [&b"\0\0\0"[..before], self.text.as_bytes()].concat();
            let encoded = BASE64_STANDARD.encode(bytes).into_bytes();
            // The characters at both ends depend on the neighbouring bytes.
            encoded[4.min(before * 4)..encoded.len() - 4].to_vec()
        });
        let hex: String = self.text.bytes().map(|it| format!("{it:02x}")).collect();
        let plain = [self.text.clone().into_bytes(), hex.into_bytes()];
        plain.into_iter().chain(in_base64).collect()
    }

    /// Returns true if the bytes contain the secret in any encoding.
    pub fn is_in(&self, bytes: &[u8]) -> bool {
        self.forms().iter().any(|form| contains(bytes, form))
    }
}

impl Canaries {
    /// Returns the common prefixes in each encoding. Bytes without any of them contain no canary, which speeds up the search.
    pub fn beginnings(&self) -> Vec<Vec<u8>> {
        let mut beginnings = self.all[0].forms();
        for canary in &self.all {
            for (beginning, form) in beginnings.iter_mut().zip(canary.forms()) {
                let both = beginning.iter().zip(&form);
                let same = both.take_while(|(one, other)| one == other).count();
                beginning.truncate(same);
            }
        }
        beginnings
    }
}

fn contains(bytes: &[u8], needle: &[u8]) -> bool {
    let mut rest = bytes;
    while let Some(at) = rest.iter().position(|byte| *byte == needle[0]) {
        if rest[at..].starts_with(needle) {
            return true;
        }
        rest = &rest[at + 1..];
    }
    false
}

impl Default for Canaries {
    fn default() -> Self {
        let mut nest = Nest(Vec::new());
        let mut manifests = nest.secrets();
        manifests.extend(nest.copies());
        manifests.push(nest.annotated());
        manifests.extend(nest.custom());
        manifests.push(nest.deployment());
        manifests.extend(nest.configuration());
        manifests.push(nest.child());
        manifests.extend(nest.of_argo());
        manifests.extend(nest.events());
        let application = nest.application();
        let health_message = nest.said("the health of a node", "probe failed: password=");
        let commit_message = nest.said(
            "the message of a commit",
            "use token ghp_0123456789abcdef: api_key=",
        );
        let failure = nest.said(
            "a failure of Argo CD",
            "rpc error: cannot clone https://git.example.com/x.git?access_token=",
        );
        Self {
            all: nest.0,
            manifests,
            application,
            health_message,
            commit_message,
            failure,
        }
    }
}

#[cfg(test)]
mod tests;
