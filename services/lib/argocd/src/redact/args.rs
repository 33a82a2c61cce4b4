//! Flag of the redaction rules.

use std::path::PathBuf;

use anyhow::Context as _;

use super::Redactor;

/// Redaction rules in addition to the built-in ones.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Redaction")]
pub struct RedactionArgs {
    /// Additional redaction rules (YAML); reloaded when the file changes
    #[arg(
        long,
        env = "CAUSEWAY_REDACTION_RULES",
        value_name = "FILE",
        long_help = SYNTAX
    )]
    pub redaction_rules: Option<PathBuf>,
}

const SYNTAX: &str = "Additional redaction rules (YAML); reloaded when the file changes

Hidden without any rule: the content of Secrets, last-applied annotations and managedFields, credentials in addresses, private keys, and values with the name of a secret. A keyed hash replaces each value, so equal values stay comparable.

  hide:
  - environment: '*_DSN'                     # variables of containers and plugins by name; '*' hides every literal value
  - annotation: 'vault.example.com/*'
  - label: 'customer-*'
  - path: spec.connection.uri                # fields of objects
    kind: Database.db.example.com            # only for this kind; namespace and name work alike
  - path: spec.template.spec.containers[*].env[*].value
  show:                                      # values that a name or a rule would hide; never the content of a Secret
  - environment: TOKEN_LIFETIME
    kind: Deployment.apps                    # required; wildcards are not allowed under show

In a path, [*] selects each entry of a list, [0] for one, [name=web] for those with this field, ['a.b/c'] for a key, and * for any key.";

impl RedactionArgs {
    /// Builds the redactor of a runtime with this secret.
    ///
    /// # Errors
    /// The file of rules cannot be read, or a rule in it cannot be used.
    pub fn redactor(&self, secret: &[u8]) -> anyhow::Result<Redactor> {
        match &self.redaction_rules {
            Some(file) => Redactor::with_rules(secret, file).context("--redaction-rules"),
            None => Ok(Redactor::new(secret)),
        }
    }
}
