//! Conversions of identity providers, service accounts and sessions.

use std::collections::BTreeMap;

use causeway_proto::{
    ids::{ProviderName, SessionId},
    platform::v1 as pb,
    time::millis_to_timestamp,
};
use causeway_shell::Caller;

use crate::{
    convert::{FieldError, id, named},
    identity_providers::model::{Admission, Identity, IdentityProvider, SecretChange, Settings},
    roles::convert::{display_name, role_names},
    service_accounts::model::{ServiceAccount, TrustRule},
    sessions::model::UserSession,
    users::model::User,
};

const MOST_SCOPES: usize = 16;
const MOST_GROUPS: usize = 200;
const MOST_DOMAINS: usize = 50;
const MOST_CERTIFICATES: usize = 64 * 1024;
const USUAL_SCOPES: [&str; 3] = ["profile", "email", "groups"];

/// A provider that is to be added.
pub(crate) fn new_identity_provider(
    caller: &Caller,
    request: &pb::CreateIdentityProviderRequest,
    now: i64,
) -> Result<IdentityProvider, FieldError> {
    let provider: ProviderName = id("provider", &request.provider)?;
    Ok(IdentityProvider {
        settings: provider_settings(&provider, request.settings.as_ref())?,
        account: caller.account.clone(),
        issuer: named("issuer", request.issuer.clone())?,
        secret: None,
        created_at: now,
        provider,
    })
}

/// The client secret of a provider; empty if there is none.
pub(crate) fn client_secret(text: &str) -> Result<&str, FieldError> {
    if text.len() > 1024 || text.chars().any(char::is_control) {
        Err(FieldError::new(
            "client_secret",
            "longer than 1024 bytes, or with control characters",
        ))
    } else {
        Ok(text)
    }
}

/// What becomes of a provider's client secret.
pub(crate) fn secret_change(
    request: &pb::UpdateIdentityProviderRequest,
) -> Result<SecretChange<'_>, FieldError> {
    match (
        client_secret(&request.client_secret)?,
        request.remove_client_secret,
    ) {
        ("", false) => Ok(SecretChange::Keep),
        ("", true) => Ok(SecretChange::Remove),
        (secret, false) => Ok(SecretChange::Replace(secret)),
        (_, true) => Err(FieldError::new(
            "remove_client_secret",
            "there is another client_secret too: give one of both",
        )),
    }
}

/// How a provider is to be used.
pub(crate) fn provider_settings(
    provider: &ProviderName,
    settings: Option<&pb::IdentityProviderSettings>,
) -> Result<Settings, FieldError> {
    let settings = settings.ok_or_else(|| FieldError::new("settings", "missing"))?;
    let name = match settings.display_name.as_str() {
        "" => provider.to_string(),
        name => display_name(name)?,
    };
    if settings.ca_certificates.len() > MOST_CERTIFICATES {
        return Err(FieldError::new("ca_certificates", "longer than 64 KiB"));
    }
    let admission = match settings.admission() {
        pb::Admission::Unspecified | pb::Admission::LinkedOrMapped => Admission::LinkedOrMapped,
        pb::Admission::Everybody => Admission::Everybody,
        pb::Admission::Linked => Admission::Linked,
    };
    Ok(Settings {
        display_name: name,
        client_id: named("client_id", settings.client_id.clone())?,
        scopes: scopes(&settings.scopes)?,
        user_claim: match settings.user_claim.trim() {
            "" => None,
            claim => Some(named("user_claim", claim.to_owned())?),
        },
        groups_claim: match settings.groups_claim.trim() {
            "" => "groups".to_owned(),
            claim => named("groups_claim", claim.to_owned())?,
        },
        group_roles: group_roles(&settings.group_roles)?,
        allowed_domains: domains(&settings.allowed_domains)?,
        admission,
        ca: settings.ca_certificates.trim().to_owned(),
    })
}

fn scopes(scopes: &[String]) -> Result<Vec<String>, FieldError> {
    let plain = |scope: &String| {
        !scope.is_empty() && scope.len() <= 128 && scope.bytes().all(|it| it.is_ascii_graphic())
    };
    if scopes.len() > MOST_SCOPES || !scopes.iter().all(plain) {
        let text = format!("more than {MOST_SCOPES}, or one that is no word");
        return Err(FieldError::new("scopes", text));
    }
    if scopes.is_empty() {
        return Ok(USUAL_SCOPES.map(str::to_owned).to_vec());
    }
    let further = scopes.iter().filter(|scope| *scope != "openid");
    Ok(further.cloned().collect())
}

fn group_roles(
    groups: &[pb::GroupRoles],
) -> Result<BTreeMap<String, Vec<causeway_proto::ids::RoleName>>, FieldError> {
    if groups.len() > MOST_GROUPS {
        let text = format!("more than {MOST_GROUPS}");
        return Err(FieldError::new("group_roles", text));
    }
    let mut given = BTreeMap::new();
    for group in groups {
        let name = named("group_roles.group", group.group.clone())?;
        if name.trim().is_empty() {
            return Err(FieldError::new("group_roles.group", "empty"));
        }
        if given.insert(name, role_names(&group.roles)?).is_some() {
            return Err(FieldError::new(
                "group_roles.group",
                "a group stands there twice",
            ));
        }
    }
    Ok(given)
}

