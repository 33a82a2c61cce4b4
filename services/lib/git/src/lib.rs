//! Commits to Git repositories, each exactly once, without a checkout.
//!
//! - `engine`: commit, preview, drain. `queue`: one per repository and branch. `attempt`: one compare and swap.
//! - `edit`, `tree`, `commit`: a change becomes trees and one deterministic commit, by gix.
//! - `read`: files at the tip of a branch.
//! - `clones`: bare blobless shallow clones in a bounded cache. `transport`: the caged `git` program.
//! - `signing`: SSH signatures of commits.
//! - `history`: a step id in the trailers of recent commits; `journal`: results on disk.
//!
//! A step id is committed at most once, and a repeated one returns its first commit.
//! Nothing is ever force-pushed. Credentials are in no argument, URL, file or message.

mod address;
mod attempt;
mod change;
mod clones;
mod commit;
mod credential;
mod edit;
mod engine;
mod error;
mod failpoint;
mod history;
mod journal;
mod path;
mod process;
mod queue;
mod read;
mod signing;
mod step;
mod transport;
mod tree;

pub use address::{Http, RemoteUrl};
pub use change::{Change, Person, StepId};
pub use credential::{Credential, Secret};
pub use edit::{ExpectedFile, FileEdit};
pub use engine::{Access, Commit, Config, Engine, FileDiff, Limits, Preview, Remote};
pub use error::{GitError, NotEditable};
pub use path::RepositoryPath;
pub use read::{File, Selection};
pub use signing::SigningKey;

#[cfg(test)]
mod tests;
