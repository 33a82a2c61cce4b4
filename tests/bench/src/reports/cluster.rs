//! The cluster of generated applications, and what changes in it when.

use std::collections::BTreeMap;

use causeway_testkit::{Change, Generator, GeneratorOptions};

pub(super) const NAMESPACE: &str = "argocd";
/// What happens to an application one time after the other: of five changes two are of its health, two of what is in its cluster,
/// and one is a commit.
const LIFE: [Change; 5] = [
    Change::Health,
    Change::Health,
    Change::Drift,
    Change::Drift,
    Change::Commit,
];

pub(super) struct Cluster {
    generator: Generator,
    /// How often each application was changed.
    changes: Vec<usize>,
}

impl Cluster {
    /// That many applications with so many resources each.
    pub(super) async fn start(applications: usize, resources: usize) -> anyhow::Result<Self> {
        let options = GeneratorOptions {
            applications,
            resources,
            seed: 1,
        };
        Ok(Self {
            generator: Generator::start(options).await?,
            changes: vec![0; applications],
        })
    }

    pub(super) fn generator(&self) -> &Generator {
        &self.generator
    }

    /// How many applications there are.
    pub(super) fn len(&self) -> usize {
        self.changes.len()
    }

    /// The name and the resource version of each application that is there.
    pub(super) fn truth(&self) -> BTreeMap<String, u64> {
        let known = self.generator.truth().into_iter();
        known.map(|it| (it.name, it.resource_version)).collect()
    }

    /// The places of applications with these labels.
    pub(super) fn labelled(&self, labels: &[(&str, &str)]) -> Vec<usize> {
        let truth = self.generator.kube().snapshot().objects.into_iter();
        let objects: BTreeMap<_, _> = truth.map(|it| (it.uid, it.object)).collect();
        let known = self.generator.truth().into_iter().enumerate();
        let wanted = known.filter(|(_, application)| {
            let labelled = |(label, value): &(&str, &str)| {
                objects[&application.uid]["metadata"]["labels"][*label] == *value
            };
            labels.iter().all(labelled)
        });
        wanted.map(|(place, _)| place).collect()
    }

    /// The next thing happens to an application; gives the resource version from which on it is so.
    pub(super) fn change(&mut self, place: usize) -> u64 {
        let change = LIFE[self.changes[place] % LIFE.len()];
        self.changes[place] += 1;
        self.make(place, change)
    }

    pub(super) fn make(&self, place: usize, change: Change) -> u64 {
        self.generator.make_at(place, change).resource_version
    }

    pub(super) fn delete(&mut self, place: usize) {
        self.generator.make_at(place, Change::Deletion);
        self.changes.swap_remove(place);
    }
}
