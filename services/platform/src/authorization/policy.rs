//! Policy engine: evaluates the rules of roles. Default deny; every decision lists the rules that allow it.
//!
//! Pure functions over values, without store, clock or request. An engine of our own, because lists must be filtered where
//! the data is: matching rules become selectors of the assertion and conditions of queries. General engines decide about one
//! known object, and their partial evaluation is neither stable nor bounded in size.

use std::{collections::BTreeMap, sync::Arc};

use causeway_assertion::{Scope, ScopeRule, ScopeTooLarge};
use causeway_proto::ids::RoleName;

use crate::roles::{
    model::{Role, Roles, everything},
    rule::{Permission, Rule, Selection, Selector, Target},
};

/// Permissions of a user: those of the roles, limited by the role of the credential where it has one.
#[derive(Debug, Clone)]
pub(crate) struct Policy {
    version: u64,
    granted: Vec<Arc<Role>>,
    limit: Option<Arc<Role>>,
}

/// Whether something is allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Decision<'a> {
    /// By at least one rule of each kind.
    Allowed(MatchedRules<'a>),
    /// By none of those that it would need.
    Denied(DenialReason),
}

/// Rules that allow a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MatchedRules<'a> {
    /// Of the holder's roles; never empty.
    pub rules: Vec<MatchedRule<'a>>,
    /// Of the credential's own role, where it has one; then never empty.
    pub limits: Option<Vec<MatchedRule<'a>>>,
}

/// One rule that allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MatchedRule<'a> {
    /// Where it stands.
    pub role: &'a Role,
    /// Its place in the role, from 1 on.
    pub number: usize,
    /// What it says.
    pub rule: &'a Rule,
    /// Whether it allows for certain, or on conditions about what is not known.
    pub selection: Selection,
}

/// Reason of a denial.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DenialReason {
    /// The holder has no role.
    #[error("the user has no role")]
    Role,
    /// The holder is disabled.
    #[error("the user is disabled")]
    Disabled,
    /// No rule of the holder's roles allows it.
    #[error("no rule of the user's roles ({0}) allows it")]
    Rule(String),
    /// The holder's roles would, but the credential's own role does not.
    #[error("no rule of the API key's own role ({0}) allows it")]
    Limit(RoleName),
}

/// Why a scope cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ScopeRefusal {
    /// Nothing of the kind is allowed anywhere.
    #[error("{0}")]
    Denied(DenialReason),
    /// It is allowed somewhere, but nowhere in the runtime that was named.
    #[error("nothing is allowed in this runtime")]
    Elsewhere,
    /// There are more rules than an assertion can carry, though all that can be merged is.
    #[error(transparent)]
    TooLarge(#[from] ScopeTooLarge),
}

/// Requested grant of a rule that the user does not hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no user can give rights that their own rules do not cover: {entity}.{action}")]
pub(crate) struct Escalation {
    pub entity: String,
    pub action: String,
}

