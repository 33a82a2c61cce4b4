//! Who reports for a runtime, and who of them has how much. Only told, never decided: reporters take their objects by the same
//! rule.

pub(crate) mod convert;
mod grpc;

use std::collections::BTreeMap;

use causeway_proto::{ids::AccountId, rendezvous::RendezvousKey};
use uuid::Uuid;

use crate::{
    application::{HeldObject, Scope, Visible},
    inventory::Inventory,
    report::membership::{Lease, Move, MoveKind, Roster},
    store::StoreError,
};

/// How many objects one answer looks at, those of all groups together.
const MOST_OBJECTS: u64 = 20_000;
/// How often it looks whose an object is: of each reporter that may have it.
const MOST_LOOKS: u64 = 500_000;
const CHUNK: usize = 500;

/// Where the reporters of a scope stand among those of their runtime: its kind and cluster.
pub type GroupPlace = (String, String);

/// The reporters that share the objects of one scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// What they report.
    pub scope: Scope,
    /// Each with its place and the number of its objects.
    pub shares: BTreeMap<Uuid, (Lease, u64)>,
    /// Number of objects that were looked at.
    pub objects: u64,
    /// True if those are all that are held.
    pub complete: bool,
    /// Rises with each change of who is there.
    pub version: u64,
    /// The last one that came or went, with the number of objects that it got or left behind.
    pub last_move: Option<(Move, u64)>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ReportersError {
    /// There is none that the caller may see and that ever reported.
    #[error(
        "there is no runtime {0}, or nothing ever reported for it: `causeway runtime list` shows the runtimes"
    )]
    Unknown(String),
    /// The store does not work.
    #[error("reporters cannot be read now: try again")]
    Store(#[from] StoreError),
}

impl Inventory {
    /// The reporters of a runtime behind a place, by kind and cluster, of at most so many; and the last place, where there are more behind
    /// it. A runtime that is out of scope is as if it were not there.
    pub async fn reporters(
        &self,
        account: &AccountId,
        visible: &Visible,
        runtime: &str,
        (behind, limit): (Option<&GroupPlace>, usize),
    ) -> Result<(Vec<Group>, Option<GroupPlace>), ReportersError> {
        let unknown = || ReportersError::Unknown(runtime.to_owned());
        if !visible.holds_runtime(runtime) {
            return Err(unknown());
        }
        let rosters = self.store().memberships();
        let asked = (behind, limit + 1);
        let mut rosters = rosters.list_by_runtime(account, runtime, asked).await?;
        if rosters.is_empty() && behind.is_none() {
            return Err(unknown());
        }
        let more = rosters.len() > limit;
        rosters.truncate(limit);
        let last = rosters.last().filter(|_| more);
        let last = last.map(|(scope, _)| place(scope));
        let mut groups = Vec::with_capacity(rosters.len());
        let mut rest = MOST_OBJECTS;
        for (scope, roster) in rosters {
            let group = self.group(scope, roster, rest).await?;
            rest -= group.objects;
            groups.push(group);
        }
        Ok((groups, last))
    }

    /// Looks at `most` objects at most.
    async fn group(&self, scope: Scope, roster: Roster, most: u64) -> Result<Group, StoreError> {
        let mut count = Count::of(&roster);
        let reporters = u64::try_from(roster.leases.len()).unwrap_or(u64::MAX);
        let most = most.min(MOST_LOOKS / reporters.max(1));
        let mut after = None;
        let complete = loop {
            let left = usize::try_from(most - count.objects).unwrap_or(CHUNK);
            if left == 0 {
                break false;
            }
            let limit = CHUNK.min(left);
            let reads = self.store().reads();
            let some = reads.list_held(&scope, after.as_ref(), limit).await?;
            some.iter().for_each(|held| count.add(&scope, held));
            if some.len() < limit {
                break true;
            }
            after = some.last().map(|held| held.uid.clone());
        };
        Ok(count.finish(scope, roster, complete))
    }
}

/// Where the reporters of a scope stand.
pub fn place(scope: &Scope) -> GroupPlace {
    (scope.kind.as_str().to_owned(), scope.cluster.to_string())
}

/// Objects by their owners.
struct Count {
    /// Those that are there now.
    members: Vec<String>,
    /// Those and the one that went last, so that it shows what was its own.
    before: Vec<String>,
    went: Option<String>,
    own: BTreeMap<String, u64>,
    moved: u64,
    objects: u64,
}

impl Count {
    fn of(roster: &Roster) -> Self {
        let members: Vec<String> = roster.leases.keys().map(Uuid::to_string).collect();
        let went = roster
            .last_move
            .filter(|last| last.kind != MoveKind::Joined);
        let went = went.map(|last| last.instance.to_string());
        let went = went.filter(|went| !members.contains(went));
        Self {
            before: members.iter().chain(&went).cloned().collect(),
            members,
            went,
            own: BTreeMap::new(),
            moved: 0,
            objects: 0,
        }
    }

    fn add(&mut self, scope: &Scope, held: &HeldObject) {
        let object = RendezvousKey {
            cluster: scope.cluster.as_str(),
            kind: scope.kind.as_str(),
            namespace: &held.object.namespace,
            name: &held.object.name,
        };
        self.objects += 1;
        let mut owner = object.owner(&self.before);
        if owner.is_some() && owner == self.went.as_ref() {
            self.moved += 1;
            owner = object.owner(&self.members);
        }
        if let Some(owner) = owner {
            *self.own.entry(owner.clone()).or_default() += 1;
        }
    }

    fn finish(self, scope: Scope, roster: Roster, complete: bool) -> Group {
        let own = |instance: &Uuid| self.own.get(&instance.to_string()).copied().unwrap_or(0);
        let last_move = roster.last_move.map(|last| match last.kind {
            MoveKind::Joined => (last, own(&last.instance)),
            MoveKind::Left | MoveKind::Lost => (last, self.moved),
        });
        let seats = roster.leases.into_iter();
        Group {
            scope,
            shares: seats
                .map(|(instance, seat)| (instance, (seat, own(&instance))))
                .collect(),
            objects: self.objects,
            complete,
            version: roster.version,
            last_move,
        }
    }
}

#[cfg(test)]
mod tests;
