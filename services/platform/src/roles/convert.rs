//! Conversions of accounts, users, roles and decisions.

use std::collections::BTreeMap;

use causeway_proto::{
    ids::{RoleName, UserId},
    platform::v1 as pb,
    time::millis_to_timestamp,
};
use causeway_shell::Caller;

use crate::convert::{FieldError, id, text};
use crate::{
    accounts::model::Account,
    authorization::policy::{Decision, MatchedRule, Policy},
    platform::{Credential, Requester, now},
    roles::{
        model::{Role, RoleTimes},
        rule::{Permission, Rule, Selection, Selector, Target, permissions},
    },
    users::model::{MOST_HELD, User, in_order},
};

/// Longest name of a person or a program, in characters.
const LONGEST_NAME: usize = 100;
/// Limit of one request.
const MOST_PAIRS: usize = 500;
/// An answer names at most so many rules of a kind.
const MOST_GROUNDS: usize = 64;

/// Who asks, with the role of the credential, which stands behind the slash of the title that this platform signed. A limit that is
/// no role, and a credential that cannot be looked at again, are not as none.
pub(crate) fn asker(caller: &Caller, user: &UserId) -> Result<Requester, FieldError> {
    let limit = caller.scope.role.split_once('/');
    Ok(Requester {
        account: caller.account.clone(),
        user: user.clone(),
        limit: limit
            .map(|(_, limit)| id("assertion: the role that limits it", limit))
            .transpose()?,
        shown: shown(caller)?,
    })
}

/// What the caller showed to this platform.
fn shown(caller: &Caller) -> Result<Option<Credential>, FieldError> {
    const FIELD: &str = "assertion: the credential";
    let Some(credential) = caller.credential.as_deref() else {
        return Ok(None);
    };
    match credential.split_once(':') {
        Some(("session", session)) => Ok(Some(Credential::Session(id(FIELD, session)?))),
        Some(("key", key)) => {
            // What asked said seconds; that it was no later than now says more.
            let asked_at = i64::try_from(caller.issued_at).unwrap_or(i64::MAX);
            let latest = asked_at.saturating_mul(1000).saturating_add(999);
            Ok(Some(Credential::Key(id(FIELD, key)?, latest.min(now()))))
        }
        _ => Err(FieldError::new(FIELD, "neither a session nor an API key")),
    }
}

/// Something that people call a user or a key: trimmed, 1 to 100 characters.
pub(crate) fn display_name(name: &str) -> Result<String, FieldError> {
    let name = name.trim();
    let length = name.chars().count();
    if (1..=LONGEST_NAME).contains(&length) && !name.chars().any(char::is_control) {
        return Ok(name.to_owned());
    }
    Err(FieldError::new(
        "display_name",
        "must have 1 to 100 characters, none of them a control character",
    ))
}

/// The roles that a user gets.
pub(crate) fn role_names(names: &[String]) -> Result<Vec<RoleName>, FieldError> {
    if names.len() > MOST_HELD {
        let text = format!("more than {MOST_HELD}");
        return Err(FieldError::new("roles", text));
    }
    let names = names.iter().map(|name| id("roles", name));
    names.collect::<Result<_, _>>().map(in_order)
}

/// A user that is to be made.
pub(crate) fn new_user(
    caller: &Caller,
    request: &pb::CreateUserRequest,
    now: i64,
) -> Result<User, FieldError> {
    let user: UserId = id("user", &request.user)?;
    let name = match request.display_name.as_str() {
        "" => user.to_string(),
        name => display_name(name)?,
    };
    let roles = role_names(&request.roles)?;
    Ok(User::new(caller.account.clone(), user, name, roles, now))
}

/// A role as a request describes it.
pub(crate) fn role(
    name: &str,
    description: &str,
    rules: &[pb::Rule],
    now: i64,
) -> Result<Role, FieldError> {
    Ok(Role {
        name: id("name", name)?,
        description: text("description", description.trim().to_owned())?,
        rules: rules.iter().cloned().map(Rule::from).collect(),
        times: Some(RoleTimes {
            created_at: now,
            updated_at: now,
        }),
    })
}