impl Policy {
    /// For the holder of some roles, by a credential that may have one of its own. A name that is no role allows nothing.
    pub(crate) fn new<'a>(
        roles: &Roles,
        held: impl IntoIterator<Item = &'a RoleName>,
        limit: Option<&RoleName>,
    ) -> Self {
        let granted = held.into_iter().filter_map(|name| roles.get(name)).cloned();
        let empty = |name: &RoleName| {
            Arc::new(Role {
                name: name.clone(),
                description: String::new(),
                rules: Vec::new(),
                times: None,
            })
        };
        Self {
            version: roles.version(),
            granted: granted.collect(),
            limit: limit.map(|name| roles.get(name).cloned().unwrap_or_else(|| empty(name))),
        }
    }

    /// Which version of the account's policy it comes from.
    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// The names of the roles.
    pub(crate) fn role_names(&self) -> Vec<String> {
        let names = self.granted.iter().map(|role| role.name.to_string());
        names.collect()
    }

    /// The names of the roles, as `operator+team-a`, with that of the credential behind them, as `admin/viewer`.
    pub(crate) fn title(&self) -> String {
        let mut title = self.names("+");
        if let Some(limit) = &self.limit {
            title.push('/');
            title.push_str(limit.name.as_str());
        }
        title
    }

    fn names(&self, between: &str) -> String {
        let names = self.granted.iter().map(|role| role.name.as_str());
        names.collect::<Vec<_>>().join(between)
    }

    /// Whether something may be done to a thing, as far as that is known.
    pub(crate) fn decide(&self, permission: Permission<'_>, target: &Target<'_>) -> Decision<'_> {
        let rules = grounds(&self.granted, permission, target);
        if rules.is_empty() {
            let held = !self.granted.is_empty();
            return Decision::Denied(if held {
                DenialReason::Rule(self.names(", "))
            } else {
                DenialReason::Role
            });
        }
        let Some(limit) = &self.limit else {
            return Decision::Allowed(MatchedRules {
                rules,
                limits: None,
            });
        };
        let limits = grounds(std::slice::from_ref(limit), permission, target);
        if limits.is_empty() {
            return Decision::Denied(DenialReason::Limit(limit.name.clone()));
        }
        let limits = Some(limits);
        Decision::Allowed(MatchedRules { rules, limits })
    }

    /// What an assertion for a call says about its caller: the rules that allow it, in the runtime that it is for.
    pub(crate) fn scope(
        &self,
        permission: Permission<'_>,
        runtime: Option<&str>,
    ) -> Result<Scope, ScopeRefusal> {
        let target = Target {
            runtime,
            ..Target::default()
        };
        let grounds = match self.decide(permission, &target) {
            Decision::Allowed(grounds) => grounds,
            Decision::Denied(lack) => {
                return Err(match self.decide(permission, &Target::default()) {
                    Decision::Allowed(_) => ScopeRefusal::Elsewhere,
                    Decision::Denied(_) => ScopeRefusal::Denied(lack),
                });
            }
        };
        let scope = Scope {
            rules: merge(&grounds.rules),
            limits: grounds.limits.as_deref().map(merge),
            ..self.empty_scope()
        };
        scope.check_size()?;
        Ok(scope)
    }

    /// The scope of who sees and touches only what is their own.
    pub(crate) fn empty_scope(&self) -> Scope {
        Scope {
            role: self.title(),
            policy_version: self.version.to_string(),
            ..Scope::default()
        }
    }

    /// Whether all that some rules allow is allowed already. Each rule must be covered by one own rule as a whole, so a few
    /// that are covered only by several together are refused.
    pub(crate) fn check_grant<'a>(
        &self,
        rules: impl IntoIterator<Item = &'a Rule>,
    ) -> Result<(), Escalation> {
        let by = |roles: &[Arc<Role>], entity: &str, action: &str, selector: &Selector| {
            let mut rules = roles.iter().flat_map(|role| &role.rules);
            rules.any(|own| own.covers(entity, action, selector))
        };
        for rule in rules {
            for (entity, action) in rule.pairs() {
                let granted = by(&self.granted, entity, action, &rule.selector);
                let within =
                    |limit| by(std::slice::from_ref(limit), entity, action, &rule.selector);
                if !granted || !self.limit.as_ref().is_none_or(within) {
                    return Err(Escalation {
                        entity: entity.to_owned(),
                        action: action.to_owned(),
                    });
                }
            }
        }
        Ok(())
    }

    /// Checks that this policy allows all that another one allows.
    pub(crate) fn check_holds(&self, other: &Self) -> Result<(), Escalation> {
        let granted = self.check_grant(other.granted.iter().flat_map(|role| &role.rules));
        match &other.limit {
            // The other one may do only what both say, so one of both within bounds is enough.
            Some(limit) if granted.is_err() => self.check_grant(&limit.rules),
            _ => granted,
        }
    }

    /// Checks that this policy allows all that another credential can ever open: what its own role allows or, where it has
    /// none, everything, for it follows whatever roles its owner gets.
    pub(crate) fn check_limit(&self, other: &Self) -> Result<(), Escalation> {
        let limit = other.limit.as_ref();
        self.check_grant(&limit.unwrap_or(everything()).rules)
    }

    /// Checks that this policy allows every permission.
    pub(crate) fn check_everything(&self) -> Result<(), Escalation> {
        self.check_grant(&everything().rules)
    }

    /// True if the credential's own role, where it has one, allows something anywhere.
    pub(crate) fn is_within_limit(&self, permission: Permission<'_>) -> bool {
        let allows = |limit| {
            let limit = std::slice::from_ref(limit);
            !grounds(limit, permission, &Target::default()).is_empty()
        };
        self.limit.as_ref().is_none_or(allows)
    }

    /// What is missing for something to be allowed.
    pub(crate) fn lacks(
        &self,
        permission: Permission<'_>,
        target: &Target<'_>,
    ) -> Option<DenialReason> {
        match self.decide(permission, target) {
            Decision::Allowed(_) => None,
            Decision::Denied(lack) => Some(lack),
        }
    }
}

fn grounds<'a>(
    roles: &'a [Arc<Role>],
    permission: Permission<'_>,
    target: &Target<'_>,
) -> Vec<MatchedRule<'a>> {
    let mut grounds = Vec::new();
    for role in roles {
        for (rule, number) in role.rules.iter().zip(1..) {
            let selection = rule.allows(permission, target);
            if selection != Selection::No {
                grounds.push(MatchedRule {
                    role,
                    number,
                    rule,
                    selection,
                });
            }
        }
    }
    grounds
}

/// As few selectors as say the same: one without limits swallows all others, and those that differ in one field become one.
fn merge(grounds: &[MatchedRule<'_>]) -> Vec<ScopeRule> {
    let selectors = grounds.iter().map(|ground| &ground.rule.selector);
    let mut selectors: Vec<Selector> = selectors.cloned().collect();
    if selectors.iter().any(Selector::is_everything) {
        return vec![ScopeRule::default()];
    }
    selectors.retain(Selector::is_possible);
    for field in 0..Selector::default().lists().len() {
        selectors = merge_by(field, selectors);
    }
    selectors.into_iter().map(ScopeRule::from).collect()
}

fn merge_by(field: usize, selectors: Vec<Selector>) -> Vec<Selector> {
    let mut alike: BTreeMap<Selector, Vec<Vec<String>>> = BTreeMap::new();
    for mut selector in selectors {
        let values = std::mem::take(selector.list_mut(field));
        alike.entry(selector).or_default().push(values);
    }
    let merged = alike.into_iter().map(|(mut selector, lists)| {
        if lists.iter().all(|values| !values.is_empty()) {
            let mut values = lists.concat();
            values.sort_unstable();
            values.dedup();
            *selector.list_mut(field) = values;
        }
        selector
    });
    merged.collect()
}

#[cfg(test)]
mod tests;
