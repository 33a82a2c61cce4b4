//! Daily work of an operator as a table of commands with their expected results. The same table runs on every stage: on the
//! sandbox and on a real Argo CD, by the tunnel and by ingress.

mod applications;
mod pods;
mod rollouts;

use std::{collections::BTreeMap, time::Duration};

use serde_json::{Value, json};

use crate::{Finished, wait_until_blocking};

pub use self::{applications::APPLICATIONS, pods::PODS, rollouts::ROLLOUTS};

/// Timeout of eventual results, long enough for a busy machine.
const SOON: Duration = Duration::from_secs(240);

/// A platform with a runtime and an Argo CD in the namespace `argocd`, with access for the admin and for committers.
pub trait Stage {
    /// Runs a command of `causeway`.
    fn cli(&self, arguments: &[&str]) -> Finished;
    /// Commits files to `main` of a repository, which is created if missing. Returns the hash.
    fn commit(&self, repository: &str, files: &[(String, String)]) -> String;
    /// Returns the URL of a repository for Argo CD.
    fn url(&self, repository: &str) -> String;
    /// Creates an object of Argo.
    fn create(&self, object: Value);
    /// Returns the logs of the parts, for a failing run.
    fn said(&self) -> String;
}

/// Step of a table. In all texts `{name}` is the application, also the name of its repository, namespace and Deployment or
/// Rollout. The name of a commit in braces is the start of its hash.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// Commits files below `app/` under a name.
    Commit(&'static str, &'static [(&'static str, &'static str)]),
    /// Creates the Application, without automated sync.
    Apply,
    /// Runs a command that ends with this code and prints all of these words.
    Now(i32, &'static str, &'static [&'static str]),
    /// Same, retried until a controller or a report has caught up.
    Soon(i32, &'static str, &'static [&'static str]),
}

/// Runs a table with an application of this name.
///
/// # Panics
/// A command has an unexpected result.
pub fn play(stage: &impl Stage, name: &str, steps: &[Step]) {
    let mut play = Play {
        stage,
        names: BTreeMap::from([("{name}".to_owned(), name.to_owned())]),
        name: name.to_owned(),
    };
    for (number, step) in steps.iter().enumerate() {
        play.step(number, step);
    }
}

struct Play<'s, S> {
    stage: &'s S,
    name: String,
    names: BTreeMap<String, String>,
}

impl<S: Stage> Play<'_, S> {
    fn step(&mut self, number: usize, step: &Step) {
        match step {
            Step::Commit(called, files) => self.commit(called, files),
            Step::Apply => self.apply(),
            Step::Now(code, command, words) => {
                let answered = self.answers(*code, command, words);
                assert!(answered.is_ok(), "step {number}: {answered:?}");
            }
            Step::Soon(code, command, words) => {
                let what = format!("step {number}: {}", self.filled(command));
                wait_until_blocking(&what, SOON, || self.answers(*code, command, words));
            }
        }
    }

    fn answers(&self, code: i32, command: &str, words: &[&str]) -> Result<(), String> {
        let command = self.filled(command);
        let arguments: Vec<_> = command.split_whitespace().collect();
        let done = self.stage.cli(&arguments);
        let said = format!("{}{}", done.stdout, done.stderr);
        let missing = words.iter().map(|word| self.filled(word));
        let missing: Vec<_> = missing.filter(|word| !said.contains(word)).collect();
        if done.code() == code && missing.is_empty() {
            Ok(())
        } else {
            Err(format!(
                "causeway {command}\nended with {}, wanted {code} and {missing:?}:\n{said}\n{}",
                done.code(),
                self.stage.said()
            ))
        }
    }

    fn commit(&mut self, called: &str, files: &[(&str, &str)]) {
        let files: Vec<_> = files
            .iter()
            .map(|(file, text)| (format!("app/{file}"), self.filled(text)))
            .collect();
        let hash = self.stage.commit(&self.name, &files);
        self.names
            .insert(format!("{{{called}}}"), hash[..7].to_owned());
    }

    fn apply(&self) {
        self.stage.create(json!({
            "apiVersion": "argoproj.io/v1alpha1",
            "kind": "Application",
            "metadata": {"name": self.name, "namespace": "argocd", "labels": {"play": self.name}},
            "spec": {
                "project": "default",
                "source": {
                    "repoURL": self.stage.url(&self.name),
                    "path": "app",
                    "targetRevision": "main",
                },
                "destination": {"server": "https://kubernetes.default.svc", "namespace": self.name},
                "syncPolicy": {"syncOptions": ["CreateNamespace=true"]},
            },
        }));
    }

    fn filled(&self, text: &str) -> String {
        let names = self.names.iter();
        names.fold(text.to_owned(), |text, (name, value)| {
            text.replace(name, value)
        })
    }
}
