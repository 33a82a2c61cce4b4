//! What leaves a cluster, without its secrets. Owns the promise that the content of a Secret, a credential in an address, what
//! a name or a rule tells to be secret, or a copy of any of these in an annotation or a message never goes out: in its place
//! stands a keyed hash, so that two equal values can still be seen to be equal by whoever cannot guess them.

mod args;
mod encoded;
mod name;
mod path;
mod pattern;
mod rules;
mod text;
mod walk;

use std::{path::Path, sync::Arc};

use aws_lc_rs::hmac;
use causeway_shell::ReloadedFile;
use serde_json::Value;

use crate::application::{Application, Source};
pub use args::RedactionArgs;
pub use rules::RulesError;
use rules::{Rules, Subject};
use walk::Walk;

/// The longest message that goes out, in bytes.
pub const LONGEST_MESSAGE: usize = 4096;

/// How much of a message is looked at: what is behind it could not go out anyway.
const LOOKED_AT: usize = 4 * LONGEST_MESSAGE;

/// Redacts with the key of one runtime. Equal values have equal marks wherever they stand, as long as the key is the same.
#[derive(Clone, Debug)]
pub struct Redactor {
    key: hmac::Key,
    rules: Told,
}

/// Who tells the rules.
#[derive(Clone, Debug)]
enum Told {
    /// Those that hold everywhere.
    Here(Arc<Rules>),
    /// Those and a file's.
    File(Arc<ReloadedFile<Rules>>),
    /// Nobody: everything is let through.
    Nobody,
}

impl Redactor {
    /// Takes anything secret of the runtime that does not change, for example its private key; by the rules that hold everywhere.
    pub fn new(secret: &[u8]) -> Self {
        Self::told(secret, Told::Here(Arc::default()))
    }

    /// The same by the rules of a file as well, which is read again when it changes.
    ///
    /// # Errors
    /// The file cannot be read, or a rule in it cannot be used.
    pub fn with_rules(secret: &[u8], file: &Path) -> anyhow::Result<Self> {
        let rules = ReloadedFile::open(file, |bytes| Ok(Rules::read(bytes)?))?;
        Ok(Self::told(secret, Told::File(Arc::new(rules))))
    }

    /// Hides nothing. For tests that show that what they search for would be found; no part makes one.
    pub fn transparent() -> Self {
        Self::told(&[], Told::Nobody)
    }

    fn told(secret: &[u8], rules: Told) -> Self {
        let derived = hmac::sign(
            &hmac::Key::new(hmac::HMAC_SHA256, secret),
            b"causeway-redaction-v1",
        );
        Self {
            key: hmac::Key::new(hmac::HMAC_SHA256, derived.as_ref()),
            rules,
        }
    }

    /// Redacts an object or anything within one.
    pub fn manifest(&self, value: &mut Value) {
        if let Some(rules) = self.rules.current() {
            Walk::new(&self.key, &rules).top(value);
        }
    }

    /// Redacts the texts of an Application that come from outside.
    pub fn application(&self, application: &mut Application) {
        let spec = &mut application.spec;
        let sources = spec.sources.iter_mut().chain(&mut spec.source);
        sources.for_each(|source| self.source(source));
        self.replace(&mut spec.destination.server);
        self.labels(application);
        let status = &mut application.status;
        for text in [
            &mut status.summary.images,
            &mut status.summary.external_urls,
        ] {
            text.iter_mut().for_each(|text| self.replace(text));
        }
        for deployment in &mut status.history {
            let sources = deployment.sources.iter_mut().chain(&mut deployment.source);
            sources.for_each(|source| self.source(source));
        }
        status.health.message = self.message(&status.health.message);
        for condition in &mut status.conditions {
            condition.message = self.message(&condition.message);
        }
        for resource in &mut status.resources {
            if let Some(health) = &mut resource.health {
                health.message = self.message_about(&resource.kind, &health.message);
            }
        }
        if let Some(hydration) = &mut status.source_hydrator.current_operation {
            hydration.message = self.message(&hydration.message);
        }
        let Some(state) = &mut status.operation_state else {
            return;
        };
        state.message = self.message(&state.message);
        let results = state.sync_result.iter_mut();
        for result in results.flat_map(|it| &mut it.resources) {
            result.message = self.message_about(&result.kind, &result.message);
        }
    }

    fn source(&self, source: &mut Source) {
        for text in [
            &mut source.repo_url,
            &mut source.target_revision,
            &mut source.path,
            &mut source.chart,
        ] {
            self.replace(text);
        }
    }

    fn labels(&self, application: &mut Application) {
        let Some(rules) = self.rules.current() else {
            return;
        };
        let metadata = &mut application.metadata;
        let object = rules::Object {
            group: "argoproj.io".to_owned(),
            kind: "Application".to_owned(),
            namespace: metadata.namespace.clone(),
            name: metadata.name.clone(),
        };
        let walk = Walk::new(&self.key, &rules).within(&object);
        for (label, value) in &mut metadata.labels {
            *value = walk.named(Subject::Label, label, value);
        }
    }

    fn replace(&self, text: &mut String) {
        *text = self.text(text);
    }

    /// A text without the secrets in it, at most [`LONGEST_MESSAGE`] bytes.
    pub fn message(&self, message: &str) -> String {
        self.message_about("", message)
    }

    /// The same of a text about a resource of this kind: what is said of a Secret may quote any of it.
    pub fn message_about(&self, kind: &str, message: &str) -> String {
        let looked_at = &message[..message.floor_char_boundary(LOOKED_AT)];
        let mut redacted = match self.rules.current() {
            Some(rules) => Walk::new(&self.key, &rules).message(kind, looked_at),
            None => looked_at.to_owned(),
        };
        if redacted.len() > LONGEST_MESSAGE {
            let end = redacted.floor_char_boundary(LONGEST_MESSAGE - '…'.len_utf8());
            redacted.truncate(end);
            redacted.push('…');
        }
        redacted
    }

    /// A text without the credentials in it.
    pub fn text(&self, text: &str) -> String {
        match self.rules.current() {
            Some(rules) => Walk::new(&self.key, &rules).text(text),
            None => text.to_owned(),
        }
    }
}

impl Told {
    fn current(&self) -> Option<Arc<Rules>> {
        match self {
            Self::Here(rules) => Some(Arc::clone(rules)),
            Self::File(rules) => Some(rules.current()),
            Self::Nobody => None,
        }
    }
}

#[cfg(test)]
mod tests;