impl From<pb::Rule> for Rule {
    fn from(rule: pb::Rule) -> Self {
        Self {
            entities: rule.entities,
            actions: rule.actions,
            selector: rule.selector.map(Selector::from).unwrap_or_default(),
        }
    }
}

impl From<pb::Selector> for Selector {
    fn from(selector: pb::Selector) -> Self {
        Self {
            runtimes: selector.runtimes,
            clusters: selector.clusters,
            projects: selector.projects,
            namespaces: selector.namespaces,
            names: selector.names,
            labels: selector.labels.into_iter().collect(),
            products: selector.products,
            environments: selector.environments,
        }
    }
}

impl From<Rule> for pb::Rule {
    fn from(rule: Rule) -> Self {
        let limited = !rule.selector.is_everything();
        Self {
            entities: rule.entities,
            actions: rule.actions,
            selector: limited.then(|| rule.selector.into()),
        }
    }
}

impl From<Selector> for pb::Selector {
    fn from(selector: Selector) -> Self {
        Self {
            runtimes: selector.runtimes,
            clusters: selector.clusters,
            projects: selector.projects,
            namespaces: selector.namespaces,
            names: selector.names,
            labels: selector.labels.into_iter().collect(),
            products: selector.products,
            environments: selector.environments,
        }
    }
}

impl From<&Role> for pb::Role {
    fn from(role: &Role) -> Self {
        let times = role.times;
        Self {
            name: role.name.to_string(),
            description: role.description.clone(),
            rules: role.rules.iter().cloned().map(pb::Rule::from).collect(),
            built_in: role.is_built_in(),
            created_at: times.map(|times| millis_to_timestamp(times.created_at)),
            updated_at: times.map(|times| millis_to_timestamp(times.updated_at)),
        }
    }
}

impl From<User> for pb::User {
    fn from(user: User) -> Self {
        Self {
            user: user.user.to_string(),
            display_name: user.display_name,
            roles: user.roles.into_iter().map(String::from).collect(),
            created_at: Some(millis_to_timestamp(user.created_at)),
            disabled_at: user.disabled_at.map(millis_to_timestamp),
        }
    }
}

impl From<Account> for pb::Account {
    fn from(account: Account) -> Self {
        Self {
            account: account.account.to_string(),
            created_at: Some(millis_to_timestamp(account.created_at)),
        }
    }
}

/// Permission with the target that it is checked for.
pub(crate) struct PermissionQuery<'a> {
    pub(crate) permission: Permission<'a>,
    pub(crate) target: Target<'a>,
}

/// What a request asks about. `labels` are those of its target.
pub(crate) fn question<'a>(
    request: &'a pb::CheckPermissionRequest,
    labels: &'a BTreeMap<String, String>,
) -> Result<PermissionQuery<'a>, FieldError> {
    let permission = Permission::parse(&request.permission).filter(|it| it.is_known());
    let permission = permission.ok_or_else(|| {
        let known: Vec<_> = permissions().iter().map(ToString::to_string).collect();
        let text = format!("there is no such one; there are {}", known.join(", "));
        FieldError::new("permission", text)
    })?;
    let Some(target) = &request.target else {
        let target = Target::default();
        return Ok(PermissionQuery { permission, target });
    };
    if permission.is_of_runtimes() {
        let names = [&target.name, &target.runtime];
        let runtime = names.into_iter().find(|name| !name.is_empty());
        let target = match known("target.name", runtime.map_or("", String::as_str))? {
            Some(runtime) => Target::of_runtime(runtime, labels),
            None => Target::default(),
        };
        return Ok(PermissionQuery { permission, target });
    }
    let target = Target {
        runtime: known("target.runtime", &target.runtime)?,
        cluster: known("target.cluster", &target.cluster)?,
        project: known("target.project", &target.project)?,
        namespace: known("target.namespace", &target.namespace)?,
        name: known("target.name", &target.name)?,
        labels: (!labels.is_empty()).then_some(labels),
    };
    Ok(PermissionQuery { permission, target })
}

/// Labels of a target, and a question about it.
pub(crate) type PermissionPair = (BTreeMap<String, String>, pb::CheckPermissionRequest);

