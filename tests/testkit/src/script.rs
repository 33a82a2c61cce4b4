//! What an operator does by the day, as one table of commands with what each must answer. The same table is played on every stage:
//! on the sandbox and on a real Argo CD, by the tunnel and by ingress.

mod applications;
mod pods;
mod rollouts;

use std::{collections::BTreeMap, time::Duration};

use serde_json::{Value, json};

use crate::{Finished, wait_until_blocking};

pub use self::{applications::APPLICATIONS, pods::PODS, rollouts::ROLLOUTS};

/// Gives up on what should have been so long ago, on a busy machine too.
const SOON: Duration = Duration::from_secs(240);

/// A platform, and a runtime of it with an Argo CD in namespace `argocd`, as its admin and its committers reach them.
pub trait Stage {
    /// Runs a command of `causeway`.
    fn cli(&self, arguments: &[&str]) -> Finished;
    /// Commits files to `main` of a repository, which is made where there is none; gives the hash.
    fn commit(&self, repository: &str, files: &[(String, String)]) -> String;
    /// Where Argo CD finds a repository.
    fn url(&self, repository: &str) -> String;
    /// Creates an object of Argo's.
    fn create(&self, object: Value);
    /// What the parts have said, for a play that fails.
    fn said(&self) -> String;
}

/// One line of a table. In all texts `{name}` is the application, which is also its repository, its namespace and its Deployment or
/// Rollout, and a commit's name in such brackets is the beginning of its hash.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// Files below `app/` are committed, and the commit gets this name.
    Commit(&'static str, &'static [(&'static str, &'static str)]),
    /// The Application is made, which nobody syncs but users.
    Apply,
    /// A command ends with this code and says all of these words.
    Now(i32, &'static str, &'static [&'static str]),
    /// The same, where a controller or a report takes its time: asked again until it is so.
    Soon(i32, &'static str, &'static [&'static str]),
}

/// Plays a table with an application of this name.
///
/// # Panics
/// When a command does not answer as it must.
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
