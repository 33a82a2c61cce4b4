//! Identity providers: OpenID Connect issuers and the mapping of their claims to users.
//!
//! An empty or missing claim never identifies a user. The claim `sub` alone is the identity; a name only names new users and
//! matches links that an admin created by name.

use std::collections::BTreeMap;

use causeway_oidc::Claims;
use causeway_proto::ids::{AccountId, ProviderName, RoleName, UserId};
use serde::{Deserialize, Serialize};

use crate::{
    secret::{hex, sha256},
    users::model::in_order,
};

/// What a link by subject begins with.
pub(crate) const SUBJECT: &str = "subject:";
/// What a link by name begins with.
pub(crate) const NAME: &str = "name:";
/// An account has at most so many providers.
pub(crate) const MOST_PROVIDERS: usize = 20;
/// How long a link by name waits for the first sign-in, in milliseconds: a name can pass to another person.
pub(crate) const NAME_WAITS: i64 = 14 * 24 * 60 * 60 * 1000;
/// Longer claims are rejected, in bytes.
const LONGEST_CLAIM: usize = 255;
/// A user's id that is made from a name is cut here, so that a mark fits behind it.
const LONGEST_STEM: usize = 50;
const EMAIL: &str = "email";
const EMAIL_VERIFIED: &str = "email_verified";

/// A provider. Times are milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct IdentityProvider {
    pub account: AccountId,
    pub provider: ProviderName,
    /// As it writes it itself.
    pub issuer: String,
    pub settings: Settings,
    pub secret: Option<ClientSecret>,
    pub created_at: i64,
}

/// A client secret as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ClientSecret {
    /// Another one for each secret that is set, and the same however often it is resealed. Empty where an older version set it.
    pub id: String,
    pub sealed: Vec<u8>,
}

/// What may be changed of a provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Settings {
    pub display_name: String,
    pub client_id: String,
    /// Beside `openid`.
    pub scopes: Vec<String>,
    /// None for the email where it is verified, and else the subject.
    pub user_claim: Option<String>,
    pub groups_claim: String,
    pub group_roles: BTreeMap<String, Vec<RoleName>>,
    /// In lower case; empty for all.
    pub allowed_domains: Vec<String>,
    pub admission: Admission,
    /// PEM; empty for the system's certificates.
    pub ca: String,
}

/// What becomes of a client secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SecretChange<'a> {
    Keep,
    Remove,
    Replace(&'a str),
}

/// Whom a provider may bring.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Admission {
    /// Whoever is linked, or has a group that gives a role.
    LinkedOrMapped,
    /// Everybody of the allowed domains.
    Everybody,
    /// Whoever is linked.
    Linked,
}

/// Somebody, as a provider's claims say it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Person {
    /// Never passes to another person.
    pub subject: String,
    /// In the user claim.
    pub name: String,
    /// Those that give roles, each once.
    pub groups: Vec<String>,
}

/// Reason why claims identify no user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PersonError {
    #[error(
        "the identity provider does not say who this is: its claim 'sub' is empty or not usable"
    )]
    Subject,
    #[error("the identity provider does not name this user: the user claim is empty or not usable")]
    Name,
    #[error("the identity provider does not say that this email is verified")]
    Unverified,
    #[error("the domain of this email is not allowed to sign in")]
    Domain,
}

/// Which user a person is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Identity {
    pub provider: ProviderName,
    /// None until the first sign-in, where a name was linked.
    pub subject: Option<String>,
    /// None where a subject was linked and has not signed in yet.
    pub name: Option<String>,
    pub user: UserId,
    pub linked_at: i64,
}

/// Where a link stands in a list, oldest first: when it was made, its provider, and whom it links.
pub(crate) type LinkPlace = (i64, ProviderName, String);

impl Identity {
    /// Whom it links, by subject, or by name while no subject is known.
    pub(crate) fn link(&self) -> String {
        match (&self.subject, &self.name) {
            (Some(subject), _) => format!("{SUBJECT}{subject}"),
            (None, name) => format!("{NAME}{}", name.as_deref().unwrap_or_default()),
        }
    }

    /// Where it stands in a list.
    pub(crate) fn place(&self) -> LinkPlace {
        (self.linked_at, self.provider.clone(), self.link())
    }
}

impl ClientSecret {
    /// One that was set now.
    pub(crate) fn new(sealed: Vec<u8>) -> Self {
        // No two are sealed to the same bytes.
        let id = hex(&sha256(&sealed)[..8]);
        Self { id, sealed }
    }
}

impl IdentityProvider {
    /// Takes on what was changed of another one, but for a secret that is the same: it may have been resealed since.
    pub(crate) fn change_to(&mut self, changed: &Self) {
        let id = |of: &Self| of.secret.as_ref().map(|secret| secret.id.clone());
        if id(self) != id(changed) {
            self.secret.clone_from(&changed.secret);
        }
        self.settings.clone_from(&changed.settings);
    }

    /// Another one whenever anything of it is changed, but not when its secret is sealed by another key.
    pub(crate) fn version(&self) -> String {
        let secret = self.secret.as_ref().map(|secret| &secret.id);
        let all = (&self.issuer, &self.settings, secret, self.created_at);
        let all = serde_json::to_vec(&all).expect("they are texts and numbers");
        hex(&sha256(&all)[..8])
    }

