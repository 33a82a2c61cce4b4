//! Generated load: any number of applications, each with resources, manifests, a tree, commits and a history, and changes
//! of them at any rate. The sandbox's Kubernetes API holds the Applications, which nobody reconciles; a REST API answers for
//! Argo CD and renders each answer on request, so that an application costs its object and some hundred bytes.

mod application;
mod life;
mod manifest;
mod population;
mod resource;
mod rest_server;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use causeway_sandbox::{KubeApi, KubeOptions, StartError, sandbox::NAMESPACE};
use serde_json::json;

use self::{population::Population, rest_server::RestServer};

/// What is to be made up.
#[derive(Clone, Copy, Debug)]
pub struct GeneratorOptions {
    /// Applications at the beginning.
    pub applications: usize,
    /// Resources that each of them manages, at least 1. Ten make a component: a Deployment and what goes with it.
    pub resources: usize,
    /// Equal seeds make equal applications, and equal changes where they are asked for in equal order.
    pub seed: u64,
}

/// What happens to an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// One of its Deployments stops working, or works again.
    Health,
    /// Somebody changes a Deployment in the cluster, or Argo CD takes that back.
    Drift,
    /// A commit that changes a Deployment and its ConfigMap is synced: another revision, operation and deployment.
    Commit,
    /// It is deleted, with all that it manages.
    Deletion,
    /// There is one more, in half of all cases with the name of one that is gone.
    Creation,
}

/// How often what happens, as weights.
#[derive(Clone, Copy, Debug)]
pub struct Mix {
    pub health: u32,
    pub drift: u32,
    pub commits: u32,
    pub deletions: u32,
    pub creations: u32,
}

/// A change that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    pub change: Change,
    pub namespace: String,
    pub name: String,
    pub uid: String,
    /// From this version of the cluster on it is so.
    pub resource_version: u64,
}

/// An application that there is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    pub namespace: String,
    pub name: String,
    pub uid: String,
    pub resource_version: u64,
    /// In Argo CD's words.
    pub sync: &'static str,
    /// In Argo CD's words.
    pub health: &'static str,
    /// The commit that it is at.
    pub revision: String,
}

/// A running cluster. Dropping it ends it at once.
pub struct Generator {
    kube: KubeApi,
    argocd: RestServer,
    population: Arc<Mutex<Population>>,
}

impl Mix {
    /// Mostly health, some drift and commits, and as many deletions as creations.
    #[must_use]
    pub fn usual() -> Self {
        Self {
            health: 600,
            drift: 200,
            commits: 180,
            deletions: 10,
            creations: 10,
        }
    }

    /// What `at` of all that happens is.
    fn pick(&self, at: u32) -> Change {
        let weights = [
            (Change::Health, self.health),
            (Change::Drift, self.drift),
            (Change::Commit, self.commits),
            (Change::Deletion, self.deletions),
        ];
        let mut below = 0;
        for (change, weight) in weights {
            below += weight;
            if at < below {
                return change;
            }
        }
        Change::Creation
    }

    fn total(&self) -> u32 {
        self.health + self.drift + self.commits + self.deletions + self.creations
    }
}

impl Generator {
    /// Starts both APIs on any free ports of loopback, with all applications.
    ///
    /// # Errors
    /// A port cannot be had.
    pub async fn start(options: GeneratorOptions) -> Result<Self, StartError> {
        let kube = KubeApi::start(KubeOptions::in_memory()).await?;
        let namespace =
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}});
        kube.write_raw("namespaces", namespace);
        let mut population = Population::new(options);
        for _ in 0..options.applications {
            population.found(&kube);
        }
        let population = Arc::new(Mutex::new(population));
        let argocd = RestServer::start(Arc::clone(&population)).await?;
        Ok(Self {
            kube,
            argocd,
            population,
        })
    }

    /// The Kubernetes API: faults can be injected there.
    #[must_use]
    pub fn kube(&self) -> &KubeApi {
        &self.kube
    }

    /// YAML, with a token in it.
    #[must_use]
    pub fn kubeconfig(&self) -> String {
        self.kube.kubeconfig()
    }

    /// `http://ADDRESS` of Argo CD's REST API.
    #[must_use]
    pub fn argocd_url(&self) -> String {
        self.argocd.url()
    }

    /// The bearer token that Argo CD's REST API takes.
    #[must_use]
    pub fn argocd_token(&self) -> &str {
        self.argocd.token()
    }

    /// Something happens to some application.
    pub fn change(&self, mix: &Mix) -> Changed {
        let mut population = self.population();
        let at = population.draw(mix.total());
        population.make(mix.pick(at), &self.kube)
    }

    /// This happens to some application; where there is none, one is made.
    pub fn make(&self, change: Change) -> Changed {
        self.population().make(change, &self.kube)
    }

    /// This happens to the application that is at a place of [`Self::truth`]; a deletion moves the last one there.
    ///
    /// # Panics
    /// When there are no more applications than that.
    pub fn make_at(&self, place: usize, change: Change) -> Changed {
        self.population().make_at(place, change, &self.kube)
    }

    /// All that there is, in no order that stays when some of it ends.
    #[must_use]
    pub fn truth(&self) -> Vec<Known> {
        self.population().known()
    }

    /// Ends both; takes a second at most.
    pub async fn stop(self) {
        self.argocd.stop().await;
        self.kube.stop().await;
    }

    fn population(&self) -> MutexGuard<'_, Population> {
        self.population
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
