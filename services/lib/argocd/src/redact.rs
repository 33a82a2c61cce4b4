//! Redaction of everything that leaves a cluster: contents of Secrets, credentials in addresses, values with secret names and
//! copies of these. A keyed hash replaces each value, so equal values stay comparable without being readable.

mod args;
mod budget;
mod encoded;
mod large;
mod name;
mod path;
mod pattern;
mod program;
mod rules;
mod text;
mod traversal;

use std::{path::Path, sync::Arc};

use aws_lc_rs::hmac;
use causeway_shell::ReloadedFile;
use serde_json::Value;

use crate::application::{Application, Source};
pub use args::RedactionArgs;
use budget::Budget;
pub use large::redact_off_thread;
pub use rules::RulesError;
use rules::{NameKind, Rules};
use traversal::Traversal;

/// Maximum size of a redacted message.
pub const MAX_MESSAGE_BYTES: usize = 4096;

/// Maximum size of the scanned part. The margin over the output leaves room for long secrets at its end.
const MAX_SCANNED_BYTES: usize = 4 * MAX_MESSAGE_BYTES;

/// Redactor with the key of one runtime. Equal values have equal placeholders under one key.
#[derive(Clone, Debug)]
pub struct Redactor {
    key: hmac::Key,
    rules: RuleSource,
}

/// Origin of the redaction rules.
#[derive(Clone, Debug)]
enum RuleSource {
    BuiltIn(Arc<Rules>),
    /// Built-in rules and those of a reloaded file.
    File(Arc<ReloadedFile<Rules>>),
    /// No redaction at all.
    Disabled,
}

impl Redactor {
    /// Builds a redactor with the built-in rules; `secret` must not change, for example the runtime's private key.
    pub fn new(secret: &[u8]) -> Self {
        Self::from_source(secret, RuleSource::BuiltIn(Arc::default()))
    }

    /// Builds a redactor with additional rules from a file, which is reloaded when it changes.
    ///
    /// # Errors
    /// The file cannot be read, or a rule in it cannot be used.
    pub fn with_rules(secret: &[u8], file: &Path) -> anyhow::Result<Self> {
        let rules = ReloadedFile::open(file, |bytes| Ok(Rules::parse(bytes)?))?;
        Ok(Self::from_source(secret, RuleSource::File(Arc::new(rules))))
    }

    /// Builds a redactor that hides nothing: for tests that prove their search finds an unredacted secret.
    pub fn transparent() -> Self {
        Self::from_source(&[], RuleSource::Disabled)
    }

    fn from_source(secret: &[u8], rules: RuleSource) -> Self {
        let derived = hmac::sign(
            &hmac::Key::new(hmac::HMAC_SHA256, secret),
            b"causeway-redaction-v1",
        );
        Self {
            key: hmac::Key::new(hmac::HMAC_SHA256, derived.as_ref()),
            rules,
        }
    }

    /// Redacts an object or a part of one.
    pub fn manifest(&self, value: &mut Value) {
        if let Some(rules) = self.rules.current() {
            let budget = Budget::for_bytes(budget::size(value));
            Traversal::new(&self.key, &rules, &budget).redact(value);
        }
    }

    /// Redacts an object, on another thread if it is large.
    pub async fn manifest_off_thread(&self, mut value: Value) -> Value {
        let (redactor, bytes) = (self.clone(), budget::size(&value));
        let work = move || {
            redactor.manifest(&mut value);
            value
        };
        redact_off_thread(bytes, work).await
    }

    /// Redacts the texts of an Application that its author or a controller chose.
    pub fn application(&self, application: &mut Application) {
        let spec = &mut application.spec;
        let sources = spec.sources.iter_mut().chain(&mut spec.source);
        sources.for_each(|source| self.redact_source(source));
        self.redact_in_place(&mut spec.destination.server);
        self.redact_labels(application);
        let status = &mut application.status;
        for text in [
            &mut status.summary.images,
            &mut status.summary.external_urls,
        ] {
            text.iter_mut().for_each(|text| self.redact_in_place(text));
        }
        for deployment in &mut status.history {
            let sources = deployment.sources.iter_mut().chain(&mut deployment.source);
            sources.for_each(|source| self.redact_source(source));
        }
        status.health.message = self.message(&status.health.message);
        for condition in &mut status.conditions {
            condition.message = self.message(&condition.message);
        }
        for resource in &mut status.resources {
            if let Some(health) = &mut resource.health {
                health.message = self.resource_message(&resource.kind, &health.message);
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
            result.message = self.resource_message(&result.kind, &result.message);
        }
    }

    fn redact_source(&self, source: &mut Source) {
        for text in [
            &mut source.repo_url,
            &mut source.target_revision,
            &mut source.path,
            &mut source.chart,
        ] {
            self.redact_in_place(text);
        }
    }

    fn redact_labels(&self, application: &mut Application) {
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
        let bytes = metadata
            .labels
            .iter()
            .map(|(label, value)| label.len() + value.len());
        let budget = Budget::for_bytes(bytes.sum());
        let traversal = Traversal::new(&self.key, &rules, &budget).for_object(&object);
        for (label, value) in &mut metadata.labels {
            *value = traversal.named(NameKind::Label, label, value);
        }
    }

    fn redact_in_place(&self, text: &mut String) {
        *text = self.text(text);
    }

    /// Redacts a message and cuts it to [`MAX_MESSAGE_BYTES`] bytes.
    pub fn message(&self, message: &str) -> String {
        self.resource_message("", message)
    }

    /// Redacts a message about a resource of this kind: a message about a Secret may quote any of its content.
    pub fn resource_message(&self, kind: &str, message: &str) -> String {
        let scanned = &message[..message.floor_char_boundary(MAX_SCANNED_BYTES)];
        let mut redacted = match self.rules.current() {
            Some(rules) => {
                let budget = Budget::for_bytes(scanned.len());
                Traversal::new(&self.key, &rules, &budget).message(kind, scanned)
            }
            None => scanned.to_owned(),
        };
        if redacted.len() > MAX_MESSAGE_BYTES {
            let end = redacted.floor_char_boundary(MAX_MESSAGE_BYTES - '…'.len_utf8());
            redacted.truncate(end);
            redacted.push('…');
        }
        redacted
    }

    /// Redacts credentials in a text.
    pub fn text(&self, text: &str) -> String {
        match self.rules.current() {
            Some(rules) => {
                let budget = Budget::for_bytes(text.len());
                Traversal::new(&self.key, &rules, &budget).text(text)
            }
            None => text.to_owned(),
        }
    }
}

impl RuleSource {
    fn current(&self) -> Option<Arc<Rules>> {
        match self {
            Self::BuiltIn(rules) => Some(Arc::clone(rules)),
            Self::File(rules) => Some(rules.current()),
            Self::Disabled => None,
        }
    }
}

#[cfg(test)]
mod tests;
