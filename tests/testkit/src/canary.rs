//! Secrets where people and tools leave them, each with a text of its own: objects, an Application, and what is said of them.
//! A test feeds them to a runtime and looks for the texts wherever they must not be.

mod argo;
mod nest;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde_json::Value;

use self::nest::Nest;

/// A secret by where it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Canary {
    /// Where, in words.
    pub place: &'static str,
    /// What nobody else writes.
    pub text: String,
}

/// Everything with a canary in it.
pub struct Canaries {
    /// All of them.
    pub all: Vec<Canary>,
    /// Objects of a cluster.
    pub manifests: Vec<Value>,
    /// `spec`, `status` and labels of an Application.
    pub application: Value,
    /// What Argo CD says of the health of a resource.
    pub health_message: String,
    /// A message of a commit.
    pub commit_message: String,
    /// What Argo CD says when it fails.
    pub failure: String,
}

/// The rules without which some of the places are as any other.
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
    /// Each way in which it may be written.
    pub fn forms(&self) -> Vec<Vec<u8>> {
        let in_base64 = (0..3).map(|before| {
            let bytes = [&b"\0\0\0"[..before], self.text.as_bytes()].concat();
            let encoded = BASE64_STANDARD.encode(bytes).into_bytes();
            // The letters at both ends depend on what stands beside it.
            encoded[4.min(before * 4)..encoded.len() - 4].to_vec()
        });
        let hex: String = self.text.bytes().map(|it| format!("{it:02x}")).collect();
        let plain = [self.text.clone().into_bytes(), hex.into_bytes()];
        plain.into_iter().chain(in_base64).collect()
    }

    /// Whether it is in these bytes in any of its forms.
    pub fn is_in(&self, bytes: &[u8]) -> bool {
        self.forms().iter().any(|form| contains(bytes, form))
    }
}

impl Canaries {
    /// What all of them begin with, in each form: bytes without any of these have none of them, and are soon looked through.
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
