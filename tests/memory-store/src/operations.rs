//! Operations that have ended.

use std::{collections::BTreeMap, time::SystemTime};

use causeway_proto::{ids::AccountId, time};

use super::table::count;
use causeway_inventory::{
    application::{Change, Key, Scope, ScopeTraits, Uid},
    deployment::{Deployment, DeploymentCounts, DeploymentFilter, Deployments, Period},
};

/// What one is known by.
type Id = (Scope, Uid, i64, String);

#[derive(Debug, Default)]
pub(super) struct DeploymentTable {
    recorded: BTreeMap<Id, Deployment>,
    last: u64,
}

impl DeploymentTable {
    /// One that is recorded only learns its commit.
    pub(super) fn record(&mut self, change: &Change, key: &Key, traits: &ScopeTraits) {
        for ended in &change.operations {
            let (scope, uid) = ((*change.scope).clone(), change.uid.clone());
            let id = (scope, uid.clone(), ended.started_at, ended.mark.clone());
            if let Some(held) = self.recorded.get_mut(&id) {
                if held.ended.commit.is_empty() {
                    held.ended.commit.clone_from(&ended.commit);
                }
                continue;
            }
            self.last += 1;
            let deployment = Deployment {
                number: self.last,
                key: key.clone(),
                uid,
                traits: traits.clone(),
                recorded_at: time::to_millis(SystemTime::now()),
                ended: ended.clone(),
            };
            self.recorded.insert(id, deployment);
        }
    }

    pub(super) fn list(
        &self,
        account: &AccountId,
        sought: &DeploymentFilter,
        after: Option<u64>,
        limit: usize,
    ) -> Option<Deployments> {
        let own = self.recorded.iter();
        let own = own.filter(|((scope, ..), _)| scope.account == *account);
        let place = |it: &Deployment| (it.ended.started_at, it.number);
        let mut all: Vec<&Deployment> = own.map(|(_, deployment)| deployment).collect();
        let from = match after {
            Some(number) => Some(place(all.iter().find(|it| it.number == number)?)),
            None => None,
        };
        all.retain(|it| from.is_none_or(|from| place(it) < from));
        all.sort_by_key(|it| std::cmp::Reverse(place(it)));
        let mut page = Deployments::default();
        for deployment in all {
            if !page.look(deployment.clone(), sought, limit) {
                return Some(page);
            }
        }
        page.next = None;
        Some(page)
    }

    pub(super) fn count(
        &self,
        account: &AccountId,
        sought: &DeploymentFilter,
        period: Period,
    ) -> Vec<DeploymentCounts> {
        let mut counts = period.zeros();
        let own = self.recorded.iter();
        let own = own.filter(|((scope, ..), _)| scope.account == *account);
        for (_, deployment) in own.filter(|(_, it)| sought.matches(it)) {
            if let Some(index) = period.index(deployment.ended.started_at) {
                counts[index].add(deployment.ended.phase, 1);
            }
        }
        counts
    }

    pub(super) fn collect(&mut self, before: i64) -> u64 {
        let there = self.recorded.len();
        self.recorded.retain(|_, it| it.recorded_at > before);
        count(there - self.recorded.len())
    }
}
