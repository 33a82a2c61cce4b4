//! The command line beside the platform of the pods.

use std::{path::PathBuf, process::Command};

use causeway_testkit::{Finished, binary, run, wait_until_blocking};
use serde_json::Value;

use crate::stage::SOON;

/// What exit code 5 says: the platform or a runtime is not there at this moment.
pub(crate) const LATER: i32 = 5;

/// An admin at the keyboard.
#[derive(Clone, Debug)]
pub(crate) struct Console {
    pub(crate) address: String,
    pub(crate) key_file: PathBuf,
}

impl Console {
    pub(crate) fn cli(&self, words: &[&str]) -> Finished {
        run(&mut self.command(words))
    }

    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(binary());
        command.args(words).env("CAUSEWAY_ADDRESS", &self.address);
        command.env("CAUSEWAY_API_KEY_FILE", &self.key_file);
        command
    }

    /// Runs a command that must succeed and returns its output.
    #[track_caller]
    pub(crate) fn run(&self, words: &[&str]) -> String {
        self.cli(words).expect_success()
    }

    /// The same where pods are being killed: again as long as the exit code says that later is better.
    pub(crate) fn insist(&self, words: &[&str]) -> String {
        wait_until_blocking(&words.join(" "), SOON, || match self.cli(words) {
            done if done.status.success() => Ok(done.stdout),
            refused if refused.code() == LATER => Err(refused.stderr),
            wrong => panic!("{words:?}: {wrong:?}"),
        })
    }

    /// What a command prints for programs, if it succeeds.
    pub(crate) fn json(&self, words: &[&str]) -> Result<Value, String> {
        let told = self.cli(&[words, &["-o", "json"]].concat());
        if !told.status.success() {
            return Err(told.stderr);
        }
        serde_json::from_str(&told.stdout).map_err(|error| format!("{error}: {}", told.stdout))
    }

    /// Waits until what a command prints for programs is as wanted.
    pub(crate) fn until(&self, words: &[&str], wanted: impl Fn(&Value) -> bool) -> Value {
        wait_until_blocking(&words.join(" "), SOON, || match self.json(words)? {
            found if wanted(&found) => Ok(found),
            other => Err(other.to_string()),
        })
    }
}
