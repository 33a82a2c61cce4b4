//! One application from its creation to its end, as the few numbers that all its texts are made of.

use std::collections::VecDeque;

use rand::{RngExt as _, rngs::SmallRng};
use sha2::{Digest as _, Sha256};

use super::resource::{KINDS, Resource};

/// What Argo CD's history shows of it.
const DEPLOYMENTS: usize = 5;

const SERVICES: [&str; 16] = [
    "ledger", "checkout", "catalog", "search", "identity", "billing", "gateway", "mailer", "stock",
    "pricing", "reviews", "media", "orders", "shipping", "reports", "tickets",
];
const STAGES: [&str; 4] = ["dev", "test", "staging", "prod"];
const TEAMS: [&str; 7] = [
    "payments",
    "storefront",
    "platform",
    "logistics",
    "insight",
    "support",
    "growth",
];

/// What is wrong with a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Problem {
    Progressing,
    Degraded,
}

/// One commit that was synced.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deployment {
    /// Its number, from 1.
    pub(super) commit: u32,
    /// Seconds since 1970.
    pub(super) at: i64,
}

/// See the module text.
#[derive(Clone, Debug)]
pub(super) struct Life {
    /// What its name is made of.
    pub(super) number: u32,
    /// No two lives have the same, those of one name neither.
    pub(super) birth: u64,
    pub(super) name: String,
    pub(super) uid: String,
    pub(super) resource_version: u64,
    /// Seconds since 1970.
    pub(super) created: i64,
    /// The last ones, the newest at the end; never empty.
    pub(super) deployments: VecDeque<Deployment>,
    /// The commit that last changed each resource.
    pub(super) touched: Vec<u32>,
    /// Which resource, and what is wrong with it.
    pub(super) trouble: Option<(usize, Problem)>,
    /// Which resource is not as Git has it.
    pub(super) drifted: Option<usize>,
}

impl Life {
    /// One that was synced at its creation.
    pub(super) fn new(number: u32, birth: u64, resources: usize, now: i64) -> Self {
        let (service, stage) = (
            SERVICES[number as usize % SERVICES.len()],
            STAGES[number as usize / SERVICES.len() % STAGES.len()],
        );
        Self {
            number,
            birth,
            name: format!("{service}-{stage}-{number:05}"),
            uid: String::new(),
            resource_version: 0,
            created: now,
            deployments: VecDeque::from([Deployment { commit: 1, at: now }]),
            touched: vec![1; resources.max(1)],
            trouble: None,
            drifted: None,
        }
    }

    pub(super) fn service(&self) -> &'static str {
        SERVICES[self.number as usize % SERVICES.len()]
    }

    pub(super) fn stage(&self) -> &'static str {
        STAGES[self.number as usize / SERVICES.len() % STAGES.len()]
    }

    pub(super) fn team(&self) -> &'static str {
        TEAMS[self.number as usize % TEAMS.len()]
    }

    /// Where it goes.
    pub(super) fn namespace(&self) -> String {
        format!("{}-{}", self.team(), self.stage())
    }

    pub(super) fn sync(&self) -> &'static str {
        match self.drifted {
            Some(_) => "OutOfSync",
            None => "Synced",
        }
    }

    pub(super) fn health(&self) -> &'static str {
        self.trouble
            .map_or("Healthy", |(_, trouble)| trouble.health())
    }

    pub(super) fn last(&self) -> Deployment {
        let last = self.deployments.back();
        *last.expect("an application was synced at its creation")
    }

    /// The revision of a commit: 40 hex digits.
    pub(super) fn revision_of(&self, commit: u32) -> String {
        let digest = Sha256::digest(format!("{}/{commit}", self.birth));
        digest[..20]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }

    pub(super) fn revision(&self) -> String {
        self.revision_of(self.last().commit)
    }

    pub(super) fn resources(&self) -> impl Iterator<Item = Resource<'_>> {
        (0..self.touched.len()).map(|index| Resource { life: self, index })
    }

    /// A Deployment stops working, or works again.
    pub(super) fn turn(&mut self, random: &mut SmallRng) {
        self.trouble = match self.trouble {
            None if random.random_ratio(7, 10) => {
                Some((self.some_deployment(random), Problem::Progressing))
            }
            None => Some((self.some_deployment(random), Problem::Degraded)),
            Some((index, Problem::Progressing)) if random.random_ratio(1, 5) => {
                Some((index, Problem::Degraded))
            }
            Some(_) => None,
        };
    }

    /// A Deployment is changed by hand, or back.
    pub(super) fn drift(&mut self, random: &mut SmallRng) {
        self.drifted = match self.drifted {
            None => Some(self.some_deployment(random)),
            Some(_) => None,
        };
    }

    /// A commit is synced, and all is well.
    pub(super) fn deploy(&mut self, random: &mut SmallRng, now: i64) {
        let commit = self.last().commit + 1;
        let deployment = self.some_deployment(random);
        let changed = [deployment, deployment + Resource::CONFIG];
        for index in changed {
            if let Some(touched) = self.touched.get_mut(index) {
                *touched = commit;
            }
        }
        self.deployments.push_back(Deployment { commit, at: now });
        if self.deployments.len() > DEPLOYMENTS {
            self.deployments.pop_front();
        }
        (self.trouble, self.drifted) = (None, None);
    }

    /// Each component begins with its Deployment.
    fn some_deployment(&self, random: &mut SmallRng) -> usize {
        let components = self.touched.len().div_ceil(KINDS.len());
        random.random_range(0..components) * KINDS.len()
    }
}

impl Problem {
    pub(super) fn health(self) -> &'static str {
        match self {
            Self::Progressing => "Progressing",
            Self::Degraded => "Degraded",
        }
    }

    pub(super) fn message(self) -> &'static str {
        match self {
            Self::Progressing => {
                "Waiting for rollout to finish: 1 of 2 updated replicas are available..."
            }
            Self::Degraded => "Deployment exceeded its progress deadline",
        }
    }
}
