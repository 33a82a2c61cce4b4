//! Roles: named sets of rules. Three are built in; the others are rows.

use std::{
    collections::BTreeMap,
    sync::{Arc, LazyLock},
};

use causeway_proto::ids::RoleName;

use crate::roles::rule::{ALL, Rule, RuleError, Selector};

/// A role has at most so many rules.
pub(crate) const MAX_RULES: usize = 1000;
/// All rules of a role together name at most so many entities, actions and values of selectors: each decision looks at them.
const MOST_VALUES: usize = 20_000;
/// They have at most so many bytes.
const MOST_BYTES: usize = 512 * 1024;
/// An account has at most so many roles of its own.
pub(crate) const MOST_ROLES: usize = 500;
/// Who holds it may do everything in their account.
pub(crate) const ADMIN: &str = "admin";

/// Some rules under a name. Times are milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Role {
    /// Unique in its account.
    pub name: RoleName,
    /// What it is for.
    pub description: String,
    /// What it allows.
    pub rules: Vec<Rule>,
    /// When it was made and when its rules were last changed; none for a role of every account.
    pub times: Option<RoleTimes>,
}

/// When a role of an account was made and changed, in milliseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RoleTimes {
    pub created_at: i64,
    pub updated_at: i64,
}

/// All roles of an account as they were at one version of its policy.
#[derive(Debug, Clone, Default)]
pub(crate) struct Roles {
    version: u64,
    own: BTreeMap<RoleName, Arc<Role>>,
}

/// Why rules make no role.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RoleError {
    #[error("more than {MAX_RULES} rules")]
    TooManyRules,
    #[error(
        "all rules together have {values} values of {bytes} bytes, and at most {MOST_VALUES} of {MOST_BYTES} are possible: write patterns such as team-* in place of lists, or make several roles"
    )]
    TooLarge {
        /// Number of texts.
        values: usize,
        /// How long they are together.
        bytes: usize,
    },
    #[error("rule {number}: {error}")]
    Rule {
        /// From 1 on.
        number: usize,
        error: RuleError,
    },
}

/// The roles of every account, least first.
pub(crate) fn built_in() -> &'static [Arc<Role>; 3] {
    static ROLES: LazyLock<[Arc<Role>; 3]> = LazyLock::new(|| {
        let seen = rule(
            &["application", "event", "log", "part", "resource", "runtime"],
            &["get", "list", "watch"],
        );
        let acted = rule(&["application", "resource", "rollout", "workflow"], &[ALL]);
        [
            role(
                "viewer",
                "sees applications and what belongs to them, runtimes and parts",
                vec![seen.clone()],
            ),
            role(
                "operator",
                "the same, and acts on applications and what belongs to them",
                vec![seen, acted],
            ),
            role(
                ADMIN,
                "everything in the account",
                vec![rule(&[ALL], &[ALL])],
            ),
        ]
    });
    &ROLES
}

fn role(name: &str, description: &str, rules: Vec<Rule>) -> Arc<Role> {
    Arc::new(Role {
        name: name.parse().expect("it fits the grammar"),
        description: description.to_owned(),
        rules,
        times: None,
    })
}

fn rule(entities: &[&str], actions: &[&str]) -> Rule {
    let owned = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
    Rule {
        entities: owned(entities),
        actions: owned(actions),
        selector: Selector::default(),
    }
}

/// The role of every account with this name.
pub(crate) fn find_built_in(name: &RoleName) -> Option<&'static Arc<Role>> {
    built_in().iter().find(|role| role.name == *name)
}

/// The role that allows everything.
pub(crate) fn everything() -> &'static Arc<Role> {
    let [_, _, admin] = built_in();
    admin
}

/// The name of the role that allows everything.
pub(crate) fn admin() -> RoleName {
    ADMIN.parse().expect("it fits the grammar")
}

impl Role {
    /// Where it stands in a list: those of every account first, in their order, then an account's own by name.
    pub(crate) fn place(&self) -> (usize, RoleName) {
        let rank = built_in().iter().position(|role| role.name == self.name);
        (rank.unwrap_or(built_in().len()), self.name.clone())
    }

    /// True if it is there in every account.
    pub(crate) fn is_built_in(&self) -> bool {
        find_built_in(&self.name).is_some()
    }

    /// Whether its rules are within bounds and name what there is.
    pub(crate) fn check(&self) -> Result<(), RoleError> {
        if self.rules.len() > MAX_RULES {
            return Err(RoleError::TooManyRules);
        }
        let texts = || self.rules.iter().flat_map(texts);
        let (values, bytes) = (texts().count(), texts().map(String::len).sum());
        if values > MOST_VALUES || bytes > MOST_BYTES {
            return Err(RoleError::TooLarge { values, bytes });
        }
        for (rule, number) in self.rules.iter().zip(1..) {
            let checked = rule.check();
            checked.map_err(|error| RoleError::Rule { number, error })?;
        }
        Ok(())
    }
}

/// All that a rule names.
fn texts(rule: &Rule) -> impl Iterator<Item = &String> {
    let (lists, labels) = (rule.selector.lists(), &rule.selector.labels);
    let words = rule.entities.iter().chain(&rule.actions);
    let values = lists.into_iter().flat_map(|(_, list)| list);
    words
        .chain(values)
        .chain(labels.keys())
        .chain(labels.values())
}

impl Roles {
    /// An account's own roles at a version of its policy.
    pub(crate) fn new(version: u64, own: impl IntoIterator<Item = Role>) -> Self {
        let own = own
            .into_iter()
            .map(|role| (role.name.clone(), Arc::new(role)));
        Self {
            version,
            own: own.collect(),
        }
    }

    /// Which version of the account's policy they are.
    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// The role of a name. One of every account cannot be hidden by one of the account's own.
    pub(crate) fn get(&self, name: &RoleName) -> Option<&Arc<Role>> {
        find_built_in(name).or_else(|| self.own.get(name))
    }

    /// Those of every account, then the account's own by name.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Arc<Role>> {
        let own = self.own.values().filter(|role| !role.is_built_in());
        built_in().iter().chain(own)
    }
}

#[cfg(test)]
mod tests;