fn domains(domains: &[String]) -> Result<Vec<String>, FieldError> {
    let plain = |domain: &String| {
        let letter = |it: u8| it.is_ascii_alphanumeric() || b"-.".contains(&it);
        !domain.is_empty() && domain.len() <= 253 && domain.bytes().all(letter)
    };
    if domains.len() > MOST_DOMAINS || !domains.iter().all(plain) {
        let text =
            format!("more than {MOST_DOMAINS}, or one that is no domain such as example.com");
        return Err(FieldError::new("allowed_domains", text));
    }
    Ok(domains.iter().map(|it| it.to_ascii_lowercase()).collect())
}

/// A person who is to be linked.
pub(crate) fn identity(
    request: &pb::LinkIdentityRequest,
    now: i64,
) -> Result<Identity, FieldError> {
    let text = |field: &'static str, text: &String| {
        let odd = text.trim() != text || text.chars().any(char::is_control);
        match text.is_empty() {
            true => Ok(None),
            false if odd => Err(FieldError::new(
                field,
                "blanks around it, or control characters",
            )),
            false => named(field, text.clone()).map(Some),
        }
    };
    let (subject, name) = (
        text("subject", &request.subject)?,
        text("name", &request.name)?,
    );
    if subject.is_some() == name.is_some() {
        let problem = "give either the subject or the name of the person";
        return Err(FieldError::new("subject", problem));
    }
    Ok(Identity {
        provider: id("provider", &request.provider)?,
        subject,
        name,
        user: id("user", &request.user)?,
        linked_at: now,
    })
}

/// A service account that is to be made.
pub(crate) fn new_service_account(
    caller: &Caller,
    request: &pb::CreateServiceAccountRequest,
    now: i64,
) -> Result<ServiceAccount, FieldError> {
    let user = id("user", &request.user)?;
    let name = match request.display_name.as_str() {
        "" => request.user.clone(),
        name => display_name(name)?,
    };
    let roles = role_names(&request.roles)?;
    Ok(ServiceAccount {
        user: User::new(caller.account.clone(), user, name, roles, now),
        trust: trust_rules(&request.trust_rules),
    })
}

/// Rules of trust, not checked yet.
pub(crate) fn trust_rules(rules: &[pb::TrustRule]) -> Vec<TrustRule> {
    let rules = rules.iter().map(|rule| TrustRule {
        issuer: rule.issuer.clone(),
        audience: rule.audience.clone(),
        subject: Some(rule.subject.clone()).filter(|it| !it.is_empty()),
        claims: rule.claims.clone().into_iter().collect(),
    });
    rules.collect()
}

/// A session as it is shown by a call that is made by `current`.
pub(crate) fn user_session(session: UserSession, current: Option<&SessionId>) -> pb::UserSession {
    pb::UserSession {
        current: current == Some(&session.session_id),
        session_id: session.session_id.to_string(),
        user: session.user.to_string(),
        provider: session.provider.map(String::from).unwrap_or_default(),
        identity: session.identity,
        groups: session.groups,
        created_at: Some(millis_to_timestamp(session.created_at)),
        last_seen_at: session.last_seen_at.map(millis_to_timestamp),
        expires_at: Some(millis_to_timestamp(session.expires_at)),
        revoked_at: session.revoked_at.map(millis_to_timestamp),
        source_address: session.source_address,
    }
}

impl From<IdentityProvider> for pb::IdentityProvider {
    fn from(provider: IdentityProvider) -> Self {
        Self {
            version: provider.version(),
            provider: provider.provider.to_string(),
            issuer: provider.issuer,
            has_client_secret: provider.secret.is_some(),
            settings: Some(provider.settings.into()),
            created_at: Some(millis_to_timestamp(provider.created_at)),
        }
    }
}

impl From<Settings> for pb::IdentityProviderSettings {
    fn from(settings: Settings) -> Self {
        let admission = match settings.admission {
            Admission::LinkedOrMapped => pb::Admission::LinkedOrMapped,
            Admission::Everybody => pb::Admission::Everybody,
            Admission::Linked => pb::Admission::Linked,
        };
        let groups = settings.group_roles.into_iter();
        let groups = groups.map(|(group, roles)| pb::GroupRoles {
            group,
            roles: roles.into_iter().map(String::from).collect(),
        });
        Self {
            display_name: settings.display_name,
            client_id: settings.client_id,
            scopes: settings.scopes,
            user_claim: settings.user_claim.unwrap_or_default(),
            groups_claim: settings.groups_claim,
            group_roles: groups.collect(),
            allowed_domains: settings.allowed_domains,
            admission: admission.into(),
            ca_certificates: settings.ca,
        }
    }
}

impl From<Identity> for pb::Identity {
    fn from(identity: Identity) -> Self {
        Self {
            provider: identity.provider.to_string(),
            subject: identity.subject.unwrap_or_default(),
            name: identity.name.unwrap_or_default(),
            user: identity.user.to_string(),
            linked_at: Some(millis_to_timestamp(identity.linked_at)),
        }
    }
}

impl From<TrustRule> for pb::TrustRule {
    fn from(rule: TrustRule) -> Self {
        Self {
            issuer: rule.issuer,
            audience: rule.audience,
            subject: rule.subject.unwrap_or_default(),
            claims: rule.claims,
        }
    }
}

impl From<ServiceAccount> for pb::ServiceAccount {
    fn from(service_account: ServiceAccount) -> Self {
        let user = service_account.user;
        let trust = service_account.trust.into_iter();
        Self {
            user: user.user.to_string(),
            display_name: user.display_name,
            roles: user.roles.into_iter().map(String::from).collect(),
            trust_rules: trust.map(pb::TrustRule::from).collect(),
            created_at: Some(millis_to_timestamp(user.created_at)),
            disabled_at: user.disabled_at.map(millis_to_timestamp),
        }
    }
}
