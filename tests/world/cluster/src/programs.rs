//! The programs of clusters, built from public Go modules into a cache outside the checkout.
//!
//! Owns: which programs there are and why one is not. Never: a program that is half built; a finished one is renamed into place.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

use crate::{BuildCache, Program, Progress, toolchain::GoVersion};

/// Programs that are built and ready to be started.
#[derive(Debug, Clone)]
pub struct Programs {
    paths: BTreeMap<Program, PathBuf>,
}

/// Failure to find or build a program.
#[derive(Debug, thiserror::Error)]
pub enum ProgramsError {
    #[error("{} not built: run 'make cluster'", named(missing))]
    NotBuilt { missing: Vec<Program> },
    #[error("{program} in {} is not as it was built: run 'make cluster' to build it again", folder.display())]
    Damaged { program: Program, folder: PathBuf },
    #[error("Go is missing ({} cannot be run): install Go {needed} or newer, see https://go.dev/doc/install", go.display())]
    GoMissing { go: PathBuf, needed: GoVersion },
    #[error("Go {found} is too old: install Go {needed} or newer, see https://go.dev/doc/install")]
    GoTooOld { found: GoVersion, needed: GoVersion },
    #[error("{} does not answer 'go version' as Go does: install Go {needed} or newer, see https://go.dev/doc/install", go.display())]
    GoUnusable { go: PathBuf, needed: GoVersion },
    #[error("{} has {} left and the build may take {}: make room, or name another place with {variable}", folder.display(), gigabytes(*free), gigabytes(*needed))]
    NoSpace {
        folder: PathBuf,
        free: u64,
        needed: u64,
        /// The environment variable that moves this folder.
        variable: &'static str,
    },
    #[error("{program} cannot be built: {reason}; the log is {}", log.display())]
    Failed {
        program: Program,
        /// The last line that Go wrote.
        reason: String,
        log: PathBuf,
    },
    #[error("cannot use {}: {source}; see that it is writable, or name another folder with CAUSEWAY_CLUSTER_CACHE", path.display())]
    Folder { path: PathBuf, source: io::Error },
    #[error(
        "there is no home folder to keep programs in: name a folder with CAUSEWAY_CLUSTER_CACHE"
    )]
    NoHome,
    #[error("the environment is not usable: {0}")]
    Environment(String),
}

impl Programs {
    pub(crate) fn new(paths: BTreeMap<Program, PathBuf>) -> Self {
        Self { paths }
    }

    /// These programs, as they were built before, in the cache that the environment names.
    ///
    /// # Errors
    /// One of them is not built or damaged. Needs no Go.
    pub fn find(programs: &[Program]) -> Result<Self, ProgramsError> {
        BuildCache::from_environment()?.find(programs)
    }

    /// These programs; those that are not built yet are built, which blocks for minutes and needs Go.
    ///
    /// # Errors
    /// Go is missing or too old, the disk is full, or a build failed; the error says where its log is.
    pub fn build(
        programs: &[Program],
        progress: impl FnMut(Progress),
    ) -> Result<Self, ProgramsError> {
        BuildCache::from_environment()?.build(programs, progress)
    }

    /// The file of a program. In the same folder are `crds`, a folder of YAML files, for Argo CD, Rollouts and Workflows,
    /// and `kwok-stages.yaml` for Kubernetes.
    ///
    /// # Panics
    /// The program is not one of those that were asked for.
    pub fn path(&self, program: Program) -> &Path {
        self.paths
            .get(&program)
            .expect("only a program that was asked for is used")
    }
}

fn named(programs: &[Program]) -> String {
    let names: Vec<_> = programs.iter().map(|program| program.name()).collect();
    match names.as_slice() {
        [one] => format!("{one} is"),
        [first @ .., last] => format!("{} and {last} are", first.join(", ")),
        [] => "nothing is".to_owned(),
    }
}

fn gigabytes(bytes: u64) -> String {
    const TENTH: u64 = (1 << 30) / 10;
    let tenths = bytes / TENTH;
    format!("{}.{} GiB", tenths / 10, tenths % 10)
}
