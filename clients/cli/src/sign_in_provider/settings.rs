//! Flags of a provider's settings.

use std::path::PathBuf;

use anyhow::Context as _;
use causeway_proto::platform::v1 as pb;

/// Settings to change.
#[derive(clap::Args, Debug)]
pub(crate) struct SettingsArgs {
    /// Display name
    #[arg(long, value_name = "NAME")]
    display_name: Option<String>,
    /// Client ID [default for a new provider: causeway]
    #[arg(long, value_name = "ID")]
    client_id: Option<String>,
    /// Scopes besides openid (repeatable) [default: profile, email, groups]
    #[arg(long = "scope", value_name = "SCOPE")]
    scopes: Vec<String>,
    /// Claim with a unique, never reused name of the user [default: a verified email, else sub]
    #[arg(long, value_name = "CLAIM")]
    user_claim: Option<String>,
    /// Claim with the groups [default: groups]
    #[arg(long, value_name = "CLAIM")]
    groups_claim: Option<String>,
    /// Roles of a group (repeatable); replaces all existing ones
    #[arg(long = "group", value_name = "GROUP=ROLE,ROLE", value_parser = group)]
    groups: Vec<pb::GroupRoles>,
    /// Allowed domain of verified emails (repeatable)
    #[arg(long = "allowed-domain", value_name = "DOMAIN")]
    allowed_domains: Vec<String>,
    /// Users that may sign in
    #[arg(long, value_enum)]
    admit: Option<Admit>,
    /// PEM file with CA certificates for the provider, in place of the system's
    #[arg(long, value_name = "FILE")]
    provider_ca_file: Option<PathBuf>,
}

/// Settings to remove.
#[derive(clap::Args, Debug)]
pub(crate) struct WithoutArgs {
    /// Remove the client secret; Causeway becomes a public client
    #[arg(long, conflicts_with = "client_secret_file")]
    no_client_secret: bool,
    /// Remove all roles of groups
    #[arg(long, conflicts_with = "groups")]
    no_groups: bool,
    /// Allow all domains, and users without an email
    #[arg(long, conflicts_with = "allowed_domains")]
    no_allowed_domains: bool,
    /// Trust the certificates of the system again
    #[arg(long, conflicts_with = "provider_ca_file")]
    no_provider_ca: bool,
}

impl WithoutArgs {
    pub(super) fn client_secret(&self) -> bool {
        self.no_client_secret
    }

    /// Returns the settings without the removed ones.
    pub(super) fn apply(
        &self,
        mut settings: pb::IdentityProviderSettings,
    ) -> pb::IdentityProviderSettings {
        if self.no_groups {
            settings.group_roles.clear();
        }
        if self.no_allowed_domains {
            settings.allowed_domains.clear();
        }
        if self.no_provider_ca {
            settings.ca_certificates.clear();
        }
        settings
    }
}

/// Users that a provider may sign in.
#[derive(clap::ValueEnum, Debug, Clone, Copy)]
enum Admit {
    /// Users that are linked, or have a group with a role
    LinkedOrMapped,
    /// All users of the allowed domains
    Everybody,
    /// Only users that 'causeway user link' linked
    Linked,
}

impl SettingsArgs {
    /// Returns the settings with the changes of the flags.
    pub(super) fn apply(
        self,
        mut settings: pb::IdentityProviderSettings,
    ) -> anyhow::Result<pb::IdentityProviderSettings> {
        replace(&mut settings.display_name, self.display_name);
        replace(&mut settings.client_id, self.client_id);
        replace(&mut settings.user_claim, self.user_claim);
        replace(&mut settings.groups_claim, self.groups_claim);
        replace_list(&mut settings.scopes, self.scopes);
        replace_list(&mut settings.group_roles, self.groups);
        replace_list(&mut settings.allowed_domains, self.allowed_domains);
        if let Some(admit) = self.admit {
            settings.set_admission(admit.into());
        }
        if let Some(file) = self.provider_ca_file {
            let read = std::fs::read_to_string(&file);
            settings.ca_certificates =
                read.with_context(|| format!("--provider-ca-file {}", file.display()))?;
        }
        Ok(settings)
    }
}

fn replace(field: &mut String, value: Option<String>) {
    if let Some(value) = value {
        *field = value;
    }
}

fn replace_list<T>(field: &mut Vec<T>, value: Vec<T>) {
    if !value.is_empty() {
        *field = value;
    }
}

fn group(text: &str) -> Result<pb::GroupRoles, String> {
    // Names of LDAP groups contain '=', names of roles do not.
    let (group, roles) = text
        .rsplit_once('=')
        .filter(|(group, roles)| !group.is_empty() && !roles.is_empty())
        .ok_or("write GROUP=ROLE,ROLE")?;
    Ok(pb::GroupRoles {
        group: group.to_owned(),
        roles: roles.split(',').map(str::to_owned).collect(),
    })
}

impl From<Admit> for pb::Admission {
    fn from(admit: Admit) -> Self {
        match admit {
            Admit::LinkedOrMapped => Self::LinkedOrMapped,
            Admit::Everybody => Self::Everybody,
            Admit::Linked => Self::Linked,
        }
    }
}

/// Returns the value of the flag for an admission.
pub(super) fn admits(settings: &pb::IdentityProviderSettings) -> &'static str {
    match settings.admission() {
        pb::Admission::Unspecified | pb::Admission::LinkedOrMapped => "linked-or-mapped",
        pb::Admission::Everybody => "everybody",
        pb::Admission::Linked => "linked",
    }
}

#[cfg(test)]
mod tests;