/// Each permission for each target; a request without targets asks about any.
pub(crate) fn permission_pairs(
    request: &pb::CheckPermissionsRequest,
) -> Result<Vec<PermissionPair>, FieldError> {
    let (permissions, targets) = (&request.permissions, &request.targets);
    if permissions.is_empty() {
        return Err(FieldError::new("permissions", "name at least one"));
    }
    if permissions.len().saturating_mul(targets.len().max(1)) > MOST_PAIRS {
        let text = format!("more than {MOST_PAIRS} pairs with the targets: ask in several calls");
        return Err(FieldError::new("permissions", text));
    }
    let targets: Vec<_> = if targets.is_empty() {
        vec![None]
    } else {
        targets.iter().cloned().map(Some).collect()
    };
    let pairs = targets.into_iter().flat_map(|target| {
        let labels = target.clone().unwrap_or_default().labels;
        let labels: BTreeMap<_, _> = labels.into_iter().collect();
        permissions.iter().map(move |permission| {
            let question = pb::CheckPermissionRequest {
                permission: permission.clone(),
                target: target.clone(),
                ..Default::default()
            };
            (labels.clone(), question)
        })
    });
    Ok(pairs.collect())
}

fn known<'a>(field: &'static str, value: &'a str) -> Result<Option<&'a str>, FieldError> {
    text(field, value.to_owned())?;
    Ok((!value.is_empty()).then_some(value))
}

/// A decision with its reasons.
pub(crate) fn decided(
    policy: &Policy,
    question: &PermissionQuery<'_>,
) -> pb::CheckPermissionResponse {
    let decision = policy.decide(question.permission, &question.target);
    let policy_version = policy.version();
    match decision {
        Decision::Allowed(grounds) => {
            let first = &grounds.rules[0];
            let reason = format!(
                "rule {} of the role {} allows it",
                first.number, first.role.name
            );
            pb::CheckPermissionResponse {
                allowed: true,
                rules: named(&grounds.rules),
                limits: named(grounds.limits.as_deref().unwrap_or_default()),
                reason,
                policy_version,
            }
        }
        Decision::Denied(lack) => pb::CheckPermissionResponse {
            reason: lack.to_string(),
            policy_version,
            ..Default::default()
        },
    }
}

/// A decision with its reason only.
pub(crate) fn decision(policy: &Policy, question: &PermissionQuery<'_>) -> pb::PermissionDecision {
    let decided = decided(policy, question);
    let certain = |rules: &[pb::GrantingRule]| rules.iter().any(|rule| !rule.conditional);
    let is_certain =
        certain(&decided.rules) && (decided.limits.is_empty() || certain(&decided.limits));
    pb::PermissionDecision {
        allowed: decided.allowed,
        reason: decided.reason,
        conditional: decided.allowed && !is_certain,
    }
}

fn named(grounds: &[MatchedRule<'_>]) -> Vec<pb::GrantingRule> {
    let named = grounds
        .iter()
        .take(MOST_GROUNDS)
        .map(|ground| pb::GrantingRule {
            role: ground.role.name.to_string(),
            number: u32::try_from(ground.number).unwrap_or(u32::MAX),
            rule: Some(ground.rule.clone().into()),
            conditional: ground.selection == Selection::Perhaps,
        });
    named.collect()
}

/// Every permission, and whether it is held.
pub(crate) fn held(policy: &Policy) -> Vec<pb::HeldPermission> {
    let certain = |grounds: &[MatchedRule<'_>]| {
        let mut grounds = grounds.iter();
        grounds.any(|ground| ground.selection == Selection::Yes)
    };
    let held = permissions().iter().map(|&permission| {
        let decision = policy.decide(permission, &Target::default());
        let (held, limited) = match decision {
            Decision::Denied(_) => (false, false),
            Decision::Allowed(grounds) => {
                let limits = grounds.limits.as_deref();
                (
                    true,
                    !certain(&grounds.rules) || !limits.is_none_or(certain),
                )
            }
        };
        pb::HeldPermission {
            permission: permission.to_string(),
            held,
            limited,
        }
    });
    held.collect()
}

#[cfg(test)]
mod tests;
