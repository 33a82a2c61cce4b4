//! All applications that there are. Whatever changes is in the cluster before anybody is told that it changed.

use std::collections::HashMap;

use causeway_sandbox::{KubeApi, sandbox::NAMESPACE};
use jiff::Timestamp;
use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng};

use super::{Change, Changed, GeneratorOptions, Known, application::object, life::Life};

const APPLICATIONS: &str = "applications.argoproj.io";
/// Of a hundred at the beginning, for those who look at them.
const ILL: u32 = 3;
const DRIFTED: u32 = 5;

/// See the module text.
pub(super) struct Population {
    lives: Vec<Life>,
    by_name: HashMap<String, usize>,
    /// Numbers of those that are gone.
    gone: Vec<u32>,
    next: u32,
    births: u64,
    resources: usize,
    random: SmallRng,
}

impl Population {
    pub(super) fn new(options: GeneratorOptions) -> Self {
        Self {
            lives: Vec::with_capacity(options.applications),
            by_name: HashMap::with_capacity(options.applications),
            gone: Vec::new(),
            next: 0,
            // no two generators have a commit in common
            births: options.seed << 32,
            resources: options.resources,
            random: SmallRng::seed_from_u64(options.seed),
        }
    }

    /// A number below `most`.
    pub(super) fn draw(&mut self, most: u32) -> u32 {
        self.random.random_range(0..most.max(1))
    }

    pub(super) fn find(&self, name: &str) -> Option<&Life> {
        self.by_name.get(name).map(|index| &self.lives[*index])
    }

    pub(super) fn known(&self) -> Vec<Known> {
        self.lives.iter().map(known).collect()
    }

    /// One of those that are there from the beginning.
    pub(super) fn found(&mut self, kube: &KubeApi) {
        let mut life = self.conceive();
        let random = &mut self.random;
        if random.random_ratio(ILL, 100) {
            life.turn(random);
        }
        if random.random_ratio(DRIFTED, 100) {
            life.drift(random);
        }
        self.bring(life, kube);
    }

    /// As [`super::Generator::make`].
    pub(super) fn make(&mut self, change: Change, kube: &KubeApi) -> Changed {
        if self.lives.is_empty() || change == Change::Creation {
            let life = self.conceive();
            return self.bring(life, kube);
        }
        let index = self.random.random_range(0..self.lives.len());
        self.make_at(index, change, kube)
    }

    /// As [`super::Generator::make_at`].
    pub(super) fn make_at(&mut self, index: usize, change: Change, kube: &KubeApi) -> Changed {
        let (life, random) = (&mut self.lives[index], &mut self.random);
        match change {
            Change::Health => life.turn(random),
            Change::Drift => life.drift(random),
            Change::Commit => life.deploy(random, now()),
            Change::Deletion => return self.end(index, kube),
            Change::Creation => return self.make(change, kube),
        }
        write(life, kube);
        changed(change, life)
    }

    fn conceive(&mut self) -> Life {
        let again = !self.gone.is_empty() && self.random.random_ratio(1, 2);
        let number = match again.then(|| self.gone.pop()).flatten() {
            Some(number) => number,
            None => {
                self.next += 1;
                self.next
            }
        };
        self.births += 1;
        Life::new(number, self.births, self.resources, now())
    }

    fn bring(&mut self, mut life: Life, kube: &KubeApi) -> Changed {
        write(&mut life, kube);
        let changed = changed(Change::Creation, &life);
        self.by_name.insert(life.name.clone(), self.lives.len());
        self.lives.push(life);
        changed
    }

    fn end(&mut self, index: usize, kube: &KubeApi) -> Changed {
        let life = self.lives.swap_remove(index);
        self.by_name.remove(&life.name);
        if let Some(moved) = self.lives.get(index) {
            self.by_name.insert(moved.name.clone(), index);
        }
        self.gone.push(life.number);
        let went = kube.remove_raw(APPLICATIONS, NAMESPACE, &life.name);
        Changed {
            resource_version: went.expect("what is known was written"),
            ..changed(Change::Deletion, &life)
        }
    }
}

fn write(life: &mut Life, kube: &KubeApi) {
    let written = kube.put_raw(APPLICATIONS, object(life));
    let (uid, resource_version) = written.expect("a new cluster serves Applications and has room");
    (life.uid, life.resource_version) = (uid, resource_version);
}

fn changed(change: Change, life: &Life) -> Changed {
    Changed {
        change,
        namespace: NAMESPACE.to_owned(),
        name: life.name.clone(),
        uid: life.uid.clone(),
        resource_version: life.resource_version,
    }
}

fn known(life: &Life) -> Known {
    Known {
        namespace: NAMESPACE.to_owned(),
        name: life.name.clone(),
        uid: life.uid.clone(),
        resource_version: life.resource_version,
        sync: life.sync(),
        health: life.health(),
        revision: life.revision(),
    }
}

fn now() -> i64 {
    Timestamp::now().as_second()
}
