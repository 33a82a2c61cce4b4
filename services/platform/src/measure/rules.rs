//! Benchmark of a role with many rules.

use std::collections::BTreeMap;

use causeway_proto::ids::RoleName;

use crate::{
    authorization::policy::Policy,
    roles::{
        model::{Role, Roles},
        rule::{Permission, Rule, Selector, Target},
    },
};

const ACTIONS: [&str; 4] = ["get", "list", "sync", "refresh"];

/// The holder of one role with many rules.
#[derive(Debug)]
pub struct ManyRules {
    policy: Policy,
    rules: usize,
}

impl ManyRules {
    /// Each rule allows one action on the applications of one project, in the runtimes of one region.
    ///
    /// # Panics
    /// Never: the role's name fits the grammar.
    #[must_use]
    pub fn new(rules: usize) -> Self {
        let rule = |number: usize| Rule {
            entities: vec!["application".to_owned()],
            actions: vec![ACTIONS[number % ACTIONS.len()].to_owned()],
            selector: Selector {
                runtimes: vec![format!("region-{}-*", number % 7)],
                projects: vec![format!("team-{number}")],
                ..Selector::default()
            },
        };
        let name: RoleName = "many".parse().expect("it fits the grammar");
        let role = Role {
            name: name.clone(),
            description: String::new(),
            rules: (0..rules).map(rule).collect(),
            times: None,
        };
        let policy = Policy::new(&Roles::new(1, [role]), [&name], None);
        Self { policy, rules }
    }

    /// Decides about an application of the project that one rule names; whether it is allowed.
    ///
    /// # Panics
    /// Never: the permission is one of the contract.
    #[must_use]
    pub fn decide(&self, question: usize) -> bool {
        let number = question % self.rules;
        let (runtime, project) = (format!("region-{}-a", number % 7), format!("team-{number}"));
        let permission = Permission::parse("application.sync").expect("it is of the contract");
        let labels = BTreeMap::new();
        let target = Target {
            runtime: Some(&runtime),
            cluster: Some("in-cluster"),
            project: Some(&project),
            namespace: Some("argocd"),
            name: Some("app"),
            labels: Some(&labels),
        };
        self.policy.lacks(permission, &target).is_none()
    }
}
