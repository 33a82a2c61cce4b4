//! How a provider is used, by flags.

use std::path::PathBuf;

use anyhow::Context as _;
use causeway_proto::platform::v1 as pb;

/// What may be changed of a provider. What is not given stays as it is.
#[derive(clap::Args, Debug)]
pub(crate) struct SettingsArgs {
    /// What people call it
    #[arg(long, value_name = "NAME")]
    display_name: Option<String>,
    /// What it calls this platform [default of a new one: causeway]
    #[arg(long, value_name = "ID")]
    client_id: Option<String>,
    /// What to ask for beside openid; may be given again [default: profile, email, groups]
    #[arg(long = "scope", value_name = "SCOPE")]
    scopes: Vec<String>,
    /// The claim that names a user and never passes to another person [default: a verified email, else sub]
    #[arg(long, value_name = "CLAIM")]
    user_claim: Option<String>,
    /// The claim that lists groups [default: groups]
    #[arg(long, value_name = "CLAIM")]
    groups_claim: Option<String>,
    /// Whoever is in this group holds these roles; may be given again, and takes the place of all that there were
    #[arg(long = "group", value_name = "GROUP=ROLE,ROLE", value_parser = group)]
    groups: Vec<pb::GroupRoles>,
    /// Only verified emails of this domain may sign in; may be given again
    #[arg(long = "allowed-domain", value_name = "DOMAIN")]
    allowed_domains: Vec<String>,
    /// Whom it may bring
    #[arg(long, value_enum)]
    admit: Option<Admit>,
    /// A file with the certificates, as PEM, that vouch for the provider in the place of those of the system
    #[arg(long, value_name = "FILE")]
    provider_ca_file: Option<PathBuf>,
}

/// What a provider is to have no more.
#[derive(clap::Args, Debug)]
pub(crate) struct WithoutArgs {
    /// Forget the client secret: Causeway is a public client from now on
    #[arg(long, conflicts_with = "client_secret_file")]
    no_client_secret: bool,
    /// Let no group give roles
    #[arg(long, conflicts_with = "groups")]
    no_groups: bool,
    /// Let emails of all domains sign in, and people without one
    #[arg(long, conflicts_with = "allowed_domains")]
    no_allowed_domains: bool,
    /// Believe the certificates of the system again
    #[arg(long, conflicts_with = "provider_ca_file")]
    no_provider_ca: bool,
}

impl WithoutArgs {
    pub(super) fn client_secret(&self) -> bool {
        self.no_client_secret
    }

    /// Settings without what is to go.
    pub(super) fn of(
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

/// Whom a provider may bring.
#[derive(clap::ValueEnum, Debug, Clone, Copy)]
enum Admit {
    /// Whoever is linked to a user, or has a group that gives a role
    LinkedOrMapped,
    /// Everybody of the allowed domains
    Everybody,
    /// Only whoever 'causeway user link' named
    Linked,
}

impl SettingsArgs {
    /// Settings with what the flags say otherwise.
    pub(super) fn over(
        self,
        mut settings: pb::IdentityProviderSettings,
    ) -> anyhow::Result<pb::IdentityProviderSettings> {
        put(&mut settings.display_name, self.display_name);
        put(&mut settings.client_id, self.client_id);
        put(&mut settings.user_claim, self.user_claim);
        put(&mut settings.groups_claim, self.groups_claim);
        put_list(&mut settings.scopes, self.scopes);
        put_list(&mut settings.group_roles, self.groups);
        put_list(&mut settings.allowed_domains, self.allowed_domains);
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

fn put(field: &mut String, given: Option<String>) {
    if let Some(given) = given {
        *field = given;
    }
}

fn put_list<T>(field: &mut Vec<T>, given: Vec<T>) {
    if !given.is_empty() {
        *field = given;
    }
}

fn group(text: &str) -> Result<pb::GroupRoles, String> {
    // A group may have '=' in its name, as those of LDAP have; a role has none.
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

/// Whom settings admit, in the words of the flag.
pub(super) fn admits(settings: &pb::IdentityProviderSettings) -> &'static str {
    match settings.admission() {
        pb::Admission::Unspecified | pb::Admission::LinkedOrMapped => "linked-or-mapped",
        pb::Admission::Everybody => "everybody",
        pb::Admission::Linked => "linked",
    }
}

#[cfg(test)]
mod tests;