    /// Returns the person of verified claims.
    pub(crate) fn person(&self, claims: &Claims) -> Result<Person, PersonError> {
        let subject = usable(claims.text("sub")).ok_or(PersonError::Subject)?;
        self.settings.check_domain(claims)?;
        let mut groups: Vec<String> = claims
            .texts(&self.settings.groups_claim)
            .into_iter()
            .filter(|group| self.settings.group_roles.contains_key(*group))
            .map(str::to_owned)
            .collect();
        groups.sort_unstable();
        groups.dedup();
        Ok(Person {
            name: self.settings.name(claims, subject)?.to_owned(),
            subject: subject.to_owned(),
            groups,
        })
    }

    /// True if a person who is not linked yet becomes a user.
    pub(crate) fn makes_user(&self, person: &Person) -> bool {
        match self.settings.admission {
            Admission::Everybody => true,
            Admission::LinkedOrMapped => !self.settings.roles_of(&person.groups).is_empty(),
            Admission::Linked => false,
        }
    }
}

impl Settings {
    /// True if the same people may come, with the same groups. What groups give is looked at whenever they are used.
    pub(crate) fn lets_in_the_same(&self, other: &Self) -> bool {
        let people = |settings: &Self| Self {
            display_name: String::new(),
            scopes: Vec::new(),
            group_roles: BTreeMap::new(),
            ..settings.clone()
        };
        people(self) == people(other)
    }

    /// What these groups give now, each once.
    pub(crate) fn roles_of(&self, groups: &[String]) -> Vec<RoleName> {
        let given = groups
            .iter()
            .filter_map(|group| self.group_roles.get(group));
        in_order(given.flatten().cloned().collect())
    }

    /// True if a group gives a role.
    pub(crate) fn gives(&self, role: &RoleName) -> bool {
        let mut given = self.group_roles.values();
        given.any(|roles| roles.contains(role))
    }

    fn name<'a>(&self, claims: &'a Claims, subject: &'a str) -> Result<&'a str, PersonError> {
        match self.user_claim.as_deref() {
            Some(EMAIL) if !claims.is_true(EMAIL_VERIFIED) => Err(PersonError::Unverified),
            Some(claim) => usable(claims.text(claim)).ok_or(PersonError::Name),
            None => Ok(verified_email(claims).unwrap_or(subject)),
        }
    }

    fn check_domain(&self, claims: &Claims) -> Result<(), PersonError> {
        if self.allowed_domains.is_empty() {
            return Ok(());
        }
        let email = verified_email(claims).ok_or(PersonError::Unverified)?;
        let (_, domain) = email.rsplit_once('@').ok_or(PersonError::Domain)?;
        let domain = domain.to_ascii_lowercase();
        if self.allowed_domains.contains(&domain) {
            Ok(())
        } else {
            Err(PersonError::Domain)
        }
    }
}

impl Identity {
    /// True when a link by name has expired.
    pub(crate) fn is_over(&self, now: i64) -> bool {
        self.subject.is_none() && self.linked_at.saturating_add(NAME_WAITS) <= now
    }

    /// That a person is a user, by subject.
    pub(crate) fn of(provider: &ProviderName, person: &Person, user: UserId, now: i64) -> Self {
        Self {
            provider: provider.clone(),
            subject: Some(person.subject.clone()),
            name: Some(person.name.clone()),
            user,
            linked_at: now,
        }
    }
}

impl Person {
    /// What a new user for this person may be called: the name with a mark, so that no person becomes by a name that they chose for
    /// themselves the user whom an admin is about to make or means. The second one is for who was taken from the first.
    pub(crate) fn user_names(&self, provider: &ProviderName) -> [UserId; 2] {
        let plain = |letter: char| {
            if letter.is_ascii_alphanumeric() {
                letter.to_ascii_lowercase()
            } else {
                '-'
            }
        };
        let mut stem: String = self.name.chars().map(plain).take(LONGEST_STEM).collect();
        while stem.contains("--") {
            stem = stem.replace("--", "-");
        }
        let stem = match stem.trim_matches('-') {
            "" => "user",
            stem => stem,
        };
        ["", "\0again"].map(|turn| {
            let mark = sha256(format!("{provider}\0{}{turn}", self.subject).as_bytes());
            let marked = format!("{stem}-{}", hex(&mark[..6]));
            marked.parse().expect("it fits the grammar")
        })
    }
}

fn verified_email(claims: &Claims) -> Option<&str> {
    usable(claims.text(EMAIL)).filter(|_| claims.is_true(EMAIL_VERIFIED))
}

/// A claim that identifies a person: not empty, not only blanks, nothing that does not show.
pub(crate) fn usable(claim: Option<&str>) -> Option<&str> {
    let shown = |text: &&str| text.len() <= LONGEST_CLAIM && !text.chars().any(char::is_control);
    let full = |text: &&str| !text.trim().is_empty() && text.trim() == *text;
    claim.filter(full).filter(shown)
}

#[cfg(test)]
mod tests;
