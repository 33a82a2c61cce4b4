//! The flag that names the rules.

use std::path::PathBuf;

use anyhow::Context as _;

use super::Redactor;

/// Which rules hold beside those that hold everywhere.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Redaction")]
pub struct RedactionArgs {
    /// The file with further rules of what is hidden before it leaves the cluster (YAML); read again when it changes, for what leaves from then on
    #[arg(
        long,
        env = "CAUSEWAY_REDACTION_RULES",
        value_name = "FILE",
        long_help = SYNTAX
    )]
    pub redaction_rules: Option<PathBuf>,
}

const SYNTAX: &str = "The file with further rules of what is hidden before it leaves the cluster (YAML); read again when it changes, for what leaves from then on

Hidden without any rule: the content of Secrets, last-applied annotations and managedFields, credentials in addresses, private keys, and what has a name that tells of a secret. In the place of a value stands a keyed hash of it, so that equal values are seen to be equal.

  hide:
  - environment: '*_DSN'                     # variables of containers and plugins by name; '*' hides every literal value
  - annotation: 'vault.example.com/*'
  - label: 'customer-*'
  - path: spec.connection.uri                # fields of objects
    kind: Database.db.example.com            # only of this kind; also namespace and name
  - path: spec.template.spec.containers[*].env[*].value
  show:                                      # what a name or a rule would hide; never what a Secret holds
  - environment: TOKEN_LIFETIME
    kind: Deployment.apps                    # needed, and nothing here may have a wildcard

In a path, [*] stands for each entry of a list, [0] for one, [name=web] for those with this field, ['a.b/c'] for a key, and * for any key.";

impl RedactionArgs {
    /// The redactor of a runtime with this secret.
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
